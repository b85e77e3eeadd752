"""`load_model`: a ready model, a local folder or a hub id, loaded once per process and shared by all sessions."""

from __future__ import annotations

from pathlib import Path

from models import collector
from models.pretrained import problems
from models.pretrained.assemble import assemble
from models.pretrained.catalogue import READY_MODELS
from models.pretrained.download import Report, fetch, intact
from models.pretrained.folder import open_folder
from models.pretrained.hub import HUB_ID, fetch_from_hub
from models.pretrained.model import PretrainedModel
from models.pretrained.own import OWN_MODELS, OwnModel, shipped_model
from models.pretrained.shelf import Shelf

Model = PretrainedModel | OwnModel

shelf = Shelf()  # of this process: all sessions share it


def load_model(name: str | Path, report: Report = lambda _: None) -> Model:
    """The model called `name`: "smollm2", "minilm", "en-pt", a folder in Hugging Face layout, or a hub id; or one of
    `OWN_MODELS`, which were trained with this engine.

    A ready model is downloaded at the first call, which `report` is told about; a hub model too. The folder wins over a
    hub id of the same name. In evaluation mode, in the checkpoint's dtype (float16 is computed in float32: processors
    have no fast float16). Code that comes with a model is never run, pickles are never opened.

    Calls from several threads share one copy; a folder that has changed is loaded anew. Raises InputError with a key of
    the locale files for everything that can be wrong with the name, the folder, the network, the disk and the memory.
    """
    if name in OWN_MODELS:
        return shipped_model(str(name))
    path, ready = _find(str(name).strip(), report)
    folder = open_folder(path)
    title = READY_MODELS[ready].title if ready else Path(name).name
    stamp = folder.stamp
    if (model := shelf.take(stamp, title, folder.bytes)) is not None:
        return model
    try:
        model = assemble(folder, title, READY_MODELS.get(ready) if ready else None)
    except BaseException:
        shelf.give_up(stamp)
        raise
    shelf.put(stamp, model)
    collector.collect()
    return model


def unload_models() -> None:
    """Forgets all loaded models: their memory is given back once nobody uses them any more."""
    shelf.clear()


def _find(name: str, report: Report) -> tuple[Path, str | None]:
    """The folder, and the name in the catalogue if it is a ready model."""
    if name in READY_MODELS:
        fetch(READY_MODELS[name], report)
        return intact(READY_MODELS[name]), name
    path = _path(name)
    if name and _exists(path):
        return path.resolve(), None
    if HUB_ID.fullmatch(name) and not name.startswith("."):
        return fetch_from_hub(name, report), None
    if name.startswith(("/", "~", ".")) or path.is_absolute():
        raise problems.problem("model_folder_missing", folder=str(path))
    raise problems.problem("model_name_unknown", name=name, ready=", ".join(READY_MODELS))


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError as error:  # the home of a user that there is not
        raise problems.problem("model_folder_missing", folder=name) from error


def _exists(path: Path) -> bool:
    """Whether there is something; there is nothing whose name is longer than a name can be."""
    try:
        with problems.denied_means_unreadable(path):
            return path.exists()
    except OSError:
        return False
