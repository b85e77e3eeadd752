"""The weights of a training along the way: close together at first, where most happens, then further apart."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from models.training.trainer import Report
from models.transformer.config import Config
from models.transformer.model import Transformer

MOST, FEWEST = 32, 6  # how many are kept of a small and of a large model
BUDGET = 192 * 2**20  # bytes for all of them
_BEND = 2.2  # 1: evenly spread; more: closer together at the beginning


@dataclass(frozen=True)
class Snapshot:
    """The weights after `step` steps, and the report of the last of these (None before the first)."""

    step: int
    report: Report | None
    weights: dict[str, Tensor]

    def model(self, config: Config) -> Transformer:
        """A model of its own with these weights, ready to be looked at."""
        model = Transformer(config)
        model.load_state_dict(self.weights)
        return model.eval().requires_grad_(False)


def taken(step: int, report: Report | None, model: nn.Module) -> Snapshot:
    """A copy of the weights that further training does not change."""
    weights = {name: weight.detach().clone() for name, weight in model.state_dict().items()}
    return Snapshot(step, report, weights)


def room(size: int) -> int:
    """How many snapshots of `size` bytes are kept."""
    return max(FEWEST, min(MOST, BUDGET // max(1, size)))


def kept_steps(last: int, count: int) -> set[int]:
    """At most `count` steps from 0 to `last`, both among them."""
    return {round(last * (index / (count - 1)) ** _BEND) for index in range(count)}
