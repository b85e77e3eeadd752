"""The session's model as the drawing of its architecture, with real weights in each place of attention."""

from __future__ import annotations

from collections.abc import Sequence

from app import state
from app.i18n import t, words
from app.model_view import OWN
from app.trained.axes import axes_of
from app.trained.headline import SPACE
from app.trained.links import CHANNEL
from app.trained.opening import Opened
from app.trained.shown import shown_mask, shown_weights
from app.trained.stack import Stack
from app.trained.translate.translate import Places, Role, stack_of, weights_of
from app.trained.translate.words import says
from components.architecture import Attention, Plain, Tower, architecture, architecture_data
from models.pretrained.catalogue import READY_MODELS

HEIGHT = 600  # pixels: with what stands above, the whole drawing fits a laptop's screen


def show_drawing(now: Opened, places: Places, chosen: Stack) -> None:
    """Draw the model; a click on a place of attention looks at it."""

    def look(role: str) -> None:
        stream, kind = places.stacks[role]  # type: ignore[index]
        state.look(stream=stream, kind=kind)

    architecture(
        architecture_data(
            _encoder(now, places),
            _decoder(now, places),
            chosen=places.role_of(chosen.name) or "",
            corner=_corner(now),
            text=words("architecture"),
            height=HEIGHT,
            channel=CHANNEL,
        ),
        key="translate_drawing",
        on_open=look,
    )


def _encoder(now: Opened, places: Places) -> Tower:
    if not places.encoder:
        return Tower(t("translate.encoder"), missing=t("translate.no_encoder"))
    crossed = "cross" in places.stacks
    return Tower(
        t("translate.encoder"),
        layers=_layers(now, places, "encoder"),
        parts=[_attention(now, places, "encoder"), *_feed_forward(places)],
        tokens=_tokens(now, places, "encoder"),
        tokens_name=t("translate.reads" if crossed else "translate.text"),
        norm=places.norm,
        positions=places.added_positions,
        final_norm=places.norm == "pre",
        outputs_name="" if crossed else t("translate.vectors"),
    )


def _decoder(now: Opened, places: Places) -> Tower:
    if not places.decoder:
        return Tower(t("translate.decoder"), missing=t("translate.no_decoder"))
    role: Role = "decoder" if "decoder" in places.stacks else "cross"
    crossed = "cross" in places.stacks
    cross = _attention(now, places, "cross") if crossed else Plain("absent", t("translate.no_cross"))
    return Tower(
        t("translate.decoder"),
        layers=_layers(now, places, role),
        parts=[_first_part(now, places), cross, *_feed_forward(places)],
        tokens=_tokens(now, places, role),
        tokens_name=t("translate.written" if crossed else "translate.text"),
        norm=places.norm,
        positions=places.added_positions,
        final_norm=places.norm == "pre",
        outputs=_without_space(now.trace.following or ()),
        outputs_name=t("translate.writes" if now.trace.following else "translate.next"),
    )


def _first_part(now: Opened, places: Places) -> Attention | Plain:
    """The decoder's masked self-attention, or what stands in its place."""
    if "decoder" in places.stacks:
        return _attention(now, places, "decoder")
    if places.recurrent:
        return Plain("recurrent", t("translate.recurrent"), t("translate.lacks.recurrent"))
    return Plain("absent", t("translate.no_self"))


def _feed_forward(places: Places) -> list[Plain]:
    return [Plain("feed_forward", t("translate.feed_forward"))] if places.feed_forward else []


def _attention(now: Opened, places: Places, role: Role) -> Attention:
    stack = stack_of(now.trace.calls, places.stacks[role], state.model_view())
    rows, cols = axes_of(now, stack)
    mean = state.lab("e_mean")
    head = t("translate.mean_short") if mean else f"H{stack.head}"
    return Attention(
        name=role,
        title=t(f"translate.place.{role}"),
        size=f"{len(rows.labels)} × {len(cols.labels)}",
        shown=f"L{stack.layer} · {head}",
        says=says(role, stack, alone=places.alone),
        weights=shown_weights(weights_of(stack, mean), rows, cols),
        mask=shown_mask(stack.call.visible(stack.head), rows, cols),
        cross=role == "cross",
    )


def _layers(now: Opened, places: Places, role: Role) -> int:
    return sum((call.stream, call.kind) == places.stacks[role] for call in now.trace.calls)


def _tokens(now: Opened, places: Places, role: Role) -> tuple[str, ...]:
    stack = stack_of(now.trace.calls, places.stacks[role], state.model_view())
    return _without_space(axes_of(now, stack)[0].labels)


def _without_space(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels without the glyph of the space before a word: here every token stands in a frame of its own."""
    return tuple(label.removeprefix(SPACE) or label for label in labels)


def _corner(now: Opened) -> list[str]:
    """Name and sizes of the model."""
    info = now.model.info
    counts = {stream: count for (stream, kind), count in info.layers.items() if kind == "self"}
    counts |= {stream: count for (stream, kind), count in info.layers.items() if kind == "cross"}
    layers = " + ".join(str(count) for count in counts.values())
    name = state.model_view().model
    return [
        t(f"trained.short.{name}") if name in (*OWN, *READY_MODELS) else info.name,
        t("translate.size", layers=layers, heads=info.heads),
        f"d_model {info.d_model}",
    ]
