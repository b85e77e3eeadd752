"""components/bundle.py: modules joined in order, each once, and the joined scripts of the real components."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from components import bundle

WriteModules = Callable[[dict[str, str]], None]
TOP_LEVEL = re.compile(
    r"^(?:export )?(?:default )?(?:(?:async )?function\*? (?P<function>[\w$]+)|class (?P<class>[\w$]+)"
    r"|(?:const|let|var) (?:(?P<name>[\w$]+)|[{\[](?P<pattern>[^=]*?)[}\]] =))",
    re.MULTILINE,
)


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WriteModules:
    """Replaces the frontend folder by the given files."""
    monkeypatch.setattr(bundle, "FRONTEND", tmp_path)

    def write(files: dict[str, str]) -> None:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, "utf-8")

    return write


def entries() -> list[str]:
    """Every entry file that a component is registered with: the literal arguments of `script(...)`."""
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted(bundle.FRONTEND.parent.rglob("*.py"))]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call for call in calls if ast.unparse(call.func).split(".")[-1] == "script"]
    return sorted({ast.literal_eval(call.args[0]) for call in named})


def top_level_names(script: str) -> list[str]:
    """The names declared at the left margin, where every top-level declaration of ours stands."""
    names: list[str] = []
    for match in TOP_LEVEL.finditer(script):
        parts = (match["pattern"] or "").split(",")
        names += [part.split(":")[-1].strip(" .\n") for part in parts if part.strip()]
        names += [name for group in ("function", "class", "name") if (name := match[group])]
    return names


def test_dependencies_come_first_and_once(modules: WriteModules) -> None:
    modules(
        {
            "lib/a.js": "export const a = 1;\n",
            "lib/b.js": 'import { a } from "./a.js";\nexport function b() { return a; }\n',
            "x/x.js": 'import { a } from "../lib/a.js";\nimport {\n  b,\n} from "../lib/b.js";\n'
            "export default () => a + b();\n",
        }
    )
    script = bundle.script("x/x.js")
    assert "import" not in script
    assert [line for line in script.splitlines() if line] == [
        "const a = 1;",
        "function b() { return a; }",
        "export default () => a + b();",
    ]


def test_only_the_entry_keeps_its_exports(modules: WriteModules) -> None:
    modules(
        {
            "lib.js": "export const a = 1;\nexport async function f() {}\nexport class C {}\n"
            "export let l = 'export const';\n",
            "x.js": 'import { a } from "./lib.js";\nexport const named = a;\nexport default named;\n',
        }
    )
    script = bundle.script("x.js")
    assert re.findall(r"^export .*$", script, re.MULTILINE) == [
        "export const named = a;",
        "export default named;",
    ]
    assert "'export const'" in script


def test_a_missing_module(modules: WriteModules) -> None:
    modules({"x.js": 'import { a } from "./gone.js";\n'})
    with pytest.raises(FileNotFoundError, match=r"gone\.js"):
        bundle.script("x.js")


def test_a_circle(modules: WriteModules) -> None:
    modules({"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'})
    with pytest.raises(ValueError, match=r"a\.js → b\.js → a\.js"):
        bundle.script("a.js")


def test_style_puts_the_shared_sheet_first(modules: WriteModules) -> None:
    modules({"lib/base.css": ".am { color: red }", "x/x.css": ".am-x { color: blue }"})
    assert bundle.style("x/x.css") == ".am { color: red }\n.am-x { color: blue }"


def test_top_level_names_are_seen() -> None:
    script = (
        "const a = 1;\nexport default function f() {\n  const inner = 1;\n}\n"
        "const { b, c: d } = x;\nlet [e] = y;\nexport async function g() {}\nclass H {}\n"
    )
    assert top_level_names(script) == ["a", "f", "b", "d", "e", "g", "H"]


@pytest.mark.parametrize("entry", entries())
class TestRegistered:
    def test_no_name_is_declared_twice(self, entry: str) -> None:
        counts = Counter(top_level_names(bundle.script(entry)))
        assert [name for name, count in counts.items() if count > 1] == []

    def test_nothing_is_left_to_import(self, entry: str) -> None:
        assert re.findall(r"^\s*import\b.*$", bundle.script(entry), re.MULTILINE) == []

    def test_it_has_one_default_export_and_no_other(self, entry: str) -> None:
        exports = re.findall(r"^export .*$", bundle.script(entry), re.MULTILINE)
        assert len([line for line in exports if line.startswith("export default")]) == 1


@pytest.mark.parametrize("name", sorted(p.name for p in (bundle.FRONTEND / "lib").glob("*.js")))
def test_shared_modules_can_be_joined(name: str) -> None:
    counts = Counter(top_level_names(bundle.script(f"lib/{name}")))
    assert counts
    assert max(counts.values()) == 1
