"""The wheel: one package and one command, in a fresh environment, beside a folder that is called `models`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.request
import venv
from pathlib import Path

import pytest

from app import command
from scripts.hatch_build import FOLDERS, follow
from scripts.live import ROOT, START_LIMIT, free_port
from tests.browser.test_hosts import answer as handshake

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SHADOW = "raise RuntimeError('a folder of the reader was imported')\n"


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel, and what it needs from this one."""
    folder = tmp_path_factory.mktemp("package")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    install = ["install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), *install], check=True)
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    (site / "others.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    return python.parent


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with folders of the names that the project's own have."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(SHADOW, "utf-8")
    return tmp_path


def ran(program: Path, *arguments: str, folder: Path) -> str:
    """What it prints. An installed program knows nothing of the project's folder."""
    found = subprocess.run(
        [str(program), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ""},
        check=False,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_the_engine_is_imported_under_one_name(binaries: Path, elsewhere: Path) -> None:
    code = (
        "import sys, torch, attention_microscope as whole\n"
        "from attention_microscope.models.attention import MultiHeadAttention\n"
        "from attention_microscope.models.explain import explain\n"
        "trace = MultiHeadAttention(d_model=8, heads=2).trace(torch.randn(5, 8))\n"
        "term = explain(trace, 'scores', (0, 1, 2)).terms[0]\n"
        "print(whole.__version__, tuple(trace['weights'].value.shape), len(term.factors))\n"
        "print({'app', 'components', 'models'} & set(sys.modules))\n"
    )
    assert ran(binaries / "python", "-c", code, folder=elsewhere).splitlines() == [
        "0.2.0 (2, 5, 5) 2",
        "set()",
    ]


@pytest.mark.parametrize(
    ("path", "component"), [("", "am_stage"), ("training", "am_curve"), ("overview", "")]
)
def test_the_pages_are_drawn(binaries: Path, elsewhere: Path, path: str, component: str) -> None:
    code = (
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        "from attention_microscope.app import navigation\n"
        "from pathlib import Path\n"
        "app = AppTest.from_file(str(Path(navigation.__file__).with_name('main.py')), default_timeout=600).run()\n"
        f"pages = app._registered_pages\n"
        f"app._page_hash = next(key for key, page in pages.items() if (page.get('url_pathname') or '') == {path!r})\n"
        "app.run()\n"
        "assert not app.exception, app.exception\n"
        "assert not app.error, app.error\n"
        "print([one.proto.component_name for one in app.get('bidi_component')])\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('app', 'components', 'models')])\n"
    )
    drawn, others = ran(binaries / "python", "-c", code, folder=elsewhere).splitlines()[-2:]
    assert component in drawn
    assert others == "[]"


def test_the_command_says_what_it_can_do(binaries: Path, elsewhere: Path) -> None:
    program = binaries / "attention-microscope"
    assert ran(program, "--version", folder=elsewhere).strip() == PROJECT["version"] == "0.2.0"
    said = ran(program, "--help", folder=elsewhere)
    assert re.search(r"^\s+run\b", said, re.MULTILINE)
    assert re.search(r"^\s+models\b", said, re.MULTILINE)
    assert said == ran(program, folder=elsewhere)
    assert "--port" in ran(program, "run", "--help", folder=elsewhere)


def test_the_app_starts_and_stops(binaries: Path, elsewhere: Path) -> None:
    port = free_port()
    with (elsewhere / "log.txt").open("w") as log:
        server = subprocess.Popen(
            [str(binaries / "attention-microscope"), "run", "--port", str(port)],
            cwd=elsewhere,
            env={**os.environ, "PYTHONPATH": ""},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            assert answer(f"http://127.0.0.1:{port}/_stcore/health", server) == "ok"
            # the packaged settings hold: no other name leads here
            assert handshake(f"http://127.0.0.1:{port}", f"evil.example:{port}").split()[1] == "403"
        finally:
            server.send_signal(signal.SIGTERM)
            status = server.wait(START_LIMIT)
    text = (elsewhere / "log.txt").read_text()
    assert "Traceback" not in text, text
    assert status in (0, -signal.SIGTERM), text


def answer(url: str, server: subprocess.Popen[bytes]) -> str:
    """The first answer of a server that is starting."""
    end = time.monotonic() + START_LIMIT
    while time.monotonic() < end:
        assert server.poll() is None, "the app ended by itself"
        try:
            with urllib.request.urlopen(url) as found:
                return str(found.read().decode())
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"no answer within {START_LIMIT:.0f} s")


@pytest.mark.parametrize(
    ("source", "led"),
    [
        ("from models.trace import Trace", "from attention_microscope.models.trace import Trace"),
        ("from models import steps", "from attention_microscope.models import steps"),
        (
            "def f():\n    from app import state\n",
            "def f():\n    from attention_microscope.app import state\n",
        ),
        ("import app.state as state", "import attention_microscope.app.state as state"),
        ("from torch import nn\nimport models_of_others", "from torch import nn\nimport models_of_others"),
        ("text = 'from models import steps'", "text = 'from models import steps'"),
        ("from .models import one", "from .models import one"),
        ("from models.a import (\n    b,\n)", "from attention_microscope.models.a import (\n    b,\n)"),
    ],
)
def test_imports_follow(source: str, led: str) -> None:
    assert follow(source) == led


def test_an_import_that_cannot_follow_is_refused() -> None:
    with pytest.raises(ValueError, match="line 2"):
        follow("import torch\nimport models.trace")


def test_both_lists_of_what_is_needed_agree() -> None:
    pinned = re.findall(r"^([\w-]+)==", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    assert [re.split(r"[>=<]", wanted)[0] for wanted in PROJECT["dependencies"]] == pinned


def test_the_command_works_without_an_installation(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0
    assert "fetch the ready models" in capsys.readouterr().out
    assert command.version() == PROJECT["version"]
