"""The JSON of the evaluations, as ``--json`` writes it, becomes sections of a page: all that knows its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from jiyi.errors import InvalidInput
from jiyi.eval.page.parts import Bar, Bars, Line, Part, Plot, Point, Section, Table
from jiyi.eval.page.recall import recall
from jiyi.eval.page.words import Result, counted, interval, spoken, titled


def sections(result: object, origin: str = "") -> list[Section]:
    """The sections of one result.

    Args:
        result: what ``jiyi eval … --json`` wrote.
        origin: the file it is from, said where several stand on one page.

    Raises:
        InvalidInput: it is not such a result; names the file.
    """
    field = origin or "result"
    if isinstance(result, Mapping):
        given = cast("Result", result)
        for name, told, make in _KINDS:
            if not told(given):
                continue
            try:
                return make(given, origin)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise InvalidInput(field, f"is not what `jiyi eval {name} --json` writes ({error!r})") from error
    kinds = ", ".join(name for name, _, _ in _KINDS)
    raise InvalidInput(field, f"is no result that a page can show; save what `jiyi eval … --json` writes ({kinds})")


# -- recipes ------------------------------------------------------------------------------------------------------


def _recipes(result: Result, origin: str) -> list[Section]:
    found: list[Section] = []
    for one in result["sets"]:
        rows: list[Result] = one["recipes"]
        names = list(dict.fromkeys(row["recipe"] for row in rows))
        bring = [name for name in names if any(row["recipe"] == name and row["evidence"][0] for row in rows)]
        drawn = _unlike(bring, rows)
        said = [
            f"{counted(rows[0]['questions'] if rows else 0, 'question')} with evidence, each asked in a new session."
        ]
        if rest := [name for name in names if name not in bring]:
            said.append(f"These bring nothing from earlier sessions: {', '.join(rest)}.")
        if same := [name for name in bring if name not in drawn]:
            said.append(f"Left out, because equal to one that is shown: {', '.join(same)}.")
        parts: list[Part] = []
        if drawn:
            shown = [row for row in rows if row["recipe"] in drawn]
            parts = [_against_tokens(drawn, shown), _recipe_table(shown, one["recommended"]["setting"])]
        title = titled("Recipes", one["directory"], origin)
        found.append(Section(title, said, parts, one["recommended"]["text"]))
    return found


def _unlike(names: Sequence[str], rows: Sequence[Result]) -> list[str]:
    """The first of those that measure the same."""
    seen: dict[tuple[object, ...], str] = {}
    for name in names:
        seen.setdefault(tuple((row["tokens"], *row["evidence"]) for row in rows if row["recipe"] == name), name)
    return list(seen.values())


def _against_tokens(names: Sequence[str], rows: Sequence[Result]) -> Plot:
    lines = [
        Line(name, [Point(row["tokens"], *row["evidence"]) for row in rows if row["recipe"] == name]) for name in names
    ]
    lines.append(Line("the whole past", [Point(rows[0]["full_history_tokens"], 1.0)]))
    title = "Evidence in the context against its tokens"
    return Plot(title, "tokens of the context", "share of the evidence", lines, log=True)


def _recipe_table(rows: Sequence[Result], taken: Result | None) -> Table:
    heads = ["recipe", "max tokens", "evidence (95 %)", "all of it (95 %)", "tokens", "saved"]
    cells = [
        [row["recipe"], f"{row['max_tokens']:,}", interval(row["evidence"]), interval(row["all"]),
         f"{row['tokens']:,}", f"{row['saved']:.0%}"]
        for row in rows
    ]  # fmt: skip
    if "cost_of_1000" in rows[0]:
        heads.append("cost of 1,000")
        for row, line in zip(rows, cells, strict=True):
            line.append(f"{row['cost_of_1000']:.3f}")
    marked = {at for at, row in enumerate(rows) if taken and all(row[name] == taken[name] for name in taken)}
    return Table(heads, cells, marked=frozenset(marked))


# -- decay --------------------------------------------------------------------------------------------------------


def _decay(result: Result, origin: str) -> list[Section]:
    rows: list[Result] = result["rows"]
    found: list[Section] = []
    for language in dict.fromkeys(row["language"] for row in rows):
        here = [row for row in rows if row["language"] == language]
        names = list(here[0]["recipes"])
        whole = [row for row in here if row["kind"] == "all"]
        lines = [Line("first five hits", [Point(row["turns"], *row["first_five"]) for row in whole])]
        lines += [Line(name, [Point(row["turns"], *row["recipes"][name]["kept"]) for row in whole]) for name in names]
        heads = [
            "kind",
            "turns",
            "facts",
            "first five (95 %)",
            *(f"{name} (95 %)" for name in names),
            "full history, tokens",
        ]
        cells = [
            [row["kind"], f"{row['turns']:,}", f"{row['facts']:,}", interval(row["first_five"]),
             *(interval(row["recipes"][name]["kept"]) for name in names), f"{row['full_history_tokens']:,}"]
            for row in here
        ]  # fmt: skip
        said = [
            "Facts said in the first turns, asked in other words after so many turns of other talk. "
            f"Contexts of {result['max_tokens']:,} tokens."
        ]
        plot = Plot("Facts that come back", "turns since", "share of the facts", lines, log=True)
        found.append(Section(titled("Decay", spoken(language), origin), said, [plot, Table(heads, cells)]))
    return found


# -- floor --------------------------------------------------------------------------------------------------------


def _floor(result: Result, origin: str) -> list[Section]:
    found: list[Section] = []
    said = [
        "A false recall is a question about others that brings something; lost is recall of the conversation's own "
        "questions. Lower and further left is better."
    ]
    for curve in result["curves"]:
        points: list[Result] = curve["points"]
        shipped = [point for point in points if abs(point["floor"] - result["default"]) < 1e-9]
        lines = [Line("floors from 0 up", [_false(point) for point in points])]
        lines += [Line(f"the floor that ships, {point['floor']}", [_false(point)]) for point in shipped]
        cells = [
            [f"{point['floor']:.2f}", interval(point["nothing_brought"]), f"{point['recall@10']:.3f}",
             interval(point["lost"]), interval(point["own_nothing_brought"])]
            for point in points
        ]  # fmt: skip
        plot = Plot("False recalls against misses", "recall@10 lost by the floor", "false recalls", lines, share=True)
        marked = frozenset(at for at, point in enumerate(points) if point in shipped)
        heads = ["floor", "nothing brought (95 %)", "recall@10", "lost (95 %)", "own: nothing brought (95 %)"]
        which = spoken(curve["language"]) + ("" if curve["set"] == "all" else f", {curve['set']}")
        asked = f"{counted(curve['foreign'], 'question')} about others, {curve['own']:,} of its own."
        parts: list[Part] = [plot, Table(heads, cells, marked=marked)]
        found.append(Section(titled("Relevance floor", which, origin), [*said, asked], parts))
    return found


def _false(point: Result) -> Point:
    value, low, high = point["nothing_brought"]
    return Point(point["lost"][0], 1 - value, 1 - high, 1 - low)


# -- answers ------------------------------------------------------------------------------------------------------


def _answers(result: Result, origin: str) -> list[Section]:
    found: list[Section] = []
    for one in result["sets"]:
        rows: list[Result] = one["categories"]
        parts: list[Part] = [Bars("Right by rules", _bars(rows, "match"))]
        if result["judge"]:
            parts.append(Bars("Right by the judge", _bars(rows, "judge")))
        heads = ["category", "questions", "right by rules (95 %)", "F1", "declined", "right by judge (95 %)",
                 "agreement", "tokens"]  # fmt: skip
        cells = [
            [row["category"], f"{row['questions']:,}", row["match"] and interval(row["match"]) or "",
             "" if row["f1"] is None else f"{row['f1']:.3f}", f"{row['declined']:,}",
             row["judge"] and interval(row["judge"]) or "", row["agreement"] and f"{row['agreement'][0]:.3f}" or "",
             f"{row['tokens']:,}"]
            for row in rows
        ]  # fmt: skip
        said = [
            f"{result['llm']} with {result['recipe']}, contexts of {result['max_tokens']:,} tokens"
            + (f"; judge: {result['judge']}." if result["judge"] else "."),
            *(
                f"Not counted: {counted(sum(one[kind].values()), kind.replace('_', ' ').removesuffix('s'))}."
                for kind in ("errors", "judge_errors")
                if one[kind]
            ),
            f"{one['usage']['llm']['prompt_tokens']:,} prompt tokens, "
            f"{one['usage']['llm']['completion_tokens']:,} of answers.",
        ]
        found.append(Section(titled("Answers", one["directory"], origin), said, [*parts, Table(heads, cells)]))
    return found


def _bars(rows: Sequence[Result], mark: str) -> list[Bar]:
    of = {"match": "answered", "judge": "judged"}[mark]
    shown = [row for row in rows if row[mark]]
    return [Bar(row["category"], row[mark][0], counted(row[of], "answer"), row[mark][1], row[mark][2]) for row in shown]


# -- which is which -------------------------------------------------------------------------------------------------


def _sets_with(field: str) -> Callable[[Result], bool]:
    return lambda result: isinstance(result.get("sets"), list) and any(field in one for one in result["sets"])


_KINDS: tuple[tuple[str, Callable[[Result], bool], Callable[[Result, str], list[Section]]], ...] = (
    ("recall", lambda result: "results" in result and "configurations" in result, recall),
    ("recipes", _sets_with("recipes"), _recipes),
    ("answers", _sets_with("categories"), _answers),
    ("decay", lambda result: "rows" in result and "max_tokens" in result, _decay),
    ("floor", lambda result: "curves" in result, _floor),
)
"""Command, how its result is told from others, and what makes sections of it."""
