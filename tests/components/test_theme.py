"""Number formats, colours and the head palette. That JavaScript agrees is tested in tests/browser."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as some

from components import theme
from components.bundle import FRONTEND


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (0.125, 2, "0.13"),  # a tie goes up, as in JavaScript; Python's own format gives 0.12
        (-1.3, 2, "−1.30"),
        (-0.001, 2, "0.00"),  # no minus before a zero
        (math.nan, 2, "NaN"),
        (-math.inf, 2, "−∞"),
        (999_999.5, 0, "1000000"),
        (1e6, 2, "1.0e6"),
        (-9.96e12, 2, "−1.0e13"),
        (1e30, 2, "1.0e30"),
    ],
)
def test_num(value: float, digits: int, text: str) -> None:
    assert theme.num(value, digits) == text


def test_variants_of_num() -> None:
    assert theme.cell_number(0.0) == "0"
    assert theme.cell_number(0.001) == "0.00"
    assert theme.short_number(-0.42) == "−.42"
    assert theme.short_number(0.0) == "0"
    assert theme.short_number(10.5) == "10.50"
    assert theme.factor(-2.0) == "(−2.00)"
    assert theme.percent(0.3) == "30 %"
    assert theme.percent(0.004) == "0.4 %"
    assert theme.count(1048576) == "1,048,576"


@given(some.floats(-1e5, 1e5), some.integers(0, 6))
def test_num_is_within_half_a_unit_of_its_last_place(value: float, digits: int) -> None:
    text = theme.num(value, digits).replace(theme.MINUS, "-")
    assert float(text) == pytest.approx(value, abs=0.5 * 10**-digits + 1e-9)


def test_hues_are_those_of_the_style_sheet() -> None:
    css = (FRONTEND / "lib/base.css").read_text("utf-8")
    light, dark = re.search(r"\.am \{(.*?)\}", css, re.S), re.search(r"\.am\.dark \{(.*?)\}", css, re.S)
    assert light
    assert dark
    for block, colours in ((light, theme.LIGHT), (dark, theme.DARK)):
        found = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block[1]))
        assert found == {
            "q": colours.query,
            "k": colours.key,
            "v": colours.value,
            "w": colours.weights,
            "pos": colours.positive,
            "neg": colours.negative,
        }


@pytest.mark.parametrize("dark", [False, True])
def test_every_colour_of_text_can_be_read(dark: bool) -> None:
    colours = theme.theme(dark)
    heads = theme.head_palette()["dark" if dark else "light"]
    for colour in (colours.query, colours.key, colours.value, colours.weights, colours.mute, *heads):
        assert _contrast(colour, colours.paper) >= 4.5, colour


@pytest.mark.parametrize("dark", [False, True])
def test_twelve_heads_differ(dark: bool) -> None:
    assert len(set(theme.head_palette()["dark" if dark else "light"])) == 12


@pytest.mark.parametrize("dark", [False, True])
def test_a_chart_takes_the_house_style(dark: bool) -> None:
    from plotly.graph_objects import Figure

    figure = theme.styled(Figure(), dark)
    assert figure.layout.template.layout.paper_bgcolor == theme.theme(dark).paper


def _contrast(first: str, second: str) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
