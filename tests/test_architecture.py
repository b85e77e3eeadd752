"""The rules that hold the code together, read off the source: who may import whom, and what nobody may write.

Each rule is a function from a source file to the lines that break it, so that the rules themselves can be tested.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app import navigation

ROOT = Path(__file__).parent.parent
MAY_NOT_IMPORT = {
    "models": {"streamlit", "plotly", "components", "app"},
    "components": {"app"},
}
SESSION = {"session_state", "query_params"}  # only app/state.py touches these
FORBIDDEN_KEYWORDS = {
    "unsafe_allow_html",
    "trust_remote_code",
    "unsafe_allow_javascript",
}  # with the value True
NAMES_NOT_PLACES = ("http://www.w3.org/",)  # XML name spaces are never fetched
URL = re.compile(r"""(?:https?|wss?)://[^\s"'`)]*|(?<=["'`(])//[a-z0-9-]+\.[a-z][^\s"'`)]*""")
JS_COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$|(?<=\s)//\s.*?$", re.DOTALL | re.MULTILINE)
HTML_SINK = re.compile(
    r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|srcdoc|document\.write"
    r"|createContextualFragment|eval\(|new Function)"
)

CHOOSING = {"selectbox", "segmented_control", "pills", "radio", "multiselect", "select_slider", "feedback"}
SERVED = {"download_button"}  # a run may take its file away before it is fetched: components.save_file

Problems = Iterator[tuple[int, str]]


def sources(*folders: str, suffixes: tuple[str, ...] = (".py",)) -> list[Path]:
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*")))
    return [path for path in found if path.suffix in suffixes]


def imported(tree: ast.Module, package: str) -> Problems:
    """Line and full name of everything a module of `package` (such as "models.pretrained") imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            name = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{name}.{alias.name}".strip(".")) for alias in node.names)


def forbidden_imports(tree: ast.Module, package: str) -> Problems:
    banned = MAY_NOT_IMPORT.get(package.split(".")[0], set())
    return ((line, name) for line, name in imported(tree, package) if name.split(".")[0] in banned)


def session_access(tree: ast.Module) -> Problems:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in SESSION:
            yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom) and node.module == "streamlit":
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in SESSION)


def leading(tree: ast.Module) -> Problems:
    """Streamlit's ways to another page."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in {"switch_page", "page_link"}:
            yield node.lineno, node.attr


def choosing(tree: ast.Module) -> Problems:
    """Streamlit's widgets of choice: they send labels back, which `app.choices` checks."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in CHOOSING and ast.unparse(node.value) != "choices":
            yield node.lineno, node.attr


def served_files(tree: ast.Module) -> Problems:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in SERVED:
            yield node.lineno, node.attr


def forbidden_keywords(tree: ast.Module) -> Problems:
    """Anything but a literal False counts: a value that is not known here may be True."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.keyword)
            and node.arg in FORBIDDEN_KEYWORDS
            and ast.unparse(node.value) != "False"
        ):
            yield node.value.lineno, node.arg


