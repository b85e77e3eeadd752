from __future__ import annotations

import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from benchmarks import bertviz, overview
from benchmarks.bertviz import ModelView, PeerError
from benchmarks.overview_page import Painted, text_of, weigh_grid
from benchmarks.payloads import Weight
from benchmarks.random_models import HEADS, LAYERS, save_narrow_bert
from models.pretrained import ModelTrace, load_model
from models.pretrained.loading import unload_models

OURS = overview.Ours(
    Weight(900, 100, 5_000, 500), [Painted(2.0, 2_000), Painted(1.0, 1_500)], [Painted(4.0, 9)]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield save_narrow_bert(tmp_path_factory.mktemp("narrow"))
    unload_models()


@pytest.fixture(scope="module")
def trace(folder: Path) -> ModelTrace:
    return load_model(folder).trace(text_of(20, 0))


def test_both_draw_the_same_attention(trace: ModelTrace) -> None:
    attentions = overview.eager_attentions(trace)
    assert [tuple(layer.shape) for layer in attentions] == [(1, HEADS, 20, 20)] * LAYERS
    overview.compare(trace, attentions)
    with pytest.raises(AssertionError):
        overview.compare(trace, attentions[::-1])


def test_the_attention_is_not_even(trace: ModelTrace) -> None:
    assert max(float(call.weights(0).max()) for call in trace.calls) > 3 / 20


@pytest.mark.parametrize("tokens", [1, 128])
def test_every_turn_has_another_text_of_the_same_length(folder: Path, tokens: int) -> None:
    assert len(load_model(folder).trace(text_of(tokens, 3)).tokens["encoder"]) == tokens
    assert len({text_of(128, turn) for turn in range(30)}) == 30


def test_the_grid_is_weighed(folder: Path) -> None:
    grid = weigh_grid(folder, text_of(20, 0))
    assert grid.arrow >= LAYERS * HEADS * 20 * 20  # a byte per cell
    assert grid.meta > 0
    assert grid.code > 0


def test_rows_compare_with_what_there_is() -> None:
    view = ModelView("x" * 100_000, 4, seconds=10.0)
    peer = overview.Peer(view, Path(), drawn=90.0)
    assert [row["1 ÷"] for row in overview._byte_rows(OURS, peer)] == [100, 100_000 / 1_500, 50]
    assert [row["1 ÷"] for row in overview._time_rows(OURS, peer)] == [60, 100 / 1.5, 25]


def test_without_a_drawing_the_bytes_remain() -> None:
    peer = overview.Peer(ModelView("x" * 100_000, 4, seconds=10.0), why="npm is missing")
    assert overview._byte_rows(OURS, peer)[0]["1 ÷"] == 100
    assert all(row["BertViz"] is row["1 ÷"] is None for row in overview._time_rows(OURS, peer))
    assert overview._missing(peer) == ("Not complete: npm is missing.",)


def test_without_npm_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(PeerError, match="npm is missing"):
        bertviz.fetch_scripts(tmp_path / "npm")


def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(PeerError, match="sh failed: no such package"):
        bertviz._output(["sh", "-c", "echo no such package >&2; exit 1"], tmp_path)
    with pytest.raises(PeerError, match="there-is-no-such-program failed"):
        bertviz._output(["there-is-no-such-program"], tmp_path)


def test_scripts_are_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed: list[str] = []

    def pack(command: list[str], folder: Path) -> str:
        package = command[-1]
        packed.append(package)
        with tarfile.open(folder / "packed.tgz", "w:gz") as archive:
            member = tarfile.TarInfo(next(m for p, m in bertviz.SCRIPTS.values() if p == package))
            member.size = len(package)
            archive.addfile(member, BytesIO(package.encode()))
        return "packed.tgz\n"

    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr(bertviz, "_output", pack)
    for _ in range(2):
        assert bertviz.fetch_scripts(tmp_path) == tmp_path
    assert packed == [package for package, _ in bertviz.SCRIPTS.values()]
    assert (tmp_path / "d3.min.js").read_text() == "d3@5.7.0"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "d3.min.js",
        "jquery.min.js",
        "require.min.js",
    ]
