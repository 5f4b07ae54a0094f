"""Measures everything that design asks for, prints it against what is to be reached, and keeps the result.

    python bench/run.py [--quick] [--only dense search ...] [--keep] [--sizes]

Each part runs in a process of its own, so that none warms the next.  ``--quick`` takes a tenth of the data.  The row
"no acknowledged write lost over 25 kills" is a test: ``tests/e2e/test_kill.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from results import Row, keep, last, show

PARTS = {
    "dense": "store.py",
    "among": "store.py",
    "bulk": "store.py",
    "append": "store.py",
    "search": "memory.py",
    "users": "memory.py",
    "writing": "memory.py",
    "graph": "memory.py",
    "start": "memory.py",
    "cache": "memory.py",
}
"""Part -> the script that measures it.  ``bulk`` comes with ``dense``."""
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def measured(part: str, quick: bool) -> list[Row]:
    """The rows of one part."""
    script = Path(__file__).parent / PARTS[part]
    command = [sys.executable, str(script), part, *(["--quick"] if quick else [])]
    environment = {**os.environ, **ONE_THREAD}
    environment.pop("OPENBLAS_CORETYPE", None)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=False)
    if done.returncode:
        print(f"{part} failed", file=sys.stderr)
        return []
    return [Row(**json.loads(line)) for line in done.stdout.splitlines()]


def main() -> None:
    """Measures, prints, compares and keeps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes; not for comparing machines")
    parser.add_argument("--only", nargs="*", choices=[*PARTS, "sizes"], help="these parts")
    parser.add_argument(
        "--sizes", action="store_true", help="installs the package twice to measure it (needs an index)"
    )
    parser.add_argument("--keep", action="store_true", help="writes the result into docs/benchmarks/results/")
    given = parser.parse_args()
    before, rows = last(given.quick), list[Row]()
    parts = given.only or [part for part in PARTS if part != "bulk"]
    for part in parts:
        if part != "sizes":
            new = measured(part, given.quick)
            show(new, before)
            rows += new
    if given.sizes or "sizes" in parts:
        from sizes import installed

        new = installed()
        show(new, before)
        rows += new
    missed = [row.what for row in rows if row.met is False]
    print(
        f"\n{sum(row.met is True for row in rows)} met, {len(missed)} missed{': ' if missed else ''}{'; '.join(missed)}"
    )
    if given.keep:
        print(f"kept as {keep(rows, given.quick).name}")


if __name__ == "__main__":
    main()
