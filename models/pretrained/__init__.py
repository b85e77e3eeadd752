"""Pretrained models that can be looked into: `load_model("smollm2").trace("text")`."""

from models.pretrained.call import AttentionCall
from models.pretrained.loading import load_model
from models.pretrained.model import ModelTrace, PretrainedModel

__all__ = ["AttentionCall", "ModelTrace", "PretrainedModel", "load_model"]
