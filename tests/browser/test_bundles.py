"""Every joined component script is a module that a real browser accepts: no name twice, nothing left to import."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from components import bundle
from tests.test_bundle import entries

LOAD = """async (script) => {
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    return Object.entries(await import(url)).map(([name, value]) => [name, typeof value]);
}"""


@pytest.mark.parametrize("entry", entries())
def test_the_script_is_a_module_with_a_default_function(entry: str, new_page: Callable[..., Page]) -> None:
    page = new_page()
    assert page.evaluate(LOAD, bundle.script(entry)) == [["default", "function"]]
