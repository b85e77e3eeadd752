"""One text with its right answer, as the task itself would draw it."""

from __future__ import annotations

import pytest
import torch

from models.training.examples import worked
from models.training.tasks import IGNORE, TASKS, Batch


def spelled(name: str, text: str) -> tuple[str, str, str]:
    """Read by the first stack, read by the decoder, and right (· where nothing counts)."""
    task = TASKS[name]

    def write(ids: torch.Tensor | None) -> str:
        return (
            "" if ids is None else " ".join("·" if i == IGNORE else task.symbols[i] for i in ids[0].tolist())
        )

    batch = worked(task, text)
    return write(batch.ids), write(batch.target), write(batch.labels)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("copy", "ab", ("a b ■", "▶ a b", "a b ■")),
        ("reverse", "abc", ("□ □ □ □ □ □ □ a b c", "", "c b a · · · · · · ·")),
        ("sort", "caba", ("c a b a → a b c", "", "· · · · a b c ■")),
        ("repeat", "abcabca", ("a b c a b c a", "", "· · · b c a b")),
        ("repeat", "abcd", ("a b c d", "", "· · · ·")),
        ("brackets", "([])", ("( [ ] )", "", "3 2 1 0")),
        ("words-en", "21", ("2 1 ■", "▶ twenty one", "twenty one ■")),
        ("words-zh", "105", ("1 0 5 ■", "▶ 一 百 零 五", "一 百 零 五 ■")),
    ],
)
def test_by_hand(name: str, text: str, expected: tuple[str, str, str]) -> None:
    assert spelled(name, text) == expected


def cut(batch: Batch, row: int, task_pad: int) -> list[list[int]]:
    """A row of a drawn batch without its padding and with the labels that belong to it."""
    rows = [batch.ids[row].tolist(), batch.labels[row].tolist()]
    return [[i for i in part if i not in (task_pad, IGNORE)] for part in rows]


@pytest.mark.parametrize("name", ["copy", "reverse", "sort", "brackets", "words-en", "words-zh"])
def test_agrees_with_what_is_drawn(name: str) -> None:
    task = TASKS[name]
    drawn = task.sample(20, torch.Generator().manual_seed(5))
    pad = task.symbols.index("□")
    for row in range(20):
        ids, labels = cut(drawn, row, pad)
        symbols = [task.symbols[i] for i in ids]
        text = "".join(s for s in symbols[: symbols.index("→") if "→" in symbols else None] if s not in "■▶")
        batch = worked(task, text)
        assert [i for i in batch.labels[0].tolist() if i != IGNORE] == labels
        read = [i for i in batch.ids[0].tolist() if i != pad]
        assert read == [i for i in ids if name != "sort" or task.symbols[i] != "■"]
