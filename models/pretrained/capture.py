"""Runs a model once and catches every attention call of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from models.errors import InputError
from models.pretrained import naming, plain
from models.pretrained.call import AttentionCall
from models.pretrained.follow import Follower
from models.pretrained.recording import Recorded
from models.pretrained.session import Session, listening
from models.pretrained.unchanged import unchanged
from models.pretrained.whole import Turn, only_whole

FOLLOWED = 2  # the tier of calls found by following tensors


@dataclass(frozen=True)
class CapturedForward:
    """The calls of one forward pass in order, and the model's output.

    `tier` is the highest any call needed: 1 through the attention interface, 2 by following tensors, 3 the model's own
    weights without q, k and v. `unseen` are attention modules that ran and were not caught, or not as one whole (path →
    class).
    """

    calls: tuple[AttentionCall, ...]
    output: Any
    tier: int
    unseen: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@torch.inference_mode()
def capture_calls(model: nn.Module, **inputs: Any) -> CapturedForward:
    """Runs `model(**inputs)` as it is and catches its attention; the output is bit-identical to a run without capture.

    Models that do not go through transformers' attention interface run a second time, followed tensor by tensor.
    Raises InputError for a model in training mode, one without attention, and one whose attention cannot be seen.
    """
    if model.training:
        raise InputError(
            "model_in_training",
            "A model in evaluation mode was expected: dropout would make its numbers random. Call model.eval() first.",
        )
    with unchanged(model):  # all along: a second run shall see what the first one made of the model
        return _captured(model, inputs)


def _captured(model: nn.Module, inputs: Mapping[str, Any]) -> CapturedForward:
    with listening(Session(model, _batch(inputs))) as session:
        output = model(**inputs)
    recorded, unseen = list(session.calls), session.unseen
    softmaxes: Mapping[Turn, int] = session.softmaxes
    if unseen or not recorded:
        recorded, unseen, softmaxes = _followed(model, inputs, recorded, unseen)
    recorded, parts = only_whole(recorded, softmaxes)
    calls, wrong = _believed(_calls(model, recorded, inputs))
    unseen = {**unseen, **wrong, **parts}
    if not calls and not parts:
        returned = plain.recorded_weights(model, inputs)
        calls = _calls(model, plain.of_tokens(returned, model, inputs), inputs)
        parts = unseen if returned else parts
    if not calls:
        raise _nothing_found(model, unseen, in_parts=bool(parts))
    return CapturedForward(tuple(calls), output, max(call.tier for call in calls), unseen, _notes(unseen))


def _calls(model: nn.Module, recorded: list[Recorded], inputs: Mapping[str, Any]) -> list[AttentionCall]:
    return [
        AttentionCall(call, place, padded=_padded(call, place, inputs))
        for call, place in zip(recorded, naming.places(recorded, _shared(model)), strict=True)
    ]


def _shared(model: nn.Module) -> dict[str, list[str]]:
    """All paths of the modules that stand in the model more than once, under their first one."""
    paths: dict[int, list[str]] = {}
    for path, module in model.named_modules(remove_duplicate=False):
        paths.setdefault(id(module), []).append(path)
    return {found[0]: found for found in paths.values() if len(found) > 1}


def _believed(calls: list[AttentionCall]) -> tuple[list[AttentionCall], dict[str, str]]:
    """Calls found by following tensors are believed if they give the model's own head outputs; the others are left out
    and named (path → class)."""
    kept = [call for call in calls if call.tier != FOLLOWED or call.exact]
    left = [call.recorded for call in calls if call.tier == FOLLOWED and not call.exact]
    return kept, {call.name: type(call.module).__name__ for call in left}


def _batch(inputs: Mapping[str, Any]) -> int:
    return next((value.shape[0] for value in inputs.values() if isinstance(value, Tensor) and value.ndim), 0)


def _followed(
    model: nn.Module, inputs: Mapping[str, Any], first: list[Recorded], unseen: Mapping[str, str]
) -> tuple[list[Recorded], dict[str, str], Mapping[Turn, int]]:
    """A second run in which tensors are followed; calls that the first run has keep their order among the new ones."""
    with listening(Session(model, _batch(inputs))) as session, Follower(session):
        model(**inputs)
    if len(session.calls) > len(first):
        return session.calls, session.unseen, session.softmaxes
    return first, dict(unseen), {}


def _padded(call: Recorded, place: naming.Place, inputs: Mapping[str, Any]) -> Tensor | None:
    """B × M, True for keys that are padding according to the masks the model was given."""
    of_decoder = place.stream == "decoder" and place.kind == "self"
    names = (
        ("decoder_attention_mask",) if of_decoder and "decoder_input_ids" in inputs else ("attention_mask",)
    )
    for name in names:
        mask = inputs.get(name)
        if isinstance(mask, Tensor) and mask.shape == (call.key.shape[0], call.key.shape[2]):
            hidden = mask == 0
            return hidden if bool(hidden.any()) else None
    return None


def _notes(unseen: Mapping[str, str]) -> tuple[str, ...]:
    if not unseen:
        return ()
    names = ", ".join(sorted(set(unseen.values())))
    return (f"Attention modules that ran and are not shown, unseen or computed in parts: {names}.",)


def _nothing_found(model: nn.Module, unseen: Mapping[str, str], *, in_parts: bool) -> InputError:
    name, modules = type(model).__name__, ", ".join(sorted(set(unseen.values())))
    if in_parts:
        return InputError(
            "attention_in_parts",
            f"{name} computes its attention in parts ({modules}): in blocks, windows or several streams. Their rows "
            "and columns are not the tokens of the text, and no part is the whole. Expected: attention from token to "
            "token. Choose another model; some, such as BigBird, attend in full to a shorter text.",
            model=name,
            modules=modules,
        )
    if unseen:
        return InputError(
            "attention_unseen",
            f"{name} has modules called attention ({modules}), but no queries, keys and weights could be found in "
            "them. Expected: softmax attention. Try another model.",
            model=name,
            modules=modules,
        )
    return InputError(
        "no_attention",
        f"{name} has no attention to look at: a model with attention layers was expected. State-space and recurrent "
        "models such as Mamba and RWKV carry a state along instead of looking back. Choose a transformer.",
        model=name,
    )
