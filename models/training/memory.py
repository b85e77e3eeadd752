"""How much memory a training takes, so that one that does not fit is refused before it begins."""

from __future__ import annotations

from models.memory import free_memory
from models.training.problems import problem
from models.training.snapshots import room
from models.training.tasks import Recipe
from models.transformer.config import Config

NUMBER = 4  # bytes of a float32
MEGABYTE = 1_000_000
_COPIES = 6  # weights, gradients, two averages of AdamW, the latest copy and the one being made
_PER_CELL = 1  # numbers per cell of an attention: the fused kernel keeps none for the way back
_PER_TOKEN = 16  # vectors of d_model numbers kept per token and block


def parameters_of(config: Config) -> int:
    """How many numbers a model learns."""
    d, ff = config.d_model, config.d_ff
    norm, attention = 2 * d, 4 * d * d
    block = attention + norm + ((2 * d * ff + ff + d + norm) if ff else 0)
    stack = config.layers * block + (norm if config.norm == "pre" else 0)
    both = config.kind == "encoder-decoder"
    cross = config.layers * (attention + norm) if both else 0
    positions = config.context * d if config.position == "learned" else 0
    return (2 if both else 1) * stack + cross + positions + 2 * config.vocabulary * d


def needed(config: Config, recipe: Recipe) -> int:
    """About how many bytes a training takes at most, its snapshots among them."""
    weights = NUMBER * parameters_of(config)
    tokens = recipe.batch * config.context
    attentions = config.layers * (3 if config.kind == "encoder-decoder" else 1)
    cells = attentions * config.heads * config.context * _PER_CELL
    vectors = attentions * (_PER_TOKEN * config.d_model + 3 * config.d_ff)
    return weights * (_COPIES + room(weights)) + NUMBER * tokens * (cells + vectors + 3 * config.vocabulary)


def check_memory(config: Config, recipe: Recipe, reserved: int = 0) -> None:
    """Raises InputError (training_no_memory) if the training does not fit into what is free beside what is `reserved`
    (bytes) for others."""
    wanted, free = needed(config, recipe), max(0, free_memory() - reserved)
    if wanted > free:
        raise problem(
            "training_no_memory",
            parameters=parameters_of(config),
            needed=-(-wanted // MEGABYTE),
            free=free // MEGABYTE,
        )
