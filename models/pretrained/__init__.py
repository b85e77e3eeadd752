"""Pretrained models that can be looked into: `load_model("smollm2").trace("text")`."""

from models.pretrained.call import AttentionCall
from models.pretrained.loading import Model, load_model
from models.pretrained.model import ModelTrace, PretrainedModel
from models.pretrained.own import OwnModel

__all__ = ["AttentionCall", "Model", "ModelTrace", "OwnModel", "PretrainedModel", "load_model"]
