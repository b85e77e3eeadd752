"""Runs the measurements and prints them as tables; the numbers also go into build/bench.json.

    python -m benchmarks                     everything (about six minutes)
    python -m benchmarks engine payloads     parts of it

Compare ratios, not times: every ratio is of two things measured in turns in the same run, so a busy machine slows both.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import Section

PARTS = (
    "engine",
    "payloads",
    "painting",
    "memory",
    "capture",
    "overview",
    "training",
    "while_training",
    "writing",
    "waiting",
)
RESULT = Path(__file__).parent.parent / "build" / "bench.json"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("part", nargs="*", help=f"of {', '.join(PARTS)}; all if none is named")
    chosen = parser.parse_args(arguments).part or PARTS
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    sections: dict[str, list[Section]] = {}
    for part in chosen:
        sections[part] = importlib.import_module(f"benchmarks.{part}").run()
        for section in sections[part]:
            print(f"\n{section.as_text()}", flush=True)
    keep(sections)
    print(f"\n{RESULT.relative_to(RESULT.parent.parent)} has the same numbers.")


def keep(sections: dict[str, list[Section]], path: Path = RESULT) -> None:
    """Write the parts that were run; earlier results of the others stay."""
    path.parent.mkdir(exist_ok=True)
    earlier = json.loads(path.read_text("utf-8")) if path.exists() else {}
    new = {part: [section.as_dict() for section in members] for part, members in sections.items()}
    path.write_text(json.dumps({**earlier, **new}, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
