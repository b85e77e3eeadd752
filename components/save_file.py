"""A button that saves a file. The bytes are in the page when the button is drawn: nothing is asked of the server at the
click, so that no run that draws the page anew in between can take the file away."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from components.bundle import script, style
from components.registered import component

_COMPONENT = component(
    "am_save_file",
    html='<div class="am am-save-file"><button type="button"></button></div>',
    css=style("save_file/save_file.css"),
    js=script("save_file/save_file.js"),
)


def save_file(label: str, content: str | bytes, *, name: str, mime: str, key: str) -> None:
    """Draw the button `label`; a click saves `content` (text as UTF-8) as the file `name`. Raises ValueError for a name
    that is none."""
    if not name or "/" in name:
        raise ValueError(f"a file's name was expected, received {name!r}")
    raw = content.encode("utf-8") if isinstance(content, str) else content
    table = pa.table({"v": np.frombuffer(raw, dtype=np.uint8)})
    _COMPONENT(key=key, data={"bytes": table, "label": label, "name": name, "mime": mime}, width="content")
