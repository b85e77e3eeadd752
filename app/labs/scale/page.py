"""Laboratory: why scores are divided by √d_k."""

from __future__ import annotations

import math

import streamlit as st

from app import choices, state
from app.i18n import t
from app.labs import charts
from app.labs.frame import frame
from app.labs.parts import bounds, legend, number_table
from app.labs.scale import charts as scale_charts
from app.labs.scale import overflow as scale_overflow
from app.labs.scale.overflow import scientific
from app.labs.scale.scale import SIZES, Curves, Here, curves, here
from app.session import current_trace
from components.theme import num
from models import scaling, steps
from models.overflow import naive_softmax, stable_softmax
from models.scaling import Measured, Typical
from models.settings import MAX_HEAD_SIZE, TEMPERATURES


def show() -> None:
    knobs = state.lab("s_keys"), state.lab("s_temp"), state.lab("s_seed")
    measured, chosen = curves(*knobs), here(state.lab("s_dk"), *knobs)
    frame(
        "scale",
        picture=lambda: _picture(measured, chosen),
        knobs=_knobs,
        words=lambda: _words(chosen),
        functions=(
            scaling.draw,
            scaling.measure,
            steps.softmax,
            scaling.softmax_jacobian,
            scaling.query_gradient,
            naive_softmax,
            stable_softmax,
        ),
        step="scaled",
        pattern=False,
        carry=carried(chosen.plain.d_k, state.lab("s_temp")),
        below=lambda: scale_overflow.show(chosen),
    )


def carried(d_k: int, temperature: float) -> dict[str, int | float]:
    """The settings that take this d_k and temperature to the user's own sentence, as far as the stage has room."""
    low, high = TEMPERATURES
    return {"d_k": min(d_k, MAX_HEAD_SIZE), "temperature": min(max(temperature, low), high)}


def _picture(measured: Curves, chosen: Here) -> None:
    d_k, keys = chosen.plain.d_k, len(chosen.scores)
    legend([("negative", t("lab.scale.plain")), ("positive", t("lab.scale.divided"))], t("lab.scale.marks"))
    for pair in (("spread", "row"), ("saturation", "gradient")):
        for place, name in zip(st.columns(2, gap="small"), pair, strict=True):
            chart = {
                "spread": lambda: scale_charts.spread(measured, d_k),
                "row": lambda: scale_charts.row(chosen),
                "saturation": lambda: scale_charts.saturation(measured, d_k, keys),
                "gradient": lambda: scale_charts.gradient(measured, d_k),
            }[name]()
            with place:
                charts.draw(chart, f"am.scale.{name}")


def _knobs() -> None:
    sizes = sorted({*SIZES, state.lab("s_dk")})
    choices.scale("d_k", sizes, lambda size: f"{size:,}", state.knob("s_dk"))
    places = st.columns([1, 1.25, 1], gap="small")
    for place, name, step in zip(places, ("keys", "temp", "seed"), (1, 0.25, 1), strict=True):
        place.number_input(
            t(f"lab.scale.{name}"), step=step, **bounds(f"s_{name}"), **state.bind_knob(f"s_{name}")
        )


def _words(chosen: Here) -> None:
    plain, scaled, keys = chosen.plain, chosen.scaled, len(chosen.scores)
    number_table(
        ("", t("lab.scale.plain"), t("lab.scale.divided")),
        [
            (t("lab.scale.spread_row"), _spread(plain, 1.0), _spread(scaled, plain.d_k**-0.5)),
            *(
                (t(f"lab.scale.{name}_row"), *(scientific(_middle(m, name)) for m in (plain, scaled)))
                for name in ("largest", "entropy", "jacobian", "gradient")
            ),
        ],
    )
    st.text(statement(plain, scaled, state.lab("s_temp")))
    st.text(own_sentence())
    st.caption(
        t("lab.scale.measured", pairs=f"{scaling.QUERIES * keys:,}", queries=scaling.QUERIES, keys=keys)
    )


def statement(plain: Measured, scaled: Measured, temperature: float) -> str:
    """What dividing changes at this d_k, and what the temperature does beside it."""
    factor = scaled.gradient.middle / plain.gradient.middle if plain.gradient.middle > 0 else math.inf
    values = {
        "d_k": f"{plain.d_k:,}",
        "root": num(math.sqrt(plain.d_k)),
        "plain": num(plain.largest.middle),
        "scaled": num(scaled.largest.middle),
        "factor": num(factor, 1 if factor < 100 else 0),
        "gradient": scientific(plain.gradient.middle),
    }
    name = (
        "vanished"
        if factor > 3
        else "sharp"
        if plain.largest.middle > 1.5 * scaled.largest.middle
        else "same"
    )
    parts = [t(f"lab.scale.{name}", **values)]
    if temperature != 1:
        parts.append(t("lab.scale.temperature_on", temperature=f"{temperature:g}"))
    parts.append(t("lab.scale.temperature_same", root=values["root"]))
    return t("lab.scale.sep").join(parts)


def own_sentence() -> str:
    """The spread of the scores of the user's own sentence, in the head that is looked at."""
    trace = current_trace()
    head = min(state.view().head, trace.heads - 1)
    if trace["scores"].value[head].numel() < 2:
        return t("lab.scale.own_one")
    before, after = (float(trace[name].value[head].double().std()) for name in ("scores", "scaled"))
    return t("lab.scale.own", head=head, d_k=trace.d_k, before=num(before), after=num(after))


def _spread(measured: Measured, scale: float) -> str:
    return f"{num(measured.spread)} · {num(scaling.expected_spread(measured.d_k, scale))}"


def _middle(measured: Measured, name: str) -> float:
    typical: Typical = getattr(measured, name)
    return typical.middle
