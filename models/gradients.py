"""How far a gradient travels: what the last output of an untrained layer still owes to the first input."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from models.layers import Recurrent, SelfAttention

KINDS = ("rnn", "lstm", "attention")


def travelled(
    kind: str, distances: Sequence[int], width: int, *, seed: int, gain: float = 1.0
) -> list[float]:
    """‖∂output_N/∂input_1‖ (Frobenius) for N = distance + 1, one number per distance, in float64.

    Inputs are standard normal, weights as PyTorch draws them; `gain` multiplies the recurrent ones. The layer and the
    beginning of the sequence are the same for all distances.
    """
    generator = torch.Generator().manual_seed(seed)
    inputs = torch.randn(max(distances) + 1, width, generator=generator, dtype=torch.float64)  # N D
    module = untrained(kind, width, seed, gain)
    return [float(last_by_first(module, inputs[: distance + 1]).norm()) for distance in distances]


def untrained(kind: str, width: int, seed: int, gain: float = 1.0) -> nn.Module:
    """A fresh layer in float64; its weights depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        makers: dict[str, Callable[[], nn.Module]] = {
            "rnn": lambda: Recurrent(width, gated=False, gain=gain),
            "lstm": lambda: Recurrent(width, gated=True, gain=gain),
            "attention": lambda: SelfAttention(width, weights=True),
        }
        module = makers[kind]()
    return module.double()


def last_by_first(module: nn.Module, inputs: Tensor) -> Tensor:
    """The Jacobian ∂output_N/∂input_1 (D × D) of a sequence N × D.

    A batch of D copies gives all its rows in one backward pass: copy c asks for the gradient of output number c.
    """
    copies = inputs.expand(inputs.shape[1], *inputs.shape).clone().requires_grad_()  # D N D
    last = module(copies)[:, -1]  # D D
    (gradient,) = torch.autograd.grad(last.diagonal().sum(), copies)
    return gradient[:, 0]  # D D
