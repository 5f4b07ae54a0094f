"""Rows of a run: printed against what is to be reached and against the last result that was kept."""

from __future__ import annotations

import json
import platform
import sqlite3
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

KEPT = Path(__file__).parent.parent / "docs" / "benchmarks" / "results"
TOLERANCE = 1.2
"""A row is called slower when it is worse than the last one by more than this factor; times vary so much by chance."""
REACH: dict[str, tuple[str, float]] = {
    "dense_warm": ("ratio <=", 0.5),
    "dense_first": ("ratio <=", 1.5),
    "dense_recall": ("value >=", 0.99),
    "dense_among": ("ratio <=", 0.1),
    "dense_among_ms": ("value <=", 1.0),
    "lexical_among": ("value <=", 1.0),
    "records": ("value <=", 8.0),
    "records_important": ("value <=", 1.0),
    "commands": ("value <=", 1.0),
    "search_p50": ("value <=", 3.0),
    "search_p95": ("value <=", 10.0),
    "context": ("value <=", 5.0),
    "graph_busy": ("value <=", 30.0),
    "graph_usual": ("value <=", 30.0),
    "entities_busy": ("value <=", 30.0),
    "entities_usual": ("value <=", 30.0),
    "append": ("ratio >=", 0.7),
    "cpu_add": ("ratio <=", 4.0),
    "cpu_search": ("ratio <=", 3.0),
    "cpu_search_users": ("ratio <=", 3.0),
    "bulk": ("ratio >=", 0.2),
    "disk": ("value <=", 1434.0),
    "import": ("value <=", 150.0),
    "open_store": ("value <=", 5.0),
    "open_memory": ("value <=", 5.0),
    "size_core": ("value <", 74.0),
    "packages_core": ("value <", 34.0),
    "size_local": ("value <", 250.0),
    "memory": ("ratio <=", 1.0),
}
"""Row -> what the project wants of it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement.

    Attributes:
        name: key of ``REACH``, or a name of its own for what is only good to know.
        ratio: against the yardstick of the same run.
    """

    name: str
    what: str
    value: float
    unit: str
    ratio: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the reach is met; None without one."""
        if self.name not in REACH:
            return None
        rule, bound = REACH[self.name]
        measured = self.ratio if rule.startswith("ratio") else self.value
        if measured is None:
            return None
        return {"<=": measured <= bound, ">=": measured >= bound, "<": measured < bound}[rule.split()[1]]


def machine() -> dict[str, object]:
    """What the figures depend on; nothing that names the machine."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else cpu,
        "cpus": max(1, len(models)),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }


def last(quick: bool) -> dict[str, Row]:
    """The rows of the newest kept result of this kind."""
    kept = sorted(KEPT.glob("*-quick.json" if quick else "*[0-9].json"))
    if not kept:
        return {}
    return {row["name"]: Row(**row) for row in json.loads(kept[-1].read_text())["rows"]}


def show(rows: list[Row], before: dict[str, Row]) -> None:
    """Prints the table."""
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.3f} x"
        rule, bound = REACH.get(row.name, ("", 0.0))
        reach = f"{rule} {bound:g}" if rule else ""
        met = {True: "met", False: "MISSED", None: ""}[row.met]
        print(f"{row.what:62} {row.value:10.3f} {row.unit:6} {ratio:10} {reach:14} {met:6} {change(row, before)}")


def change(row: Row, before: dict[str, Row]) -> str:
    """How the row compares with the last one: by its ratio where it has one, as that depends least on the machine."""
    old = before.get(row.name)
    if old is None or row.name not in REACH or not old.value or not row.value:
        return ""
    new, was = (row.ratio, old.ratio) if row.ratio and old.ratio else (row.value, old.value)
    factor = new / was if ">=" not in REACH[row.name][0] else was / new
    return (
        f"SLOWER x {factor:.2f}"
        if factor > TOLERANCE
        else f"faster x {1 / factor:.2f}"
        if factor < 1 / TOLERANCE
        else "same"
    )


def keep(rows: list[Row], quick: bool) -> Path:
    """Writes the result beside the earlier ones."""
    now = datetime.now(UTC)
    KEPT.mkdir(parents=True, exist_ok=True)
    file = KEPT / f"{now:%Y-%m-%dT%H%M%S}{'-quick' if quick else ''}.json"
    result = {"date": now.isoformat(timespec="seconds"), "machine": machine(), "rows": [asdict(row) for row in rows]}
    file.write_text(json.dumps(result, indent=1) + "\n")
    return file
