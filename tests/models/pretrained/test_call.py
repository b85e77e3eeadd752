"""One call, opened: where its numbers come from and what its heads write."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from models.errors import InputError
from models.explain import explain
from models.pretrained.call import AttentionCall
from models.pretrained.call.layouts import layouts, matrix
from models.pretrained.capture import capture_calls
from tests.models.pretrained.architectures import TOKENS, build
from tests.models.pretrained.checks import assert_explains


def first_call(name: str, **changes: object) -> AttentionCall:
    model, inputs = build(name, **changes)  # type: ignore[arg-type]
    return capture_calls(model, **inputs).calls[0]


STEPS = {
    "BERT": "input query key value scores scaled masked weights head_output contribution concat output",
    "Llama": (
        "input query query_rotated key key_rotated value scores scaled masked weights head_output contribution concat "
        "output"
    ),
    "Qwen3": (
        "input query query_normed query_rotated key key_normed key_rotated value scores scaled masked weights "
        "head_output contribution concat output"
    ),
    "OLMo 2": (
        "input query_all query query_rotated key_all key key_rotated value scores scaled masked weights head_output "
        "contribution concat output"
    ),
    "Qwen3-Next (gated)": (
        "input query query_normed query_rotated key key_normed key_rotated value scores scaled masked weights "
        "head_output gate gate_opening gated_output contribution concat output"
    ),
    "OPT": "input query query_scaled key value scores scaled masked weights head_output contribution concat output",
    "T5": "input query key value scores scaled bias biased masked weights head_output contribution concat output",
    "Gemma 2 (softcap)": (
        "input query query_rotated key key_rotated value scores scaled softcapped masked weights head_output "
        "contribution concat output"
    ),
    "gpt-oss (sinks)": (
        "input query query_rotated key key_rotated value scores scaled masked weights sink_mass head_output "
        "contribution concat output"
    ),
    "BLOOM": "input query key value scores scaled bias biased masked weights head_output contribution concat output",
}


@pytest.mark.parametrize("name", STEPS)
def test_the_steps_of_a_head(name: str) -> None:
    assert list(first_call(name).trace(2).names) == STEPS[name].split()


@pytest.mark.parametrize(
    "name", ["BERT", "Llama", "Qwen3", "Cohere", "GPT-J", "GPT-NeoX", "T5", "GPT-2", "OLMo 2"]
)
def test_every_cell_of_one_head(name: str) -> None:
    trace = first_call(name).trace(3, batch=1)
    for step in trace.steps:
        for index in torch.ones_like(step.value).nonzero().tolist():
            assert_explains(trace, step.name, tuple(index))


def test_a_projection_ends_with_its_bias() -> None:
    found = explain(first_call("BERT").trace(1), "query", (0, 2, 3))
    assert len(found.terms) == 33
    assert found.terms[-1].label == "b_q"
    assert len(found.terms[-1].factors) == 1


def test_a_rotation_is_two_products() -> None:
    call = first_call("Llama")
    trace = call.trace(1)
    found = explain(trace, "query_rotated", (0, 5, 6))
    assert [term.label for term in found.terms] == ["6", "2"]  # half a vector apart
    before = trace["query"].value[0, 5]
    assert [term.factors[0] for term in found.terms] == [float(before[6]), float(before[2])]
    assert found.terms[0].factors[1] ** 2 + found.terms[1].factors[1] ** 2 == pytest.approx(1)
    torch.testing.assert_close(trace["query_rotated"].value[0], call.query(1), rtol=1e-5, atol=1e-5)


def test_neighbours_are_turned_together() -> None:
    found = explain(first_call("GPT-J").trace(1), "key_rotated", (0, 5, 2))
    assert [term.label for term in found.terms] == ["2", "3"]


def test_dimensions_that_are_not_turned_have_one_product() -> None:
    found = explain(first_call("GPT-NeoX").trace(1), "query_rotated", (0, 5, 7))
    assert [term.factors[1] for term in found.terms] == [1.0]


def test_the_last_dimensions_may_be_the_turned_ones() -> None:
    trace = first_call("DeepSeek V3 (MLA)").trace(1)
    assert [len(explain(trace, "query_rotated", (0, 5, d)).terms) for d in range(12)] == [1] * 8 + [2] * 4


def test_a_bias_of_the_attention_module_itself() -> None:
    call = first_call("DeBERTa")
    assert call.origin("query") is not None
    assert "b_v" in call.trace(0).parameters


def test_left_padding_turns_by_the_models_own_positions() -> None:
    model, inputs = build("Llama")
    positions = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 2, 3, 4]])
    call = capture_calls(model, **inputs, position_ids=positions).calls[0]
    trace = call.trace(0, batch=1)
    angle = explain(trace, "query_rotated", (0, 6, 0)).terms[0].factors[1]
    assert angle == pytest.approx(float(torch.tensor(4.0).cos()), abs=1e-6)


def test_a_soft_cap_is_a_step() -> None:
    trace = first_call("Gemma 2 (softcap)").trace(0)
    found = explain(trace, "softcapped", (0, 4, 1))
    assert found.operation == "softcap"
    assert found.terms[0].factors[1] == 2.0
    assert trace["softcapped"].value.abs().max() <= 2


def test_grouped_queries_share_keys() -> None:
    call = first_call("Llama")
    assert (call.heads, call.kv_heads) == (4, 2)
    assert [call.kv_head(h) for h in range(4)] == [0, 0, 1, 1]
    assert torch.equal(call.key(2), call.key(3))
    assert not torch.equal(call.key(1), call.key(2))
    assert any("4 query heads share 2" in note for note in call.notes)


def test_what_cannot_be_reproduced_is_a_leaf_and_said() -> None:
    call = first_call("DeepSeek V3 (MLA)")
    trace = call.trace(0)
    assert trace["key"].operation == "lookup"
    assert torch.equal(trace["key"].value[0], call.key(0))
    assert any("key" in note and "could not be reproduced" in note for note in call.notes)


def test_a_wrong_weight_is_not_believed() -> None:
    """Projections are proved by numbers: another matrix of the same shape explains nothing."""
    model, inputs = build("Llama")
    call = capture_calls(model, **inputs).calls[0]
    with torch.no_grad():
        for linear in call.recorded.around.linears:
            linear.module.weight.mul_(1 + 0.01 * torch.randn(linear.module.weight.shape))  # type: ignore[operator, arg-type]
    assert [call.origin(side) for side in ("query", "key", "value")] == [None, None, None]
    assert call.trace(0)["value"].operation == "lookup"


def test_the_contribution_is_the_heads_part_of_the_output() -> None:
    call = first_call("GPT-2")
    trace = call.trace(1)
    torch.testing.assert_close(trace["contribution"].value, call.contribution(1), rtol=1e-5, atol=1e-5)
    total = sum(call.contribution(head) for head in range(4)) + trace.parameters["b_o"]
    torch.testing.assert_close(trace["output"].value, total, rtol=1e-5, atol=1e-5)
    found = explain(trace, "contribution", (2, 5))
    assert [term.sources[1].index for term in found.terms if term.sources[1]] == [
        (8 + d, 5) for d in range(8)
    ]


def test_a_gate_may_serve_a_whole_head() -> None:
    call = first_call("Laguna (gated)")
    trace = call.trace(1)
    assert trace["gate_opening"].operation == "softplus"
    width = trace["gate_opening"].value.shape[-1]
    found = explain(trace, "gated_output", (0, 3, 5))
    assert found.terms[0].sources[1].index == (0, 3, min(5, width - 1))  # type: ignore[union-attr]
    torch.testing.assert_close(trace["gated_output"].value[0], call.written_output(1))


def test_without_an_output_layer_there_is_no_contribution() -> None:
    call = first_call("XLNet")
    with pytest.raises(InputError, match="output"):
        call.contribution(0)
    assert "output" not in call.trace(0)


def test_labels_name_rows_and_columns() -> None:
    call = first_call("BERT").with_labels(tuple("abcdefg"), tuple("ABCDEFG"))
    trace = call.trace(0)
    assert trace.labels("query") == tuple("abcdefg")
    assert [term.label for term in explain(trace, "weights", (0, 0, 0)).terms] == list("ABCDEFG")
    assert call.trace(1).head == 1


@pytest.mark.parametrize("head", [-1, 4])
def test_a_head_outside_is_refused(head: int) -> None:
    call = first_call("BERT")
    with pytest.raises(IndexError, match="from 0 to 3"):
        call.weights(head)
    with pytest.raises(IndexError, match="from 0 to 3"):
        call.trace(head)


def test_batches_are_separate() -> None:
    model, inputs = build("BERT")
    both = capture_calls(model, **inputs).calls[1]
    alone = capture_calls(model, **{name: value[1:] for name, value in inputs.items()}).calls[1]
    torch.testing.assert_close(both.weights(2, batch=1), alone.weights(2), rtol=1e-4, atol=1e-5)
    assert both.batches == 2
    assert both.queries == TOKENS


def test_layouts_of_fused_projections() -> None:
    def found(features: int, heads: int, width: int) -> list[list[list[int]]]:
        return [at.tolist() for at in layouts(features, heads, width)]

    assert found(4, 2, 2) == [[[0, 1], [2, 3]]]
    three_blocks, per_head = (
        found(12, 2, 2)[4],
        found(12, 2, 2)[5],
    )  # values of [q q k k v v], of [q k v q k v]: q
    assert three_blocks == [[8, 9], [10, 11]]
    assert per_head == [[0, 1], [6, 7]]
    assert found(5, 2, 2) == []


@pytest.mark.parametrize("layer", [nn.Linear(3, 4), Conv1D(4, 3), nn.Linear(3, 4, bias=False)])
def test_a_matrix_multiplies_rows_from_the_right(layer: nn.Module) -> None:
    x: Tensor = torch.randn(2, 3)
    weight, bias = matrix(layer)
    torch.testing.assert_close(x @ weight + (0 if bias is None else bias), layer(x))


def test_heads_at_once_keep_nan_and_hidden_rows() -> None:
    call = first_call("Llama")
    query = call.recorded.query.clone()
    query[0, 1, 2] = torch.nan
    mask = torch.ones(1, 1, call.queries, call.keys, dtype=torch.bool).tril()
    mask[..., 1, :] = False
    damaged = replace(call, recorded=replace(call.recorded, query=query, mask=mask))
    together = damaged.weights_of_heads(range(call.heads))
    for head in range(call.heads):
        torch.testing.assert_close(
            together[head], damaged.weights(head), rtol=1e-4, atol=1e-5, equal_nan=True
        )
    assert together[1, 2].isnan().all()
    assert (together[:, 1] == 0).all()


def test_no_other_heads_than_there_are() -> None:
    call = first_call("Llama")
    assert call.weights_of_heads(range(0)).shape[0] == 0
    with pytest.raises(IndexError):
        call.weights_of_heads(range(call.heads + 1))
