"""The three places where attention acts (Vaswani et al. 2017, section 3.2.3), and which of them a model has. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from app.model_view import ModelView
from app.trained.stack import Name, Stack, stack_at, stacks_of
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
