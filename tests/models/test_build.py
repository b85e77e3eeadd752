"""From settings to numbers: the worked example by hand, the presets, edits, and settings that cannot be used."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from models.build import build, build_with_notes
from models.edits import Edits, MatrixEdit
from models.errors import InputError
from models.settings import PRESETS, Settings


def test_the_worked_example_by_hand() -> None:
    """我 = [0.1, 0.2, 0.3], 喜欢 = [0.4, 0.5, 0.6], 苹果 = [0.7, 0.8, 0.9], all weights the identity."""
    trace = build(PRESETS["fruit"])
    x = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]
    for name in ("input", "query", "key", "value"):
        torch.testing.assert_close(trace[name].value.reshape(3, 3), torch.tensor(x))
    scores = trace["scores"].value[0]
    assert scores[1, 2].item() == pytest.approx(0.4 * 0.7 + 0.5 * 0.8 + 0.6 * 0.9, rel=1e-6)
    assert scores[0].tolist() == pytest.approx([0.14, 0.32, 0.50], rel=1e-6)
    assert trace["scaled"].value[0, 0, 0].item() == pytest.approx(0.14 / math.sqrt(3), rel=1e-6)
    exponentials = [math.exp(s / math.sqrt(3)) for s in (0.14, 0.32, 0.50)]
    weights = [e / sum(exponentials) for e in exponentials]
    assert trace["weights"].value[0, 0].tolist() == pytest.approx(weights, rel=1e-6)
    expected = [sum(w * row[c] for w, row in zip(weights, x, strict=True)) for c in range(3)]
    assert trace["output"].value[0].tolist() == pytest.approx(expected, rel=1e-6)


def test_the_papers_sizes() -> None:
    trace = build(PRESETS["paper"])
    assert (trace.d_model, trace.heads, trace.d_k, trace.d_v) == (512, 8, 64, 64)
    assert trace["concat"].value.shape == (3, 512)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_builds_without_a_number_out_of_place(name: str) -> None:
    trace = build(PRESETS[name])
    assert all(torch.isfinite(step.value).all() for step in trace.steps)
    assert build(PRESETS[name])["output"].value.equal(trace["output"].value)


def test_words_keep_their_vectors_across_sentences() -> None:
    a, b = (build(Settings(text))["embedding"].value for text in ("the cat sat", "a dog and the Cat"))
    assert torch.equal(a[1], b[4])
    assert torch.equal(a[0], b[3])


def test_edits_reach_every_later_step() -> None:
    plain = Settings("one two", d_model=4, heads=2)
    edited = dataclasses.replace(plain, edits=Edits({"w_q": MatrixEdit(base="seeded", cells=((0, 0, 5.0),))}))
    before, after = build(plain), build(edited)
    assert after.parameters["w_q"][0, 0] == 5.0
    for name in ("query", "scores", "weights", "output"):
        assert not torch.equal(before[name].value, after[name].value)
    assert torch.equal(before["key"].value, after["key"].value)


def test_an_edit_that_does_not_fit_is_set_aside_and_named() -> None:
    edits = Edits({"embedding": MatrixEdit(base="values", values=((1.0, 2.0),))})
    built = build_with_notes(Settings("one two three", d_model=4, heads=2, edits=edits))
    assert built.set_aside == ("embedding",)
    assert torch.equal(
        built.trace["embedding"].value,
        build(Settings("one two three", d_model=4, heads=2))["embedding"].value,
    )


def test_hidden_tokens_get_no_attention() -> None:
    trace = build(Settings("one two three", hidden=(1, 99)))
    assert trace["weights"].value[:, :, 1].abs().sum() == 0
    assert trace.padded is not None
    assert trace.padded.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"text": " \n "}, "empty_text"),
        ({"d_model": 10, "heads": 4}, "heads_do_not_divide"),
        ({"d_model": 0}, "out_of_range"),
        ({"d_model": 100_000}, "out_of_range"),
        ({"heads": 17}, "out_of_range"),
        ({"seed": -1}, "out_of_range"),
        ({"d_k": 0}, "out_of_range"),
        ({"temperature": 0.0}, "out_of_range"),
        ({"temperature": math.nan}, "out_of_range"),
        ({"mask": "sideways"}, "unknown_choice"),
    ],
)
def test_settings_that_cannot_be_used_say_so(change: dict[str, object], key: str) -> None:
    with pytest.raises(InputError) as error:
        build(dataclasses.replace(Settings("one two"), **change))  # type: ignore[arg-type]
    assert error.value.key == key


def test_uneven_heads_are_fine_with_their_sizes_given() -> None:
    assert build(Settings("one two", d_model=10, heads=4, d_k=3, d_v=2))["concat"].value.shape == (2, 8)
