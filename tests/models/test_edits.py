from __future__ import annotations

import base64
import json
import pickle
import re
import zlib

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.edits import LARGEST_SIDE, NAMES, Edits, MatrixEdit, apply
from models.errors import InputError

DEFAULT = torch.arange(6.0).reshape(2, 3)


def reseeded(seed: int) -> torch.Tensor:
    return torch.full((2, 3), float(seed))


def numbers() -> st.SearchStrategy[float]:
    return st.floats(-1e6, 1e6, width=32)


def matrix_edits() -> st.SearchStrategy[MatrixEdit]:
    places = st.dictionaries(st.tuples(st.integers(0, 600), st.integers(0, 600)), numbers(), max_size=5)
    cells = places.map(lambda found: tuple((i, j, value) for (i, j), value in found.items()))
    values = st.integers(1, 4).flatmap(
        lambda n: st.lists(st.tuples(*[numbers()] * n), min_size=1, max_size=4).map(tuple)
    )
    return st.one_of(
        st.builds(MatrixEdit, st.sampled_from(["seeded", "identity"]), cells=cells),
        st.builds(MatrixEdit, st.just("reseed"), seed=st.integers(0, 2**31 - 1), cells=cells),
        st.builds(MatrixEdit, st.just("values"), values=values, cells=cells),
    )


ALL_EDITS = st.dictionaries(st.sampled_from(NAMES), matrix_edits()).map(Edits)


def packed(data: object) -> str:
    text = data if isinstance(data, str) else json.dumps(data)
    return base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip("=")


@given(ALL_EDITS)
def test_what_is_encoded_is_decoded(edits: Edits) -> None:
    text = edits.encode()
    assert re.fullmatch(r"[A-Za-z0-9_-]*", text)
    assert (text == "") == (len(edits) == 0)
    decoded = Edits.decode(text)
    assert decoded == edits
    assert hash(decoded) == hash(edits)
    assert decoded.encode() == text


def test_a_small_edit_is_a_short_text() -> None:
    edits = Edits().with_cell("w_q", 0, 1, 0.1).with_base("w_k", "identity")
    assert len(edits.encode()) < 90
    assert len(Edits().with_values("w_q", torch.tensor([[0.1, 0.2], [0.3, 0.4]])).encode()) < 90


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (MatrixEdit(), DEFAULT),
        (MatrixEdit(cells=((1, 2, 9.0),)), torch.tensor([[0.0, 1, 2], [3, 4, 9]])),
        (MatrixEdit("identity"), torch.eye(2, 3)),
        (MatrixEdit("identity", cells=((0, 2, 5.0),)), torch.tensor([[1.0, 0, 5], [0, 1, 0]])),
        (MatrixEdit("reseed", seed=4, cells=((0, 0, 1.0),)), torch.tensor([[1.0, 4, 4], [4, 4, 4]])),
        (MatrixEdit("values", values=((1, 2, 3), (4, 5, 6))), torch.tensor([[1.0, 2, 3], [4, 5, 6]])),
    ],
)
def test_apply(edit: MatrixEdit, expected: torch.Tensor) -> None:
    default = DEFAULT.clone()
    edited, applied = apply(default, edit, reseeded)
    assert applied
    assert torch.equal(edited, expected)
    assert edited.dtype == default.dtype
    assert torch.equal(default, DEFAULT)  # nothing is changed in place


def test_apply_leaves_the_reseeded_matrix_alone() -> None:
    kept = reseeded(4)
    apply(DEFAULT, MatrixEdit("reseed", seed=4, cells=((0, 0, 1.0),)), lambda _: kept)
    assert torch.equal(kept, reseeded(4))


@pytest.mark.parametrize(
    "edit",
    [
        MatrixEdit("values", values=((1.0, 2.0),)),
        MatrixEdit("values", values=((1, 2, 3), (4, 5, 6), (7, 8, 9))),
        MatrixEdit(cells=((2, 0, 1.0),)),
        MatrixEdit("identity", cells=((0, 3, 1.0), (0, 0, 5.0))),
    ],
)
def test_an_edit_for_another_shape_is_set_aside(edit: MatrixEdit) -> None:
    edited, applied = apply(DEFAULT, edit, reseeded)
    assert not applied
    assert torch.equal(edited, DEFAULT)
    assert Edits({"w_q": edit})["w_q"] == edit  # and kept


def test_cells_add_up_and_the_last_one_counts() -> None:
    edits = Edits().with_base("w_q", "identity").with_cell("w_q", 1, 1, 5).with_cell("w_q", 0, 2, 7)
    edits = edits.with_cell("w_q", 1, 1, 6)
    assert edits["w_q"] == MatrixEdit("identity", cells=((0, 2, 7.0), (1, 1, 6.0)))
    assert edits.with_base("w_q", "reseed", 3)["w_q"] == MatrixEdit("reseed", seed=3)
    assert edits.with_base("w_q", "seeded") == edits.without("w_q") == Edits()


def test_a_new_cell_drops_an_edit_that_does_not_fit() -> None:
    edits = Edits().with_values("w_q", [[1, 2], [3, 4]])
    assert edits.with_cell("w_q", 0, 0, 9, shape=(3, 3))["w_q"] == MatrixEdit(cells=((0, 0, 9.0),))
    assert edits.with_cell("w_q", 0, 0, 9, shape=(2, 2))["w_q"].base == "values"


def test_edits_are_a_mapping_and_never_change() -> None:
    edits = Edits(
        {"w_o": MatrixEdit("identity"), "embedding": MatrixEdit(cells=((0, 0, 1.0),)), "w_q": MatrixEdit()}
    )
    assert list(edits) == ["embedding", "w_o"]  # without the one that changes nothing
    assert edits.get("w_k") is None
    assert edits == pickle.loads(pickle.dumps(edits))
    edits.with_cell("w_k", 0, 0, 1)
    assert len(edits) == 2
    with pytest.raises(AttributeError):
        edits.entries = ()  # type: ignore[misc]


