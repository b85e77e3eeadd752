"""The app's entry: page set-up, the sidebar that is the same on every page, navigation.

Started with `streamlit run app/main.py` or `python -m streamlit run app/main.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSTALLED = (ROOT / "__init__.py").exists()  # below the package attention_microscope, which is on the path
if not INSTALLED and str(ROOT) not in sys.path:  # streamlit puts app/ on the path, not the root
    sys.path.insert(0, str(ROOT))

import streamlit as st  # noqa: E402

from app import address, navigation, sidebar, state  # noqa: E402
from app.guarded import guarded  # noqa: E402
from app.i18n import error_text, t  # noqa: E402
from app.notice import notice  # noqa: E402
from app.session import computed  # noqa: E402
from models import collector  # noqa: E402

SIDEBAR_WIDTH = 272


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Once for the process. One thread computes faster than many here: the example's trace took 1 ms instead of 36 on
    two busy cores. What has been imported stays, and is not searched for garbage after every run."""
    import torch

    torch.set_num_threads(1)
    collector.freeze()


def main() -> None:
    st.set_page_config(t("app.title"), page_icon="🔬", layout="wide", initial_sidebar_state=SIDEBAR_WIDTH)
    st.html(ROOT / "app" / "style.css")
    warm_up()
    page = navigation.choose()
    subject = navigation.subject(page.url_path)
    navigation.prepare(subject)
    with st.sidebar:
        sidebar.show(subject, page.url_path)
        with st.container(key="address"):
            address.keep(page.url_path)
    with st.container(key="notes"):
        if subject == "sentence":
            show_settings_notes()
        show_address_notes()
    page.run()


def show_settings_notes() -> None:
    """What stands against the chosen settings, and edits that do not fit the present sizes."""
    now = computed()
    if now.problem is not None:
        notice(f"{error_text(now.problem)}\n{t('app.still_showing')}", "settings", problem=True)
    if now.set_aside:
        names = ", ".join(t(f"matrices.name.{name}") for name in now.set_aside)
        notice(t("app.set_aside", names=names), "set_aside")


def show_address_notes() -> None:
    """Parameters of the address that were ignored, and what a copied link will lack."""
    if ignored := state.ignored_parameters():
        notice(t("app.ignored_parameters", names=", ".join(ignored)), "ignored")
    if missing := state.not_in_url():
        notice(t("app.not_in_url", what=_named("not_in_url", missing)), "not_in_url")
    if missing := address.missing():
        notice(t("app.lacking", what=_named("lacking", missing)), "lacking")


def _named(sentence: str, parameters: tuple[str, ...]) -> str:
    return t("app.and").join(t(f"app.{sentence}_{name}") for name in parameters)


guarded(main, "page")
address.write()
