"""What each intervention means, against models that were rebuilt by hand."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from models.attention import MultiHeadAttention
from models.interventions.change import WHATS, Intervention, What
from models.interventions.changer import changing
from models.interventions.pattern import changed_weights
from models.interventions.subject import Subject
from models.pretrained import load_model
from models.pretrained.call import AttentionCall
from models.pretrained.capture import capture_calls
from tests.models.interventions.subjects import FAMILIES, OWN_KINDS, ROUNDING, every, family, gap, own

TOLERANCE = 2e-6


def off(call: AttentionCall, head: int) -> Intervention:
    return Intervention(call.stream, call.kind, call.layer, head)


def edge(call: AttentionCall, head: int, query: int, key: int) -> Intervention:
    return Intervention(call.stream, call.kind, call.layer, head, "edge", query, key)


@torch.inference_mode()
def plain(subject: Subject, module: nn.Module | None = None) -> Tensor:
    """All outputs of the model, or of another one, run by itself on the same input."""
    found: Any = (module or subject.module)(**subject.inputs)
    if isinstance(found, Tensor):
        return found.detach()
    values: Tensor = found.last_hidden_state if subject.compared == "vectors" else found.logits
    return values.detach()


def without_rows(subject: Subject, call: AttentionCall, heads: list[int]) -> nn.Module:
    """A copy of the model in which the rows of W_O that belong to these heads are 0."""
    model = copy.deepcopy(subject.module)
    width = call.recorded.value.shape[-1]
    rows = [head * width + column for head in heads for column in range(width)]
    if isinstance(call.recorded.module, MultiHeadAttention):
        attention = model.get_submodule(call.name)
        assert isinstance(attention, MultiHeadAttention)
        attention.w_o.data[rows] = 0
        return model
    names = {id(module): name for name, module in subject.module.named_modules()}
    assert call.output_layer is not None
    output: Any = model.get_submodule(names[id(call.output_layer)])
    weight = output.weight.data
    (weight.T if isinstance(output, nn.Linear) else weight)[rows] = 0  # Conv1D keeps in × out
    return model


@pytest.mark.parametrize("name", [*(name for name in FAMILIES if name != "ALBERT"), *OWN_KINDS])
def test_off_is_zeroing_the_rows_of_the_output_projection(name: str) -> None:
    subject = every(name)
    base = plain(subject)
    for call in (subject.calls[0], subject.calls[-1]):
        for head in (0, call.heads - 1):
            expected = plain(subject, without_rows(subject, call, [head]))
            changed = subject.run([[off(call, head)]], None)
            assert gap(changed, expected) < TOLERANCE
            assert gap(base, expected) > 1e-4  # the test can fail: the head does something


@pytest.mark.parametrize("name", ["T5", "BART", "encoder-decoder"])
def test_cross_attention_can_be_switched_off_as_well(name: str) -> None:
    subject = every(name)
    call = next(call for call in subject.calls if call.kind == "cross")
    expected = plain(subject, without_rows(subject, call, [1]))
    assert gap(subject.run([[off(call, 1)]], None), expected) < TOLERANCE


def test_a_module_that_runs_for_every_layer_is_changed_in_one() -> None:
    """ALBERT: zeroing W_O would change all layers, as they are one module."""
    subject = family("ALBERT")
    first, last = subject.calls[0], subject.calls[-1]
    assert first.recorded.module is last.recorded.module
    outputs = subject.run([(), [off(first, 0)], [off(last, 0)]], None)
    everywhere = [off(call, 0) for call in subject.calls]
    assert gap(outputs[1], outputs[2]) > 1e-4
    assert gap(subject.run([everywhere], None), plain(subject, without_rows(subject, first, [0]))) < TOLERANCE


@pytest.mark.parametrize("name", [*FAMILIES, *OWN_KINDS])
def test_no_change_is_bit_identical(name: str) -> None:
    subject = every(name)
    assert torch.equal(subject.run([()], None), plain(subject))


@pytest.mark.parametrize("name", ["Llama", "GPT-2", "BERT", "T5", *OWN_KINDS])
def test_the_weights_stay_as_they_are(name: str) -> None:
    subject = every(name)
    before = copy.deepcopy(subject.module.state_dict())
    first = plain(subject)
    subject.run([[off(call, 0)] for call in subject.calls], None)
    after = subject.module.state_dict()
    assert all(torch.equal(before[key], after[key]) for key in before)
    assert torch.equal(plain(subject), first)
    assert not any(module._forward_pre_hooks for module in subject.module.modules())


@pytest.mark.parametrize("name", ["Llama", "GPT-2", "BERT", "BART", *OWN_KINDS])
def test_all_heads_of_a_layer_off_skip_its_attention(name: str) -> None:
    """What is left of the layer's attention is the bias of W_O, if there is one."""
    subject = every(name)
    call = subject.calls[1]
    everyone = [off(call, head) for head in range(call.heads)]
    skipped = without_rows(subject, call, list(range(call.heads)))
    assert gap(subject.run([everyone], None), plain(subject, skipped)) < TOLERANCE


