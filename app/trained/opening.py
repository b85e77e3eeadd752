"""The model that a session looks at: loaded if that costs nothing, offered if it has to be fetched first."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import count
from weakref import WeakKeyDictionary

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import state
from app.i18n import t
from app.learn.training import mine
from app.model_view import MINE, OWN, ModelView
from app.notice import error_notice
from app.reachable import own_models
from models.errors import InputError
from models.pretrained import Model, ModelTrace, load_model
from models.pretrained.catalogue import MEGABYTE, READY_MODELS, ReadyModel
from models.pretrained.download import Progress, Report
from models.pretrained.loading import shelf
from models.pretrained.problems import problem

TRACES_KEPT = 4  # a trace of 1,024 tokens of a 12 × 12 model takes about 100 MB

_serials: WeakKeyDictionary[Model, int] = WeakKeyDictionary()
_next_serial = count()


@dataclass(frozen=True)
class Opened:
    """A model and its trace of the session's text; `key` names the two in caches."""

    model: Model
    trace: ModelTrace
    key: str


def opened() -> Opened | None:
    """The session's model with its trace. If it cannot be had (yet), the page says why and offers what to do, and the
    result is None."""
    model = opened_model()
    return None if model is None else traced(model)


def traced(model: Model) -> Opened | None:
    """The model with its trace of the session's text; None after the page has said why there is none."""
    try:
        view = state.model_view()
        key = key_of(model, view.text, view.pair, view.target)
        with st.spinner(t("trained.tracing")):
            return Opened(model, _trace(key, model, view), key)
    except InputError as error:
        error_notice(error, "model")
        return None


def opened_model() -> Model | None:
    """The session's model alone, before it has read anything; as `opened`, None if it cannot be had (yet)."""
    try:
        return _model(state.model_view().model)
    except InputError as error:
        error_notice(error, "model")
        return None


def key_of(model: Model, *texts: str) -> str:
    """Names a loaded model and texts in caches."""
    return _digest(str(_serial(model)), *texts)


def _model(name: str) -> Model | None:
    """The model of this name, if it may be loaded; None after the page has said what is to be done."""
    if name == MINE:
        return mine.opened_model()
    place = name if name in OWN or name in READY_MODELS else own_models().permitted(name)
    if name not in OWN and not _may_load(name, READY_MODELS.get(name)):
        return None
    try:
        with st.spinner(t("trained.loading")):
            return load_model(place, report=_progress(st.empty()))
    except InputError as error:
        if error.key != "model_damaged":
            raise
    _offer(READY_MODELS[name])
    return None


def _may_load(name: str, ready: ReadyModel | None) -> bool:
    """A ready model that is here is loaded; anything else takes a click, for a link must not start a download or read
    a folder of the server by itself."""
    approved = state.scratch("models").setdefault("approved", set())
    if ready is not None:
        return ready.ready or _offer(ready)
    if name in approved:
        return True
    with st.container(key="model_own"):
        st.html(f"<h1>{t('trained.own_title')}</h1>")
        st.text(t("trained.own_text", name=name))
        st.button(
            t("trained.own_open"), type="primary", key="am.open_own", on_click=approved.add, args=(name,)
        )
    return False


def _offer(ready: ReadyModel) -> bool:
    """A card with the model and a button that fetches it; True once it is here."""
    if ready.path.exists():
        error_notice(problem("model_damaged", model=ready.title), "damaged")
    with st.container(key="model_offer"):
        st.html(f"<h1>{t('trained.offer_title')}</h1>")
        st.subheader(ready.title, anchor=False)
        st.text(t(f"trained.about.{ready.name}"))
        size = round(ready.download_bytes / MEGABYTE)
        st.caption(t("trained.offer_facts", licence=ready.licence, source=ready.source, size=size))
        place = st.empty()
        if not place.button(t("trained.offer_button", size=size), type="primary", key="am.fetch"):
            return False
        load_model(ready.name, report=_progress(place))
    st.rerun()
    return True


def _progress(place: DeltaGenerator) -> Report:
    """A bar that shows how far the download and the conversion are."""

    def report(now: Progress) -> None:
        share = now.done / now.total if now.total else (0.0 if now.stage == "waiting" else 1.0)
        done, total = now.done / MEGABYTE, now.total / MEGABYTE
        place.progress(
            min(1.0, share), t(f"trained.stage.{now.stage}", done=f"{done:.0f}", total=f"{total:.0f}")
        )

    return report


def _serial(model: Model) -> int:
    """A number of its own for every loaded model: a folder that was changed is loaded anew, and traced anew."""
    return _serials.setdefault(model, next(_next_serial))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@st.cache_resource(max_entries=TRACES_KEPT, show_spinner=False)
def _trace(digest: str, _model: Model, _view: ModelView) -> ModelTrace:  # noqa: ARG001 - the cache's key
    return _model.trace(_view.text, _view.pair or None, target=_view.target or None)


shelf.when_let_go.append(_trace.clear)  # a trace holds its model's weights
