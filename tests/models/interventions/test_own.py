"""Models that were trained with this app: every task's kind of model can be changed and compared."""

from __future__ import annotations

import pytest
import torch

from models.interventions.compare import compare
from models.interventions.scan import Question, begin, go_on
from models.interventions.subject import Subject
from models.pretrained.own import OwnModel
from models.training.tasks import TASKS
from models.transformer.model import Transformer


@pytest.mark.parametrize("name", TASKS)
def test_every_task(name: str) -> None:
    task = TASKS[name]
    model = OwnModel(Transformer(task.config, seed=2), task, name=name, source="test")
    trace = model.trace(task.example)
    subject = Subject.of(model.module, trace)
    assert subject.compared == ("here" if task.kind == "encoder" else "next")
    whole = subject.run([()], None)
    assert torch.allclose(whole, trace.output.logits, atol=1e-5)
    last = subject.calls[-1]
    calls = [call for call in subject.calls if (call.stream, call.kind) == (last.stream, last.kind)]
    position = subject.positions - 1
    for what in ("off", "uniform", "edge"):
        question = Question(what, position, int(whole[0, position].argmax()), position, 0)
        scan = go_on(begin(calls), subject, calls, question)
        assert scan.complete
        assert not bool(scan.effects.isnan().any())
        one = subject.run([[question.change(calls[-1], 0)]], position)[0]
        found = compare(whole[0, position], one, watched=question.token)
        bits = next(c.bits for c in found.candidates if c.token == question.token)
        assert float(scan.effects[-1, 0]) == pytest.approx(bits, abs=1e-4)
