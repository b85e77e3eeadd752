"""What counts as a separator, and which measures make sense where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.head_roles import places_of, separators
from models.pretrained.labels import ModelToken, ModelTokens


def tokens_of(*surfaces: str, special: tuple[int, ...] = ()) -> ModelTokens:
    """One token per surface, one after the other in one text."""
    pieces, start = [], 0
    for index, surface in enumerate(surfaces):
        end = start + len(surface)
        pieces.append(
            ModelToken(index, surface, surface or "∅", index in special, segment=0, start=start, end=end)
        )
        start = end
    return ModelTokens(tuple(pieces), ("".join(surfaces),))


@pytest.mark.parametrize(
    ("surface", "divides"),
    [(".", True), (" ,", True), ("…", True), ("。", True), ("，", True), ("?!", True), ("\n", True), ("\n\n", True),
     (" ", False), ("\t", False), ("a.", False), ("$", False), ("5", False), ("<b>", False), ("", False)],
)  # fmt: skip
def test_punctuation_and_line_breaks_separate(surface: str, divides: bool) -> None:
    assert separators(tokens_of("x", surface))[1] is divides


def test_special_tokens_separate_and_parts_of_characters_do_not() -> None:
    tokens = tokens_of("[CLS]", "word", special=(0,))
    part = ModelToken(9, "x", "!", part=(1, 2), whole="！", start=0, end=1, segment=0)
    assert separators(tokens) == (True, False)
    assert separators(ModelTokens((part,), ("!",))) == (False,)
    assert separators(ModelTokens((ModelToken(3, "-", "-"),), ())) == (False,)  # a symbol of a task


def test_the_first_token_is_no_separator_of_the_measure() -> None:
    places = places_of(tokens_of("[CLS]", "a", ".", special=(0,)), 3, 3, None, cross=False)
    assert places.targets["separator"].tolist() == [[False, False, True]] * 3


def test_between_two_texts() -> None:
    tokens = tokens_of("a", "b", ".")
    assert list(places_of(tokens, 2, 3, None, cross=True).targets) == ["first", "separator"]


@pytest.mark.parametrize("tokens", [None, tokens_of("a", "b")])
def test_without_tokens_only_positions_can_be_measured(tokens: ModelTokens | None) -> None:
    assert set(places_of(tokens, 3, 3, None, cross=False).targets) == {"previous", "next", "itself", "first"}


def test_two_stand_ins_for_unknown_text_repeat_nothing() -> None:
    tokens = tokens_of("a", "b", "c", "d", "e")
    same = ModelTokens(
        tuple(replace(piece, id=(1, 7, 2, 7, 3)[piece.id]) for piece in tokens.pieces), tokens.texts
    )
    known = places_of(same, 5, 5, None, cross=False).targets
    assert known["earlier"].nonzero().tolist() == [[3, 1]]
    assert known["induction"].nonzero().tolist() == [[3, 2]]
    unknown = ModelTokens(tuple(replace(piece, unknown=piece.id == 7) for piece in same.pieces), tokens.texts)
    found = places_of(unknown, 5, 5, None, cross=False).targets
    assert not bool(found["earlier"].any())
    assert not bool(found["induction"].any())
