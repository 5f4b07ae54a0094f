"""What the rows of a quiz come to.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from jiyi.eval.ledger import Row
from jiyi.eval.scores import ALL
from jiyi.eval.statistics import rounded, share


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """All questions, and by category: shares with 95 % intervals, agreement of rules and judge, errors apart."""
    categories = sorted({row["category"] for row in rows})
    groups = {ALL: list(rows)} | {name: [row for row in rows if row["category"] == name] for name in categories}
    return {
        "errors": dict(Counter(row["error"]["type"] for row in rows if row["error"])),
        "judge_errors": dict(Counter(row["judge_error"]["type"] for row in rows if row["judge_error"])),
        "categories": [{"category": name, **_marks(group)} for name, group in groups.items()],
        "usage": {"llm": _usage(rows, "usage"), "judge": _usage(rows, "judge_usage")},
    }


def _marks(rows: Sequence[Row]) -> dict[str, Any]:
    answered = [row for row in rows if row["error"] is None]
    judged = [row for row in answered if row["judge"] is not None]
    return {
        "questions": len(rows),
        "answered": len(answered),
        "match": _share(sum(row["right"] for row in answered), len(answered)),
        "f1": round(fmean(row["f1"] for row in answered), 4) if answered else None,
        "declined": sum(bool(row["declined"]) for row in answered),
        "judged": len(judged),
        "judge": _share(sum(row["judge"] for row in judged), len(judged)),
        "agreement": _share(sum(row["judge"] == row["right"] for row in judged), len(judged)),
        "tokens": round(fmean(row["tokens"] for row in rows)) if rows else None,
    }


def _share(hits: int, of: int) -> list[float] | None:
    return rounded(share(hits, of)) if of else None


def _usage(rows: Sequence[Row], field: str) -> dict[str, int]:
    found = [row[field] for row in rows if row[field]]
    return {name: sum(one[name] for one in found) for name in ("calls", "prompt_tokens", "completion_tokens")}
