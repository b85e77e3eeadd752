"""The curves of a training: loss, accuracy, the attention that goes where it should, and the gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from app import state
from app.i18n import t, words
from app.learn.training.pictures import best_share
from app.learn.training.runs import Seen
from app.learn.training.setup import Setup
from components.curve import CurvePanel, Hue, Level, Line, curve, curve_data
from models.training.run import TrainingRun
from models.training.trainer import Report
from models.transformer.model import Place

POINTS = 400  # of a curve; more are averaged
HEIGHT = 330
PROJECTIONS: tuple[tuple[str, Hue], ...] = (("w_q", "q"), ("w_k", "k"), ("w_v", "v"))

Floats = npt.NDArray[np.floating[Any]]


def show_history(run: TrainingRun | None, setup: Setup, seen: Seen, text: str, place: Place) -> None:
    """Draw the curves with a cursor at the snapshot that is looked at; dragging it looks at another."""
    history = [] if run is None else [report for report in run.history if math.isfinite(report.loss)]
    snapshots = [seen.step] if run is None else [snapshot.step for snapshot in run.snapshots]
    steps = _thinned([report.step for report in history])
    curve(
        curve_data(
            [round(step) for step in steps],
            [
                CurvePanel(
                    t("training.loss_and_accuracy"),
                    [
                        Line(t("training.loss"), _thinned([report.loss for report in history])),
                        Line(
                            t("training.accuracy"),
                            _thinned([report.accuracy for report in history]),
                            "pos",
                            share=True,
                        ),
                        Line(t("training.aim"), _aims(run, setup, text, steps), "w", share=True, dashed=True),
                    ],
                    [Level(t("training.guessing"), math.log(setup.config.vocabulary))],
                    weight=1.7,
                ),
                CurvePanel(t("training.gradients"), _gradients(history, place)),
            ],
            snapshots=snapshots,
            chosen=seen.step,
            text=words("curve"),
            height=HEIGHT,
            last=setup.task.recipe.steps if run is None else run.recipe.steps,
        ),
        key="training_curve",
        on_choose=lambda step: state.turn(t_step=-1 if step == snapshots[-1] else step),
    )


def _gradients(history: Sequence[Report], place: Place) -> list[Line]:
    """Length of the gradient that reached W_Q, W_K and W_V of one attention."""
    rows = [next(g for g in report.gradients if g.place == place) for report in history]
    return [
        Line(f"∂ W_{name[-1].upper()}", _thinned([getattr(row, name) for row in rows]), hue, log=True)
        for name, hue in PROJECTIONS
    ]


def _aims(run: TrainingRun | None, setup: Setup, text: str, steps: Floats) -> Floats:
    """The largest share of a head's attention that goes where it should, at the snapshots; NaN in between."""
    found = np.full(len(steps), np.nan)
    for snapshot in run.snapshots if run is not None and len(steps) else ():
        seen = Seen(setup, snapshot.step, partial(snapshot.model, setup.config))
        found[int(np.abs(steps - snapshot.step).argmin())] = best_share(seen, text)
    return found


def _thinned(values: Sequence[float]) -> Floats:
    """At most POINTS means of neighbours."""
    array = np.asarray(values, dtype=np.float64)
    if len(array) <= POINTS:
        return array
    starts = np.arange(POINTS) * len(array) // POINTS
    return np.add.reduceat(array, starts) / np.diff([*starts, len(array)])
