"""The matrices page: what its buttons do to the edits, and what it says about them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from streamlit.testing.v1 import AppTest

from app.learn.matrices.opened_matrix import head_labels, open_matrix
from app.learn.matrices.page import changed_cells, largest_change
from models.build import build, build_with_notes
from models.edits import NAMES, Edits
from models.settings import PRESETS
from tests.app.pages import choice, choose, go_to, healthy, open_page

ANIMAL = PRESETS["animal"]


def edits_of(app: AppTest) -> Edits:
    text = app.query_params.get("edits")
    return Edits.decode(text) if text else Edits()


def paste(app: AppTest, text: str) -> AppTest:
    app.text_area(key="am.pasted").set_value(text)
    return app.button(key="am.use").click().run()


@pytest.mark.parametrize("name", NAMES)
def test_every_matrix_opens(name: str) -> None:
    app = open_page("matrices", {"preset": "animal", "matrix": name})
    assert healthy(app)
    group = choice(app, "am.matrix")
    assert group.value == name


def test_identity_reseed_and_reset_change_one_matrix() -> None:
    app = open_page("matrices", {"preset": "animal"})
    app.button(key="am.identity").click().run()
    assert edits_of(app) == Edits().with_base("w_q", "identity")
    choose(app, "am.matrix", "w_k")
    app.button(key="am.reseed").click().run()
    assert edits_of(app)["w_k"].seed == ANIMAL.seed + 1
    app.button(key="am.reseed").click().run()
    assert edits_of(app)["w_k"].seed == ANIMAL.seed + 2
    app.button(key="am.reset_this").click().run()
    assert list(edits_of(app)) == ["w_q"]
    app.button(key="am.reset_all").click().run()
    assert edits_of(app) == Edits()
    assert dict(app.query_params) == {"preset": "animal", "matrix": "w_k"}


def test_reset_puts_back_what_the_preset_has() -> None:
    """The worked example's weights are the identity: that is what its reset means."""
    app = open_page("matrices")
    app.button(key="am.reseed").click().run()
    assert edits_of(app)["w_q"].base == "reseed"
    app.button(key="am.reset_this").click().run()
    assert "edits" not in app.query_params


def test_a_pasted_matrix_is_used_on_every_page() -> None:
    app = open_page("matrices", {"matrix": "w_v"})
    paste(app, "np.array([[1, 2, 3], [4, 5, 6], [7, 8, −9]])")
    expected = torch.tensor([[1.0, 2, 3], [4, 5, 6], [7, 8, -9]])
    settings = replace(PRESETS["fruit"], edits=edits_of(app))
    assert torch.equal(build(settings).parameters["w_v"], expected)
    assert any("every later step" in text.value for text in app.text)
    go_to(app, "")
    assert edits_of(app) == settings.edits


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2\n3 4", "3 × 3 matrix was expected, received 2 × 2"),
        ("1 2 3\n4 x 6\n7 8 9", "“x” in row 1, column 1 is not a number"),
        ("1 2 3\n4 nan 6\n7 8 9", "not a finite number"),
        ("1 2 3\n4 1e30 6\n7 8 9", "too large"),
        ("1 2 3\n4 5\n7 8 9", "Row 0 has 3 numbers, row 1 has 2"),
        ("", "no numbers in the text"),
        ("<script>alert(1)</script>", "not a number"),
    ],
)
def test_what_cannot_be_pasted_is_explained(text: str, said: str) -> None:
    app = paste(open_page("matrices"), text)
    assert any(said in shown.value for shown in app.text)
    assert app.text_area(key="am.pasted").value == text
    assert "edits" not in app.query_params
    assert healthy(app)


def test_too_many_columns_cannot_be_typed_into() -> None:
    app = open_page("matrices", {"preset": "paper"})
    assert any("512 columns" in caption.value for caption in app.caption)
    assert not app.get("arrow_data_frame")


def test_an_edit_too_large_for_an_address_is_kept_and_named() -> None:
    app = open_page("matrices", {"preset": "paper", "d": "64", "heads": "1", "pos": "none"})
    rows = [[round(0.001 * (i * 64 + j), 3) for j in range(64)] for i in range(64)]
    paste(app, str(rows))
    assert any("Too long for a link" in text.value for text in app.text)
    assert "edits" not in app.query_params
    go_to(app, "")
    assert any("Too long for a link" in text.value for text in app.text)


def test_edits_for_other_sizes_are_set_aside_and_come_back() -> None:
    edits = Edits().with_cell("w_q", 15, 15, 1.0).encode()
    app = open_page("matrices", {"preset": "animal", "edits": edits})
    app.number_input(key="am.d_model").set_value(8).run()
    assert any("W_Q do not fit" in text.value for text in app.text)
    app.number_input(key="am.d_model").set_value(16).run()
    assert not any("do not fit" in text.value for text in app.text)
    assert app.query_params["edits"] == edits


def test_the_words_and_heads_label_rows_and_columns() -> None:
    trace = build(ANIMAL)
    assert head_labels(2, 2) == ("h0·0", "h0·1", "h1·0", "h1·1")
    assert head_labels(1, 2) == ("0", "1")
    assert open_matrix(trace, None, "embedding").rows[:2] == ("The", "animal")
    assert open_matrix(trace, None, "w_q").columns[4] == "h1·0"
    assert open_matrix(trace, None, "w_o").rows[4] == "h1·0"
    for name in NAMES:
        opened = open_matrix(trace, None, name)
        assert (len(opened.rows), len(opened.columns)) == opened.shape


def test_changed_cells_and_the_largest_move_are_named() -> None:
    before = build(ANIMAL)
    after = build_with_notes(replace(ANIMAL, edits=Edits().with_cell("w_q", 0, 5, 2.5))).trace
    old = before.parameters["w_q"][0, 5].item()
    shown = f"{abs(old):.2f}"
    (change,) = changed_cells(open_matrix(after, before, "w_q"))
    assert change.startswith("0, h1·1: ")
    assert shown in change
    assert change.endswith("→ 2.50")
    assert largest_change(before, after, head=0) == "The weights of this head have not moved."
    moves = (after["weights"].value[1] - before["weights"].value[1]).abs()
    i, j = divmod(int(moves.argmax()), moves.shape[1])
    assert f"{before.labels('query')[i]} → {before.labels('key')[j]}" in largest_change(before, after, head=1)


def test_rounding_is_no_move() -> None:
    """An edit that only changes the last bit of the weights has not moved them."""
    before = build(ANIMAL)
    weights = before["weights"].value
    noise = weights * (1 + torch.finfo(weights.dtype).eps)
    steps = tuple(replace(step, value=noise) if step.name == "weights" else step for step in before.steps)
    after = replace(before, steps=steps)
    assert not torch.equal(noise, weights)
    assert largest_change(before, after, head=0) == "The weights of this head have not moved."
