"""The tables of a result, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

NAMES = {
    "jiyi": "**Jiyi**",
    "jiyi-text": "Jiyi, full text only",
    "chroma": "Chroma, LangChain",
    "mem0": "Mem0",
    "mem0-bm25": "Mem0 with BM25",
    "plain": "plain script",
}
SPEED = {
    "adds/s": ("add_per_s", 0),
    "findable/s": ("findable_per_s", 0),
    "in bulk/s": ("bulk_per_s", 0),
    "add p50, ms": ("add_p50_ms", 2),
    "CPU an add, ms": ("add_cpu_ms", 2),
    "search p50, ms": ("search_p50_ms", 2),
    "p95, ms": ("search_p95_ms", 2),
    "CPU a search, ms": ("search_cpu_ms", 2),
    "start to answer, ms": ("reopen_ms", 0),
    "disk, B a message": ("disk_bytes", 0),
    "memory, MB": ("memory_mb", 0),
}
RECALL = {"R@5": "recall@5", "R@10": "recall@10", "all@10": "all@10", "hit@10": "hit@10", "MRR@10": "mrr"}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def number(value: object, digits: int) -> str:
    return f"{value:,.{digits}f}" if isinstance(value, (int, float)) else "–"


def share(value: object) -> str:
    return f"{value:.3f}".removeprefix("0") if isinstance(value, float) else "–"


def called(system: str) -> str:
    base, comma, rest = system.partition(",")
    return NAMES.get(base, base) + comma + rest


def speed(size: str, rows: Mapping[str, Mapping[str, object]]) -> str:
    """One size; a system that failed says why."""
    lines = [
        [called(system), *(number(row.get(key), digits) for key, digits in SPEED.values())]
        for system, row in rows.items()
    ]
    failed = [f"{called(system)}: {row['error']}" for system, row in rows.items() if "error" in row]
    loads = [row["load"] for row in rows.values() if isinstance(row.get("load"), float)]
    busy = [f"Load of the machine meanwhile: {min(loads)} to {max(loads)}."] if loads else []
    return "\n\n".join([f"### {size}", table(["", *SPEED], lines), *busy, *failed])


def recall(name: str, rows: Mapping[str, Mapping[str, object]]) -> str:
    """One set."""
    lines = [[called(system), *(share(row.get(key)) for key in RECALL.values())] for system, row in rows.items()]
    count = next((row["questions"] for row in rows.values() if "questions" in row), 0)
    failed = [f"{called(system)}: {row['error']}" for system, row in rows.items() if "error" in row]
    return "\n\n".join([f"### {name}, {count} questions", table(["", *RECALL], lines), *failed])


def markdown(result: Mapping[str, Any]) -> str:
    """All tables, with the machine and the versions."""
    machine, own = result["machine"], result["embedder"]
    versions = ", ".join(f"{name} {found}" for name, found in result["versions"].items())
    head = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}; {versions}. "
        f"{result['when']}, {result['minutes']} minutes.",
        f"The embedder, for all alike and in none of the figures: {own['message_ms']} ms a message in batches, "
        f"{own['question_ms']} ms a question.",
    ]
    sizes = [speed(size, rows) for size, rows in result["speed"].items()]
    return "\n\n".join([*head, *sizes, *(recall(name, rows) for name, rows in result["recall"].items())])


def inserted(page: str, shown: str) -> str:
    """The page with new tables between its two marks."""
    before, mark, rest = page.partition("<!-- tables -->")
    _, end, after = rest.partition("<!-- end of tables -->")
    if not mark or not end:
        raise SystemExit("the page must have the lines <!-- tables --> and <!-- end of tables -->")
    return f"{before}{mark}\n\n{shown}\n\n{end}{after}"
