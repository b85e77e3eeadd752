"""What is looked at on the pages of trained models: model, texts, head and cell, and how they are shown. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

Part = Literal["all", "aa", "ab", "ba", "bb"]
PARTS: tuple[Part, ...] = get_args(Part)
LINKS_KEPT = (0, 5, 3, 1)  # links per query to choose from; 0 is all of them
Kind = Literal["self", "cross"]
STREAMS = ("", "encoder", "decoder", "vision", "text", "main")

MAX_NAME = 300  # characters of a folder or hub id
MAX_TEXT = 20_000  # characters; more than any limit on tokens needs
MAX_LAYER = 999
MAX_HEAD = 999
MAX_TOKEN = 9_999


@dataclass(frozen=True)
class ModelView:
    """`model` is a ready model's name, a folder or a hub id; `pair` a second sentence, `target` what a translator has
    said. The head is `layer` and `head` of a `stream` ("" is the model's first) and `kind`; the cell is query `i`, key
    `j`, all counted from 0. `words` merges tokens into whole words, `special` shows special tokens, `sink` sets the
    first token aside in the links, `part` limits a sentence pair to one direction, `kept` limits the links per query
    (0: all)."""

    model: str = "minilm"
    text: str = "The animal didn't cross the street because it was too tired."
    pair: str = ""
    target: str = ""
    stream: str = ""
    kind: Kind = "self"
    layer: int = 3
    head: int = 1
    i: int = 10
    j: int = 2
    words: bool = False
    special: bool = True
    sink: bool = False
    part: Part = "all"
    kept: int = 0


# Where each ready model opens: a text and a head on which something known can be seen.
EXAMPLES: dict[str, ModelView] = {
    "minilm": ModelView(),
    "smollm2": ModelView(
        model="smollm2",
        text="The ship left the harbour at dawn. The ship left the harbour at",
        layer=18,
        head=6,
        i=11,
        j=4,
    ),
    "en-pt": ModelView(
        model="en-pt",
        text="I bought a red car in Lisbon last year.",
        stream="decoder",
        kind="cross",
        layer=1,
        head=0,
        i=4,
        j=4,
    ),
    "repeat": ModelView(model="repeat", text="Zq7pLw3xZq7pLw3xZq7p", layer=1, head=1, i=12, j=5),
    "words-en": ModelView(
        model="words-en", text="5678", stream="decoder", kind="cross", layer=0, head=0, i=2, j=1
    ),
    "words-zh": ModelView(
        model="words-zh", text="3021", stream="decoder", kind="cross", layer=0, head=3, i=3, j=2
    ),
}

# The languages that a ready model reads, for texts that come from elsewhere in the app; the first that fits is opened.
READS: dict[str, frozenset[str]] = {"minilm": frozenset({"en"}), "smollm2": frozenset({"en"})}

MINE = "mine"  # the name of the model that the session trains itself
OWN = (
    "repeat",
    "words-en",
    "words-zh",
    MINE,
)  # trained with this app: they know the symbols of their task alone
READ_ALONE = ("smollm2", "en-pt", *OWN)  # models that do not read two sentences together
WRITE_NOTHING = ("minilm", "smollm2", "repeat")  # models that do not turn a text into another


def example(model: str) -> ModelView:
    """Where a model opens if nothing else is said."""
    if model == MINE:
        return replace(
            ModelView(), model=model, text="", layer=0, head=0, i=1, j=0
        )  # see app.learn.training.mine
    return EXAMPLES.get(model, replace(ModelView(), model=model, layer=0, head=0, i=1, j=0))


def with_model(view: ModelView, model: str) -> ModelView:
    """Open another model: at its example, with the user's own text if there is one, and shown in the same way. A text
    is not taken over to or from a model that knows other symbols than words."""
    start = replace(example(model), words=view.words, special=view.special, sink=view.sink)
    if model in OWN or view.model in OWN:
        return start
    if view.text.strip() in {"", *(known.text for known in EXAMPLES.values())}:
        return start
    return replace(start, text=view.text, pair="" if model in READ_ALONE else view.pair)
