from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.embedding import SEEDED_STD, WORKED_VECTORS, embed, seeded_matrix
from models.tokenizer import tokenize


def test_worked_vectors_are_the_worked_example() -> None:
    expected = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
    assert torch.equal(embed(tokenize("我喜欢苹果"), 3, vectors="worked"), expected)


def test_worked_vectors_need_three_dimensions_and_other_words_are_seeded() -> None:
    tokens = tokenize("我 apple")
    assert torch.equal(embed(tokens, 4, vectors="worked"), embed(tokens, 4))
    assert torch.equal(embed(tokens, 3, vectors="worked")[1], embed(tokens, 3)[1])
    assert not torch.equal(embed(tokens, 3)[0], torch.tensor(WORKED_VECTORS["我"]))


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=20), st.integers(0, 2**31 - 1))
def test_a_word_has_one_vector_in_every_sentence(text: str, seed: int) -> None:
    alone = embed(tokenize(text), 5, seed)
    among = embed(tokenize(f"before {text} after"), 5, seed)
    assert torch.equal(among[1:-1], alone)


def test_case_and_composition_do_not_matter_but_seed_and_word_do() -> None:
    vectors = embed(tokenize("Été E\u0301TÉ eté"), 8)
    assert torch.equal(vectors[0], vectors[1])
    assert not torch.equal(vectors[0], vectors[2])
    assert not torch.equal(embed(tokenize("cat"), 8, seed=1), embed(tokenize("cat"), 8, seed=2))


def test_a_collision_of_ids_does_not_merge_words() -> None:
    first, second = ("w643", "w1491")
    tokens = tokenize(f"{first} {second}")
    assert tokens.ids[0] == tokens.ids[1]
    vectors = embed(tokens, 8)
    assert not torch.equal(vectors[0], vectors[1])


def test_numbers_never_change() -> None:
    """Links that people share hold a seed, not numbers: these must be the same after every update."""
    assert embed(tokenize("Apple"), 4, seed=0).flatten().tolist() == pytest.approx([0.91, -2.37, 0.86, -0.59])
    matrix = seeded_matrix(2, 3, seed=7, name="w_q", std=0.5)
    assert matrix.flatten().tolist() == pytest.approx([-0.54, -0.29, -0.68, 0.45, -0.31, 1.25])


def test_what_is_printed_is_what_is_multiplied() -> None:
    vectors = embed(tokenize("the quick brown fox"), 64)
    assert all(float(f"{x:.2f}") == pytest.approx(x, rel=1e-6) for x in vectors.flatten().tolist())
    fine = seeded_matrix(64, 64, seed=0, name="w_k", std=0.05).flatten().tolist()
    assert all(float(f"{x:.3f}") == pytest.approx(x, rel=1e-6) for x in fine)
    assert any(float(f"{x:.2f}") != pytest.approx(x, rel=1e-6) for x in fine)
    assert "-0.0" not in map(str, fine + vectors.flatten().tolist())


@pytest.mark.parametrize("std", [0.05, 0.5])
def test_spread_is_the_one_asked_for(std: float) -> None:
    matrix = seeded_matrix(200, 200, seed=3, name="w_v", std=std)
    assert matrix.std().item() == pytest.approx(std, rel=0.02)
    assert abs(matrix.mean().item()) < 0.02 * std
    assert not torch.equal(matrix, seeded_matrix(200, 200, seed=3, name="w_o", std=std))
    assert embed(tokenize(" ".join(map(str, range(200)))), 200).std().item() == pytest.approx(
        SEEDED_STD, rel=0.02
    )


def test_no_tokens_give_no_rows() -> None:
    assert embed(tokenize(" "), 6).shape == (0, 6)
    assert embed(tokenize("a"), 6).dtype == torch.float32
