"""How each operation of a trace is written as lines of PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from models.snippets.literals import literal
from models.trace import Step, Trace
from models.vocabulary import named

_LETTERS = {"head": "H", "query": "N", "token": "N", "key": "M", "d_model": "D", "d_k": "K", "d_v": "V",
            "concat": "H·V"}  # fmt: skip


@dataclass(frozen=True)
class Scene:
    """What is written about: a trace, and one head of it or all (None)."""

    trace: Trace
    head: int | None

    def value(self, step: Step) -> Tensor:
        """A step's numbers, of the one head if there is one."""
        if self.head is None or step.axes[0] != "head":
            return step.value
        return step.value[self.head]

    def shape(self, step: Step) -> str:
        """A comment such as "# N × K = 3 × 4"."""
        axes = step.axes[1:] if self.head is not None and step.axes[0] == "head" else step.axes
        sizes = " × ".join(map(str, self.value(step).shape))
        return f"# {' × '.join(_LETTERS[axis] for axis in axes)} = {sizes}"

    def parameter(self, name: str) -> list[str]:
        """A weight matrix as a literal; only the columns of the one head, if there is one."""
        weights, variable = self.trace.parameters[name], named(name).variable
        width = {"w_q": self.trace.d_k, "w_k": self.trace.d_k, "w_v": self.trace.d_v}.get(name)
        letters = {"w_q": ("D", "K"), "w_k": ("D", "K"), "w_v": ("D", "V"), "w_o": ("H·V", "D")}[name]
        comment = ""
        if self.head is None and width is not None:
            letters = (letters[0], f"H·{letters[1]}")
        elif width is not None and weights.shape[1] > width:
            start = width * (self.head or 0)
            weights = weights[:, start : start + width]
            comment = f", {variable}[:, {start}:{start + width}]"
        sizes = " × ".join(map(str, weights.shape))
        return [f"{variable} = {literal(weights)}  # {' × '.join(letters)} = {sizes}{comment}"]


def _lookup(scene: Scene, step: Step) -> list[str]:
    if step.name == "tokens":
        return _tokens(scene)
    tokens = scene.trace.context_tokens if step.name == "context" else scene.trace.tokens
    values = scene.value(step)
    labels = tokens.labels if tokens is not None and values.ndim == 2 and len(tokens) == len(values) else ()
    return [f"{named(step.name).variable} = {literal(values, labels)}  {scene.shape(step)}"]


def _tokens(scene: Scene) -> list[str]:
    assert scene.trace.tokens is not None
    return [
        f"tokens = {[token.text for token in scene.trace.tokens]!r}",
        "",
        "def token_id(token):",
        '    word = unicodedata.normalize("NFC", unicodedata.normalize("NFC", token).casefold())',
        '    digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()',
        '    return int.from_bytes(digest[:8], "big") % 1_000_000',
        "",
        f"ids = torch.tensor([token_id(token) for token in tokens])  # N = {len(scene.trace.tokens)}",
    ]


def _sinusoidal(scene: Scene, step: Step) -> list[str]:
    length, d_model = step.value.shape
    return [
        f"pos = torch.arange({length}, dtype=torch.float64)[:, None]  # N × 1",
        f"i = torch.arange({d_model}, dtype=torch.float64) // 2  # 0, 0, 1, 1, 2, 2 …",
        f"angle = pos / 10000 ** (2 * i / {d_model})  # N × D",
        f"P = torch.where(torch.arange({d_model}) % 2 == 0, angle.sin(), angle.cos())  {scene.shape(step)}",
    ]


def _copy(scene: Scene, step: Step) -> list[str]:
    return [f"X = {named(step.inputs[0]).variable}  {scene.shape(step)}"]


def _sum(scene: Scene, step: Step) -> list[str]:
    return [f"X = {' + '.join(named(name).variable for name in step.inputs)}  {scene.shape(step)}"]


def _projection(scene: Scene, step: Step) -> list[str]:
    data, weight = (named(name).variable for name in step.inputs)
    product = f"{data} @ {weight}"
    if scene.head is None:
        heads, _, width = step.value.shape
        product = f"({product}).unflatten(1, ({heads}, {width})).transpose(0, 1)"
    return [f"{named(step.name).variable} = {product}  {scene.shape(step)}"]


def _dot(scene: Scene, step: Step) -> list[str]:
    return [f"scores = Q @ K.transpose(-2, -1)  {scene.shape(step)}"]


def _scale(scene: Scene, step: Step) -> list[str]:
    usual = math.isclose(scene.trace.scale, 1 / math.sqrt(scene.trace.d_k), rel_tol=1e-9)
    scale = f"/ sqrt({scene.trace.d_k})" if usual else f"* {scene.trace.scale!r}"
    return [f"scaled = scores {scale}  {scene.shape(step)}"]


def _mask(scene: Scene, step: Step) -> list[str]:
    before = named(step.inputs[0]).variable
    visible = scene.trace.mask
    if visible is None:
        return [f"masked = {before}  {scene.shape(step)}"]
    if visible.ndim == 3 and scene.head is not None:
        visible = visible[scene.head if len(visible) > 1 else 0]
    return [
        *_visible(visible, scene.trace.padded),
        f"masked = {before}.masked_fill(~visible, -inf)  {scene.shape(step)}",
    ]


def _visible(visible: Tensor, padded: Tensor | None) -> list[str]:
    """The mask (… N × M): by its rule where it has one, else as it is."""
    queries, keys = visible.shape[-2:]
    kept = torch.ones(keys, dtype=torch.bool) if padded is None else ~padded
    everything = torch.ones(queries, keys, dtype=torch.bool)
    for allowed, code in ((everything, ""), (everything.tril(), ".tril()  # j ≤ i")):
        if torch.equal(visible, (allowed & kept).expand_as(visible)):
            lines = [f"visible = torch.ones({queries}, {keys}, dtype=torch.bool){code}"]
            hidden = (~kept).nonzero().flatten().tolist()
            return lines + ([f"visible[:, {hidden}] = False"] if hidden else [])
    return [f"visible = {literal(visible.float())}.bool()"]


def _softmax(scene: Scene, step: Step) -> list[str]:
    divided = "masked" if scene.trace.temperature == 1 else f"masked / {scene.trace.temperature!r}"
    lines = [f"weights = torch.softmax({divided}, dim=-1)  {scene.shape(step)}"]
    empty = scene.trace.empty_rows
    if empty is not None and empty.any():
        lines.append("weights = weights.nan_to_num(0.0)  # 0 / 0 → 0")
    return lines


def _mix(scene: Scene, step: Step) -> list[str]:
    return [f"head_output = weights @ V  {scene.shape(step)}"]


def _concat(scene: Scene, step: Step) -> list[str]:
    return [f"concat = head_output.transpose(0, 1).flatten(1)  {scene.shape(step)}"]


def _output(scene: Scene, step: Step) -> list[str]:
    return [f"output = concat @ W_O  {scene.shape(step)}"]


RULES: dict[str, Callable[[Scene, Step], list[str]]] = {
    "lookup": _lookup,
    "copy": _copy,
    "sum": _sum,
    "sinusoidal": _sinusoidal,
    "projection": _projection,
    "dot": _dot,
    "scale": _scale,
    "mask": _mask,
    "softmax": _softmax,
    "mix": _mix,
    "concat": _concat,
    "output": _output,
}
