"""The tables of ``eval recall``, on a terminal or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from jiyi.cli.output import clean, console, counted, short, show_table
from jiyi.eval.comparison import Changed, Compared
from jiyi.eval.configurations import Configuration
from jiyi.eval.results import Measured, Result, Table, results, times
from jiyi.eval.scores import ALL, LEVELS, groups
from jiyi.eval.statistics import Difference


class Tables:
    """What was measured, as tables.

    Args:
        configurations: the first is the one that is judged.
        ks: cuts of rankings.
        budgets: tokens of contexts.
        measured: a set each.
        markdown: as Markdown instead of for a terminal.
    """

    def __init__(
        self, configurations: Sequence[Configuration], ks: Sequence[int], budgets: Sequence[int],
        measured: Sequence[Measured], *, markdown: bool = False,
    ) -> None:  # fmt: skip
        self._configurations = configurations
        self._main = configurations[0].name
        self._ks = ks
        self._budgets = budgets
        self._measured = measured
        self._markdown = markdown
        self._table = Table(list(results(measured, configurations)))
        self.k = 10 if 10 in ks else ks[len(ks) // 2]
        """Where short tables cut."""

    def model(self, name: str) -> None:
        """Which embedder it was."""
        console().print(f"embedder: {name}")

    def one_set(self) -> None:
        """A single set: every configuration, then the first one by category."""
        for found in self._measured:
            console().print(f"\n{_about(found)}")
            for level in LEVELS:
                names = [one.name for one in self._configurations if self._any(found, one.name, level)]
                rows = [self._row(found, name, level, ALL, name) for name in names]
                if not rows:
                    continue
                console().print(f"\n{found.name}, {level} level")
                self._print(["", *self._heads()], rows)
                categories = list(groups(found.rows[self._main], level))[1:]
                if len(categories) > 1:
                    console().print(f"{self._main}, by category")
                    rows = [self._row(found, self._main, level, one, one or "(none)") for one in categories]
                    self._print(["", *self._heads()], rows)
            console().print(self._speed(found))

    def sets(self) -> None:
        """Several sets: a line each, rankings first, then what stands in contexts, and the time it takes."""
        k = self.k
        others = [one.name for one in self._configurations[1:] if one.how in ("bm25", "dense", "window")]
        measures = [*(f"recall@{cut}" for cut in self._ks), f"hit@{k}", f"all@{k}", "mrr"]
        heads = ["set", "level", "questions", *(f"{name} R@{k}" for name in others), *map(heading, measures),
                 f"s.e. of R@{k}"]  # fmt: skip
        rows: list[list[str]] = []
        for found, level in self._lines():
            best = self._table.get(found.name, self._main, level, f"recall@{k}")
            rows.append([
                found.name, level, str(best.questions if best else 0),
                *(self._cell(found, name, level, f"recall@{k}") for name in others),
                *(self._cell(found, self._main, level, measure) for measure in measures),
                share(best.standard_error) if best else "",
            ])  # fmt: skip
        print_table(heads, rows, markdown=self._markdown, texts=2)
        self._contexts()

    def differences(self, found: Sequence[Compared]) -> None:
        """Two configurations: of one set every measure, of several the ones that sum it up."""
        few = len(self._measured) > 1
        wanted = [f"recall@{self.k}", f"all@{self.k}", "mrr", f"inside@{self._budget}"]
        rows = [
            [one.set, one.level, heading(one.measure), share(one.found.a), share(one.found.b), *difference(one.found)]
            for one in found
            if one.category == ALL and (not few or one.measure in wanted)
        ]
        a, b = (one.name for one in self._configurations)
        console().print(f"A: {a}\nB: {b}")
        heads = ["set", "level", "", "A", "B", "B - A", "95 % interval", "p", "wins", "losses", "ties"]
        print_table(heads, rows, markdown=self._markdown, texts=3)

    def changed(self, found: Sequence[Changed]) -> None:
        """The questions that changed most."""
        for one in found:
            (before, first), (after, then) = one.before, one.after
            console().print(
                f"{one.set} {one.question_id} ({one.category or 'no category'}): R@{self.k} {share(before)} → "
                f"{share(after)}, first evidence at {_rank(first)} → {_rank(then)}\n    {short(one.question)}"
            )

    def ablation(self, found: Sequence[Compared]) -> None:
        """A row for each part that was taken away, a column for each set: the difference with its interval."""
        level = {row.set: row.level for row in reversed(found)}  # messages, where the evidence is messages
        cells = {
            (one.set, one.b): one.found
            for one in found
            if (one.category, one.measure, one.level) == (ALL, f"recall@{self.k}", level[one.set])
        }
        base = [f"{name} {self._cell(one, self._main, level[name], f'recall@{self.k}')}"
                for one in self._measured if (name := one.name) in level]  # fmt: skip
        console().print(f"R@{self.k} of {self._main}: {', '.join(base)}.\nWhat is added by taking a part away (95 %):")
        names = [one.name for one in self._measured if one.name in level]
        rows = [
            [one.name, *(self._added(cells.get((name, one.name))) for name in names)]
            for one in self._configurations[1:]
        ]
        print_table(["", *(name.replace("_", " ") for name in names)], rows, markdown=self._markdown)

    def _added(self, found: Difference | None) -> str:
        if found is None:
            return ""
        value, interval = _signed(found.value), f"({_signed(found.low)} {_signed(found.high)})"
        mark = "" if found.low <= 0 <= found.high else "*"
        return f"{value}{mark}{' ' if self._markdown else chr(10)}{interval}"

    @property
    def _budget(self) -> int:
        """The budget of short tables."""
        return 1000 if 1000 in self._budgets else self._budgets[len(self._budgets) // 2]

    def _contexts(self) -> None:
        others = [one.name for one in self._configurations[1:] if one.how in ("bm25", "dense", "window")]
        middle = self._budget
        console().print(
            "\nShare of the evidence in contexts of so many tokens; tokens of the full history (median); times in ms."
        )
        heads = ["set", "level", *(f"in {most:,}" for most in self._budgets), *(f"{one} {middle:,}" for one in others),
                 "full history", "search p50", "search p95", "embed p50"]  # fmt: skip
        rows: list[list[str]] = []
        for found, level in self._lines():
            searches, embedding = times(found.seconds.get(self._main, [])), times(found.embedding)
            own = (self._cell(found, self._main, level, f"inside@{budget}") for budget in self._budgets)
            rows.append([
                found.name, level, *own,
                *(self._cell(found, name, level, f"inside@{middle}") for name in others),
                f"{round(median(found.history)) if found.history else 0:,}",
                f"{searches['p50']:.1f}", f"{searches['p95']:.1f}", f"{embedding['p50']:.1f}",
            ])  # fmt: skip
        print_table(heads, rows, markdown=self._markdown, texts=2)

    def _lines(self) -> list[tuple[Measured, str]]:
        return [(found, level) for found in self._measured for level in LEVELS if self._any(found, self._main, level)]

    def _any(self, found: Measured, name: str, level: str) -> bool:
        return self._table.get(found.name, name, level, f"inside@{self._budgets[0]}") is not None

    def _heads(self) -> list[str]:
        return ["n", *(heading(measure) for measure in self._measures())]

    def _measures(self) -> list[str]:
        ranked = [f"recall@{cut}" for cut in self._ks]
        ranked.insert(self._ks.index(self.k) + 1, f"s.e.@{self.k}")
        return [*ranked, f"hit@{self.k}", f"all@{self.k}", "mrr", *(f"inside@{budget}" for budget in self._budgets)]

    def _row(self, found: Measured, name: str, level: str, category: str, head: str) -> list[str]:
        def cell(measure: str) -> str:
            if measure.startswith("s.e."):
                best = self._table.get(found.name, name, level, f"recall@{self.k}", category)
                return "" if best is None else share(best.standard_error)
            return _value(self._table.get(found.name, name, level, measure, category))

        asked = self._table.get(found.name, name, level, f"inside@{self._budgets[0]}", category)
        return [head, str(asked.questions if asked else 0), *map(cell, self._measures())]

    def _cell(self, found: Measured, name: str, level: str, measure: str) -> str:
        return _value(self._table.get(found.name, name, level, measure))

    def _speed(self, found: Measured) -> str:
        search, text = times(found.seconds.get(self._main, [])), ""
        if found.embedding:
            embedding = times(found.embedding)
            text = f"; the question's embedding before it: p50 {embedding['p50']} ms, p95 {embedding['p95']} ms"
        return f"search: p50 {search['p50']} ms, p95 {search['p95']} ms{text}"

    def _print(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        print_table(heads, rows, markdown=self._markdown)


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, markdown: bool, texts: int = 1) -> None:
    """Prints a table; all columns but the first ``texts`` are numbers."""
    if not markdown:
        heads = [*heads[:texts], *map(_narrow, heads[texts:])]
        show_table(heads, rows, right=heads[texts:], whole=heads[:texts])
        return
    lines = [heads, ["---"] * texts + ["---:"] * (len(heads) - texts), *rows]
    console().print("".join(f"\n| {' | '.join(clean(cell) for cell in line)} |" for line in lines), soft_wrap=True)


def _narrow(head: str) -> str:
    """A head of numbers on two lines where one would be wider than they are."""
    if len(head) <= 5:
        return head
    return "\n".join(head.rsplit(" ", 1)) if " " in head else head.replace("@", "\n@", 1)


def _about(found: Measured) -> str:
    history = f"; the full history takes {round(median(found.history)):,} tokens (median)" if found.history else ""
    about = f"{counted(found.questions, 'question')} about {counted(found.conversations, 'conversation')}"
    return f"{found.name}: {about}, {counted(found.messages, 'message')}{history}"


def heading(measure: str) -> str:
    """A measure in few letters: R@10, MRR, in 1,000."""
    metric, _, cut = measure.partition("@")
    short = {"recall": "R", "mrr": "MRR", "inside": "in"}.get(metric, metric)
    if metric == "s.e.":
        return metric
    return f"{short} {int(cut):,}" if metric == "inside" else f"{short}@{cut}" if cut else short


def _value(found: Result | None) -> str:
    return "" if found is None else share(found.value)


def share(value: float) -> str:
    """A share with three digits, as tables of shares have it: .758, 1.000."""
    return f"{value:.3f}".removeprefix("0")


def difference(found: Difference) -> list[str]:
    """The cells of a difference: by how much, its interval, p, wins, losses, ties."""
    counts = (found.wins, found.losses, found.ties)
    interval = f"{_signed(found.low)} {_signed(found.high)}"
    return [_signed(found.value), interval, f"{found.p:.3f}", *map(str, counts)]


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # 0 is added so that a small minus is not shown as -0


def _rank(reciprocal: float) -> str:
    return f"{round(1 / reciprocal)}" if reciprocal else "none"
