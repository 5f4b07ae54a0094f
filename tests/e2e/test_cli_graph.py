"""``jiyi graph`` and ``jiyi entities`` on the command line: the pen-name story, by rules alone."""

from __future__ import annotations

import io
from pathlib import Path

import networkx
import pytest

from tests.e2e.conftest import Run, line, write_lines

STORY = (
    "Chen Mo writes under the pen name Moyu.",
    "Moyu started the project Starfinch last spring.",
    "Starfinch uses FastAPI as its backend.",
    "Chen Mo works at Alder Labs.",
)
QUESTION = "Which backend does the project that Moyu started use?"


@pytest.fixture
def story(jiyi: Run, here: Path) -> Run:
    said = [line(text, created_at=f"2026-03-0{day}T09:00:00Z") for day, text in enumerate(STORY, start=2)]
    jiyi("import", str(write_lines(here / "said.jsonl", *said))).well()
    return jiyi


def test_a_question_over_two_hops(story: Run) -> None:
    out = story("graph", QUESTION).well().out.splitlines()
    assert out[0].startswith("Moyu —created→ Starfinch —has the backend→ FastAPI   (")
    assert out[1].startswith("    “Moyu started the project Starfinch last spring” — 2026-03-03, session s1, message ")
    assert out[2].startswith("    “Starfinch uses FastAPI as its backend” — 2026-03-04, session s1, message ")
    (best, *_) = story("graph", QUESTION, "--json").well().json["paths"]
    assert best["text"] == out[0].partition("   (")[0] and best["forward"] == [True, True]
    assert [quote["text"] for quote in best["quotes"]] == [STORY[1].rstrip("."), STORY[2].rstrip(".")]
    assert "契合度" in story("graph", "谁创建了Starfinch？").well().out


def test_all_relations_and_between_two_names(story: Run) -> None:
    out = story("graph").well().out
    assert out.count("—") >= 8 and "Chen Mo —has the pen name→ Moyu" in out and "Chen Mo —works at→ Alder Labs" in out
    assert "more; --limit" in story("graph", "--limit", "1").well().out
    out = story("graph", "--about", "alder labs", "--to", "FastAPI", "--hops", "3").well().out
    assert "Nothing" in out
    out = story("graph", "--about", "Alder Labs", "--to", "starfinch", "--hops", "3").well().out
    assert out.startswith("Alder Labs ←works at— Chen Mo —has the pen name→ Moyu —created→ Starfinch")


def test_what_nobody_said(story: Run) -> None:
    assert "names nobody" in story("graph", "What is the weather like?").well().out
    assert "没有提到" in story("graph", "天气怎么样？").well().out
    assert "Nothing that was said answers this" in story("graph", "What does Moyu eat?").well().out
    assert story("graph", "What has Chen Mo for breakfast?").well().out.startswith("Nothing that was said answers this")
    assert (
        story("graph", "Who teaches Chen Mo?")
        .well()
        .out.startswith("Nothing that was said answers this. What is known")
    )
    assert story("graph", "谁给Starfinch供应零件？").well().out.startswith("说过的话里没有答案。与之有关的是：")


def test_a_name_that_nobody_said(story: Run) -> None:
    assert "“Zara” is no name that is known; `jiyi entities` lists them" in story("graph", "--about", "Zara").well().out
    out = story("graph", "--about", "Chen Mo", "--to", "张伟").well().out
    assert "没有叫“张伟”的；`jiyi entities` 列出已知的" in out


def test_the_page_shows_no_path_that_answers_nothing(story: Run, here: Path) -> None:
    story("graph", "Who teaches Chen Mo?", "--html", "g.html").well()
    assert '"path":[]' in (here / "g.html").read_text(encoding="utf-8")
    story("graph", QUESTION, "--html", "g.html").well()
    assert '"path":[]' not in (here / "g.html").read_text(encoding="utf-8")


def test_formats_and_files(story: Run, here: Path) -> None:
    assert story("graph", "--format", "mermaid").well().out.startswith("graph LR\n")
    ran = story("graph", "--format", "graphml", "--output", "g.graphml").well()
    assert ran.out == "" and "g.graphml is written" in ran.err
    read = networkx.read_graphml(io.BytesIO((here / "g.graphml").read_bytes()), force_multigraph=True)
    assert read.number_of_edges() >= 4
    ran = story("graph", QUESTION, "--html", "g.html").well()
    text = (here / "g.html").read_text(encoding="utf-8")
    assert "g.html is written" in ran.err and "Starfinch" in text and text.startswith("<!doctype html>")
    found = story("graph", "--format", "json").well().json
    assert len(found["relations"]) >= 4 and found["paths"] == []
    assert story("graph", "--html", str(here / "no" / "g.html")).code == 2
    assert story("graph", "--hops", "4").code == 2


def test_entities(story: Run) -> None:
    found = {one["name"]: one for one in story("entities", "--json").well().json}
    assert found.keys() >= {"Chen Mo", "Moyu", "Starfinch", "FastAPI", "Alder Labs"}
    assert found["Starfinch"]["type"] == "project" and len(found["Starfinch"]["quotes"]) == 2
    assert "Alder Labs" in story("entities", "--type", "organisation").well().out
    assert "Starfinch" not in story("entities", "--type", "organisation").well().out
    assert "Moyu" in story("entities", "What has Moyu written?").well().out
    out = story("entities", "--type", "persons").well().out
    assert "no entities of type 'persons'; there are organisation, person, project, technology" in out
    assert "no entities answer 'Who is Zara?'" in story("entities", "Who is Zara?").well().out


def test_as_of(story: Run) -> None:
    out = story("graph", "--as-of", "2026-03-03T12:00:00Z").well().out
    assert "Starfinch" in out and "FastAPI" not in out


def test_nothing_yet(jiyi: Run, here: Path) -> None:
    jiyi("add", "--user", "ada", "--session", "s", "hello").well()
    out = jiyi("graph").well().out
    assert "No relations are known yet" in out and "还不知道任何关系" in out


def test_a_hospital_is_an_organisation_that_is_asked_for(jiyi: Run, here: Path) -> None:
    said = ("我的主治医生是王建平，他在协和医院工作。", "My doctor is Anna Weiss. Anna Weiss works at Mercy Hospital.")
    for number, (text, question, path) in enumerate(
        zip(
            said,
            ("我的医生在哪家医院？", "At which hospital does my doctor work?"),
            ("协和医院", "Mercy Hospital"),
            strict=True,
        )
    ):
        user = f"u{number}"
        jiyi("add", "--user", user, text).well()
        assert path in jiyi("graph", "--user", user, question).well().out.splitlines()[0]
