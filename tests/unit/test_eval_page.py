from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from jiyi.errors import InvalidInput, MissingDependency
from jiyi.eval.page import html, render, sections
from jiyi.eval.page.parts import Line, Plot, Point, Section
from jiyi.eval.page.plots import named_colours, svg

EVIL = '<script>alert("x")</script> & $a_1$ 小明的聊天记录'


def recall(*names: str) -> dict[str, Any]:
    def number(name: str, one: str, category: str, metric: str, value: float, **cut: int) -> dict[str, Any]:
        return {"set": name, "configuration": one, "level": "message", "category": category, "metric": metric,
                "k": cut.get("k"), "tokens": cut.get("tokens"), "value": value, "standard_error": 0.1, "questions": 3}  # fmt: skip

    found = [
        number(name, one, category, *measure, **cut)  # type: ignore[misc]
        for name in names or ("set",)
        for one, lower in (("default", 0.0), ("bm25", 0.25))
        for category in ("ALL", name)
        for measure, cut in ((("recall", 0.75 - lower), {"k": 10}), (("mrr", 0.5 - lower), {}),
                             (("inside", 0.5 - lower), {"tokens": 500}), (("inside", 0.75 - lower), {"tokens": 1000}))
    ]  # fmt: skip
    everything = [number(name, "full history", "ALL", "inside", 0.0, tokens=500) for name in names or ("set",)]
    sets = [
        {"set": name, "conversations": 1, "messages": 90, "questions": 4, "without_evidence": 1, "embedding_ms": None,
         "full_history_tokens": 5000, "search_ms": {"default": {"p50": 1.5, "p95": 2.5}}}
        for name in names or ("set",)
    ]  # fmt: skip
    return {"embedder": "none", "configurations": ["default", "bm25", "full history"], "sets": sets,
            "results": [*found, *everything]}  # fmt: skip


def recipes(name: str = "set") -> dict[str, Any]:
    def row(recipe: str, budget: int, value: float, tokens: int) -> dict[str, Any]:
        share = [value, max(0, value - 0.1), min(1, value + 0.1)]
        return {"recipe": recipe, "max_tokens": budget, "questions": 9, "evidence": share, "all": share, "tokens": tokens,
                "full_history_tokens": 9000, "saved": 1 - tokens / 9000, "cost_of_1000": 1.25}  # fmt: skip

    rows = [row("balanced", 500, 0.8, 400), row("balanced", 1000, 0.9, 900), row("casual", 500, 0.0, 20)]
    rows += [row(name, 500, 0.8, 400), row(name, 1000, 0.9, 900)]
    taken = {"setting": {"recipe": "balanced", "max_tokens": 500}, "text": f"Take {name}."}
    return {"evaluation": "recipes", "price": 2.5, "sets": [{"directory": name, "recipes": rows, "recommended": taken}]}


def decay(name: str = "balanced") -> dict[str, Any]:
    rows = [
        {"language": language, "kind": kind, "turns": turns, "facts": 200, "first_five": [0.9, 0.8, 0.95],
         "full_history_tokens": turns * 80, "recipes": {name: {"kept": [0.7, 0.6, 0.8], "tokens": 900}}}
        for language in ("en", "zh") for kind in ("all", "made-up") for turns in (30, 1000)
    ]  # fmt: skip
    return {"max_tokens": 1000, "rows": rows}


def floor() -> dict[str, Any]:
    points = [
        {"floor": at / 10, "nothing_brought": [at / 10, at / 10, 1.0], "recall@10": 0.8 - at / 20,
         "lost": [at / 20, at / 30, at / 10], "own_nothing_brought": [at / 20, 0.0, 1.0]}
        for at in range(5)
    ]  # fmt: skip
    curves = [{"language": "zh", "set": name, "own": 9, "foreign": 1, "points": points} for name in ("all", EVIL)]
    return {"default": 0.2, "curves": curves}


def answers(name: str = "set") -> dict[str, Any]:
    share = [0.5, 0.4, 0.6]
    row = {"category": name, "questions": 9, "answered": 8, "match": share, "f1": 0.5, "declined": 1, "judged": 7,
           "judge": share, "agreement": share, "tokens": 900}  # fmt: skip
    empty = {**row, "answered": 0, "match": None, "f1": None, "judged": 0, "judge": None, "agreement": None}
    usage = {"calls": 8, "prompt_tokens": 7000, "completion_tokens": 90}
    one = {"directory": name, "categories": [row, empty], "errors": {"ModelUnavailable": 1}, "judge_errors": {},
           "usage": {"llm": usage, "judge": usage}}  # fmt: skip
    return {"llm": name, "judge": "j", "recipe": "balanced", "max_tokens": 2000, "price": None, "sets": [one]}


RESULTS = [recall(EVIL), recipes(EVIL), decay(EVIL), floor(), answers(EVIL)]


def page(*results: dict[str, Any], title: str = "A page") -> str:
    return render([one for result in results for one in sections(result, EVIL)], title=title, made="Made now")


