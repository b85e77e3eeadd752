"""The stage: one head's whole trace in one component, stepped through and opened cell by cell in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from components.bundle import FRONTEND, script, style
from components.registered import component, said
from models.trace import Trace

_COMPONENT = component(
    "am_stage",
    html=(FRONTEND / "stage/stage.html").read_text("utf-8"),
    css=style("stage/stage.css", "detail/detail.css"),
    js=script("stage/stage.js"),
)

WAVE_BASE = 10_000  # of the sinusoidal encoding (models.positions.sinusoidal)
MOST = 256  # queries or keys; more would be too small to be read
PROJECTED = (("query", "w_q", "b_q"), ("key", "w_k", "b_k"), ("value", "w_v", "b_v"))
ROTATED = ("query_rotated", "key_rotated")
# What a trace of one head of a pretrained model may consist of to be shown.
KNOWN = {
    *(
        "input",
        "context",
        "query",
        "key",
        "value",
        *ROTATED,
        "scores",
        "scaled",
        "bias",
        "biased",
        "masked",
        "weights",
    ),
    *("head_output", "contribution", "concat", "output"),
}


@dataclass(frozen=True)
class StageView:
    """What is on the stage: the step by its canonical name, and the cell (row i, column j) counted from 0."""

    step: str
    i: int
    j: int


def stage(
    trace: Trace,
    *,
    head: int,
    text: Mapping[str, Any],
    start: StageView,
    key: str,
    layer: int | None = None,
    origins: Sequence[str] | None = None,
    opening: int = 0,
    on_view: Callable[[StageView], None],
) -> None:
    """Draw one head of `trace`. `on_view` is called with the step and the cell when they have come to rest, before the
    page runs again: also if that run is one of another page, which the user has gone to.

    `text` is the locale's table of the stage. `origins` says for each token where its vector comes from ("drawn",
    "worked", "edited", see models.origins); None: from a learned table. `layer` is the number of the layer if its
    input comes from the layers below and not straight from a sentence. `start` is where it opens; keep it
    constant while the stage is on the page, so that only changed numbers travel; with another number `opening` the
    stage goes there once more.
    """
    data = stage_data(trace, head=head, text=text, start=start, layer=layer, origins=origins)
    data["meta"]["start"]["opening"] = opening

    def changed() -> None:
        view = parse_view(said(key, "view"), trace)
        if view is not None:
            on_view(view)

    _COMPONENT(key=key, data=data, on_view_change=changed)


def stage_data(
    trace: Trace,
    *,
    head: int,
    text: Mapping[str, Any],
    start: StageView,
    layer: int | None = None,
    origins: Sequence[str] | None = None,
) -> dict[str, Any]:
    """What travels to the browser: `meta` (sizes, labels, words) and every matrix as an Arrow column of float32."""
    meta = {**_meta(trace, head, text, start), "layer": layer, "origins": origins and list(origins)}
    return {"meta": meta, **_columns(trace, head)}


def parse_view(value: object, trace: Trace) -> StageView | None:
    """A view that came from the browser, or None if it is not one."""
    if not isinstance(value, Mapping):
        return None
    step, i, j = value.get("step"), value.get("i"), value.get("j")
    if step not in stage_steps(trace) or type(i) is not int or type(j) is not int or min(i, j) < 0:
        return None
    return StageView(str(step), i, j)


def can_show(trace: Trace) -> bool:
    """Whether the stage has a picture for every step of a trace of one head of a pretrained model: projections with
    or without biases, rotary positions, biases on scores; no norms, caps, gates, sinks or unknown origins."""
    known = set(trace.names) <= KNOWN and all(w in trace.parameters for _, w, _ in PROJECTED)
    sizes = (trace["weights"].value.shape[-2:]) if known else (MOST + 1,)
    return known and "sink" not in trace.parameters and max(sizes) <= MOST


def stage_steps(trace: Trace) -> tuple[str, ...]:
    """The steps on the stage: those of the trace, less the ones that do nothing (no positions, no mask), and of a lone
    head less those of all heads together. Rotations come after the projections, which stand side by side."""
    idle = {"bias"} if "position" in trace else {"bias", "embedding"}
    if trace.mask is None:
        idle.add("masked")
    if trace.head is not None:
        idle |= {"concat", "output"}
    names = [name for name in trace.names if name not in idle]
    turned = [name for name in names if name in ROTATED]
    names = [name for name in names if name not in ROTATED]
    after = names.index("value") + 1
    return (*names[:after], *turned, *names[after:])


def matrices(trace: Trace, head: int) -> dict[str, Tensor]:
    """Every matrix on the stage by its canonical name, two-dimensional, for one head."""
    if trace.head is not None:
        return _lone_matrices(trace)
    found = _values(trace, head)
    for name, size in (("w_q", trace.d_k), ("w_k", trace.d_k), ("w_v", trace.d_v)):
        found[name] = trace.parameters[name][:, head * size : (head + 1) * size]
    found["w_o"] = trace.parameters["w_o"]
    return found


def _values(trace: Trace, head: int) -> dict[str, Tensor]:
    return {
        step.name: step.value[head] if step.axes[0] == "head" else step.value
        for step in trace.steps
        if step.name != "tokens"
    }


def _lone_matrices(trace: Trace) -> dict[str, Tensor]:
    """Of a trace of one head. Biases become one more row of W, and the input one more column of ones to meet it."""
    found = {name: value for name, value in _values(trace, 0).items() if name not in ("concat", "output")}
    found |= {name: trace.parameters[name] for _, name, _ in PROJECTED}
    if has_biases(trace):
        for name in ("input", "context"):
            if name in found:
                found[name] = torch.cat((found[name], torch.ones(len(found[name]), 1)), -1)
        for _, name, bias in PROJECTED:
            row = trace.parameters.get(bias, torch.zeros(found[name].shape[-1]))
            found[name] = torch.cat((found[name], row[None]))
    for side in ("query", "key"):
        found |= {
            n: trace.parameters[n]
            for n in (f"{side}_{part}" for part in ("cos", "sin", "pairs"))
            if n in trace.parameters
        }
    if "w_o" in trace.parameters and trace.head is not None:
        found["w_o"] = trace.parameters["w_o"][trace.head * trace.d_v : (trace.head + 1) * trace.d_v]
    return found


def has_biases(trace: Trace) -> bool:
    """Whether a projection of a lone head adds something."""
    return trace.head is not None and any(bias in trace.parameters for _, _, bias in PROJECTED)


def _meta(trace: Trace, head: int, text: Mapping[str, Any], start: StageView) -> dict[str, Any]:
    found = matrices(trace, head)
    padded = [] if trace.padded is None else trace.padded.nonzero().flatten().tolist()
    return {
        "tokens": list(trace.labels("query")),
        "keys": list(trace.labels("key")),
        "ids": [] if trace.tokens is None else list(trace.tokens.ids),
        "steps": list(stage_steps(trace)),
        "shapes": {name: list(tensor.shape) for name, tensor in found.items()},
        "identity": [
            name for name, tensor in found.items() if name.startswith("w_") and _is_identity(tensor)
        ],
        "head": head,
        "alone": trace.head is not None,
        "biases": has_biases(trace),
        "usual": abs(trace.scale * trace.d_k**0.5 - 1) < 1e-6,
        "heads": trace.heads,
        "d_model": trace.d_model,
        "d_k": trace.d_k,
        "d_v": trace.d_v,
        "scale": trace.scale,
        "temperature": trace.temperature,
        "base": WAVE_BASE,
        "padded": padded,
        "causal": _hides_the_future(trace),
        "empty": []
        if trace.empty_rows is None
        else trace.empty_rows[0 if trace.head is not None else head].tolist(),
        "text": dict(text),
        "start": {"step": start.step, "i": start.i, "j": start.j},
    }


def _columns(trace: Trace, head: int) -> dict[str, pa.Table]:
    found = {
        name: pa.table({"v": np.ascontiguousarray(tensor.numpy(), dtype=np.float32).ravel()})
        for name, tensor in matrices(trace, head).items()
    }
    if trace.mask is not None:
        found["states"] = pa.table({"v": cell_states(trace, head).numpy().ravel()})
    return found


def cell_states(trace: Trace, head: int) -> Tensor:
    """N × M, uint8: 0 visible, 1 masked, 2 padded (see STATE in lib/cells.js)."""
    assert trace.mask is not None
    mask = trace.mask if trace.mask.ndim == 2 else trace.mask[head]
    states = (~mask).to(torch.uint8)
    if trace.padded is not None:
        states[:, trace.padded] = 2
    return states


def _is_identity(tensor: Tensor) -> bool:
    return tensor.shape[0] == tensor.shape[1] and torch.equal(tensor, torch.eye(len(tensor)))


def _hides_the_future(trace: Trace) -> bool:
    """True if some key is hidden for another reason than being padding."""
    if trace.mask is None:
        return False
    expected = torch.ones_like(trace.mask) if trace.padded is None else ~trace.padded.expand_as(trace.mask)
    return not torch.equal(trace.mask, expected)