def python_urls(tree: ast.Module) -> Problems:
    """Addresses in strings; docstrings (and comments) may cite their sources."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from ((node.lineno, url) for url in outside(node.value))


def frontend_urls(text: str) -> Problems:
    code = JS_COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    for number, line in enumerate(code.splitlines(), start=1):
        yield from ((number, url) for url in outside(line))


def outside(text: str) -> list[str]:
    return [url for url in URL.findall(text) if not url.startswith(NAMES_NOT_PLACES)]


def html_sinks(text: str) -> Problems:
    """Ways to turn text into markup or code: user text goes to the page through textContent only."""
    for number, line in enumerate(text.splitlines(), start=1):
        yield from ((number, found) for found in HTML_SINK.findall(line))


def told(path: Path, problems: Problems) -> list[str]:
    return [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in problems]


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def test_import_rules() -> None:
    broken = [
        problem
        for path in sources("models", "components")
        for problem in told(
            path, forbidden_imports(parse(path), ".".join(path.parent.relative_to(ROOT).parts))
        )
    ]
    assert broken == []


def test_only_the_state_module_touches_the_session() -> None:
    """In components a callback finds its own event with `components.registered.said`."""
    allowed = (ROOT / "app" / "state.py", ROOT / "components" / "session.py")
    paths = [path for path in sources("app", "models", "components") if path not in allowed]
    assert [problem for path in paths for problem in told(path, session_access(parse(path)))] == []


def test_only_one_module_draws_widgets_of_choice() -> None:
    paths = [path for path in sources("app") if path != ROOT / "app" / "choices.py"]
    assert [problem for path in paths for problem in told(path, choosing(parse(path)))] == []


def test_only_one_module_leads_to_other_pages() -> None:
    """A way to another page that is not marked as a link would be taken for the Back button, which undoes."""
    paths = [path for path in sources("app") if path != ROOT / "app" / "navigation.py"]
    assert [problem for path in paths for problem in told(path, leading(parse(path)))] == []


@pytest.mark.parametrize("rule", [forbidden_keywords, python_urls, served_files])
def test_python_rules(rule: Callable[[ast.Module], Problems]) -> None:
    paths = sources("app", "components", "models")
    assert [problem for path in paths for problem in told(path, rule(parse(path)))] == []


def modules() -> dict[str, Path]:
    """Every module of the three packages by its name; a package is named as its `__init__`."""
    names = {}
    for path in sources("app", "components", "models"):
        names[".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")] = path
    return names


def imports(names: dict[str, Path]) -> dict[str, set[str]]:
    """Which of these modules each imports, for types only included."""
    found = {}
    for name, path in names.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        wanted = {whole for _, whole in imported(parse(path), package)}
        # `from a.b import c` names the module a.b.c or something in the module a.b
        found[name] = {one if one in names else one.rpartition(".")[0] for one in wanted} & set(names) - {
            name
        }
    return found


def circles(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import themselves by way of others."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = list(graph[start])
        while waiting:
            if (name := waiting.pop()) not in seen:
                seen.add(name)
                waiting += graph[name]
        return seen

    return sorted(name for name in graph if name in reached(name))


# The house from the ground up: who stands on a floor may import what stands on it or below, never what is above.
FLOORS = (
    ("models", "models.explain"),  # the engine: the files of `models` itself
    ("models.snippets", "models.transformer"),
    ("models.training", "models.training.tasks"),
    ("models.pretrained", "models.pretrained.call"),
    ("models.generation", "models.head_roles", "models.interventions"),
    ("components",),
    ("app",),
)


def floor(module: str, names: dict[str, Path]) -> int:
    """On which floor a module stands, by its package."""
    package = module if names[module].name == "__init__.py" else module.rpartition(".")[0]
    package = package.split(".")[0] if package.split(".")[0] in ("app", "components") else package
    return next(at for at, packages in enumerate(FLOORS) if package in packages)


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circles(imports(modules())) == []
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == ["b", "c"]


def test_nothing_imports_what_stands_above_it() -> None:
    names = modules()
    upwards = [
        f"{name} imports {other}"
        for name, others in imports(names).items()
        for other in sorted(others)
        if floor(other, names) > floor(name, names)
    ]
    assert upwards == []


def test_no_page_imports_another() -> None:
    pages = {navigation.module(entry) for entries in navigation.GROUPS.values() for entry in entries}
    graph = imports(modules())
    assert {page: graph[page] & pages for page in pages if graph[page] & pages} == {}


@pytest.mark.parametrize("rule", [html_sinks, frontend_urls])
def test_frontend_rules(rule: Callable[[str], Problems]) -> None:
    paths = sources("components/frontend", suffixes=(".js", ".css", ".html"))
    assert paths
    assert [problem for path in paths for problem in told(path, rule(path.read_text("utf-8")))] == []


@pytest.mark.parametrize("name", ["pages", "models", "components"])
def test_folders_that_would_be_mistaken(name: str) -> None:
    """Streamlit discovers pages/ by itself; app/ comes first on the import path and would shadow the packages."""
    assert not (ROOT / "app" / name).exists()
    assert not (ROOT / "app" / f"{name}.py").exists()


@pytest.mark.parametrize(
    ("code", "package", "names"),
    [
        ("import streamlit as st", "models", ["streamlit"]),
        ("from plotly.express import line", "models.pretrained", ["plotly.express.line"]),
        ("def f():\n    from app import state", "components", ["app.state"]),
        ("from .. import components", "models.pretrained", []),  # models.components, not components
        ("from ...components import bundle", "models.pretrained", ["components.bundle"]),
        ("import streamlit\nimport components.theme", "components", []),
        ("import apple, streamlit_extra", "models", []),
    ],
)
def test_imports_are_seen(code: str, package: str, names: list[str]) -> None:
    assert [name for _, name in forbidden_imports(ast.parse(code), package)] == names


@pytest.mark.parametrize(
    ("rule", "code", "count"),
    [
        (session_access, "st.session_state['a'] = st.query_params.get('b')", 2),
        (session_access, "from streamlit import session_state", 1),
        (session_access, "state.session()", 0),
        (leading, "st.switch_page(page('head'))", 1),
        (leading, "navigation.go('head')", 0),
        (choosing, "left.selectbox('layer', range(6))", 1),
        (choosing, "draw = st.segmented_control", 1),
        (choosing, "choices.pills('layer', range(6), str, bound)", 0),
        (served_files, "left.download_button('save', data)", 1),
        (served_files, "save_file('save', data, name='a.csv')", 0),
        (forbidden_keywords, "st.markdown(x, unsafe_allow_html=True)", 1),
        (forbidden_keywords, "load(x, trust_remote_code=flag)", 1),
        (forbidden_keywords, "load(x, trust_remote_code=False)", 0),
        (python_urls, "'''See https://arxiv.org/abs/1706.03762'''\nx = 1  # https://example.org", 0),
        (python_urls, "x = f'<img src=\"https://example.org/{y}\">'", 1),
        (python_urls, "x = 'http://www.w3.org/2000/svg'", 0),
    ],
)
def test_python_rules_bite(rule: Callable[[ast.Module], Problems], code: str, count: int) -> None:
    assert len(list(rule(ast.parse(code)))) == count


@pytest.mark.parametrize(
    ("rule", "code", "count"),
    [
        (html_sinks, "node.innerHTML = text", 1),
        (html_sinks, "node.textContent = text", 0),
        (frontend_urls, "// see https://example.org\n/* http://example.org */ a = 1", 0),
        (frontend_urls, 'import x from "https://cdn.example.org/x.js"', 1),
        (frontend_urls, "background: url(//cdn.example.org/x.png)", 1),
        (frontend_urls, 'const NS = "http://www.w3.org/2000/svg"; // a name space', 0),
    ],
)
def test_frontend_rules_bite(rule: Callable[[str], Problems], code: str, count: int) -> None:
    assert len(list(rule(code))) == count
