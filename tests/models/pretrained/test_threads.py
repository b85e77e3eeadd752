"""One model in memory serves many threads; their captures never mix."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor

from models.pretrained.capture import CapturedForward, capture_calls
from tests.models.pretrained.architectures import build

THREADS, ROUNDS = 8, 5
ROUNDING = {
    "rtol": 1e-4,
    "atol": 1e-5,
}  # another thread may use another kernel; other texts differ by far more


def text(number: int) -> Tensor:
    length = 4 + number % 5
    return torch.randint(5, 60, (1, length), generator=torch.Generator().manual_seed(number))


@pytest.mark.parametrize("name", ["Llama", "BERT", "BLOOM"])
def test_eight_threads_one_model(name: str) -> None:
    model, _ = build(name)
    texts = [text(number) for number in range(THREADS * ROUNDS)]
    expected = [capture_calls(model, input_ids=ids) for ids in texts]
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda ids: capture_calls(model, input_ids=ids), texts))
    for ours, theirs in zip(found, expected, strict=True):
        assert_same(ours, theirs)
    assert not any(module._forward_pre_hooks for module in model.modules())


def test_plain_runs_beside_a_capture_are_not_heard() -> None:
    model, _ = build("Llama")

    def run(number: int) -> CapturedForward | None:
        if number % 2:
            with torch.inference_mode():
                model(input_ids=text(number))
            return None
        return capture_calls(model, input_ids=text(number))

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(run, range(THREADS * ROUNDS)))
    for number, captured in enumerate(found):
        if captured is not None:
            assert_same(captured, capture_calls(model, input_ids=text(number)))


def assert_same(ours: CapturedForward, theirs: CapturedForward) -> None:
    assert [call.name for call in ours.calls] == [call.name for call in theirs.calls]
    for a, b in zip(ours.calls, theirs.calls, strict=True):
        for side in ("query", "key", "value"):
            torch.testing.assert_close(getattr(a.recorded, side), getattr(b.recorded, side), **ROUNDING)
        torch.testing.assert_close(a.trace(1)["output"].value, b.trace(1)["output"].value, **ROUNDING)
