"""What the laboratory on cost says about its numbers, and its tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from app.i18n import t
from app.labs.cost.cost import DISTANCES, Samples
from app.labs.small import small
from components.theme import INFINITY, count, num
from models.cost import Sizes, table
from models.growth import Growth
from models.layers import MEASURED
from models.stopwatch import Sample


def about_table(sizes: Sizes) -> str:
    """Attention against a recurrent layer at the present sizes."""
    rows = {row.layer: row for row in table(sizes)}
    attention, recurrent = rows["attention"], rows["recurrent"]
    values = {
        "n": count(sizes.n),
        "d": count(sizes.d),
        "attention": short(attention.operations),
        "recurrent": short(recurrent.operations),
        "ratio": num(max(sizes.n, sizes.d) / min(sizes.n, sizes.d), 1),
    }
    which = "equal" if sizes.n == sizes.d else "cheaper" if sizes.n < sizes.d else "dearer"
    return t(f"lab.cost.{which}", **values) + t("lab.cost.sep") + t("lab.cost.steps", n=values["n"])


def about_samples(samples: Samples, growths: Mapping[str, Growth]) -> str:
    """How time and memory grew with the last doubling; empty before that was measured. A ratio of times is said only
    where the runs agree on it."""
    return t("lab.cost.sep").join(_grown(growth, samples) for growth in growths.values())


def _grown(growth: Growth, samples: Samples) -> str:
    before, after = (samples[growth.layer, n] for n in (growth.n, 2 * growth.n))
    return t(
        f"lab.cost.{'doubled' if growth.settled else 'unsettled'}_{growth.layer}",
        n=count(growth.n),
        twice=count(2 * growth.n),
        time=num(growth.ratio, 1),
        low=num(growth.low, 1),
        high=num(growth.high, 1),
        memory=num(after.memory / before.memory, 1) if before.memory else INFINITY,
        pairs=growth.pairs,
    )


def about_gradient(curves: Mapping[str, Sequence[float]], gain: float) -> str:
    """What is left of the gradient over 64 tokens."""
    at = DISTANCES.index(64)
    norms = {name: small(values[at]) for name, values in curves.items()}
    text = t("lab.cost.gradient", distance=64, **norms)
    exploding = [name for name in ("rnn", "lstm") if curves[name][-1] > 10 * curves[name][0]]
    if exploding:
        names = t("lab.cost.list").join(t(f"lab.cost.layer.{name}") for name in exploding)
        text += t("lab.cost.sep") + t("lab.cost.explodes", names=names, gain=num(gain, 1))
    return text


def cost_rows(sizes: Sizes) -> list[tuple[str, ...]]:
    """The table of Vaswani et al. with the present numbers filled in."""
    return [
        (
            t(f"lab.cost.layer.{row.layer}"),
            f"{row.operations_formula} = {short(row.operations)}",
            filled(row.sequential_formula, row.sequential),
            filled(row.path_formula, row.path),
        )
        for row in table(sizes)
    ]


def filled(formula: str, number: float) -> str:
    """ "n = 256", and "1" where the formula is a number already."""
    text = INFINITY if math.isinf(number) else count(int(number))
    return text if formula == text else f"{formula} = {text}"


def sample_rows(samples: Samples) -> list[tuple[str, ...]]:
    """A row per measured length: milliseconds (fastest to slowest) and megabytes of every layer."""
    lengths = sorted({n for _, n in samples})
    return [(count(n), *(sample_text(samples.get((name, n))) for name in MEASURED)) for n in lengths]


def sample_text(sample: Sample | None) -> str:
    if sample is None:
        return "–"
    fastest, median, slowest = (num(1e3 * value) for value in (sample.fastest, sample.median, sample.slowest))
    return f"{median} ({fastest}–{slowest}) ms · {num(sample.memory / 1e6, 1)} MB"


def short(number: int) -> str:
    """A count that may be long: "256", "8.39 M", "17.2 G"."""
    for power, letter in ((9, "G"), (6, "M")):
        if number >= 10**power:
            return f"{num(number / 10**power)} {letter}"
    return count(number)
