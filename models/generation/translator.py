"""The English–Portuguese translator, word by word: its decoder carries a recurrent state, and looks at the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from models.generation.caught import Caught
from models.generation.targets import TargetWriter
from models.generation.texts import encoded_prompt, start_id
from models.generation.writer import Prompt, Reading
from models.pretrained.call import AttentionCall
from models.pretrained.en_pt import FirefoxTranslator
from models.pretrained.en_pt_layers import LayerState
from models.pretrained.labels import label_tokens
from models.pretrained.model import ModelTrace, PretrainedModel
from models.pretrained.naming import Place
from models.pretrained.recording import Recorded
from models.pretrained.session import Session, listening

Cells = tuple[Tensor, ...]  # one per layer


@dataclass(frozen=True)
class Read:
    """`memory` is what the encoder made of the source, `encoder` its attention; `cells` are the recurrent states after
    every token read."""

    memory: Tensor
    encoder: tuple[Recorded, ...]
    cells: tuple[Cells, ...] = ()
    caught: Caught = field(default_factory=lambda: Caught(grows=False))


class TranslationWriter(TargetWriter):
    """Firefox's translator. Keys and values of the source are computed once, for the first token."""

    def __init__(self, model: PretrainedModel) -> None:
        assert isinstance(model.module, FirefoxTranslator)
        super().__init__(model)
        self.module = model.module
        self.vocabulary = model.info.vocabulary - 1  # the last one stands for the start and is never written

    def begin(self, text: str) -> tuple[Prompt, Reading]:
        encoded = encoded_prompt(self.model, text, self.room)
        with torch.inference_mode(), listening(Session(self.module, 1)) as session:
            memory, _ = self.module.encode(torch.tensor([encoded.ids]))
        prompt = Prompt((start_id(self.model),), label_tokens(self.model.encoder, encoded))
        return prompt, self.read(Read(memory, tuple(session.calls)), prompt.ids)

    def read(self, state: Read, ids: Sequence[int]) -> Reading:
        logits = []
        for token in ids:  # a recurrent state comes after every single token
            state, one = self._step(state, token)
            logits.append(one)
        return Reading(state, torch.stack(logits))

    def _step(self, state: Read, token: int) -> tuple[Read, Tensor]:
        decoder = self.module.decoder
        if state.cells:
            before = [
                LayerState(cell, known)
                for cell, known in zip(state.cells[-1], state.caught.known, strict=True)
            ]
        else:
            before = decoder.start(state.memory, known=False)
        with torch.inference_mode(), listening(Session(self.module, 1)) as session:
            x = self.module._embed(torch.tensor([[token]]), start=len(state.cells))
            x, _, after = decoder(x, state.memory, None, before)
            logits = self.module._logits(x)[0, -1]
        cells = tuple(layer.cell for layer in after)
        caught = state.caught.with_more(session.calls)
        return replace(state, cells=(*state.cells, cells), caught=caught), logits

    def back(self, state: Read, rows: int) -> Read:
        return replace(state, cells=state.cells[:rows], caught=state.caught.first(rows))

    def trace(self, prompt: Prompt, written: Sequence[int], state: Read) -> ModelTrace:
        encoder = [
            AttentionCall(call, Place("encoder", "self", layer)) for layer, call in enumerate(state.encoder)
        ]
        cross = [
            AttentionCall(call, Place("decoder", "cross", layer))
            for layer, call in enumerate(state.caught.whole)
        ]
        return self.named([*encoder, *cross], prompt, written, tier=1)