def test_skipping_really_is_no_contribution() -> None:
    """Our own blocks have no bias in W_O: x + attention(x) becomes x."""
    subject = own("decoder")
    block: Any = subject.module.get_submodule("decoder").get_submodule("blocks")[1]  # type: ignore[index]
    everyone = [off(subject.calls[1], head) for head in range(2)]
    expected = copy.deepcopy(subject.module)
    skipping: Any = expected.get_submodule("decoder.blocks.1.self_attention")
    skipping.forward = lambda x, *_args, **_kwargs: torch.zeros_like(x)
    assert block is not None
    assert torch.allclose(subject.run([everyone], None), plain(subject, expected), atol=1e-6)


# ---- patterns ------------------------------------------------------------------------------------------------------


def naive(call: AttentionCall, head: int, blocked: list[tuple[int, int]]) -> Tensor:
    """Weights recomputed cell by cell from q and k, with these edges left out."""
    q, k = call.query(head).double(), call.key(head).double()
    visible = call.visible(head)
    found = torch.zeros(call.queries, call.keys, dtype=torch.float64)
    for i in range(call.queries):
        keys = [j for j in range(call.keys) if (visible is None or visible[i, j]) and (i, j) not in blocked]
        shares = [torch.exp((q[i] @ k[j]) * call.recorded.scaling) for j in keys]
        for j, share in zip(keys, shares, strict=True):
            found[i, j] = share / sum(shares)
    return found


@pytest.mark.parametrize("name", ["Llama", "GPT-2", "BERT", *OWN_KINDS])
def test_a_blocked_edge_is_left_out_and_the_rest_of_the_row_renormalised(name: str) -> None:
    subject = every(name)
    for call in subject.calls:
        changes = [edge(call, 1, 3, 0), edge(call, 1, 3, 2), edge(call, 1, 2, 1)]
        expected = naive(call, 1, [(3, 0), (3, 2), (2, 1)])
        assert torch.allclose(changed_weights(call, 1, changes).double(), expected, atol=1e-5)


def test_a_row_whose_only_key_is_blocked_becomes_zero() -> None:
    for subject in (family("Llama"), own("decoder")):
        call = subject.calls[0]
        assert changed_weights(call, 0, [edge(call, 0, 0, 0)])[0].tolist() == [0.0] * call.keys
        assert not bool(subject.run([[edge(call, 0, 0, 0)]], None).isnan().any())


def test_even_attention_covers_what_may_be_seen() -> None:
    call = family("Mistral (window)").calls[0]
    even = [Intervention(call.stream, call.kind, 0, 2, "uniform")]
    assert torch.allclose(changed_weights(call, 2, even)[5], torch.tensor([0, 0, 0, 1, 1, 1, 0]) / 3)


def test_a_sink_keeps_its_share_when_an_edge_is_blocked() -> None:
    call = family("gpt-oss (sinks)").calls[1]
    weights, sink = call.weights(0), call.sink_mass(0)
    assert sink is not None
    blocked = changed_weights(call, 0, [edge(call, 0, 4, 1)])
    assert torch.allclose(blocked[3], weights[3])
    left = 1 - weights[4, 1]
    assert torch.allclose(blocked[4, 2:], weights[4, 2:] / left, atol=1e-6)
    assert torch.allclose(1 - blocked[4].sum(), sink[4] / left, atol=1e-6)


