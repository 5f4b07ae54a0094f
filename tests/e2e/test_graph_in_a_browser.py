"""The page of a graph in Chromium, where that is installed: it can be read, searched and used with keys alone."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jiyi.graph import EntityGraph
from jiyi.graph.page import page
from tests.e2e.test_page_in_a_browser import BROWSER, looked_at
from tests.graphs import Told, pen_name, pen_name_zh

LOOK = """
<script>
const found = [];
const wait = time => new Promise(done => setTimeout(done, time));
function luminance(colour) {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}
function overlap(texts) {
  const boxes = texts.map(text => text.getBoundingClientRect());
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 6 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6)).length;
}
async function look(width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width: ${width}px; height: 800px; border: 0`;
  frame.src = "page.html";
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  await wait(300);
  const page = frame.contentDocument, window_ = frame.contentWindow, style = element => window_.getComputedStyle(element);
  const key = (element, name) => element.dispatchEvent(new window_.KeyboardEvent("keydown", { key: name, bubbles: true }));
  const seen = element => style(element).display !== "none";
  const names = () => [...page.querySelectorAll("#names text")].filter(seen);
  const told = () => page.getElementById("told").textContent;
  const box = page.getElementById("graph").getBoundingClientRect();
  const dots = [...page.querySelectorAll(".node circle")].map(dot => dot.getBoundingClientRect());
  const one = {
    width,
    needed: page.documentElement.scrollWidth,
    paper: luminance(style(page.body).backgroundColor),
    ink: luminance(style(page.body).color),
    dots: dots.length,
    smallest: Math.min(...dots.map(dot => dot.width)),
    outside: dots.filter(dot => dot.left < box.left || dot.right > box.right || dot.top < box.top || dot.bottom > box.bottom).length,
    names: names().length,
    clipped: names().map(text => text.getBoundingClientRect()).filter(one => one.left < box.left || one.right > box.right).length,
    letters: Math.min(...names().map(text => text.getBoundingClientRect().height)),
    overlapping: overlap(names()),
    heads: page.querySelectorAll(".edge path.line").length,
    at_first: told(),
    title: page.title,
    keyboard: [...page.querySelectorAll(".node")].every(node => node.getAttribute("tabindex") === "0" && node.getAttribute("aria-label")),
    injected: page.querySelectorAll("img, script:not(#data)").length,
    requests: window_.performance.getEntriesByType("resource").length,
  };
  const node = page.querySelectorAll(".node")[1];
  node.focus(); key(node, "Enter");
  await wait(60);
  one.chosen = told();
  one.dim = page.querySelectorAll(".node.dim").length;
  page.querySelector(".edge").dispatchEvent(new window_.MouseEvent("click", { bubbles: true }));
  one.edge = told();
  const search = page.getElementById("search");
  search.value = SEARCHED; search.dispatchEvent(new window_.Event("input", { bubbles: true }));
  one.searched = told(); one.count = page.getElementById("count").textContent;
  key(page.body, "Escape");
  const type = page.querySelector("#types button");
  type.click();
  one.hidden = [...page.querySelectorAll(".node")].filter(node => !seen(node)).length;
  type.click();
  const before = page.getElementById("scene").getAttribute("transform");
  key(page.getElementById("graph"), "+");
  one.zoomed = page.getElementById("scene").getAttribute("transform") !== before;
  found.push(one);
}
(async () => {
  for (const width of [390, 1200]) await look(width);
  document.body.innerHTML = `<pre id="found"></pre>`;
  document.getElementById("found").textContent = JSON.stringify(found);
})();
</script>
"""


def seen(folder: Path, graph: EntityGraph, scheme: str, searched: str) -> list[dict[str, Any]]:
    (folder / "page.html").write_text(page(graph, "ada"), encoding="utf-8")
    look = LOOK.replace("SEARCHED", repr(searched))
    (folder / "look.html").write_text(f"<!doctype html><meta charset=utf-8><body>{look}", encoding="utf-8")
    return looked_at(folder / "look.html", scheme)


def many(count: int) -> EntityGraph:
    """So many names, a few of which have very many relations."""
    chance, told = random.Random(3), Told()
    first = told.message("To begin with.")
    names = [f"{chance.choice(('Alder', 'Brook', '晨光'))} Works {number}" for number in range(count)]
    for number, name in enumerate(names):
        told.entity(name, first, type=("person", "project", "place", "")[number % 4])
    for number in range(1, count):
        other = names[int(number * chance.random() ** 2)]
        said = told.message(f"{names[number]} uses {other}.")
        told.relation(names[number], chance.choice(("uses", "created", "leads")), other, said)
    return told.graph()


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_small_graph_with_the_answer_to_a_question(tmp_path: Path, scheme: str) -> None:
    graph = replace(pen_name().graph(), query="Which backend does the project that Moyu started use?")
    for one in seen(tmp_path, graph, scheme, "alder"):
        where = f"{scheme}, {one['width']} pixels"
        assert one["needed"] <= one["width"], f"{where}: scrolls sideways"
        light, dark = (one["paper"], one["ink"]) if scheme == "light" else (one["ink"], one["paper"])
        assert light > 0.8 > 0.2 > dark, where
        assert (one["dots"], one["heads"], one["outside"], one["overlapping"]) == (5, 4, 0, 0), where
        assert one["letters"] >= 11 and one["smallest"] >= 7, where
        assert (
            "Moyu —created→ Starfinch" in one["at_first"]
            and "“Starfinch uses FastAPI as its backend”" in one["at_first"]
        )
        assert "2026-03-04 · session s · message m3" in one["at_first"]
        assert "Moyu —created→ Starfinch" in one["chosen"] and "Chen Mo —has the pen name→ Moyu" in one["chosen"]
        assert one["dim"] == 2 and "“Chen Mo writes under the pen name Moyu”" in one["edge"]
        assert one["searched"].endswith("Alder LabsChen Mo") and one["count"] == "2 found"
        assert one["hidden"] == 2 and one["zoomed"] and one["keyboard"] and one["requests"] == 0


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_in_chinese(tmp_path: Path) -> None:
    for one in seen(tmp_path, pen_name_zh().graph(), "light", "发起"):
        assert "记忆" in one["title"] and one["names"] == 5 and one["overlapping"] == 0
        assert "墨鱼 —创建→ 星雀" in one["chosen"] and "2026-03-03 · 会话 s · 消息 m2" in one["chosen"]
        assert one["count"] == "找到 2 个"


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_three_hundred_names(tmp_path: Path) -> None:
    for one in seen(tmp_path, many(300), "light", "Works 17"):
        assert one["needed"] <= one["width"] and one["dots"] == 300 and one["outside"] == 0
        assert one["overlapping"] == 0 and one["letters"] >= 11 and one["smallest"] >= 3
        assert one["names"] >= (40 if one["width"] > 1000 else 10)


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_names_are_text_whatever_stands_in_them(tmp_path: Path) -> None:
    evil = "</script><script>document.title='hurt'</script><img src=x onerror=alert(1)>&amp;\u2028"
    told = Told()
    first = told.message(f"{evil} uses Redis.")
    told.entity(evil, first, type='"><b>', traits={"": evil})
    told.entity("Redis", first)
    told.relation(evil, "uses", "Redis", first)
    for one in seen(tmp_path, told.graph(), "light", "img"):
        assert "hurt" not in one["title"] and one["injected"] == 1 and one["requests"] == 0
        assert "<img src=x onerror=alert(1)>" in one["edge"]


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_long_names_at_the_edge_stand_there_whole(tmp_path: Path) -> None:
    told = Told()
    said = told.message("They were all there.")
    for number in range(9):
        told.entity(f"Meridian Grid Authority {number}", said, type="organisation")
    told.relation("Meridian Grid Authority 0", "uses", "Meridian Grid Authority 1", said)
    wide = [one for one in seen(tmp_path, told.graph(), "light", "grid") if one["width"] > 1000]
    assert [(one["clipped"], one["names"] > 4) for one in wide] == [(0, True)]
