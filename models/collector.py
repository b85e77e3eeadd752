"""What lives as long as the process is taken out of the garbage collector's sight.

PyTorch and transformers bring 400,000 objects that are never garbage, and Streamlit has them all searched after every
run of a page, for every session, while nothing else may run: 0.19 s of the 0.24 s that a rerun of step through took.
Frozen, they are left out: 0.0 ms, and the rerun takes 0.035 s.
"""

from __future__ import annotations

import gc
from threading import Lock

_lock = Lock()  # between unfreezing and freezing another thread's full search would cost what is to be saved


def freeze() -> None:
    """Collect what is garbage now and leave out the rest from now on. For after a start or an import, never for a
    rerun: this itself searches everything. What was frozen earlier and has become garbage since is found as well."""
    with _lock:
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def collect() -> None:
    """Collect all garbage: that of a process that froze nothing (a notebook) as usual, else the frozen garbage too,
    and what is new stays frozen. For after a model was loaded or let go."""
    if gc.get_freeze_count():
        freeze()
    else:
        gc.collect()
