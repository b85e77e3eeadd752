"""What is said of rows of weights: everything that is named, the sink included, makes up the row."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
import torch

from app.i18n import t
from app.model_view import ModelView
from app.trained.row_words import averages, sink_shares, strongest
from app.trained.shown import axis, shown_weights
from models.pretrained.call import AttentionCall
from models.pretrained.capture import capture_calls
from tests.models.pretrained.architectures import build


def call_of(name: str) -> AttentionCall:
    model, inputs = build(name)
    return capture_calls(model, **inputs).calls[1]


@pytest.mark.parametrize("name", ["gpt-oss (sinks)", "Llama", "Qwen3"])
def test_the_tokens_and_the_sink_make_up_the_row(name: str) -> None:
    call = call_of(name)
    labels = [f"w{i}" for i in range(call.queries)]
    rows = axis(None, labels, ModelView(), None)
    for head in range(call.heads):
        weights = shown_weights(call.weights(head), rows, rows)
        sinks = sink_shares(call, head, rows)
        assert (sinks is not None) == ("sinks" in name)
        whole = weights.sum(-1) + (0 if sinks is None else sinks)
        assert whole == pytest.approx(1, abs=1e-5)
        said = strongest(weights, SimpleNamespace(call=call, head=head), rows, rows, 3)  # type: ignore[arg-type]
        named = [float(value) for value in re.findall(r"<b>([\d.]+)</b>", said)]
        assert sum(named) == pytest.approx(1, abs=0.005 * (len(named) + 1))  # query 3 sees four keys
        assert (t("trained.sink_name") in said.replace("&lt;", "<")) == (
            sinks is not None and sinks[3] >= 0.005
        )


def test_overlapping_shares_are_called_that() -> None:
    call = call_of("gpt-oss (sinks)")
    said = averages(call, 0, {})
    assert t("trained.doing_overlap") in said
    assert any("A sink takes 0." in sentence for sentence in said)
    shares = [float(value) for value in re.findall(r"\d\.\d\d", said[0])]
    assert len(shares) > 1


def test_one_share_overlaps_nothing() -> None:
    call = call_of("BERT")
    for head in range(call.heads):
        said = averages(call, head, {})
        count = len(re.findall(r"\d\.\d\d", said[0])) if said else 0
        assert (t("trained.doing_overlap") in said) == (count > 1)


def test_a_row_that_is_no_number_is_called_that() -> None:
    rows = axis(None, ["a", "b"], ModelView(), None)
    weights = torch.tensor([[1.0, 0.0], [torch.nan, torch.nan]]).numpy()
    stack = SimpleNamespace(call=call_of("BERT"), head=0)
    assert "not numbers" not in strongest(weights, stack, rows, rows, 0)  # type: ignore[arg-type]
    assert "not numbers" in strongest(weights, stack, rows, rows, 1)  # type: ignore[arg-type]
