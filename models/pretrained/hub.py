"""Models from the Hugging Face hub: only the files that are needed, and never a pickle."""

from __future__ import annotations

import json
import logging
import re
import shutil
from pathlib import Path

from huggingface_hub import HfApi, hf_hub_download, snapshot_download
from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError, RepositoryNotFoundError

from models.pretrained import problems
from models.pretrained.catalogue import READY_MODELS
from models.pretrained.download import Progress, Report
from models.pretrained.folder import CONFIG, INDEX, PICKLES, WEIGHTS

HUB_ID = re.compile(r"[\w.-]{1,96}(/[\w.-]{1,96})?", re.ASCII)
TIMEOUT_SECONDS = 15
SMALL_FILES = re.compile(r".*\.(json|txt|model|spm|tiktoken)|README\.md|merges\.txt")

_LOG = logging.getLogger(__name__)


def fetch_from_hub(name: str, report: Report = lambda _: None, endpoint: str | None = None) -> Path:
    """The folder of a hub model in the hub's own cache, downloaded first where that is needed.

    Without a connection, what was downloaded before is used. Raises InputError: model_hub_unknown,
    model_hub_unreachable, model_no_space, model_weights_pickle, model_weights_missing, model_weights_broken.
    """
    ready = ", ".join(READY_MODELS)
    try:
        facts = HfApi(endpoint=endpoint).model_info(name, files_metadata=True, timeout=TIMEOUT_SECONDS)
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise problems.problem("model_hub_unknown", name=name, ready=ready) from error
    except Exception as error:  # every way in which a network can fail, and HF_HUB_OFFLINE
        _LOG.warning("the model hub was not reached: %s", error)
        return _downloaded_before(name, ready)
    sizes = {file.rfilename: file.size or 0 for file in facts.siblings or () if "/" not in file.rfilename}
    try:
        return _download(name, str(facts.sha), sizes, report, endpoint)
    except (OSError, LocalEntryNotFoundError) as error:
        if problems.is_no_space(error):
            raise problems.no_space(name, sum(sizes.values()), 0) from error
        _LOG.warning("%s could not be downloaded: %s", name, error)
        raise problems.problem("model_hub_unreachable", name=name, ready=ready) from error


def _downloaded_before(name: str, ready: str) -> Path:
    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (OSError, ValueError) as error:
        raise problems.problem("model_hub_unreachable", name=name, ready=ready) from error


def _download(name: str, revision: str, sizes: dict[str, int], report: Report, endpoint: str | None) -> Path:
    def get(file: str) -> Path:
        return Path(hf_hub_download(name, file, revision=revision, endpoint=endpoint))

    if CONFIG not in sizes:
        raise problems.problem("model_config_missing", folder=name)
    weights = _weight_files(name, sizes, get(INDEX) if INDEX in sizes and WEIGHTS not in sizes else None)
    wanted = [file for file in sizes if SMALL_FILES.fullmatch(file)] + weights
    total = sum(sizes.get(file, 0) for file in wanted)
    place = get(CONFIG)
    if (free := shutil.disk_usage(place).free) < total:
        raise problems.no_space(name, total, free)
    done = 0
    for file in wanted:
        report(Progress("downloading", done, total))
        get(file)
        done += sizes.get(file, 0)
    report(Progress("downloading", total, total))
    return place.parent


def _weight_files(name: str, sizes: dict[str, int], index: Path | None) -> list[str]:
    if WEIGHTS in sizes:
        return [WEIGHTS]
    if index is not None:
        return _files_of_index(name, sizes, index)
    pickled = any(Path(file).match(pattern) for file in sizes for pattern in PICKLES)
    raise problems.problem("model_weights_pickle" if pickled else "model_weights_missing", folder=name)


def _files_of_index(name: str, sizes: dict[str, int], index: Path) -> list[str]:
    """Only files that the repository lists, and beside the index: a name is never taken for a path."""
    try:
        named = {str(file) for file in json.loads(index.read_text("utf-8"))["weight_map"].values()}
    except (OSError, ValueError, RecursionError, KeyError, AttributeError, TypeError) as error:
        raise problems.problem("model_weights_broken", file=f"{name}/{INDEX}") from error
    if stray := sorted(named - sizes.keys()):
        raise problems.problem("model_weights_broken", file=f"{name}/{stray[0]}")
    return sorted(named)
