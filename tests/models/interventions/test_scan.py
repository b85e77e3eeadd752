"""Every head in turn: the same numbers as one by one, bounded in time, resumable."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from models.interventions import scan as scanning
from models.interventions.change import Intervention
from models.interventions.compare import BIT, moved
from models.interventions.scan import Question, Scan, begin, effects, go_on
from models.interventions.subject import Subject
from models.pretrained import load_model
from tests.models.interventions.subjects import every

NAMES = ["Llama", "BERT", "T5", "decoder", "encoder-decoder"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("what", ["off", "uniform", "edge"])
def test_as_one_by_one(name: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "TOKENS", 4 * every(name).positions)  # three heads at a time
    subject = every(name)
    calls = [call for call in subject.calls if call.kind == subject.calls[-1].kind]
    calls = [call for call in calls if call.stream == subject.calls[-1].stream]
    token = None if subject.compared == "vectors" else 5
    question = Question(what, 3, token, 3, 1)  # type: ignore[arg-type]
    told: list[float] = []
    found = go_on(begin(calls), subject, calls, question, report=told.append)
    assert found.complete
    assert found.measured == found.heads == sum(call.heads for call in calls)
    assert told == sorted(told)
    assert told[-1] == 1
    base = subject.run([()], 3)[0]
    for layer, call in enumerate(calls):
        for head in range(call.heads):
            changed = subject.run([[question.change(call, head)]], 3)[0]
            if token is None:
                expected = float(moved(base, changed).turned)
            else:
                expected = float((changed.log_softmax(-1) - base.log_softmax(-1))[token]) / BIT
            assert float(found.effects[layer, head]) == pytest.approx(expected, abs=2e-5)


def test_out_of_time_it_stops_and_goes_on_later(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = every("Llama")
    monkeypatch.setattr(scanning, "TOKENS", 4 * subject.positions)
    question = Question("off", 6)
    part = go_on(begin(subject.calls), subject, subject.calls, question, seconds=0)
    assert (part.measured, part.complete) == (3, False)
    assert int(part.effects.isnan().sum()) == 5
    whole = go_on(part, subject, subject.calls, question)
    assert whole.complete
    assert part.measured == 3  # what was there is left alone
    assert torch.allclose(
        whole.effects, go_on(begin(subject.calls), subject, subject.calls, question).effects
    )


def test_a_head_that_is_not_there_has_no_effect() -> None:
    subject = every("Llama")
    ragged = [replace(call) for call in subject.calls]
    scan = begin(ragged)
    assert scan.effects.shape == (2, 4)
    assert isinstance(scan, Scan)


def test_what_is_changed_besides_is_changed_before_and_after() -> None:
    subject = every("Llama")
    kept = (Intervention("decoder", "self", 0, 1),)
    question = Question("off", 6, besides=kept)
    found = go_on(begin(subject.calls), subject, subject.calls, question)
    base = subject.run([kept], 6)[0]
    both = subject.run([[*kept, Intervention("decoder", "self", 1, 2)]], 6)[0]
    assert float(found.effects[1, 2]) == pytest.approx(float(moved(base, both).turned), abs=2e-5)
    assert float(found.effects[0, 1]) == pytest.approx(0, abs=1e-6)  # it is off already


def test_signs() -> None:
    logits = torch.tensor([[0.5, 0.5], [0.25, 0.75], [0.5, 0.5], [0.75, 0.25]]).log()
    assert effects(logits, 0) == pytest.approx([-1, 0, 0.5849625], abs=1e-6)  # helped, did nothing, hurt


def test_one_edge_of_smollm2_makes_paris() -> None:
    """Layer 23, head 4 looks from "is" at "France" with 0.90; without this edge Paris is no longer said. The same
    sentence in other heads: much attention, no effect."""
    model = load_model("smollm2")
    trace = model.trace("The capital of France is")
    subject = Subject.of(model.module, trace)
    paris = int(subject.run([()], 4)[0].argmax())
    question = Question("edge", 4, paris, 4, 3)
    calls = trace.calls[20:]
    found = go_on(begin(calls), subject, calls, question)
    place = divmod(int(found.effects.argmin()), 9)
    assert (place[0] + 20, place[1]) == (23, 4)
    assert float(trace.calls[23].weights(4)[4, 3]) == pytest.approx(0.90, abs=0.02)
    assert float(found.effects[3, 4]) < -2
    blocked = subject.run([[question.change(trace.calls[23], 4)]], 4)[0]
    assert int(blocked.argmax()) != paris
