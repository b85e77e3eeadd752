"""From weight files to a module. The long part, reading, runs beside other loads; the short one, building, does not."""

from __future__ import annotations

import threading
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from models.pretrained import demand, problems
from models.pretrained.folder import ModelFolder

# While a model is built, transformers replaces functions of torch and its default dtype: for all threads.
_building = threading.Lock()


def check_demand(cls: Any, config: Any, folder: ModelFolder) -> None:
    """InputError model_config_demand, if the configuration asks for more than the files hold."""
    with _building:
        demand.count(cls, config, folder)


def load(cls: Any, config: Any, folder: ModelFolder) -> tuple[Any, dict[str, Any]]:
    """The module, and what transformers found missing or left over. float16 becomes float32: processors have no fast
    float16.

    Raises what torch and transformers raise, and InputError model_shapes_differ.
    """
    tensors = _read(folder)
    dtype = _dtype(config, tensors)
    with _building:
        try:
            # no path: a configuration could name another file to be opened
            module, found = cls.from_pretrained(
                None, config=config, state_dict=tensors, dtype=dtype, output_loading_info=True
            )
        except RuntimeError as error:
            if "ignore_mismatched_sizes" in str(error) or "size mismatch" in str(error):
                raise problems.problem("model_shapes_differ", folder=str(folder.path)) from error
            raise
    return module.eval().requires_grad_(False), found


def _read(folder: ModelFolder) -> dict[str, Tensor]:
    """Copies: safetensors maps the file into memory, where it would change when the file is written anew."""
    tensors: dict[str, Tensor] = {}
    for file in folder.files:
        with safe_open(file, framework="pt") as content:
            for name in content.keys():  # noqa: SIM118 - not a dict
                tensor = content.get_tensor(name)
                tensors[name] = tensor.float() if tensor.dtype == torch.float16 else tensor.clone()
    return tensors


def _dtype(config: Any, tensors: dict[str, Tensor]) -> torch.dtype:
    """What is computed in: what the configuration says, else what the first weights are."""
    found = (tensor.dtype for tensor in tensors.values() if tensor.dtype.is_floating_point)
    dtype = getattr(config, "dtype", None) or next(found, torch.float32)
    return torch.float32 if dtype == torch.float16 else dtype
