"""Which way a model writes: with its own cache if that gives the same numbers as reading everything again."""

from __future__ import annotations

import logging

import torch

from models.generation.causal import CausalWriter, known_of
from models.generation.own import OwnWriter
from models.generation.rerun import RerunTargetWriter, RerunWriter
from models.generation.translator import TranslationWriter
from models.generation.writer import Writer, refusal
from models.pretrained.capture import CapturedForward, capture_calls
from models.pretrained.en_pt import FirefoxTranslator
from models.pretrained.inputs import is_encoder_decoder
from models.pretrained.model import PretrainedModel
from models.pretrained.own import OwnModel

# Of the largest logit: sums in another order differ in the last digits.
AGREES = {torch.bfloat16: 5e-2, torch.float16: 1e-2}
AGREES_EXACTLY = 1e-3  # in float32
PROBE = (3, 5, 4, 5)  # any tokens: every vocabulary has so many

_LOG = logging.getLogger(__name__)


def writes(model: PretrainedModel | OwnModel) -> bool:
    """Whether the model writes a text token by token."""
    if isinstance(model, OwnModel):
        return model.module.decoder is not None
    if isinstance(model.module, FirefoxTranslator):
        return True
    can = getattr(model.module, "can_generate", lambda: False)
    return bool(can()) and any(stream != "encoder" for stream, _ in model.info.layers)


def writer_for(model: PretrainedModel | OwnModel) -> Writer:
    """The writer of a loaded model, one for all sessions: the model itself holds it, so that both go together. Raises
    InputError model_does_not_write."""
    if not writes(model):
        raise refusal("model_does_not_write", model=model.info.name)
    if model.writer is None:
        model.writer = _made(model)
    writer: Writer = model.writer
    return writer


def _made(model: PretrainedModel | OwnModel) -> Writer:
    if isinstance(model, OwnModel):
        return OwnWriter(model)
    if isinstance(model.module, FirefoxTranslator):
        return TranslationWriter(model)
    if is_encoder_decoder(model.module):
        return RerunTargetWriter(model)
    whole = capture_calls(model.module, input_ids=torch.tensor([PROBE]), use_cache=False)
    writer = CausalWriter(model, [call.place for call in whole.calls])
    return writer if _same(writer, whole) else RerunWriter(model)


def _same(writer: CausalWriter, whole: CapturedForward) -> bool:
    """Whether the cache can be used: reading in two parts gives the logits of reading at once, through the attention
    interface and with all keys kept."""
    if whole.tier != 1 or whole.unseen:
        return False
    try:
        _, _, cache = writer.run((), PROBE[:2], keep=1)
        output, calls, _ = writer.run(known_of(cache), PROBE[2:], keep=1)
    except Exception:
        _LOG.info("%s: its cache cannot be used", writer.model.info.name, exc_info=True)
        return False
    expected, found = whole.output.logits[0, -1].float(), output.logits[0, -1].float()
    complete = len(calls) == len(whole.calls) and all(call.key.shape[2] == len(PROBE) for call in calls)
    allowed = AGREES.get(output.logits.dtype, AGREES_EXACTLY) * float(expected.abs().max())
    return complete and float((expected - found).abs().max()) <= allowed
