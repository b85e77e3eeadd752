"""What is shown is the whole attention of a layer: parts of one are left out and named.

A model may compute one attention piece by piece: BigBird in blocks, ProphetNet in several streams, a Longformer in a
window and from a few global tokens. Each piece is a softmax of its own over other keys, so that its rows and columns
are not the tokens of the text, and none of them is what the layer does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from models.pretrained.recording import Recorded

Turn = tuple[str, int]  # path of an attention module, and how many times it had run


def only_whole(
    calls: Sequence[Recorded], softmaxes: Mapping[Turn, int]
) -> tuple[list[Recorded], dict[str, str]]:
    """The calls that are all that their module did in one run of it, and the modules of the others (path → class).

    `softmaxes` counts the normalised products of queries and keys that were seen in each run of a module, caught as a
    call or not.
    """
    caught = Counter(_turn(call) for call in calls if call.turn)
    parts = {turn for turn, count in caught.items() if max(count, softmaxes.get(turn, 0)) > 1}
    kept = [call for call in calls if _turn(call) not in parts]
    left = {call.name: type(call.module).__name__ for call in calls if _turn(call) in parts}
    return kept, left


def _turn(call: Recorded) -> Turn:
    return call.name, call.turn
