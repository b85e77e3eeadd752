"""Writing with the KV cache against reading everything again for every token."""

from __future__ import annotations

from functools import partial

import torch

from benchmarks.report import Row, Section
from benchmarks.timing import interleaved
from models.generation import Draft, Rule, begin, writer_for
from models.pretrained import PretrainedModel, load_model
from models.pretrained.capture import capture_calls

LENGTHS = (64, 256)
REPEATS = 5
SENTENCE = "The little dog ran over the bridge and looked back at the children who were still playing there. "

_COLUMNS = {
    "tokens": "d", "cached ms": ".0f", "again ms": ".0f", "again ×": ".1f", "tokens per s": ".1f", "again per s": ".1f"
}  # fmt: skip


def run() -> list[Section]:
    """One more token of SmolLM2 behind a text, its attention caught, on one thread."""
    torch.set_num_threads(1)
    model = load_model("smollm2")
    assert isinstance(model, PretrainedModel)
    return [
        Section(
            "one token more: with the KV cache, and with everything read again (SmolLM2, attention caught)",
            _COLUMNS,
            [_row(model, length) for length in LENGTHS],
            ("The cache saves more the longer the text is: one row instead of all of them.",),
        )
    ]


def _row(model: PretrainedModel, length: int) -> Row:
    draft = draft_of(model, length)
    times = interleaved(
        {"cached": partial(draft.next, Rule()), "again": partial(again, model, draft)}, REPEATS
    )
    cached, whole = times["cached"].median, times["again"].median
    return {
        "tokens": draft.rows,
        "cached ms": cached * 1000,
        "again ms": whole * 1000,
        "again ×": whole / cached,
        "tokens per s": 1 / cached,
        "again per s": 1 / whole,
    }


def draft_of(model: PretrainedModel, length: int) -> Draft:
    """A draft of `length` tokens, nothing of it written."""
    ids = model.tokenizer(SENTENCE * (length // 16 + 2))["input_ids"][:length]
    return begin(writer_for(model), model.tokenizer.decode(ids))


def again(model: PretrainedModel, draft: Draft) -> int:
    """The same token without a cache: the whole text is read, with the token that is looked for behind it."""
    ids = torch.tensor([[*draft.prompt.ids, *draft.written]])
    captured = capture_calls(model.module, input_ids=ids, use_cache=False, logits_to_keep=1)
    return int(captured.output.logits[0, -1].argmax())
