"""Whatever goes wrong, the user reads a sentence and the log has the rest."""

from __future__ import annotations

import logging
from collections.abc import Callable

from app.i18n import t
from app.notice import error_notice, notice
from models.errors import InputError
from models.panics import is_panic

LOG = logging.getLogger("attention_microscope")


def guarded(draw: Callable[[], object], key: str) -> None:
    """Run `draw`, the whole page or a fragment of it: a fragment runs by itself and has to end well by itself."""
    try:
        draw()
    except InputError as error:
        error_notice(error, key)
    except BaseException as error:
        if not (isinstance(error, Exception) or is_panic(error)):  # Streamlit's reruns, KeyboardInterrupt
            raise
        LOG.exception("a page failed")
        notice(t("app.failed"), f"failed_{key}", problem=True)
