"""`python -m bench [bars|frames|scene|log|mind|decide]`: tables; `--json` for machines."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator

from bench.bars import bar_rows
from bench.decide import rows as decide_rows
from bench.frames import rows as frame_rows
from bench.mind import rows as mind_rows
from bench.timing import Row
from bench.worlds import log_rows, scene_rows

SUITES: dict[str, Callable[[], Iterator[Row]]] = {
    "bars": bar_rows,
    "frames": frame_rows,
    "scene": scene_rows,
    "log": log_rows,
    "mind": mind_rows,
    "decide": decide_rows,
}


def main(arguments: list[str]) -> int:
    """Run the named suites, or all of them."""
    as_json = "--json" in arguments
    names = [name for name in arguments if not name.startswith("-")] or list(SUITES)
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"bench: {unknown[0]!r}; expected one of {', '.join(SUITES)}", file=sys.stderr)
        return 2
    found: list[Row] = []
    group = ""
    for name in names:
        for row in SUITES[name]():
            found.append(row)
            if as_json:
                continue
            if row.group != group:
                group = row.group
                print(f"\n{group}")
            print(row.line, flush=True)
    if as_json:
        # NaN is no JSON: what was not measured is null.
        rows = [{**vars(row), "verdict": row.verdict} for row in found]
        text = json.dumps(rows, indent=2)
        print(re.sub(r"\bNaN\b", "null", text))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
