"""What visitors may open, and that a refusal tells nothing about the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from models.errors import InputError
from models.pretrained import access as module
from models.pretrained.access import VARIABLE, Access, access


def refusal(rules: Access, name: str | Path) -> InputError:
    with pytest.raises(InputError) as caught:
        rules.permitted(str(name))
    return caught.value


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    folder = tmp_path / "open" / "model"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def rules(inside: Path, monkeypatch: pytest.MonkeyPatch) -> Access:
    monkeypatch.setenv(VARIABLE, os.pathsep.join([str(inside.parent), str(inside.parents[1] / "not there")]))
    return access(reachable=True)


@pytest.mark.parametrize(
    ("value", "reachable", "everything", "nothing"),
    [
        ("", False, True, False),
        ("", True, False, True),
        (" ", True, False, True),
        ("off", False, False, True),
        ("OFF", True, False, True),
        ("on", True, True, False),
        ("/srv/models", False, False, False),
        ("~nosuchuser/x", True, False, True),
    ],
)
def test_the_setting(
    value: str, reachable: bool, everything: bool, nothing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    found = access(reachable=reachable)
    assert (found.everything, found.nothing) == (everything, nothing)


def test_on_permits_any_name() -> None:
    assert Access(everything=True).permitted("openai-community/gpt2") == "openai-community/gpt2"


@pytest.mark.parametrize("name", ["/etc", "gpt2", "a/b", "~", "../x", "\0"])
def test_off_permits_nothing(name: str) -> None:
    assert refusal(Access(everything=False), name).key == "model_own_off"


def test_folders_inside_the_list(rules: Access, inside: Path) -> None:
    assert rules.permitted(str(inside)) == os.path.realpath(inside)
    assert rules.permitted(str(inside.parent)) == os.path.realpath(inside.parent)
    assert rules.permitted(f"{inside}/../model//") == os.path.realpath(inside)


def test_a_folder_of_the_list_that_is_a_link(inside: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(inside.parent)
    rules = Access(everything=False, folders=(link,))
    assert rules.permitted(str(link / "model")) == rules.permitted(str(inside)) == os.path.realpath(inside)


@pytest.mark.parametrize(
    "name", ["../secret", "../nothing", "model/../../secret", "out", "out/x", "loop", "..", "\0"]
)
def test_outside_it_is_the_same_sentence_whether_it_exists_or_not(
    rules: Access, inside: Path, name: str
) -> None:
    root = inside.parent
    (root.parent / "secret").mkdir()
    (root / "out").symlink_to(root.parent / "secret")
    (root / "loop").symlink_to(root.parent / "loop")
    error = refusal(rules, f"{root}/{name}")
    assert error.key == "model_own_elsewhere"
    assert set(error.values) == {"name", "ready"}


@pytest.mark.parametrize(
    "name",
    [
        "gpt2",
        "openai-community/gpt2",
        "~",
        "~root",
        "~nosuchuser",
        "tests",
        "./tests",
        "",
        "/etc\0",
        "/" + "x" * 5000,
    ],
)
def test_nothing_else_than_a_full_path_is_looked_up(
    rules: Access, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a hub id nor the home of a user nor what lies beside the app."""
    looked: list[str] = []
    real = os.path.realpath
    monkeypatch.setattr(module.os.path, "realpath", lambda path: looked.append(str(path)) or real(path))
    assert refusal(rules, name).key == "model_own_elsewhere"
    assert name not in looked


def test_a_neighbour_whose_name_begins_alike_is_outside(rules: Access, inside: Path) -> None:
    (inside.parents[1] / "opened").mkdir()
    assert refusal(rules, inside.parents[1] / "opened").key == "model_own_elsewhere"
