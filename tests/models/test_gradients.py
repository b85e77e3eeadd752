"""How far a gradient travels: the measuring against closed forms, and the statement itself."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from models.gradients import KINDS, last_by_first, travelled, untrained


@pytest.mark.parametrize("kind", KINDS)
def test_the_jacobian_is_autograd_s_own(kind: str) -> None:
    module = untrained(kind, 5, seed=3)
    inputs = torch.randn(7, 5, dtype=torch.float64)

    def last(first: Tensor) -> Tensor:
        return module(torch.cat([first[None], inputs[1:]])[None])[0, -1]

    torch.testing.assert_close(
        last_by_first(module, inputs), torch.autograd.functional.jacobian(last, inputs[0])
    )


def test_an_rnn_s_gradient_is_a_product_of_matrices() -> None:
    """∂h_N/∂x_1 = Π_{t>1} diag(1 − h_t²)·W_hh · diag(1 − h_1²)·W_ih: a factor per step is what makes it vanish."""
    module = untrained("rnn", 4, seed=1, gain=1.5)
    weights = {name: value.detach() for name, value in module.cells.named_parameters()}  # type: ignore[union-attr]
    inputs = torch.randn(6, 4, dtype=torch.float64)
    outputs = module(inputs[None])[0].detach()
    product = (1 - outputs[0] ** 2)[:, None] * weights["weight_ih_l0"]
    for t in range(1, 6):
        product = (1 - outputs[t] ** 2)[:, None] * weights["weight_hh_l0"] @ product
    torch.testing.assert_close(last_by_first(module, inputs), product)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_recurrent_gradients_vanish_over_distance_and_attention_s_does_not(seed: int) -> None:
    near_and_far = {kind: travelled(kind, (1, 128), 16, seed=seed) for kind in KINDS}
    for kind in ("rnn", "lstm"):
        near, far = near_and_far[kind]
        assert far < 1e-15 * near
    near, far = near_and_far["attention"]
    assert far > near / 1000  # about 1/N: the weight of one key among N


def test_a_large_gain_makes_the_rnn_explode() -> None:
    near, far = travelled("rnn", (1, 128), 16, seed=1, gain=10.0)
    assert far > 1e3 * near


def test_the_same_seed_gives_the_same_and_leaves_torch_s_random_numbers_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    assert travelled("lstm", (1, 4), 3, seed=2) == travelled("lstm", (1, 4), 3, seed=2)
    assert torch.equal(torch.rand(1), expected)
