"""One step at a time: what it reports, and that it is reproducible."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch.nn import functional

from models.errors import InputError
from models.training.tasks import IGNORE, TASKS, Batch
from models.training.trainer import Trainer, accuracy_of, attentions, loss_of, rate_at
from models.transformer.model import Transformer


def test_reports_are_of_the_batch_before_the_step() -> None:
    """Loss, accuracy and gradient norms, computed anew with a model and a batch of the same seed."""
    task = TASKS["words-en"]
    trainer = Trainer(task, seed=3)
    report = trainer.step()
    model = Transformer(task.config, 3)
    batch = task.sample(task.recipe.batch, torch.Generator().manual_seed(3))
    logits = model(batch.ids, batch.target, padded=batch.padded)
    counted = batch.labels != IGNORE
    loss = functional.cross_entropy(logits[counted], batch.labels[counted])
    loss.backward()  # type: ignore[no-untyped-call]
    assert report.step == trainer.steps_done == 1
    assert report.loss == pytest.approx(loss.item(), rel=1e-5)
    assert report.accuracy == pytest.approx(
        (logits[counted].argmax(-1) == batch.labels[counted]).float().mean().item()
    )
    assert [g.place for g in report.gradients] == model.places()
    shown = trainer.gradients()
    for found, attention in zip(report.gradients, attentions(model), strict=True):
        for name in ("w_q", "w_k", "w_v"):
            grad = getattr(attention, name).grad
            assert getattr(found, name) == pytest.approx(grad.norm().item(), rel=1e-4)
            torch.testing.assert_close(shown[found.place][name] * trainer.unclip, grad, rtol=1e-3, atol=1e-6)


def test_gradients_that_were_handed_out_stay() -> None:
    trainer = Trainer(TASKS["copy"], seed=0)
    trainer.step()
    held = trainer.gradients()
    copies = {place: {name: grad.clone() for name, grad in found.items()} for place, found in held.items()}
    trainer.step()
    for place, found in held.items():
        assert all(torch.equal(grad, copies[place][name]) for name, grad in found.items())


def test_same_seed_same_numbers() -> None:
    one, same, other = (Trainer(TASKS["sort"], seed) for seed in (1, 1, 2))
    losses = [[trainer.step().loss for _ in range(3)] for trainer in (one, same, other)]
    assert losses[0] == losses[1] != losses[2]
    for name, weight in one.model.state_dict().items():
        assert torch.equal(weight, same.model.state_dict()[name])


def test_only_what_counts_counts() -> None:
    logits = torch.tensor([[[5.0, 0, 0], [0, 5, 0], [0, 0, 5], [5, 0, 0]]])
    batch = Batch(torch.zeros(1, 4), torch.tensor([[0, IGNORE, 2, 1]]))
    assert accuracy_of(logits, batch) == pytest.approx(2 / 3)
    right, wrong = -math.log(math.exp(5) / (math.exp(5) + 2)), -math.log(1 / (math.exp(5) + 2))
    assert float(loss_of(logits, batch)) == pytest.approx((2 * right + wrong) / 3, rel=1e-5)


@pytest.mark.parametrize("broken", [torch.nan, torch.inf, 1e30])
def test_what_runs_away_moves_nothing(broken: float) -> None:
    trainer = Trainer(TASKS["copy"], seed=0)
    trainer.step()
    with torch.no_grad():
        trainer.model.predict.weight[0, 0] = broken
    before = {name: weight.clone() for name, weight in trainer.model.state_dict().items()}
    with pytest.raises(InputError) as error:
        trainer.step()
    assert error.value.key == "training_diverged"
    assert error.value.values["step"] == 2
    assert trainer.steps_done == 1
    assert trainer.last is not None
    assert trainer.last.step == 2
    for name, weight in trainer.model.state_dict().items():
        assert torch.equal(weight.nan_to_num(7), before[name].nan_to_num(7))


def test_the_rate_rises_and_falls() -> None:
    recipe = replace(TASKS["copy"].recipe, steps=100, warmup=10, rate=1.0)
    rates = [rate_at(step, recipe) for step in range(100)]
    assert rates[0] == 0.1
    assert rates[9] == rates[10] == 1.0
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert 0.05 <= rates[-1] < 0.06
    assert rate_at(500, recipe) == pytest.approx(0.05)


def test_nothing_global_is_drawn_from() -> None:
    state = torch.random.get_rng_state()
    Trainer(TASKS["brackets"], seed=0).step()
    assert torch.equal(torch.random.get_rng_state(), state)
