"""The sizes and the shape of a transformer of our own."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from models.attention import head_size
from models.errors import out_of_range, unknown_choice

Kind = Literal["encoder", "decoder", "encoder-decoder"]
Norm = Literal["pre", "post"]
Position = Literal["learned", "sinusoidal"]

LIMITS = {
    "vocabulary": (2, 512),
    "context": (2, 256),
    "d_model": (4, 256),
    "heads": (1, 16),
    "layers": (1, 6),
    "d_ff": (0, 1024),
}
CHOICES = {"kind": get_args(Kind), "norm": get_args(Norm), "position": get_args(Position)}


@dataclass(frozen=True)
class Config:
    """What a `Transformer` is built from.

    `kind` says which stacks there are, `layers` how many blocks each of them has, `context` how many tokens a sequence
    may have, `d_ff` how wide the feed-forward layer is (0: the blocks have none). With `norm` "pre" the layer norm
    stands before each sublayer (Xiong et al. 2020), with "post" after it (Vaswani et al. 2017).
    """

    kind: Kind
    vocabulary: int
    context: int
    d_model: int = 64
    heads: int = 4
    layers: int = 2
    d_ff: int = 128
    norm: Norm = "pre"
    position: Position = "learned"

    def checked(self) -> Config:
        """The same, if a model can be built from it. Raises InputError: out_of_range, unknown_choice,
        heads_do_not_divide."""
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise out_of_range(name, value, low, high)
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise unknown_choice(name, getattr(self, name), allowed)
        head_size(self.d_model, self.heads)
        return self

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
