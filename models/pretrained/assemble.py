"""From a checked folder to a model that can be traced."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import transformers
from torch import nn
from transformers import AutoConfig, AutoModel, GenerationConfig, PreTrainedModel
from transformers.models.auto import modeling_auto
from transformers.utils import GENERATION_CONFIG_NAME

from models.errors import InputError
from models.panics import is_panic
from models.pretrained import demand, info, problems, senses, weights
from models.pretrained.capture import CapturedForward, capture_calls
from models.pretrained.catalogue import ReadyModel
from models.pretrained.en_pt import FirefoxTranslator
from models.pretrained.en_pt_layers import FirefoxConfig
from models.pretrained.encoding import Encoder
from models.pretrained.folder import ModelFolder
from models.pretrained.inputs import prepare
from models.pretrained.model import PretrainedModel
from models.pretrained.tokenizer_file import load_tokenizer

PROBE = "a b"  # any text: how many layers and heads there are does not depend on it
PROBE_TOKENS = 8

_LOG = logging.getLogger(__name__)

transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def assemble(folder: ModelFolder, title: str, ready: ReadyModel | None) -> PretrainedModel:
    """Loads configuration, weights and tokenizer, and runs the model once to count its layers and heads.

    Raises InputError: model_needs_own_code, model_config_broken, model_config_demand, model_shapes_differ,
    model_weights_incomplete, model_no_tokenizer, model_tokenizer_differs, model_no_memory, model_reads_pictures,
    model_reads_sound, model_not_text, model_needs_more, model_cannot_run, no_attention, attention_unseen,
    attention_in_parts, model_cannot_load.
    """
    demand.check_numbers(folder)
    config = _configuration(folder)
    module = _weights(folder, config)
    tokenizer = _tokenizer(folder)
    with _reasons(folder, "model_no_tokenizer"):
        encoder = Encoder(tokenizer)
    if (reason := senses.not_text(folder.path, type(module))) is not None:
        raise reason
    vocabulary = _vocabulary(module)
    with _reasons(folder, "model_cannot_run"):
        captured = _probed(folder, module, encoder, vocabulary)
    limits = (info.position_limit(module), _sensible(tokenizer.model_max_length))
    facts = info.describe(
        module,
        captured,
        name=title,
        dtype=str(folder.config.get("dtype") or folder.config.get("torch_dtype") or "float32"),
        licence=ready.licence if ready else info.licence_of(folder.path),
        source=ready.source if ready else str(folder.path),
        vocabulary=vocabulary,
        max_positions=min((limit for limit in limits if limit is not None), default=None),
    )
    return PretrainedModel(module, tokenizer, facts)


def _probed(folder: ModelFolder, module: Any, encoder: Encoder, vocabulary: int) -> CapturedForward:
    """A first run on a short text."""
    encoded = encoder.encode(PROBE, limit=PROBE_TOKENS)
    if max(encoded.ids, default=0) >= vocabulary:
        raise problems.problem("model_tokenizer_differs", token=max(encoded.ids), vocabulary=vocabulary)
    inputs: dict[str, Any] = {}
    try:
        inputs = prepare(module, encoder, encoded, PROBE, PROBE_TOKENS).inputs
        return capture_calls(module, **inputs)
    except InputError:
        raise
    except Exception as error:
        if (name := senses.asked_for(module, inputs, error)) is None:
            raise
        raise problems.problem("model_needs_more", folder=str(folder.path), input=name) from error


def _vocabulary(module: Any) -> int:
    """How many tokens the model has vectors for; some compute them (CANINE) and know any number."""
    try:
        return int(module.get_input_embeddings().weight.shape[0])
    except (NotImplementedError, AttributeError):
        return int(getattr(module.config.get_text_config(), "vocab_size", 2**31))


def _configuration(folder: ModelFolder) -> Any:
    kind = folder.config["model_type"]
    if kind not in transformers.CONFIG_MAPPING:
        raise problems.problem("model_needs_own_code", folder=str(folder.path), kind=kind)
    with _reasons(folder, "model_config_broken"):
        config = AutoConfig.from_pretrained(folder.path, trust_remote_code=False, local_files_only=True)
    config._attn_implementation = (
        None  # a file could ask for a kernel to be fetched: transformers' default is taken
    )
    return config


def _weights(folder: ModelFolder, config: Any) -> Any:
    cls = model_class(config)
    if cls is AutoModel:
        found = modeling_auto.MODEL_MAPPING[type(config)]
        cls = found[0] if isinstance(found, tuple) else found
    with _reasons(folder, "model_config_broken"):
        weights.check_demand(cls, config, folder)
    with _reasons(folder, "model_cannot_load"):
        model, loaded = weights.load(cls, config, folder)
        if model.can_generate() and (folder.path / GENERATION_CONFIG_NAME).is_file():
            model.generation_config = GenerationConfig.from_pretrained(folder.path, local_files_only=True)
    _check_complete(folder, model, loaded)
    return model


def model_class(config: Any) -> Any:
    """The class that the configuration names, if transformers has it; else the one for its kind of model."""
    for name in config.architectures or ():
        cls = getattr(transformers, str(name), None)
        if isinstance(cls, type) and issubclass(cls, PreTrainedModel):
            return cls
    if isinstance(config, FirefoxConfig):
        return FirefoxTranslator
    if config.is_encoder_decoder:
        mappings = [modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING]
    else:  # BERT is in both
        mappings = [modeling_auto.MODEL_FOR_MASKED_LM_MAPPING, modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING]
    return next((mapping[type(config)] for mapping in mappings if type(config) in mapping), AutoModel)


def _check_complete(folder: ModelFolder, model: nn.Module, found: dict[str, Any]) -> None:
    """Refuses a model whose gaps transformers filled with random numbers, unless they come after all attention."""
    if found.get("mismatched_keys"):
        raise problems.problem("model_shapes_differ", folder=str(folder.path))
    body = (
        f"{prefix}." if (prefix := getattr(model, "base_model_prefix", "")) and hasattr(model, prefix) else ""
    )
    missing = sorted(
        name
        for name in found.get("missing_keys", ())
        if name.startswith(body) and ".pooler." not in f".{name}"
    )
    if missing:
        raise problems.problem(
            "model_weights_incomplete", folder=str(folder.path), count=len(missing), first=missing[0]
        )
    if unused := found.get("unexpected_keys"):
        _LOG.warning("%s: %d weights are not used, such as %s", folder.path, len(unused), min(unused))


def _tokenizer(folder: ModelFolder) -> Any:
    with _reasons(folder, "model_no_tokenizer"):
        tokenizer = load_tokenizer(folder.path)
        if not tokenizer(PROBE)["input_ids"]:
            raise problems.problem("model_no_tokenizer", folder=str(folder.path))
        return tokenizer


@contextmanager
def _reasons(folder: ModelFolder, problem: str) -> Iterator[None]:
    """Whatever transformers raises, as the sentence for `problem`; the log has the rest."""
    try:
        yield
    except InputError:
        raise
    except MemoryError as error:
        raise problems.no_memory(folder.path.name, folder.bytes, 0) from error
    except BaseException as error:
        if not (isinstance(error, Exception) or is_panic(error)):
            raise
        _LOG.warning("%s: %s", folder.path, problem, exc_info=True)
        detail = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        raise problems.problem(problem, folder=str(folder.path), detail=detail) from error


def _sensible(limit: int | None) -> int | None:
    """Tokenizers say 10³⁰ for "no limit"."""
    return limit if limit is not None and limit < 10**9 else None
