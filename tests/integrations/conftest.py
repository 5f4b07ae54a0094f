"""Says at the end of a run which real libraries it was tried with, in which version, and how that went."""

from __future__ import annotations

from collections import Counter, defaultdict
from importlib.metadata import PackageNotFoundError, version

import pytest

PROPERTY = "integration"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What ``pytest.mark.integration("langgraph", …)`` names goes along with the report of each test."""
    for item in items:
        names = {name for mark in item.iter_markers("integration") for name in mark.args}
        item.user_properties += [(PROPERTY, name) for name in sorted(names)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A table of libraries, versions and outcomes."""
    tried = defaultdict[str, Counter[str]](Counter)
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, ()):
            for name in (value for key, value in getattr(report, "user_properties", ()) if key == PROPERTY):
                tried[str(name)][outcome] += 1
    if not tried:
        return
    terminalreporter.section("tried with the real libraries")
    wide = max(map(len, tried))
    for name, outcomes in sorted(tried.items()):
        said = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        terminalreporter.write_line(f"{name:{wide}}  {_version(name):12}  {said}")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not there"