class Tags(HTMLParser):
    """Every tag with its attributes, and the text outside of style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def test_a_page_needs_nothing_from_elsewhere() -> None:
    text = page(*RESULTS)
    assert "://" not in text and "@import" not in text and "//" not in text.replace("</", "")
    assert set(re.findall(r"url\((.)", text)) <= {"#"}
    found = Tags(text)
    for tag, attributes in found.tags:
        assert tag not in ("script", "link", "img", "iframe", "object", "embed", "base", "form")
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "src", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
    assert "default-src 'none'" in text
    assert found.open == [], "every element is closed"


def test_what_others_named_is_text() -> None:
    found = Tags(page(*RESULTS, title=EVIL))
    assert found.text.count('<script>alert("x")</script> & $a_1$ 小明的聊天记录') > 10
    assert "script" not in {tag for tag, _ in found.tags}


def test_every_id_is_there_once_and_every_reference_leads_to_one() -> None:
    text = page(*RESULTS, *RESULTS)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids)) > 50
    assert set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)


def test_colours_are_the_pages_own() -> None:
    text = page(*RESULTS)
    assert not [stand_in for stand_in, _ in named_colours() if stand_in in text]
    used = set(re.findall(r"var\(--([\w-]+)\)", text))
    light, dark = re.findall(r":root \{(.*?)\}", text, re.DOTALL)[:2]
    for name in used:
        assert f"--{name}:" in light and f"--{name}:" in dark


def test_each_evaluation_has_its_section() -> None:
    found = [section for result in RESULTS for section in sections(result)]
    assert [section.title for section in found] == [
        f"Recall: {EVIL}", f"Recipes: {EVIL}", "Decay: English", "Decay: Chinese", "Relevance floor: Chinese",
        f"Relevance floor: Chinese, {EVIL}",
        f"Answers: {EVIL}",
    ]  # fmt: skip
    text = page(*RESULTS)
    assert text.count('<svg viewBox="0 0 14') == 3 + 2 + 2 * 2 + 2 * 2, "a legend for each line"
    for shown in (
        "0.750",
        'style="width: 75.00%"',
        "the whole past",
        "Take ",
        "0.800 (0.700–0.900)",
        "1.250",
        "95 %",
        "8 answers",
        "Not counted: 1 error.",
    ):
        assert shown in text, shown
    recipe = found[1]
    assert "nothing from earlier sessions: casual" in recipe.said[1] and "equal to one that is shown" in recipe.said[2]


def test_several_sets_have_an_overview() -> None:
    first, *rest = sections(recall("a", "b"))
    assert first.title == "Recall: all sets" and [one.title for one in rest] == ["Recall: a", "Recall: b"]
    (table,) = first.parts
    assert table.rows == [["a", "message", "0.750", "0.500"], ["b", "message", "0.750", "0.500"]]  # type: ignore[union-attr]
    plot, inside, compared, bars = rest[0].parts
    assert isinstance(plot, Plot) and [line.name for line in plot.lines] == [
        "default",
        "bm25",
        "everything that was said",
    ]
    assert inside.heads == ["inside tokens", "500", "1,000"] and inside.rows[0] == ["default", "0.500", "0.750"]  # type: ignore[union-attr]
    assert compared.heads == ["message level", "recall@10", "mrr"]  # type: ignore[union-attr]
    assert compared.rows == [["default", "0.750", "0.500"], ["bm25", "0.500", "0.250"]]  # type: ignore[union-attr]
    assert [(bar.name, bar.note) for bar in bars.bars] == [
        ("ALL", "3 questions · bm25 0.500"),
        ("a", "3 questions · bm25 0.500"),
    ]  # type: ignore[union-attr]


def test_the_floor_that_ships_is_marked() -> None:
    section, _ = sections(floor())
    assert section.said[-1] == "1 question about others, 9 of its own."
    plot, table = section.parts
    assert isinstance(plot, Plot) and plot.lines[1].points == [Point(0.1, 0.8, 0.0, 0.8)]
    assert table.marked == {2}  # type: ignore[union-attr]


@pytest.mark.parametrize("wrong", [{}, [], 7, None, "x", {"rows": []}, {"sets": [{"a": 1}]}])
def test_something_else_is_no_result(wrong: object) -> None:
    with pytest.raises(InvalidInput, match=r"f\.json.*no result that a page can show"):
        sections(wrong, "f.json")


@pytest.mark.parametrize("broken", [
    {"configurations": [], "results": [{}], "sets": [{"set": "a"}]}, {"configurations": ["a"], "results": 1, "sets": []}, {"curves": {"en": [{}]}, "default": 0.1}, {"max_tokens": 1, "rows": [{}]},
    {"sets": [{"recipes": [{"recipe": "a"}]}]}, {"curves": 3},
])  # fmt: skip
def test_a_broken_result_is_named(broken: object) -> None:
    with pytest.raises(InvalidInput, match=r"f\.json.*is not what `jiyi eval \w+ --json` writes"):
        sections(broken, "f.json")


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"jiyi\[eval\].*eval report"):
        render([], title="", made="")


def test_distances_are_marked_where_they_are_not_too_near() -> None:
    far, near = ([Line("l", [Point(x, 0.5) for x in xs])] for xs in ((10, 30), (410, 448, 2600)))
    drawn = svg(Plot("t", "x", "y", far, log=True), "p")
    assert ">10<" in drawn and ">30<" in drawn and ">20<" not in drawn
    drawn = svg(Plot("t", "x", "y", near, log=True), "p")
    assert ">500<" in drawn and ">410<" not in drawn


def test_a_plot_of_anything_can_be_drawn() -> None:
    lines = [Line(f"线 {at}", [Point(1 + at, 0.5, 0.0, 1.0)]) for at in range(20)]
    drawn = svg(Plot("比较 $x", "字数 <1>", "份额", lines, log=True), "p")
    assert (
        "字数 &lt;1&gt;" in drawn
        and "份额" in drawn
        and drawn == svg(Plot("比较 $x", "字数 <1>", "份额", lines, log=True), "p")
    )
    for points in ([Point(0.0, 0.0)], [Point(3.0, 1.0), Point(3.0, 0.0)], [Point(0.1, 0.2), Point(0.2, 0.1)]):
        assert svg(Plot("t", "x", "y", [Line("l", points)], share=True), "p").startswith("<svg")
    assert render([Section("t", [], [])], title="t", made="m")
