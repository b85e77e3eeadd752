"""A value from before the app changed it is no choice; the same value later is one."""

from __future__ import annotations

from app.unheard import LINK, Unheard

BEFORE = {"preset": ["animal"]}
AFTER = {"preset": ["animal"], "text": ["I love tea"]}
BY_LINK = {**AFTER, LINK: ["1"]}


def changed() -> Unheard:
    """A typed sentence took the choice of the preset "animal" back."""
    unheard = Unheard()
    unheard.remember("preset", "animal", BEFORE, AFTER)
    return unheard


def test_the_old_value_from_the_old_address_is_old() -> None:
    assert changed().is_old("preset", "animal", BEFORE)


def test_the_same_value_is_a_choice_once_the_browser_has_heard() -> None:
    assert not changed().is_old("preset", "animal", AFTER)


def test_another_value_or_another_widget_is_a_choice_at_any_time() -> None:
    assert not changed().is_old("preset", "nlp", BEFORE)
    assert not changed().is_old("causal", "animal", BEFORE)


def test_a_link_changes_no_widget_whatever_its_address_says() -> None:
    assert changed().is_old("preset", "animal", BY_LINK)
    assert not changed().is_old("preset", "nlp", BY_LINK)


def test_what_was_heard_of_is_forgotten_and_going_back_is_a_choice() -> None:
    unheard = changed()
    unheard.forget_heard(BEFORE)
    unheard.forget_heard(BY_LINK)
    assert unheard.is_old("preset", "animal", BEFORE)
    unheard.forget_heard(AFTER)
    assert not unheard.is_old("preset", "animal", BEFORE)
    assert not unheard.is_old("preset", "animal", BY_LINK)


def test_without_another_address_nothing_can_be_told_apart() -> None:
    unheard = Unheard()
    unheard.remember("chip", 1, BEFORE, BEFORE)
    unheard.remember("other", 1, {**BEFORE, LINK: ["1"]}, BEFORE)
    assert not unheard.is_old("chip", 1, BEFORE)
    assert not unheard.is_old("other", 1, BEFORE)
