"""The three places where attention acts (Vaswani et al. 2017, section 3.2.3), and which of them a model has. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from app.model_view import ModelView
from app.real.stack import Name, Stack, stack_at, stacks_of
from models.pretrained import AttentionCall
from models.pretrained.en_pt_layers import RecurrentUnit
from models.transformer.config import Config

Role = Literal["encoder", "decoder", "cross"]
ROLES: tuple[Role, ...] = get_args(Role)
Norm = Literal["pre", "post"]

NORM_AFTER = {
    *("albert", "bart", "bert", "biogpt", "camembert", "deberta", "deberta-v2", "distilbert", "electra"),
    *("ernie", "firefox-translations", "marian", "mpnet", "openai-gpt", "roberta", "xlm", "xlm-roberta"),
}  # model types of transformers whose layer norm stands after each part; in all others we know it stands before
ADDED = ("learned", "sinusoidal")  # positions that are added to the embeddings; others act inside attention


@dataclass(frozen=True)
class Places:
    """Which stack of calls fills each role, and what the model is built like around them."""

    stacks: dict[Role, Name]
    norm: Norm
    added_positions: bool
    feed_forward: bool
    recurrent: bool

    @property
    def encoder(self) -> bool:
        return "encoder" in self.stacks

    @property
    def decoder(self) -> bool:
        return "decoder" in self.stacks or "cross" in self.stacks

    @property
    def alone(self) -> bool:
        """Whether there is one stack only."""
        return not (self.encoder and self.decoder)

    def role_of(self, name: Name) -> Role | None:
        """The role that a stack fills; None for one that has no place in the drawing."""
        return next((role for role, own in self.stacks.items() if own == name), None)


def places_of(calls: Sequence[AttentionCall], module: nn.Module, positions: str) -> Places:
    """The places of a model, from its calls and its modules."""
    stacks: dict[Role, Name] = {}
    for name in stacks_of(calls):
        stacks.setdefault(_role(name), name)
    config: Any = getattr(module, "config", None)
    own = isinstance(config, Config)
    return Places(
        stacks={role: stacks[role] for role in ROLES if role in stacks},
        norm=config.norm if own else norm_of(config),
        added_positions=positions in ADDED,
        feed_forward=config.d_ff > 0 if own else True,
        recurrent=any(isinstance(part, RecurrentUnit) for part in module.modules()),
    )


def _role(name: Name) -> Role:
    stream, kind = name
    if kind == "cross":
        return "cross"
    return "decoder" if stream == "decoder" else "encoder"


def norm_of(config: Any) -> Norm:
    """Whether the layer norm of one of transformers' models stands before or after each part."""
    for name in ("do_layer_norm_before", "normalize_before", "norm_first"):
        if isinstance(value := getattr(config, name, None), bool):
            return "pre" if value else "post"
    return "post" if getattr(config, "model_type", "") in NORM_AFTER else "pre"


def stack_of(calls: Sequence[AttentionCall], name: Name, view: ModelView) -> Stack:
    """The stack of this name at the layer and head that `view` looks at, or the nearest that there are."""
    stream, kind = name
    return stack_at(calls, replace(view, stream=stream, kind="cross" if kind == "cross" else "self"))


def weights_of(stack: Stack, mean: bool) -> Tensor:
    """N × M: the weights of the chosen head, or the mean over the heads of its layer."""
    if not mean:
        return stack.call.weights(stack.head)
    return torch.stack([stack.call.weights(head) for head in range(stack.call.heads)]).mean(0)


@dataclass(frozen=True)
class Pair:
    """A target token and the source token that it is written from, with the weight between them and their places."""

    written: str
    source: str
    weight: float
    row: int
    col: int


def alignment(
    weights: Tensor,
    written: Sequence[str],
    sources: Sequence[str],
    special: Sequence[bool] = (),
    most: int = 6,
) -> list[Pair]:
    """The `most` strongest pairs of cross-attention weights N × M, in the order of the target.

    Row t is what was looked at while `written[t]` was being written. Rows whose strongest key is a special token, or
    whose weights are not numbers, are passed over; so are punctuation marks where there are words.
    """
    pairs = []
    for row, label in enumerate(written[: weights.shape[0]]):
        value, col = weights[row].max(0)
        at = int(col)
        if float(value) > 0 and not (at < len(special) and special[at]):
            pairs.append(Pair(label, sources[at], float(value), row, at))
    pairs = [pair for pair in pairs if any(map(str.isalnum, pair.written))] or pairs
    strongest = sorted(pairs, key=lambda pair: -pair.weight)[:most]
    return sorted(strongest, key=lambda pair: pair.row)


def strongest_link(weights: Tensor, special: Sequence[bool] = ()) -> tuple[int, int, float] | None:
    """Row, column and weight of the largest of N × N weights between two different tokens. The first token and special
    ones are set aside as keys: they take much weight in many heads and mean little. None where nothing is left."""
    left = weights.nan_to_num().clone()
    left.fill_diagonal_(0)
    left[:, 0] = 0
    if len(special) == left.shape[1]:
        left[:, torch.tensor(special)] = 0
    row, col = divmod(int(left.argmax()), left.shape[1])
    weight = float(left[row, col])
    return (row, col, weight) if weight > 0 else None
