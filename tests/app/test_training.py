"""The training page without a browser: every task, the buttons, snapshots, what can go wrong."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from streamlit.testing.v1 import AppTest

from app.labs.knobs import KNOBS
from app.languages import LANGUAGES, locale
from app.learn.training.runs import Taken
from app.model_view import OWN
from models.pretrained.call import AttentionCall
from models.pretrained.call.head_trace import trace_head
from models.pretrained.own import OWN_MODELS
from models.trace import Trace
from models.training.checkpoint import shipped
from models.training.run import TrainingRun
from models.training.runs import RUNS
from models.training.tasks import TASKS
from models.training.trainer import Trainer
from tests.app.pages import choice, choose, go_to, healthy, open_page, texts

SMALL = {"t_task": "copy", "t_length": "4", "t_d_model": "16"}


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """No training outlives its test."""
    yield
    for run in list(RUNS._runs.values()):
        run.stop()
        assert run.join(20)


def run_of(at: AppTest) -> TrainingRun:
    runs = at.session_state["am.store"]["scratch.training_shelf"]["shelf"].content["runs"]
    found = list(runs.values())[-1]
    assert isinstance(found, TrainingRun)
    return found


def wait_until(at: AppTest, step: int) -> TrainingRun:
    run = run_of(at)
    for _ in range(600):
        if len(run.history) >= step or run.status in ("done", "diverged", "failed"):
            return run
        time.sleep(0.05)
    pytest.fail(f"only {len(run.history)} steps")


def components(at: AppTest) -> list[str]:
    return [element.proto.component_name for element in at.get("bidi_component")]


def said(at: AppTest) -> str:
    return "\n".join([*texts(at), *(html.proto.body for html in at.get("html"))])


def test_the_knob_names_all_tasks() -> None:
    assert set(KNOBS["t_task"].options) == set(TASKS)
    assert (*OWN_MODELS, "mine") == OWN


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("task", TASKS)
def test_every_task_before_anything_is_trained(task: str, code: str) -> None:
    at = open_page("training", {"t_task": task, "lang": code})
    assert healthy(at)
    assert {"am_curve", "am_head_grid", "am_matrix"} <= set(components(at))
    words = locale(code)["training"]
    assert words["train"] in {button.label for button in at.button}
    assert words["lead"][task] in said(at)


def test_train_pause_go_on_and_start_over() -> None:
    at = open_page("training", SMALL)
    at.button(key="am.train").click().run()
    wait_until(at, 3)
    at.run()
    assert healthy(at)
    assert "Step" in said(at)
    at.button(key="am.train_pause").click().run()
    run = run_of(at)
    assert run.status == "paused"
    count = len(run.history)
    time.sleep(0.3)
    assert len(run.history) == count
    assert f"Paused at step {count:,}" in said(at)
    at.button(key="am.train_resume").click().run()
    wait_until(at, count + 2)
    at.run()
    at.button(key="am.train_stop").click().run()
    assert run.status == "stopped"
    assert healthy(at)
    at.button(key="am.train_reset").click().run()
    assert "nothing learned yet" in said(at)


def test_a_snapshot_from_the_address() -> None:
    at = open_page("training", SMALL)
    at.button(key="am.train").click().run()
    wait_until(at, 12)
    at.button(key="am.train_stop").click().run()
    run = run_of(at)
    at = at.run()
    wanted = run.snapshots[1].step
    at.query_params["t_step"] = str(wanted)
    again = open_page("training", {**SMALL, "t_step": str(wanted)})
    assert healthy(again)  # another session has no such snapshot: the untrained model is shown
    assert "nothing learned yet" in said(again)


def test_two_sessions_train_at_once_without_mixing() -> None:
    first = open_page("training", SMALL)
    second = open_page("training", {**SMALL, "t_seed": "1"})
    for at in (first, second):
        at.button(key="am.train").click().run()
    for at in (first, second):
        wait_until(at, 15)
        run_of(at).stop()
    for at, seed in ((first, 0), (second, 1)):
        run = run_of(at)
        alone = Trainer(run.task, seed, run.config)
        losses = [alone.step().loss for _ in range(15)]
        # its own thread may use another kernel; the other seed's losses are a hundred times further away
        assert [report.loss for report in run.history[:15]] == pytest.approx(losses, rel=1e-4)
        assert run.seed == seed


def test_a_finished_model_is_there_at_the_first_click() -> None:
    at = open_page("training")
    at.button(key="am.train_shipped").click().run()
    assert healthy(at)
    assert "From a file" in said(at)
    assert "12 of 12 right" in said(at)


def test_training_after_a_finished_one_shows_what_is_trained() -> None:
    at = open_page("training")
    at.button(key="am.train_shipped").click().run()
    at.button(key="am.train").click().run()
    wait_until(at, 2)
    at.button(key="am.train_stop").click().run()
    assert healthy(at)
    assert "12 of 12 right" not in said(at)
    assert run_of(at).latest.step > 0
    assert "nothing learned yet" not in said(at)


def test_a_finished_one_stands_in_front_of_ones_own_training_and_goes_again() -> None:
    at = open_page("training", {"t_task": "words-en"})
    at.button(key="am.train").click().run()
    wait_until(at, 3)
    at.button(key="am.train_stop").click().run()
    own = run_of(at)
    memory = at.session_state["am.store"]["scratch.training_shelf"]["shelf"].content
    memory.setdefault("taken", {})[next(iter(memory["runs"]))] = Taken(shipped("words-en"), -1)
    at.run()
    assert "From a file: 1,000 steps" in said(at)
    at.button(key="am.train_reset").click().run()
    assert run_of(at) is own
    assert "Stopped at step" in said(at)


def test_a_saved_file_says_what_the_model_is_and_not_what_was_chosen() -> None:
    at = open_page("training", {"t_seed": "5"})
    at.button(key="am.train_shipped").click().run()
    assert dict(at.query_params).get("t_seed") is None  # the shipped model has seed 0
    assert "seed 0" in said(at)


def test_another_task_has_another_text() -> None:
    at = open_page("training", {"t_task": "sort", "t_text": "banana"})
    choice(at, "am.t_task").select("words-en").run()
    assert healthy(at)
    assert "t_text" not in at.query_params
    assert "banana" not in said(at)


def test_a_text_that_cannot_be_read_leaves_curves_and_weights() -> None:
    at = open_page("training", {"t_text": "héllo"})
    assert {"am_curve", "am_head_grid", "am_matrix"} <= set(components(at))


def test_go_on_looks_at_what_is_newest() -> None:
    at = open_page("training", {**SMALL, "t_step": "0"})
    at.button(key="am.train").click().run()
    wait_until(at, 3)
    at.run()
    at.button(key="am.train_pause").click().run()
    at.button(key="am.train_resume").click().run()
    assert "t_step" not in at.query_params


def test_ones_own_model_takes_the_text_of_a_new_task() -> None:
    at = open_page("training", {**SMALL, "t_task": "repeat", "t_length": "0", "t_d_model": "0"})
    at.button(key="am.open_model_overview").click().run()
    at = go_to(at, "overview")
    assert "am_head_grid" in components(at)
    at = go_to(at, "training")
    choice(at, "am.t_task").select("sort").run()
    at = go_to(at, "overview")
    assert healthy(at)
    assert "am_head_grid" in components(at)


def test_controls_keep_their_values_from_page_to_page() -> None:
    at = open_page("overview", {"model": "smollm2", "mtext": "The ship left", "layer": "16", "mhead": "2"})
    for path in ("head", "steps", "cell", "head", "grow"):
        at = go_to(at, path)
        assert choice(at, "am.model_layer").value == 16
        heads = choice(at, "am.model_head")
        assert heads.value in (2, [2])


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(
    ("query", "key"),
    [
        ({"t_task": "words-en", "t_text": "12a"}, "task_symbol"),
        ({"t_task": "brackets", "t_text": "(]"}, "task_brackets"),
        ({"t_text": "<script>"}, "task_symbol"),
        ({"t_heads": "3"}, "heads_do_not_divide"),
        ({"t_d_model": "1"}, "out_of_range"),
        ({"t_task": "copy", "t_length": "2"}, "task_length"),
    ],
)
def test_what_cannot_be_used_gets_a_sentence(query: dict[str, str], key: str, code: str) -> None:
    at = open_page("training", {**query, "lang": code})
    assert healthy(at)
    sentences = {**locale(code)["errors"], **locale(code)["training"]}  # some are worded for this page
    assert str(sentences[key].split("}")[-1]) in said(at)
    assert "am_curve" in components(at)  # nothing else is lost


def test_a_loss_that_runs_away_is_explained() -> None:
    at = open_page("training", {**SMALL, "t_rate": "10"})
    at.button(key="am.train").click().run()
    run = run_of(at)
    assert run.join(60)
    at.run()
    assert healthy(at)
    if run.status == "diverged":
        assert "learning rate" in said(at)
    else:
        assert all(torch.isfinite(torch.tensor(report.loss)) for report in run.history)


def test_a_closed_tab_ends_its_training(monkeypatch: pytest.MonkeyPatch) -> None:
    open_tabs = {"yes"}

    class Server:
        def is_active_session(self, _session: str) -> bool:
            return bool(open_tabs)

    at = open_page("training", SMALL)
    server = SimpleNamespace(exists=lambda: True, get_instance=Server)
    monkeypatch.setattr("app.learn.training.shelf.runtime", server)
    at.button(key="am.train").click().run()
    run = wait_until(at, 3)
    assert run.status == "running"
    run.grace = 0.2
    open_tabs.clear()
    assert run.join(20)
    assert run.status == "stopped"
    assert len(run.history) < run.recipe.steps


def test_no_memory_is_said_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.training.memory.free_memory", lambda: 1_000_000)
    at = open_page("training", SMALL)
    at.button(key="am.train").click().run()
    assert healthy(at)
    assert "MB of memory" in said(at)
    assert "am_curve" in components(at)


@pytest.mark.parametrize("path", ["overview", "head", "cell", "steps"])
def test_the_session_s_own_model_on_the_other_pages(path: str) -> None:
    at = open_page("training", SMALL)
    at.button(key="am.train").click().run()
    wait_until(at, 3)
    at.button(key="am.train_stop").click().run()
    at.button(key="am.open_model_overview").click().run()
    at = go_to(at, path)
    assert healthy(at)
    assert set(components(at)) & {"am_head_grid", "am_matrix", "am_cell", "am_stage"}


def test_a_link_to_a_model_that_was_not_trained_here() -> None:
    at = open_page("overview", {"model": "mine", "t_task": "copy", "mtext": "abc"})
    assert healthy(at)
    assert "has not been trained in this session" in said(at)


@pytest.mark.parametrize("path", ["overview", "head", "cell", "steps"])
@pytest.mark.parametrize("name", OWN_MODELS)
def test_the_shipped_models(name: str, path: str) -> None:
    from app.model_view import EXAMPLES

    view = EXAMPLES[name]
    at = open_page(path, {"model": name, "mtext": view.text, "stream": view.stream, "kind": view.kind})
    assert healthy(at)
    assert set(components(at)) & {"am_head_grid", "am_matrix", "am_cell", "am_stage"}


@pytest.mark.parametrize("name", ["minilm", "smollm2", "en-pt"])
def test_the_stage_inside_the_ready_models(name: str) -> None:
    at = open_page("steps", {"model": name, "mtext": "The ship left the harbour."})
    assert healthy(at)
    assert "am_stage" in components(at)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_part_of_a_long_text_is_on_the_stage(code: str) -> None:
    at = open_page("steps", {"model": "minilm", "mtext": "word " * 400, "lang": code})
    assert healthy(at)
    assert "am_stage" in components(at)
    assert locale(code)["steps"]["part"].rsplit("}")[-1] in said(at)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("text", ["The ship left.", "word " * 400])
def test_a_head_of_which_the_weights_alone_are_known_is_said(
    code: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def weights_alone(call: AttentionCall, head: int, batch: int = 0) -> Trace:
        whole = trace_head(call, head, batch)
        return replace(whole, steps=(replace(whole["weights"], operation="lookup", inputs=()),))

    monkeypatch.setattr(AttentionCall, "trace", weights_alone)
    at = open_page("steps", {"model": "minilm", "mtext": text, "lang": code})
    assert healthy(at)
    assert "am_stage" not in components(at)
    assert locale(code)["steps"]["cannot"] in said(at)


@pytest.mark.parametrize("step", ["query_rotated", "contribution", "context", "biased"])
def test_a_step_of_another_model_in_the_address(step: str) -> None:
    at = open_page("", {"step": step})
    assert healthy(at)
    assert "am_stage" in components(at)


def test_matrices_moved_and_gradient() -> None:
    at = open_page("training", SMALL)
    choose(at, "am.t_what", "gradient")
    assert "press Train" in said(at)
    at.button(key="am.train").click().run()
    wait_until(at, 3)
    at.run()
    for what in ("moved", "gradient", "weights"):
        choose(at, "am.t_what", what)
        assert healthy(at)
        assert components(at).count("am_matrix") == 4
