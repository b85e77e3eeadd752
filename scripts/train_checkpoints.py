"""Trains the models that are shipped, and writes them to models/checkpoints/.

    python -m scripts.train_checkpoints                  all three (about three minutes on one core)
    python -m scripts.train_checkpoints repeat           one of them

Each is trained with the seed and the recipe below, on one thread: on the same machine the same file comes out, on
another one the last digits may differ. A file is only written if the model is good enough.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from models.training.checkpoint import FOLDER, SHIPPED, save
from models.training.patterns import shares
from models.training.tasks import TASKS
from models.training.trainer import Trainer, measure

MEASURED = 2000  # examples that accuracy is measured on


@dataclass(frozen=True)
class Shipped:
    """How a model is trained, and the least accuracy and share of its best head that it is shipped with."""

    seed: int
    steps: int
    accuracy: float
    share: float


RECIPES = {
    "repeat": Shipped(seed=0, steps=1200, accuracy=0.999, share=0.8),
    "words-en": Shipped(seed=0, steps=1000, accuracy=0.999, share=0.5),
    "words-zh": Shipped(seed=0, steps=1000, accuracy=0.999, share=0.5),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="train_checkpoints", description=__doc__.split("\n")[0])
    parser.add_argument("name", nargs="*", help=f"of {', '.join(SHIPPED)}; all if none is named")
    chosen = parser.parse_args(arguments).name or SHIPPED
    if unknown := set(chosen) - set(SHIPPED):
        parser.error(f"no model {', '.join(sorted(unknown))}: there are {', '.join(SHIPPED)}")
    torch.set_num_threads(1)
    FOLDER.mkdir(exist_ok=True)
    for name in chosen:
        path = FOLDER / f"{name}.safetensors"
        path.write_bytes(trained(name, RECIPES[name]))
        print(f"{path.name}: {path.stat().st_size:,} bytes", flush=True)


def trained(name: str, wanted: Shipped) -> bytes:
    """The file. Raises SystemExit if the model is not good enough."""
    task = TASKS[name]
    trainer = Trainer(task, wanted.seed, recipe=replace(task.recipe, steps=wanted.steps))
    while trainer.steps_done < wanted.steps:
        report = trainer.step()
        if report.step % 100 == 0:
            print(f"{name}: step {report.step}, loss {report.loss:.4f}", flush=True)
    _, accuracy = measure(trainer.model, task, MEASURED)
    best = max(shares(trainer.model, task).values())
    print(f"{name}: accuracy {accuracy:.4f}, best head {best:.2f}", flush=True)
    if accuracy < wanted.accuracy or best < wanted.share:
        raise SystemExit(f"{name} is not good enough: {wanted} was expected")
    return save(trainer.model, task, wanted.seed, wanted.steps)


if __name__ == "__main__":
    main()