def test_numbers_are_kept_as_short_float32() -> None:
    edits = Edits().with_values("w_q", torch.tensor([[0.1, -0.0]])).with_cell("w_k", 0, 0, 1 / 3)
    assert edits["w_q"].values == ((0.1, 0.0),)
    assert str(edits["w_q"].values) == "((0.1, 0.0),)"
    assert edits["w_k"].cells == ((0, 0, 0.33333334),)


@pytest.mark.parametrize(
    ("value", "key"),
    [(float("nan"), "matrix_not_finite"), (float("inf"), "matrix_not_finite"), (2e6, "matrix_too_large")],
)
def test_numbers_that_cannot_be_used(value: float, key: str) -> None:
    for change in (
        lambda: Edits().with_cell("w_q", 0, 1, value),
        lambda: Edits().with_values("w_q", [[1, value]]),
    ):
        with pytest.raises(InputError) as caught:
            change()
        assert caught.value.key == key
        assert caught.value.values["column"] == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: MatrixEdit("reseed"),
        lambda: MatrixEdit("identity", seed=3),
        lambda: MatrixEdit("values"),
        lambda: MatrixEdit("seeded", values=((1.0,),)),
        lambda: MatrixEdit("values", values=()),
        lambda: MatrixEdit("values", values=((1.0,), (1.0, 2.0))),
        lambda: MatrixEdit(cells=((0, 0, 1.0), (0, 0, 2.0))),
        lambda: MatrixEdit(cells=((-1, 0, 1.0),)),
        lambda: MatrixEdit("reseed", seed=-1),
        lambda: Edits({"w_x": MatrixEdit("identity")}),
        lambda: Edits().with_base("scores", "identity"),
    ],
)
def test_parts_that_do_not_belong_together(make: object) -> None:
    with pytest.raises(ValueError, match=r"expected|goes with"):
        make()  # type: ignore[operator]


HOSTILE = {
    "not base64": "a+b/",
    "one letter": "A",
    "not compressed": base64.urlsafe_b64encode(b"hello").decode().rstrip("="),
    "cut off": Edits().with_values("w_q", torch.eye(9)).encode()[:-6],
    "appended": base64.urlsafe_b64encode(zlib.compress(b"{}") + b"more").decode().rstrip("="),
    "bomb": base64.urlsafe_b64encode(zlib.compress(b"0" * 200_000_000, 9)).decode(),
    "not JSON": packed("{"),
    "not text": base64.urlsafe_b64encode(zlib.compress(b"\xff\xfe")).decode(),
    "deep": packed("[" * 100_000),
    "deep numbers": packed('{"w_q":{"values":' + "[" * 900 + "1" + "]" * 900 + "}}"),
    "a list": packed([1]),
    "a number": packed(5),
    "unknown name": packed({"w_x": {"identity": 1}}),
    "prototype": packed({"__class__": {"identity": 1}}),
    "unknown part": packed({"w_q": {"color": 1}}),
    "two starts": packed({"w_q": {"identity": 1, "seed": 3}}),
    "list of parts": packed({"w_q": [1]}),
    "NaN": packed('{"w_q":{"cells":[[0,0,NaN]]}}'),
    "infinity": packed('{"w_q":{"cells":[[0,0,-Infinity]]}}'),
    "1e999": packed('{"w_q":{"cells":[[0,0,1e999]]}}'),
    "long integer": packed('{"w_q":{"cells":[[0,0,' + "9" * 10_000 + "]]}}"),
    "large integer": packed('{"w_q":{"values":[[' + "9" * 400 + "]]}}"),
    "too large": packed({"w_q": {"cells": [[0, 0, 1e30]]}}),
    "text for a number": packed({"w_q": {"cells": [[0, 0, "1"]]}}),
    "truth for a number": packed({"w_q": {"values": [[True]]}}),
    "nothing for a number": packed({"w_q": {"values": [[None]]}}),
    "flat values": packed({"w_q": {"values": [1, 2]}}),
    "number for values": packed({"w_q": {"values": 7}}),
    "no values": packed({"w_q": {"values": []}}),
    "ragged": packed({"w_q": {"values": [[1], [1, 2]]}}),
    "nested cell": packed({"w_q": {"values": [[[1]]]}}),
    "short cell": packed({"w_q": {"cells": [[0, 1]]}}),
    "negative cell": packed({"w_q": {"cells": [[0, -1, 1]]}}),
    "fractional cell": packed({"w_q": {"cells": [[0, 0.5, 1]]}}),
    "far cell": packed({"w_q": {"cells": [[0, LARGEST_SIDE, 1]]}}),
    "same cell twice": packed({"w_q": {"cells": [[0, 0, 1], [0, 0, 2]]}}),
    "negative seed": packed({"w_q": {"seed": -1}}),
    "fractional seed": packed({"w_q": {"seed": 1.5}}),
    "large seed": packed({"w_q": {"seed": 2**64}}),
    "surrogate": "\ud83d",
    "Chinese digits": "一二",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_refused_in_one_way(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Edits.decode(text)
    assert caught.value.key == "edits_unreadable"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*NAMES, "cells", "values", "seed", "identity", "x"]), inner, max_size=3
        )
    ),
)


@given(
    st.text(max_size=30)
    | st.binary(max_size=30).map(lambda b: base64.urlsafe_b64encode(b).decode())
    | JSON.map(packed)
)
def test_any_text_is_edits_or_refused(text: str) -> None:
    try:
        edits = Edits.decode(text)
    except InputError:
        return
    assert Edits.decode(edits.encode()) == edits
