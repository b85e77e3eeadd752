"""The steps of one head of a recorded call, from the vectors that came in to what the head writes.

As in `models.recorder`, every step is computed in float64 from the numbers recorded before it and rounded once to
float32, so that each cell can be recomputed from what is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from models import steps
from models.pretrained.call.norms import Norm
from models.pretrained.call.origin import Chain, Origin
from models.pretrained.call.rotation import Rotation
from models.trace import Step

GRID = ("head", "query", "key")
NORMS = {"rms_norm": "RMSNorm", "layer_norm": "LayerNorm"}
CLOSE = 1e-4  # to the model's own numbers, relative to the largest; beyond, the recomputed ones are not shown


@dataclass
class Steps:
    """Steps and parameters collected so far."""

    steps: list[Step] = field(default_factory=list)
    parameters: dict[str, Tensor] = field(default_factory=dict)

    def add(
        self,
        name: str,
        value: Tensor,
        axes: tuple[str, ...],
        formula: str,
        operation: str,
        inputs: tuple[str, ...] = (),
    ) -> Tensor:
        """Records a step, rounded to float32, and returns what was recorded."""
        rounded = value.float()
        self.steps.append(Step(name, rounded, axes, formula, operation, inputs))
        return rounded


@dataclass(frozen=True)
class Side:
    """The query, key or value of one head: its name, its letter, its token axis and the name of its input."""

    name: str
    letter: str
    tokens: str
    width: str
    source: str

    @property
    def axes(self) -> tuple[str, str, str]:
        return ("head", self.tokens, self.width)


def add_vectors(to: Steps, side: Side, model: Tensor, origin: Origin | None, head: int) -> tuple[str, Tensor]:
    """Adds how a head's q, k or v (N × K, as the model has it) came about; returns the last step's name and value.

    Without an origin, or where it does not give the model's numbers after all, the vectors are shown as they are.
    """
    if origin is not None:
        tried = Steps()
        name, value = _from_origin(tried, side, origin, head)
        if close(value[0], model):
            to.steps += tried.steps
            to.parameters |= tried.parameters
            return name, value
    return side.name, to.add(side.name, model[None], side.axes, side.letter, "lookup")


def close(a: Tensor, b: Tensor) -> bool:
    """Whether two computations of the same numbers agree, NaN and infinity included."""
    finite = b.isfinite()
    if not torch.equal(a.isfinite(), finite):
        return False
    largest = b[finite].abs().max() if bool(finite.any()) else torch.tensor(1.0)
    return bool(((a - b)[finite].abs() <= CLOSE * largest).all())


def _from_origin(to: Steps, side: Side, origin: Origin, head: int) -> tuple[str, Tensor]:
    letter, small = side.letter, side.letter.lower()
    weight, bias = origin.weight(None if origin.wide else head)
    names = (side.source, f"w_{small}") if bias is None else (side.source, f"w_{small}", f"b_{small}")
    to.parameters |= dict(zip(names[1:], (weight, bias), strict=False))  # type: ignore[arg-type]
    projected = origin.source.float().double() @ weight.double()
    projected = projected if bias is None else projected + bias.double()
    formula = f"X·W_{letter}" if bias is None else f"X·W_{letter} + b_{letter}"
    if origin.wide is not None:
        every = to.add(f"{side.name}_all", projected, (side.tokens, "concat"), formula, "output", names)
        value = _normed_widely(to, side, every, origin.wide, head, len(origin.places))
        return _through_chain(to, side, value, replace(origin.chain, norm=None), head)
    value = to.add(side.name, projected[None], side.axes, formula, "projection", names)
    return _through_chain(to, side, value, origin.chain, head)


def _through_chain(to: Steps, side: Side, value: Tensor, chain: Chain, head: int) -> tuple[str, Tensor]:
    name = side.name
    for part in (chain.turn, chain.norm) if chain.turn_first else (chain.norm, chain.turn):
        if isinstance(part, Norm):
            name, value = _normed(to, side, name, value, part, head)
        elif isinstance(part, Rotation):
            name, value = _rotated(to, side, name, value, part)
    if chain.factor is not None:
        to.parameters[f"{side.name}_scale"] = factor = torch.tensor([chain.factor])
        inputs, name = (name, f"{side.name}_scale"), f"{side.name}_scaled"
        value = to.add(
            name, value.double() * factor.double(), side.axes, f"{side.letter} × scale", "multiply", inputs
        )
    return name, value


def _normed(to: Steps, side: Side, name: str, value: Tensor, norm: Norm, head: int) -> tuple[str, Tensor]:
    inputs = (name, *_norm_parameters(to, side, norm, *norm.of_head(head)))
    normed = norm.apply_to_head(value.double(), head)
    return f"{side.name}_normed", to.add(
        f"{side.name}_normed", normed, side.axes, f"{NORMS[norm.kind]}({side.letter})", norm.kind, inputs
    )


def _normed_widely(to: Steps, side: Side, every: Tensor, norm: Norm, head: int, heads: int) -> Tensor:
    """The head's part (1 × N × K) of the normed vectors (N × H·K) of all heads."""
    names = _norm_parameters(to, side, norm, norm.weight[0], norm.bias[0])
    split = every.double().reshape(len(every), heads, -1).transpose(0, 1)  # H N K
    to.parameters[f"{side.name}_offset"] = torch.tensor([head * split.shape[-1]])
    inputs = (f"{side.name}_all", *names, f"{side.name}_offset")
    formula = f"{NORMS[norm.kind]}(all heads)[h]"
    return to.add(side.name, norm.apply(split)[head, None], side.axes, formula, norm.kind, inputs)


