"""What holds for every transformer of ours, whatever its weights."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from models.errors import InputError
from models.transformer.config import Config, Kind, Norm
from models.transformer.model import Place, Transformer
from tests.models.transformer.peers import shaken

VOCABULARY, CONTEXT = 7, 10
KINDS: tuple[Kind, ...] = ("encoder", "decoder", "encoder-decoder")
MODELS = {
    (kind, norm): shaken(
        Transformer(Config(kind, VOCABULARY, CONTEXT, d_model=12, heads=3, layers=2, d_ff=20, norm=norm))
    ).double()
    for kind in KINDS
    for norm in ("pre", "post")
}
norms = st.sampled_from(["pre", "post"])
texts = st.lists(st.integers(0, VOCABULARY - 1), min_size=2, max_size=CONTEXT)


@given(texts, st.data(), norms)
def test_a_later_token_never_changes_earlier_logits(text: list[int], data: st.DataObject, norm: Norm) -> None:
    place = data.draw(st.integers(1, len(text) - 1))
    changed = [*text[:place], *data.draw(st.lists(st.integers(0, 6), min_size=1, max_size=CONTEXT - place))]
    for kind in ("decoder", "encoder-decoder"):
        model = MODELS[kind, norm]
        before, after = (logits(model, x) for x in (text, changed))
        torch.testing.assert_close(before[:place], after[:place], rtol=1e-12, atol=1e-12)


@given(texts, texts, st.integers(0, VOCABULARY - 1), st.integers(1, 4), norms)
def test_padding_changes_nothing(
    text: list[int], target: list[int], filler: int, more: int, norm: Norm
) -> None:
    text = text[: CONTEXT - more]
    filled = torch.tensor([[*text, *[filler] * more]])
    padded = torch.arange(filled.shape[-1])[None] >= len(text)
    for kind in ("encoder", "encoder-decoder"):
        model = MODELS[kind, norm]
        given = torch.tensor([target]) if kind == "encoder-decoder" else None
        plain, full = model(torch.tensor([text]), given), model(filled, given, padded=padded)
        torch.testing.assert_close(plain, full[:, : plain.shape[1]], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_traces_are_what_was_computed(kind: Kind, norm: Norm) -> None:
    """Every attention's trace ends in the output that the forward pass went on with."""
    model = MODELS[kind, norm]
    text, target = torch.tensor([1, 4, 2, 2, 0]), torch.tensor([3, 6, 1])
    layers, found = model.layers(text, target if kind == "encoder-decoder" else None)
    assert [layer.place for layer in layers] == model.places()
    torch.testing.assert_close(found, logits(model, text.tolist(), target.tolist()))
    for layer in layers:
        went_in = layer.attended
        output = went_in.module(went_in.x, went_in.context, went_in.mask)[0]
        torch.testing.assert_close(layer.trace["output"].value, output, rtol=1e-9, atol=1e-9)
        weights = layer.trace["weights"].value
        assert weights.shape[-2] == len(
            target if layer.place.stream == "decoder" and went_in.context is not None else went_in.x[0]
        )
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1], dtype=weights.dtype))


def test_places() -> None:
    assert MODELS["encoder-decoder", "pre"].places() == [
        Place("encoder", "self", 0),
        Place("encoder", "self", 1),
        Place("decoder", "self", 0),
        Place("decoder", "cross", 0),
        Place("decoder", "self", 1),
        Place("decoder", "cross", 1),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_the_loss(kind: Kind) -> None:
    """Compared with finite differences, in every parameter."""
    model = shaken(Transformer(Config(kind, 4, 4, d_model=4, heads=2, layers=1, d_ff=4))).double()
    text, target = torch.tensor([[1, 3, 0]]), torch.tensor([[2, 1]]) if kind == "encoder-decoder" else None
    names = [name for name, _ in model.named_parameters()]

    def loss(*parameters: Tensor) -> Tensor:
        values = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(model, values, (text, target)).square().mean()

    assert torch.autograd.gradcheck(
        loss, tuple(p.detach().requires_grad_() for p in model.parameters()), fast_mode=True
    )


def test_same_seed_same_weights_and_no_global_randomness() -> None:
    config = Config("encoder-decoder", 9, 8, d_model=8, heads=2)
    state = torch.random.get_rng_state()
    one, same, other = Transformer(config, 5), Transformer(config, 5), Transformer(config, 6)
    for name, weight in one.state_dict().items():
        assert torch.equal(weight, same.state_dict()[name])
    assert not torch.equal(one.embedding.token.weight, other.embedding.token.weight)
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"heads": 5}, "heads_do_not_divide"),
        ({"d_model": 2000}, "out_of_range"),
        ({"layers": 0}, "out_of_range"),
        ({"layers": True}, "out_of_range"),
        ({"d_model": 8.0}, "out_of_range"),
        ({"norm": "sandwich"}, "unknown_choice"),
        ({"kind": ["decoder"]}, "unknown_choice"),
    ],
)
def test_sizes_that_cannot_be(changes: dict[str, object], key: str) -> None:
    config = replace(Config("decoder", 9, 8, d_model=8, heads=2), **changes)  # type: ignore[arg-type]
    with pytest.raises(InputError) as error:
        Transformer(config)
    assert error.value.key == key


def logits(model: Transformer, text: list[int], target: list[int] | None = None) -> Tensor:
    """N × A; an encoder–decoder reads a fixed source if `target` is not given, and writes `text`."""
    if model.config.kind != "encoder-decoder":
        return model(torch.tensor([text]))[0]  # type: ignore[no-any-return]
    if target is None:
        return model(torch.tensor([[1, 2, 3]]), torch.tensor([text]))[0]  # type: ignore[no-any-return]
    return model(torch.tensor([text]), torch.tensor([target]))[0]  # type: ignore[no-any-return]
