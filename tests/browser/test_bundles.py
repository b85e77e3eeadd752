"""Every joined component script is a module that a real browser accepts: no name twice, nothing left to import."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from components import bundle
from components.registered import reviving
from tests.test_bundle import entries

LOAD = """async (script) => {
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    return Object.entries(await import(url)).map(([name, value]) => [name, typeof value]);
}"""


@pytest.mark.parametrize("entry", entries())
def test_the_script_is_a_module_with_a_default_function(entry: str, new_page: Callable[..., Page]) -> None:
    page = new_page()
    assert page.evaluate(LOAD, reviving(bundle.script(entry))) == [["default", "function"]]


REVIVED = """async (script) => {
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const sent = { a: [{ $number: "NaN" }, { b: { $number: "-Infinity" } }, 1.5, null, "NaN"], t: new Map([[1, 2]]) };
    const { data, key } = (await import(url)).default({ data: sent, key: "k" });
    return [Number.isNaN(data.a[0]), data.a[1].b === -Infinity, ...data.a.slice(2), data.t.get(1), key];
}"""


def test_numbers_without_a_word_in_json_arrive_as_numbers(new_page: Callable[..., Page]) -> None:
    script = reviving("export default function echo(component) { return component; }")
    assert new_page().evaluate(REVIVED, script) == [True, True, 1.5, None, "NaN", 2, "k"]
