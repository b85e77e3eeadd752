"""What a model takes in: text, or pictures, or sound, as its class says itself."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import transformers
from torch import nn
from transformers import PreTrainedModel
from transformers.models.auto import modeling_auto

from models.errors import InputError
from models.pretrained.problems import problem

TEXT = {"input_ids", "inputs_embeds", "decoder_input_ids"}
PICTURES = re.compile(r"pixel|image|video|patch")
SOUND = re.compile(r"audio|speech|input_features|input_values|spectrogram|wave")


def not_text(folder: Path, cls: Any) -> InputError | None:
    """Why a model of this class cannot be given a text: its main input is something else. None if it reads text."""
    taken = str(getattr(cls, "main_input_name", "input_ids"))
    if taken in TEXT:
        return None
    values = {"folder": str(folder), "input": taken}
    if PICTURES.search(taken):
        return problem("model_reads_pictures", **values)
    return problem("model_reads_sound" if SOUND.search(taken) else "model_not_text", **values)


def class_named(config: Mapping[str, Any]) -> Any:
    """The class of models that a config.json names, or that its kind of model has; None if transformers has none."""
    names = config.get("architectures")
    kind = config.get("model_type")
    usual = modeling_auto.MODEL_MAPPING_NAMES.get(kind) if isinstance(kind, str) else None
    for name in (*(names if isinstance(names, list) else ()), *((usual,) if isinstance(usual, str) else ())):
        cls = getattr(transformers, str(name), None)
        if isinstance(cls, type) and issubclass(cls, PreTrainedModel):
            return cls
    return None


def asked_for(model: nn.Module, given: Mapping[str, Any], error: BaseException) -> str | None:
    """The picture or sound that a model failed for want of: its error names it, or it is what was None where the error
    was raised."""
    words = {*re.findall(r"\w+", str(error)), *_nothing_at(error)}
    accepted = inspect.signature(model.forward).parameters
    missing = [name for name in accepted if name in words and name not in given and name not in TEXT]
    return next((name for name in missing if PICTURES.search(name) or SOUND.search(name)), None)


def _nothing_at(error: BaseException) -> set[str]:
    """The variables that were None where an error about None was raised."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not frames or "NoneType" not in str(error):
        return set()
    return {name for name, value in frames[-1].f_locals.items() if value is None}
