from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.payloads import PAGES, REFERENCE, as_lists, open_page, weigh


def blob(array: np.ndarray) -> bytes:  # type: ignore[type-arg]
    table, sink = pa.table({"v": array}), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def test_columns_become_the_shortest_numbers() -> None:
    blobs = {"a": blob(np.array([0.1, -2.5], np.float32)), "b": blob(np.array([1, 2], np.uint8))}
    data = {"x": {REFERENCE: "a"}, "more": [{"y": {REFERENCE: "b"}}], "words": "z"}
    assert json.dumps(as_lists(data, blobs)) == '{"x": [0.1, -2.5], "more": [{"y": [1, 2]}], "words": "z"}'


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_weighed(path: str) -> None:
    app = open_page(path, {"preset": "fruit"})
    weights = [weigh(element.proto) for element in app.get("bidi_component")]
    assert any(w.arrow > 0 and w.meta > 0 and w.as_json > w.meta // 2 for w in weights)
    assert all(w.code > 0 for w in weights)


def test_a_missing_page_is_named() -> None:
    with pytest.raises(LookupError, match="nowhere"):
        open_page("nowhere", {})
