"""The model that the session trains, for the pages of trained models (it is called "mine" there)."""

from __future__ import annotations

from app import navigation, state
from app.i18n import error_text, t
from app.learn.training import runs, setup
from app.model_view import MINE
from app.notice import notice
from models.errors import InputError
from models.pretrained.call import AttentionCall
from models.pretrained.own import OwnModel
from models.training.tasks import Task


def opened_model() -> OwnModel | None:
    """The session's model at the step that is looked at. The page says it if there is none to speak of yet."""
    try:
        chosen = setup.chosen()
    except InputError as error:
        notice(error_text(error), "mine", problem=True)
        return None
    seen = runs.seen(chosen, state.lab("t_step"))
    if seen.step == 0:
        _offer()
    memory, key = state.scratch("mine"), (seen.key, state.language())
    _take_text(chosen.task, new=memory.get("task") != chosen.task.name)
    memory["task"] = chosen.task.name
    if memory.get("key") != key:
        task = t(f"training.task.{chosen.task.name}")
        name = t("training.mine", task=task, step=f"{seen.step:,}")
        memory.update(key=key, model=OwnModel(seen.make(), chosen.task, name=name, source=t("training.here")))
    found: OwnModel = memory["model"]
    return found


def _take_text(task: Task, *, new: bool) -> None:
    """Where there is no text, or one that was meant for another task, take the task's."""
    text = state.model_view().text
    try:
        task.encode(text)
    except InputError:
        if new or not text.strip():
            state.look(text=setup.readable_text(task)[0], pair="", target="")


def look_at(text: str, call: AttentionCall, head: int, key: int) -> None:
    """Make the pages of trained models look at this head of the session's model, at its last query and a key."""
    place = {"stream": call.stream, "kind": call.kind, "layer": call.layer, "head": head}
    state.look(model=MINE, text=text, pair="", target="", i=call.queries - 1, j=key, **place)


def _offer() -> None:
    notice(t("training.mine_untrained"), "mine")
    navigation.link("training", t("training.go"), ":material/model_training:")
