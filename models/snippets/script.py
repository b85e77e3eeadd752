"""A self-contained PyTorch script for one step of a trace, with the numbers of that trace.

The comments are formulas and shapes, which read the same in every language.
"""

from __future__ import annotations

import re

from models.snippets.lines import RULES, Scene
from models.snippets.literals import decoder
from models.trace import Trace
from models.vocabulary import named


def snippet(trace: Trace, step_name: str, *, head: int | None = None) -> str:
    """Code that computes a step from X's parts and the weights, leaves it in `result` and prints it.

    With `head` the steps between projection and head output are those of that head alone, with its columns of the
    weights only: `result` is then N × … instead of H × N × …; concat and output always take all heads. The script
    computes in float64 from the trace's own numbers, so it differs from the trace by the trace's rounding only.
    Raises KeyError for a step that the trace does not have, IndexError for a head that it does not have.
    """
    step = trace[step_name]
    if head is not None and not 0 <= head < trace.heads:
        raise IndexError(f"a head from 0 to {trace.heads - 1} was expected, received {head}")
    scene = Scene(trace, None if step_name in ("concat", "output") else head)
    body = "\n".join(
        [*_lines(scene, step_name, set()), "", f"result = {named(step_name).variable}", "print(result)"]
    )
    if "unpack(" in body:
        body = "\n".join([*decoder(trace["input"].value.dtype), "", body])
    return f"# {step.name} = {step.formula}\n{_imports(body)}\n\n{body}\n"


def _lines(scene: Scene, name: str, written: set[str]) -> list[str]:
    """The lines that `name`, a step or a parameter, needs and that are not `written` yet, in order of use."""
    if name in written:
        return []
    written.add(name)
    if name in scene.trace.parameters:
        return ["", *scene.parameter(name)]
    step = scene.trace[name]
    inputs = () if step.operation == "lookup" else step.inputs
    before = [line for part in inputs for line in _lines(scene, part, written)]
    return before + RULES[step.operation](scene, step)


def _imports(body: str) -> str:
    used = [name for name in ("base64", "hashlib", "unicodedata", "zlib") if f"{name}." in body]
    names = [name for name in ("inf", "nan", "sqrt") if re.search(rf"\b{name}\b", body)]
    lines = [f"import {name}" for name in used]
    lines += [f"from math import {', '.join(names)}"] if names else []
    return "\n".join([*lines, *([""] if lines else []), "import torch"])
