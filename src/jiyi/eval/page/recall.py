"""Sections of what ``eval recall`` measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jiyi.eval.page.parts import Bar, Bars, Line, Part, Plot, Point, Section, Table
from jiyi.eval.page.words import Result, counted, titled
from jiyi.eval.scores import ALL

_EVERYTHING = "full history"
_SHOWN = ("recall", "hit", "all", "mrr")

Numbers = Mapping[tuple[str, str, str, str], Result]
"""(configuration, level, category, measure) -> the result, of one set."""


def recall(result: Result, origin: str) -> list[Section]:
    """A section a set, and before them one of all sets where there are several."""
    names: list[str] = result["configurations"]
    sets = {one["set"]: one for one in result["sets"]}
    numbers: dict[str, dict[tuple[str, str, str, str], Result]] = {name: {} for name in sets}
    for one in result["results"]:
        numbers[one["set"]][one["configuration"], one["level"], one["category"], _measure(one)] = one
    found = [_one(sets[name], numbers[name], names, result, origin) for name in sets]
    return [_overview(numbers, names, origin), *found] if len(sets) > 1 else found


def _measure(one: Result) -> str:
    cut = one["tokens"] if one["metric"] == "inside" else one["k"]
    return one["metric"] if cut is None else f"{one['metric']}@{cut:,}"


def _overview(numbers: Mapping[str, Numbers], names: Sequence[str], origin: str) -> Section:
    """One measure of every set, by configuration."""
    rows: list[list[str]] = []
    title = ""
    for name, here in numbers.items():
        for level in dict.fromkeys(key[1] for key in here):
            title = _main(here, names[0], level)
            cells = [here.get((one, level, ALL, title)) for one in names if one != _EVERYTHING]
            rows.append([name, level, *("" if cell is None else f"{cell['value']:.3f}" for cell in cells)])
    heads = ["set", "level", *(name for name in names if name != _EVERYTHING)]
    return Section(titled("Recall", "all sets", origin), [f"{title}, all questions that can be answered."],
                   [Table(heads, rows, words=2)])  # fmt: skip


def _one(about: Result, here: Numbers, names: Sequence[str], result: Result, origin: str) -> Section:
    parts: list[Part] = []
    for level in dict.fromkeys(key[1] for key in here):
        parts += _inside(about, here, names, level)
        parts += [_compared(here, names, level), _by_category(here, names, level)]
    times = about["search_ms"].get(names[0])
    said = [
        f"{counted(about['questions'], 'question')} on {counted(about['messages'], 'message')} of "
        f"{counted(about['conversations'], 'conversation')}; {about['without_evidence']:,} without evidence are not "
        f"scored. Embedder: {result['embedder']}."
    ]
    if times:
        said.append(f"A search takes {times['p50']} ms (median), {times['p95']} ms (95 of 100), without the embedding.")
    return Section(titled("Recall", about["set"], origin), said, parts)


def _inside(about: Result, here: Numbers, names: Sequence[str], level: str) -> list[Part]:
    """The share of the evidence in contexts of each size."""
    lines: list[Line] = []
    rows: list[list[str]] = []
    budgets: dict[int, None] = {}
    for name in names:
        found = [one for key, one in here.items() if key[:3] == (name, level, ALL) and one["tokens"]]
        if found and name != _EVERYTHING:
            lines.append(Line(name, [_point(one) for one in found]))
            budgets |= {one["tokens"]: None for one in found}
            rows.append([name, *(f"{one['value']:.3f}" for one in found)])
    if not lines:
        return []
    if about["full_history_tokens"]:
        lines.append(Line("everything that was said", [Point(about["full_history_tokens"], 1.0)]))
    title = f"Evidence in contexts, {level} level"
    plot = Plot(title, "tokens of the context", "share of the evidence", lines, log=True)
    return [plot, Table(["inside tokens", *(f"{budget:,}" for budget in budgets)], rows, marked=frozenset({0}))]


def _point(one: Result) -> Point:
    half = 1.96 * one["standard_error"]
    return Point(one["tokens"], one["value"], max(0.0, one["value"] - half), min(1.0, one["value"] + half))


def _compared(here: Numbers, names: Sequence[str], level: str) -> Table:
    """Every configuration over all questions."""
    here = {key: one for key, one in here.items() if one["metric"] in _SHOWN}
    measures = list(dict.fromkeys(key[3] for key in here if key[1:3] == (level, ALL)))
    measures.sort(key=lambda name: _SHOWN.index(name.partition("@")[0]))
    rows: list[list[str]] = []
    for name in names:
        cells = [here.get((name, level, ALL, measure)) for measure in measures]
        if any(cells):
            rows.append([name, *("" if cell is None else f"{cell['value']:.3f}" for cell in cells)])
    return Table([f"{level} level", *measures], rows, marked=frozenset({0}))


def _by_category(here: Numbers, names: Sequence[str], level: str) -> Bars:
    """The first configuration by category; the second one in words."""
    measure = _main(here, names[0], level)
    bars: list[Bar] = []
    for key, one in here.items():
        if key[0] != names[0] or key[1] != level or key[3] != measure:
            continue
        half = 1.96 * one["standard_error"]
        other = here.get((names[1], level, key[2], measure)) if len(names) > 1 else None
        note = counted(one["questions"], "question") + (f" · {names[1]} {other['value']:.3f}" if other else "")
        low, high = max(0.0, one["value"] - half), min(1.0, one["value"] + half)
        bars.append(Bar(key[2], one["value"], note, low, high))
    return Bars(f"{measure} by category, {level} level: {names[0]}", bars)


def _main(here: Numbers, name: str, level: str) -> str:
    """The recall that is shown where one must do: at 10, else at the first cut there is."""
    found = [key[3] for key in here if key[:3] == (name, level, ALL) and key[3].startswith("recall@")]
    return "recall@10" if "recall@10" in found else found[0]
