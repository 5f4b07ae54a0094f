"""What models were used for, as ``stats`` shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date

from jiyi.cli.output import show_table
from jiyi.spending import ANSWER
from jiyi.types import Spent, Usage

Sum = tuple[Usage, int]


def sums(spent: Sequence[Spent], since: date | None = None) -> dict[str, Sum]:
    """Purpose -> usage and tokens saved, from a day on."""
    found: dict[str, Sum] = {}
    for one in spent:
        if since is None or one.day >= since:
            usage, saved = found.get(one.purpose, (Usage(), 0))
            found[one.purpose] = usage + one.usage, saved + one.saved
    return found


def costs_json(spent: Sequence[Spent], today: date) -> dict[str, object]:
    """Today's and all costs as JSON, answering and deriving apart."""
    return {"today": _apart(sums(spent, today)), "all": _apart(sums(spent))}


def _apart(found: Mapping[str, Sum]) -> dict[str, object]:
    usage, saved = found.get(ANSWER, (Usage(), 0))
    steps = {purpose: asdict(used) for purpose, (used, _) in sorted(found.items()) if purpose != ANSWER}
    return {"answering": {**asdict(usage), "saved": saved}, "deriving": steps}


def show_costs(spent: Sequence[Spent], today: date) -> None:
    """Prints what models were asked for, answering first, each today and in all; nothing where none was."""
    rows: list[tuple[str, ...]] = []
    whole, now = sums(spent), sums(spent, today)
    for purpose in sorted(whole, key=lambda purpose: (purpose != ANSWER, purpose)):
        for when, found in (("today", now), ("in all", whole)):
            usage, saved = found.get(purpose, (Usage(), 0))
            numbers = usage.calls, usage.prompt_tokens, usage.completion_tokens
            name = "answering" if purpose == ANSWER else f"deriving: {purpose}"
            left = f"{saved:,}" if purpose == ANSWER else ""
            rows.append((name if when == "today" else "", when, *(f"{number:,}" for number in numbers), left))
    if rows:
        numbers = ["calls", "tokens in", "tokens out", "saved"]
        show_table(["models were asked for", "", *numbers], rows, right=numbers)
