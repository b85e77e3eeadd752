"""Reading the session where a run must not be broken off."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from components.session import peek


def script() -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from components.session import peek

    class NewerRunError(Exception):
        pass

    def give_way() -> None:
        raise NewerRunError

    st.session_state["there"] = 3
    context = get_script_run_ctx()
    assert context is not None
    before = context.session_state._yield_callback
    object.__setattr__(context.session_state, "_yield_callback", give_way)
    try:
        read = (peek("there"), peek("not there"))
        broken_off = False
        try:
            st.session_state["there"]
        except NewerRunError:
            broken_off = True
    finally:
        object.__setattr__(context.session_state, "_yield_callback", before)
    st.text(f"{read} {broken_off}")


def test_peek_gives_no_way_to_a_newer_run_as_the_session_does() -> None:
    at = AppTest.from_function(script).run()
    assert not at.exception
    assert at.text[0].value == "(3, None) True"


def test_outside_of_a_session_there_is_nothing() -> None:
    assert peek("anything") is None


def told_script() -> None:
    import streamlit as st

    from components.session import browser_has

    told = browser_has("number")
    st.number_input("A number", key="number")
    st.text(str(told))


def test_a_widget_that_the_browser_does_not_have_yet() -> None:
    at = AppTest.from_function(told_script).run()
    assert at.text[0].value == "False"
    assert at.run().text[0].value == "True"
