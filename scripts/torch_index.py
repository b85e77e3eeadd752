"""Prints the pip options that let PyTorch's CPU build be found, or nothing where they are not needed or do not help.

    python scripts/torch_index.py https://download.pytorch.org/whl/cpu

On Linux the package index's default PyTorch is a CUDA build of several GB, so the CPU wheels' own index is offered to
pip, but only if it answers quickly: pip would otherwise wait and retry once per package. Standard library only, because
it runs before anything is installed.
"""

import platform
import sys
import threading
import urllib.request
from urllib.error import HTTPError

PATIENCE = 3.0  # seconds


def reachable(url: str, patience: float = PATIENCE) -> bool:
    """Whether `url` answers within `patience` seconds.

    The attempt runs in a daemon thread: a time-out given to urllib does not cover the look-up of the host's name.
    """
    found: list[bool] = []

    def attempt() -> None:
        try:
            with urllib.request.urlopen(f"{url.rstrip('/')}/torch/", timeout=patience):
                found.append(True)
        except HTTPError as error:
            found.append(error.code < 400)
        except (OSError, ValueError):
            found.append(False)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(patience)
    return found == [True]


def options(url: str, system: str) -> list[str]:
    """pip's options for `system` (as `platform.system()` names it)."""
    if not url or system != "Linux":
        return []
    if reachable(url):
        return ["--extra-index-url", url]
    print(f"{url} does not answer: PyTorch comes from pip's own index", file=sys.stderr)
    return []


if __name__ == "__main__":
    print(*options(sys.argv[1] if len(sys.argv) > 1 else "", platform.system()))