@pytest.mark.parametrize("name", ["Llama", "GPT-2", "BERT", "T5", "gpt-oss (sinks)", *OWN_KINDS])
@pytest.mark.parametrize("what", ["uniform", "edge"])
def test_the_output_is_that_of_the_changed_pattern(name: str, what: str) -> None:
    """What goes into W_O, heard from the outside while the model runs with the change."""
    subject = every(name)
    call = subject.calls[-1]
    change = Intervention(call.stream, call.kind, call.layer, 1, what, 3, 1)  # type: ignore[arg-type]
    expected = torch.stack([call.head_output(head) for head in range(call.heads)], 1)  # N H V
    expected[:, 1] = changed_weights(call, 1, [change]) @ call.value(1)
    taken: list[Tensor] = []
    with changing(subject.calls, [[change]]):
        if isinstance(call.recorded.module, MultiHeadAttention):
            taken.append(_into_own_output(subject, call))
        else:
            captured = capture_calls(subject.module, **subject.inputs).calls[-1].recorded.sample
            assert captured is not None
            rows, sample = captured
            taken.append(sample[0])
            expected = expected[rows]
    assert gap(taken[0], expected) < 1e-5


def _into_own_output(subject: Subject, call: AttentionCall) -> Tensor:
    """The head outputs (N × H × V) of our own attention, read back by an output projection that lets them through."""
    attention = copy.deepcopy(call.recorded.module)
    assert isinstance(attention, MultiHeadAttention)
    model = copy.deepcopy(subject.module)
    before = call.recorded.module
    assert isinstance(before, MultiHeadAttention)
    kept = before.w_o.data.clone()
    try:
        before.w_o.data = torch.eye(len(kept))
        found: list[Tensor] = []
        handle = before.register_forward_hook(lambda _m, _a, output: found.append(output.detach()[0]))
        subject.module(**subject.inputs)
        handle.remove()
    finally:
        before.w_o.data = kept
    assert model is not None
    return found[0].reshape(len(found[0]), call.heads, -1)


# ---- what cannot move ----------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_an_edge_into_the_future_changes_nothing(data: st.DataObject) -> None:
    subject = _CAUSAL[data.draw(st.sampled_from(sorted(_CAUSAL)))]
    call = data.draw(st.sampled_from(subject.calls))
    query = data.draw(st.integers(0, call.queries - 2))
    key = data.draw(st.integers(query + 1, call.keys - 1))
    change = edge(call, data.draw(st.integers(0, call.heads - 1)), query, key)
    assert torch.equal(subject.run([[change]], None), subject.run([()], None))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_attention_below_the_changed_layer_stays_as_it_is(data: st.DataObject) -> None:
    subject = _CAUSAL["Llama"]
    layer = data.draw(st.integers(0, 3))
    what: What = data.draw(st.sampled_from(WHATS))
    change = Intervention("decoder", "self", layer, data.draw(st.integers(0, 3)), what, 5, 2)
    with changing(subject.calls, [[change]]):
        calls = capture_calls(subject.module, **subject.inputs).calls
    for before, after in zip(subject.calls, calls, strict=True):
        moved = max(float((before.weights(h) - after.weights(h)).abs().max()) for h in range(4))
        assert moved < 2e-6 if before.layer <= layer else moved > 2e-6, (before.layer, moved)


_CAUSAL = {
    "Llama": family("Llama", num_hidden_layers=4),
    "GPT-2": family("GPT-2"),
    "decoder": own("decoder"),
}


# ---- real weights --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("layer", "head"), [(18, 6), (0, 8), (29, 3)])
def test_off_in_a_real_model(layer: int, head: int) -> None:
    model = load_model("smollm2")
    trace = model.trace("The ship left the harbour at dawn. The ship left the harbour at")
    subject = Subject.of(model.module, trace)
    call = trace.calls[layer]
    output: Any = call.output_layer
    changed = subject.run([[off(call, head)]], len(trace.tokens["decoder"]) - 1)
    copied = copy.deepcopy(model.module)
    projection: Any = copied.get_submodule(f"model.layers.{layer}.self_attn.o_proj")
    assert torch.equal(projection.weight, output.weight)
    projection.weight.data[:, head * 64 : head * 64 + 64] = 0
    with torch.inference_mode():
        expected = copied(**trace.inputs).logits[:, -1]
    assert gap(changed, expected) < 1e-5


def test_several_at_once_on_one_head() -> None:
    subject = family("Llama")
    call = subject.calls[0]
    one, two = edge(call, 0, 5, 1), edge(call, 0, 5, 2)
    even = replace(one, what="uniform")
    assert changed_weights(call, 0, [one, two])[5, 1:3].tolist() == [0.0, 0.0]
    assert torch.allclose(changed_weights(call, 0, [even, one])[5, [0, 2, 3, 4, 5]], torch.tensor(0.2))
    switched = subject.run([[off(call, 0), even, one], [off(call, 0)]], None)
    assert gap(switched[0], switched[1]) < ROUNDING
    assert gap(switched[0], plain(subject)[0]) > 1e-4