def _norm_parameters(to: Steps, side: Side, norm: Norm, weight: Tensor, bias: Tensor) -> tuple[str, ...]:
    """Records what a norm multiplies with and adds; returns the names."""
    names = [f"{side.name}_norm_{part}" for part in ("weight", "bias", "eps")]
    epsilon = torch.tensor([norm.epsilon], dtype=torch.float64)
    kept = dict(zip(names, (weight, bias, epsilon), strict=True))
    if norm.kind == "rms_norm":
        del kept[names[1]]
    to.parameters |= kept
    return tuple(kept)


def _rotated(to: Steps, side: Side, name: str, value: Tensor, turn: Rotation) -> tuple[str, Tensor]:
    cos, sin, pairs = (f"{side.name}_{part}" for part in ("cos", "sin", "pairs"))
    to.parameters |= {cos: turn.cos, sin: turn.sin, pairs: turn.pairs}
    rotated = turn.turn(value.double())
    inputs, name = (name, cos, sin, pairs), f"{side.name}_rotated"
    return name, to.add(name, rotated, side.axes, f"RoPE({side.letter})", "rotate", inputs)


def add_scores(
    to: Steps,
    query: tuple[str, Tensor],
    key: tuple[str, Tensor],
    *,
    scale: float,
    softcap: float | None,
    bias: Tensor | None,
    visible: Tensor | None,
) -> tuple[str, Tensor]:
    """Adds the steps from q·k to what softmax sees; returns the last one's name and value (1 × N × M)."""
    dots = steps.dot_products(query[1].double(), key[1].double())
    value = to.add("scores", dots, GRID, "Q·Kᵀ", "dot", (query[0], key[0]))
    value = to.add("scaled", value.double() * scale, GRID, "Q·Kᵀ × scale", "scale", ("scores",))
    name = "scaled"
    if softcap is not None:
        to.parameters["softcap"] = torch.tensor([softcap], dtype=torch.float64)
        capped = softcap * torch.tanh(value.double() / softcap)
        inputs, name = (name, "softcap"), "softcapped"
        value = to.add(name, capped, GRID, "cap · tanh(scaled / cap)", "softcap", inputs)
    if bias is not None:
        added = to.add("bias", bias[None], GRID, "B", "lookup")
        inputs, formula = (name, "bias"), f"{name} + B"
        value, name = (
            to.add("biased", value.double() + added.double(), GRID, formula, "sum", inputs),
            "biased",
        )
    masked = value if visible is None else steps.apply_mask(value, visible)
    return "masked", to.add("masked", masked, GRID, f"{name} + M", "mask", (name,))


def add_weights(to: Steps, masked: tuple[str, Tensor], sink: Tensor | None) -> Tensor:
    """Adds softmax over the keys, and over the sink (N) if there is one; returns the weights (1 × N × M)."""
    scores = masked[1].double()
    if sink is None:
        return to.add("weights", steps.softmax(scores), GRID, "softmax(masked)", "softmax", (masked[0],))
    to.parameters["sink"] = sink[None].float()
    shares = steps.softmax(torch.cat((scores, to.parameters["sink"].double()[..., None]), -1))
    inputs = (masked[0], "sink")
    weights = to.add("weights", shares[..., :-1], GRID, "softmax(masked, sink)", "softmax", inputs)
    to.add("sink_mass", shares[..., -1], GRID[:2], "softmax(masked, sink)", "softmax", inputs)
    return weights
