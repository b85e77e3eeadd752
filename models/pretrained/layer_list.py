"""The layers of a model by their own numbers: which have attention, what stands in the others, what is shared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from torch import nn

from models.pretrained.call import AttentionCall
from models.pretrained.naming import NUMBERED, Stack

NO_MIXER = re.compile(r"norm|mlp|moe|feed_?forward|dropout|expert|ffn|embedding", re.IGNORECASE)


def numbers(calls: Sequence[AttentionCall]) -> dict[Stack, tuple[int, ...]]:
    """The layers that have attention, by stream and kind."""
    found: dict[Stack, tuple[int, ...]] = {}
    for call in calls:
        at = (call.stream, call.kind)
        found[at] = (*found.get(at, ()), call.layer)
    return found


def spans(layers: Sequence[int]) -> str:
    """Rising numbers in short: "0–2, 5, 7–8"."""
    parts: list[list[int]] = []
    for layer in layers:
        if parts and layer == parts[-1][-1] + 1:
            parts[-1].append(layer)
        else:
            parts.append([layer])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}–{part[-1]}" for part in parts)


def others(
    model: nn.Module, calls: Sequence[AttentionCall], unseen: Mapping[str, str]
) -> dict[Stack, dict[int, str]]:
    """The layers of the same list that have no softmax attention, by stream and kind: number → class of what stands in
    its place (a Mamba mixer, a linear attention). A layer whose attention was not seen has one, and is left out."""
    found = {}
    attending = [*unseen, *(call.name for call in calls)]
    for stack in numbers(calls):
        own = [call for call in calls if (call.stream, call.kind) == stack]
        blocks = _list_of(model, own[0]) if stack[1] == "self" else None
        layers = {call.layer for call in own}
        if blocks is None or max(layers) >= len(blocks[1]):
            continue
        path, members = blocks
        usual = {type(part) for layer in layers for part in members[layer].children()}
        missing = {
            number: _instead(block, usual)
            for number, block in enumerate(members)
            if number not in layers and not any(_inside(name, f"{path}.{number}") for name in attending)
        }
        if missing:
            found[stack] = missing
    return found


def shared(calls: Sequence[AttentionCall]) -> dict[Stack, tuple[tuple[int, ...], ...]]:
    """Groups of layers that one attention module computes (ALBERT, Zamba), by stream and kind; none for most models."""
    found: dict[Stack, tuple[tuple[int, ...], ...]] = {}
    for stack in numbers(calls):
        groups: dict[str, list[int]] = {}
        for call in calls:
            if (call.stream, call.kind) == stack and call.tier != 3:
                groups.setdefault(call.name, []).append(call.layer)
        together = tuple(tuple(group) for group in groups.values() if len(group) > 1)
        if together:
            found[stack] = together
    return found


def _list_of(model: nn.Module, call: AttentionCall) -> tuple[str, Sequence[nn.Module]] | None:
    """The list of layers that a call's module stands in, and its path."""
    at = NUMBERED.search(call.name)
    if call.recorded.module is None or at is None or int(at[1]) != call.layer:
        return None
    path = call.name[: at.start(1)].rstrip(".")
    members = model.get_submodule(path)
    return (path, list(members)) if isinstance(members, nn.ModuleList) else None


def _instead(block: nn.Module, usual: set[type[nn.Module]]) -> str:
    """The class of the part that the layers with attention do not have; the layer's own if all its parts are usual."""
    strange = [part for part in block.children() if type(part) not in usual]
    mixers = [part for part in strange if not NO_MIXER.search(type(part).__name__)]
    return type((mixers or strange or [block])[0]).__name__


def _inside(name: str, path: str) -> bool:
    return name == path or name.startswith(path + ".")
