"""Whatever runs a model leaves it as it was: attributes, containers, buffers, configuration, training flags."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from torch import Tensor, nn

from models.errors import InputError
from models.interventions.change import Intervention
from models.interventions.subject import Subject
from models.pretrained import PretrainedModel, load_model
from models.pretrained.capture import capture_calls
from models.pretrained.unchanged import unchanged
from tests.models.pretrained import folders
from tests.models.pretrained.architectures import ARCHITECTURES, BART, BERT, LLAMA, build

HOOKS = set(vars(nn.Module()))


def facts(model: nn.Module) -> dict[str, Any]:
    """Everything plain that a model knows, by path; written apart from the code that is tested."""
    found: dict[str, Any] = {}
    for path, module in model.named_modules():
        found[f"{path}.training"] = module.training
        for name, value in module._buffers.items():
            found[f"{path}.{name}"] = (id(value), None if value is None else value.clone())
        for name, value in vars(module).items():
            if name not in HOOKS:
                found[f"{path}.{name}"] = value.clone() if isinstance(value, Tensor) else _plain(value)
    found["config"] = copy.deepcopy(model.config.to_dict())  # type: ignore[operator, union-attr]
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, (dict, list, tuple, set, str, int, float, bool, type(None))):
        return repr(value)
    return id(value)


def assert_same(now: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    assert now.keys() == before.keys(), now.keys() ^ before.keys()
    for name, value in before.items():
        one, other = (x[1] if isinstance(x, tuple) else x for x in (now[name], value))
        if isinstance(value, tuple):
            assert now[name][0] == value[0], f"{name} was exchanged"
        if isinstance(other, Tensor):
            assert torch.equal(one, other), name
        else:
            assert one == other, name


def sparse(pegasus: bool) -> Any:
    """Attends in blocks from 18 tokens on; a shorter text makes it go over to full attention for good."""
    more = {"attention_type": "block_sparse", "block_size": 2, "num_random_blocks": 1}
    if pegasus:
        return folders.seeded(
            hf.BigBirdPegasusForConditionalGeneration, hf.BigBirdPegasusConfig(**{**BART, **more})
        )
    config = hf.BigBirdConfig(**{**BERT, **more}, bos_token_id=1, eos_token_id=2, sep_token_id=3)
    return folders.seeded(hf.BigBirdModel, config)


def with_states() -> Any:
    """Keeps the state of its recurrence in its layers."""
    config = hf.RecurrentGemmaConfig(**{**LLAMA, "num_hidden_layers": 3}, lru_width=32)
    return folders.seeded(hf.RecurrentGemmaForCausalLM, config)


def growing_table() -> Any:
    """Its rotary table grows with the text (dynamic NTK)."""
    rope = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}
    return folders.seeded(
        hf.LlamaModel, hf.LlamaConfig(**{**LLAMA, "max_position_embeddings": 4}, rope_parameters=rope)
    )


CHANGING = {
    "BigBird": lambda: sparse(False),
    "BigBird-Pegasus": lambda: sparse(True),
    "RecurrentGemma": with_states,
    "Llama (dynamic)": growing_table,
}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_capture_changes_nothing(name: str) -> None:
    model, inputs = build(name)
    before = facts(model)
    capture_calls(model, **inputs)
    assert_same(facts(model), before)


@pytest.mark.parametrize("name", CHANGING)
def test_models_that_change_themselves_are_put_back(name: str) -> None:
    model = CHANGING[name]().eval()
    inputs = {"input_ids": torch.tensor([[3, 4, 5, 6, 7, 8, 9]])}
    inputs |= {"decoder_input_ids": inputs["input_ids"][:, :5]} if "Pegasus" in name else {}
    before = facts(model)
    with torch.inference_mode():
        model(**inputs)
    with pytest.raises(AssertionError):  # else this is no example of it
        assert_same(facts(model), before)
    model = CHANGING[name]().eval()
    before = facts(model)
    capture_calls(model, **inputs)
    assert_same(facts(model), before)


@pytest.mark.parametrize("pegasus", [False, True])
def test_opening_and_reading_a_short_text_leave_sparse_attention_sparse(
    pegasus: bool, tmp_path: Path
) -> None:
    original = sparse(pegasus)
    original.resize_token_embeddings(400)
    model = load_model(folders.save(tmp_path, original, "metaspace" if pegasus else "wordpiece"))
    assert isinstance(model, PretrainedModel)
    kinds = lambda: {m.attention_type for m in model.module.modules() if hasattr(m, "attention_type")}  # noqa: E731
    assert kinds() == {"block_sparse"}
    model.trace("the fox")
    assert kinds() == {"block_sparse"}


def test_switching_heads_off_changes_nothing(tmp_path: Path) -> None:
    model = load_model(folders.save(tmp_path, folders.jamba()))
    assert isinstance(model, PretrainedModel)
    before = facts(model.module)
    trace = model.trace("the quick brown fox")
    Subject.of(model.module, trace).run([(), [Intervention("decoder", "self", 3, 1)]], 2)
    assert_same(facts(model.module), before)


def test_a_run_that_fails_leaves_the_model_as_it_was() -> None:
    model = sparse(False).eval()
    before = facts(model)
    with pytest.raises((IndexError, InputError)):
        capture_calls(model, input_ids=torch.tensor([[3, 4, 10_000]]))
    assert_same(facts(model), before)


class Restless(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.tensor([1.0, torch.nan]))
        self.register_buffer("late", None)
        self.kept: dict[str, Any] = {"list": [1, [2]], "set": {3}}
        self.state: Tensor | None = None


def test_every_kind_of_change_is_undone() -> None:
    model = Restless()
    table = model.table
    with unchanged(model):
        model.kept["list"][1].append(9)
        model.kept["new"] = 1
        model.state = torch.ones(2)
        model.table[0] = 5.0
        model.register_buffer("late", torch.ones(1))
        model.extra = 3
        model.train(False)
    assert model.kept == {"list": [1, [2]], "set": {3}}
    assert (model.state, model.late, model.training) == (None, None, True)
    assert not hasattr(model, "extra")
    assert model.table is table
    assert (float(table[0]), bool(table[1].isnan())) == (1.0, True)
    with unchanged(model):
        del model.kept
        model.table = torch.zeros(2)
    assert model.kept == {"list": [1, [2]], "set": {3}}
    assert model.table is table


def test_the_last_of_several_threads_puts_the_model_back() -> None:
    model = Restless()
    inside, over = threading.Event(), threading.Event()

    def other() -> None:
        with unchanged(model):
            inside.set()
            assert over.wait(30)

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(30)
    with unchanged(model):
        model.kept["x"] = 1
    assert model.kept["x"] == 1, "the other one is still running it"
    over.set()
    thread.join()
    assert "x" not in model.kept
