"""The least a Streamlit page can do with a text: show it."""

from __future__ import annotations

import streamlit as st

text = st.text_area("Sentence", key="text")
st.text(text)
