"""Who finds a training again, and for how long."""

from __future__ import annotations

from typing import Any

import pytest

from app.learn.training.shelf import KEEP, WAITING, Register, Shelf


class Run:
    """Stands in for a training: what a shelf ends."""

    stopped = False

    def stop(self) -> None:
        self.stopped = True


class World:
    """A register with tabs and a clock that the test turns."""

    def __init__(self) -> None:
        self.tabs: set[str] = set()
        self.now = 1000.0
        self.register = Register(lambda session: session in self.tabs, lambda: self.now)

    def trained(self, session: str) -> tuple[Shelf, Run]:
        self.tabs.add(session)
        shelf, run = self.register.new(session), Run()
        shelf.content["runs"] = {"setup": run}
        return shelf, run

    def leave(self, session: str) -> None:
        """The tab goes; the register has seen it until now."""
        self.register.sweep()
        self.tabs.discard(session)


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize("away", [0.0, 30.0, KEEP - 1])
def test_a_tab_that_was_loaded_again_finds_its_training(world: World, away: float) -> None:
    shelf, run = world.trained("before")
    world.leave("before")
    world.now += away
    world.tabs.add("after")
    assert world.register.claim(shelf.secret, "after") is shelf
    assert shelf.session == "after"
    world.now += 10 * KEEP
    world.register.sweep()
    assert shelf.content["runs"] == {"setup": run}  # its tab is there
    assert not run.stopped


def test_nobody_finds_it_after_ten_minutes(world: World) -> None:
    shelf, run = world.trained("before")
    world.leave("before")
    world.now += KEEP + 1
    assert world.register.claim(shelf.secret, "after") is None
    assert run.stopped
    assert shelf.content == {}


def test_a_copy_of_a_tab_does_not_take_the_training_away(world: World) -> None:
    shelf, _ = world.trained("first")
    world.tabs.add("copy")
    assert world.register.claim(shelf.secret, "copy") is None
    assert shelf.session == "first"


@pytest.mark.parametrize("secret", [None, 7, "", "0" * 64, "0" * 63, "../x", ["0" * 64], "x" * 10**6])
def test_a_guess_finds_nothing(world: World, secret: Any) -> None:
    world.trained("before")
    world.leave("before")
    assert world.register.claim(secret, "after") is None


def test_few_wait(world: World) -> None:
    made = []
    for number in range(WAITING + 3):
        made.append(world.trained(str(number)))
        world.leave(str(number))
        world.now += 1
    there, _ = world.trained("there")
    world.register.sweep()
    assert [run.stopped for _, run in made] == [True] * 3 + [False] * WAITING
    assert there.content


def test_secrets_are_long_and_never_the_same(world: World) -> None:
    secrets = {world.register.new("s").secret for _ in range(50)}
    assert len(secrets) == 50
    assert {len(secret) for secret in secrets} == {64}
