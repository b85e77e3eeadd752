"""`python -m models.pretrained`, which `make models` calls, fetches every ready model ahead."""

from __future__ import annotations

import sys
from pathlib import Path

from models.errors import InputError
from models.pretrained.catalogue import READY_MODELS, ReadyModel
from models.pretrained.download import fetch, intact


def _whole(model: ReadyModel) -> Path:
    """The folder of `model`; one that is damaged is fetched a second time."""
    fetch(model)
    try:
        return intact(model)
    except InputError as error:
        print(f"  {error}", file=sys.stderr, flush=True)
        return fetch(model)


def main() -> int:
    """0, or 1 if a model could not be fetched."""
    failed = 0
    for model in READY_MODELS.values():
        print(f"{model.title}: {model.summary}", flush=True)
        try:
            print(f"  {_whole(model)}  ({model.licence}; {model.source})", flush=True)
        except InputError as error:
            failed = 1
            print(f"  {error}", file=sys.stderr, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
