"""Training, one step at a time, without threads and without a clock: the same seed gives the same numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.attention import MultiHeadAttention
from models.errors import InputError
from models.training.problems import problem
from models.training.tasks import IGNORE, Batch, Recipe, Task
from models.transformer.blocks import Block
from models.transformer.config import Config
from models.transformer.model import Place, Transformer

BETAS, DECAY, CLIP = (0.9, 0.98), 0.01, 1.0
LEAST_RATE = 0.05  # of the recipe's rate, at the last step
RUNAWAY = 100.0  # times the loss of guessing: nothing will come of it
PROJECTIONS = ("w_q", "w_k", "w_v")


@dataclass(frozen=True)
class Gradients:
    """How long the gradient is (Euclidean norm) that reaches W_Q, W_K and W_V of one attention, before clipping."""

    place: Place
    w_q: float
    w_k: float
    w_v: float


@dataclass(frozen=True)
class Report:
    """One step: loss and accuracy (0 … 1) on its batch before the weights moved, over the positions that count; for
    step n, the weights have moved n − 1 times. `seconds` is the time trained until then (0 without a clock)."""

    step: int
    loss: float
    accuracy: float
    gradients: tuple[Gradients, ...]
    seconds: float = 0.0


class Trainer:
    """A model on its way: `step()` draws a batch, moves the weights (AdamW, gradients clipped to length 1) and reports.

    Everything random comes from `seed`. `last` is the last report, also of a step that ran away.
    """

    def __init__(
        self, task: Task, seed: int, config: Config | None = None, recipe: Recipe | None = None
    ) -> None:
        config = task.config if config is None else config
        self.task = task.fitting(config)
        self.recipe = task.recipe if recipe is None else recipe
        self.model = Transformer(config, seed)
        self.last: Report | None = None
        self.steps_done = 0
        self._generator = torch.Generator().manual_seed(seed)
        self._parameters = list(self.model.parameters())
        self._optimizer = torch.optim.AdamW(
            self._parameters, lr=self.recipe.rate, betas=BETAS, weight_decay=DECAY, fused=True
        )
        self._unclip = 1.0
        self._attentions = dict(zip(self.model.places(), attentions(self.model), strict=True))

    def step(self) -> Report:
        """Raises InputError (training_diverged) for a loss or gradient that is not finite, or a loss that is more than
        `RUNAWAY` times that of guessing; the weights are then left as they were."""
        batch = self.task.sample(self.recipe.batch, self._generator)
        self._optimizer.zero_grad(set_to_none=True)  # gradients that were handed out stay as they are
        logits = self.model(batch.ids, batch.target, padded=batch.padded)  # B N A
        loss = loss_of(logits, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        self.last = report = Report(
            self.steps_done + 1, loss.item(), accuracy_of(logits, batch), tuple(self._norms())
        )
        length = nn.utils.clip_grad_norm_(self._parameters, CLIP, foreach=True).item()
        if not math.isfinite(length) or not report.loss <= RUNAWAY * self.chance:
            raise self._ran_away(report)
        self._unclip = max(1.0, length / CLIP)
        self._optimizer.param_groups[0]["lr"] = rate_at(self.steps_done, self.recipe)
        self._optimizer.step()
        self.steps_done += 1
        return report

    @property
    def chance(self) -> float:
        """The loss of who gives every symbol the same probability."""
        return math.log(self.model.config.vocabulary)

    def gradients(self) -> dict[Place, dict[str, Tensor]]:
        """The gradients of the last step that reached w_q, w_k and w_v of every attention, clipped, without copying:
        no later step changes them. `unclip` times them is what `Report.gradients` measures."""
        return {
            place: {name: grad for name in PROJECTIONS if (grad := getattr(attention, name).grad) is not None}
            for place, attention in self._attentions.items()
        }

    def release(self) -> None:
        """Give back what only further steps would need: the averages of AdamW, and gradients that nobody looks at."""
        self._optimizer.zero_grad(set_to_none=True)
        self._optimizer.state.clear()

    @property
    def unclip(self) -> float:
        return self._unclip

    def _norms(self) -> Iterator[Gradients]:
        weights = [getattr(a, name) for a in self._attentions.values() for name in PROJECTIONS]
        norms = torch.stack([weight.grad.norm() for weight in weights]).tolist()
        for index, place in enumerate(self._attentions):
            yield Gradients(place, *norms[3 * index : 3 * index + 3])

    def _ran_away(self, report: Report) -> InputError:
        return problem(
            "training_diverged",
            step=report.step,
            loss=f"{report.loss:.4g}",
            chance=f"{self.chance:.2f}",
            rate=f"{self.recipe.rate:g}",
            advice=f"{min(self.task.recipe.rate, self.recipe.rate / 10):g}",
        )


def attentions(model: Transformer) -> Iterator[MultiHeadAttention]:
    """In the order of `Transformer.places`."""
    for stack in (model.encoder, model.decoder):
        for block in stack.blocks if stack is not None else ():
            assert isinstance(block, Block)
            yield block.self_attention
            if block.cross_attention is not None:
                yield block.cross_attention


def rate_at(step: int, recipe: Recipe) -> float:
    """The learning rate of a step (from 0): rising in a straight line, then falling along half a cosine."""
    if step < recipe.warmup:
        return recipe.rate * (step + 1) / recipe.warmup
    share = min(1.0, (step - recipe.warmup) / max(1, recipe.steps - recipe.warmup))
    return recipe.rate * (LEAST_RATE + (1 - LEAST_RATE) * (1 + math.cos(math.pi * share)) / 2)


def loss_of(logits: Tensor, batch: Batch) -> Tensor:
    """Mean cross-entropy (in nats) of the positions that count."""
    return functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), ignore_index=IGNORE)


def accuracy_of(logits: Tensor, batch: Batch) -> float:
    """The share of the positions that count whose likeliest symbol is the right one."""
    counted = batch.labels != IGNORE
    right = (logits.detach().argmax(-1) == batch.labels) & counted
    return int(right.sum()) / max(1, int(counted.sum()))


@torch.no_grad()
def measure(model: Transformer, task: Task, count: int = 500, seed: int = 1) -> tuple[float, float]:
    """Loss and accuracy on `count` examples that the model was not trained on."""
    batch = task.sample_unseen(count, torch.Generator().manual_seed(10_000 + seed))
    logits = model(batch.ids, batch.target, padded=batch.padded)  # B N A
    return float(loss_of(logits, batch)), accuracy_of(logits, batch)
