"""What browser tests, benchmarks and screenshots start from."""

from __future__ import annotations

from pathlib import Path

from scripts.live import ServerLog


def test_an_error_is_found_in_a_log_with_and_without_colours(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("started\n")
    log = ServerLog(path)
    assert log.errors() == []
    with path.open("a") as file:
        file.write(
            "\x1b[31m──\x1b[0m\x1b[1;31mTraceback \x1b[0m\x1b[1;2;31m(most recent call last)\x1b[0m\nKeyError\n"
        )
    assert len(log.errors()) == 1
    assert log.errors() == []
    with path.open("a") as file:
        file.write("Traceback (most recent call last)\nKeyError\n")
    assert len(log.errors()) == 1
