"""Code in Rust, such as a tokenizer's, panics where Python would raise. A panic is no Exception: it passes every
`except Exception` and ends the thread, so that a page runs for ever."""

from __future__ import annotations


def is_panic(error: BaseException) -> bool:
    """Whether Rust code broke down. The class can't be imported: every extension module makes its own."""
    return any(
        (cls.__module__, cls.__name__) == ("pyo3_runtime", "PanicException") for cls in type(error).__mro__
    )
