"""Periods as lines of text, for the tables of cases."""

from __future__ import annotations

from datetime import UTC, datetime

from jiyi.periods import periods

NOW = datetime(2026, 5, 20, 10, 30, tzinfo=UTC)  # a Wednesday


def read(text: str, now: datetime = NOW) -> list[str]:
    """Each period as ``quote | start..end precision``, and what else is known of it."""

    def at(moment: datetime | None) -> str:
        if moment is None:
            return ""
        return moment.strftime("%Y-%m-%d" if moment.hour == moment.minute == 0 else "%Y-%m-%dT%H:%M")

    return [
        f"{p.quote} | {at(p.start)}..{at(p.end)} {p.precision}"
        + (" relative" if p.relative else "")
        + (f" every {p.recurs}" if p.recurs else "")
        for p in periods(text, now)
    ]
