"""Weights fitted on the command line: written when they are better, refused when they are not."""

from __future__ import annotations

import json
import random
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from jiyi import Memory
from jiyi.cli import fitting
from jiyi.eval.features import FITTED
from jiyi.weights import changes, weights_of
from tests.e2e.conftest import Run
from tests.e2e.test_cli_own_history import bytes_of

pytest.importorskip("numpy")

WORDS = {
    "en": (
        [
            "lantern",
            "kettle",
            "ribbon",
            "saddle",
            "violin",
            "anchor",
            "basket",
            "candle",
            "feather",
            "hammer",
            "mirror",
            "pillow",
            "ladder",
        ],
        ["market", "harbour", "station", "library", "museum", "garden"],
        ["Ada", "Bob", "Cleo"],
        "Mine is the {thing} of course",
        "Somebody left a {thing} at the {place} number {n}",
        "At which market station or library did {who} say she left her {thing}, number {n}?",
    ),
    "zh": (
        ["灯笼", "水壶", "丝带", "马鞍", "提琴", "船锚", "篮子", "蜡烛", "羽毛", "锤子", "镜子", "枕头", "梯子"],
        ["市场", "港口", "车站", "图书馆", "博物馆", "花园"],
        ["阿达", "小波", "小可"],
        "那个{thing}当然是我的",
        "有人把{thing}落在{place}了，编号{n}",
        "{who}说她把{thing}落在哪个市场、车站或者图书馆了，编号{n}？",
    ),
}


def planted(folder: Path, language: str, *, conversations: int = 4, seed: int = 0) -> Path:
    """Questions name a speaker, who says little of what is asked; others say all of it, many times.

    With a seed any message is marked as evidence instead.
    """
    things, places, (asked_of, *others), right, wrong, question = WORDS[language]
    rng = random.Random(seed)
    said: list[Any] = []
    asked: list[Any] = []
    for c in range(conversations):
        names, sessions = count(), []
        rows: list[Any] = []
        for day, thing in enumerate(things, 1):
            texts = [(rng.choice(others), wrong.format(thing=thing, place=place, n=c)) for place in places]
            texts.insert(rng.randrange(len(places)), (asked_of, right.format(thing=thing)))
            messages = [
                {"message_id": f"{c}-{next(names)}", "role": "user", "speaker": who, "content": text,
                 "created_at": f"2024-03-{day:02}T10:0{minute}:00Z"}
                for minute, (who, text) in enumerate(texts)
            ]  # fmt: skip
            sessions.append({"session_id": f"{c}-{day}", "messages": messages})
            evidence = [message["message_id"] for message in messages if message["speaker"] == asked_of]
            text = question.format(who=asked_of, thing=thing, n=c)
            rows.append({"question_id": f"q{c}-{day}", "conversation_id": f"c{c}", "question": text, "category": "",
                         "evidence": evidence, "evidence_level": "message"})  # fmt: skip
        for row in rows if seed else ():
            row["evidence"] = [rng.choice([m["message_id"] for one in sessions for m in one["messages"]])]
        said.append({"conversation_id": f"c{c}", "user_id": "ada", "sessions": sessions})
        asked += rows
    folder.mkdir()
    for name, lines in (("conversations", said), ("questions", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


FIT = ("--embedder", "hashing", "eval", "fit")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_part_that_matters_is_found_and_its_weights_are_written(jiyi: Run, here: Path, language: str) -> None:
    planted(here / "set", language)
    value = jiyi(*FIT, "set", "--k", "3", "--out", "fitted.json", "--json").well().json
    assert value["better"] and not value["against"]
    assert (value["questions"], value["folds"], value["held_out"]) == (52, 4, "conversations")
    parts = {one["part"]: one for one in value["parts"]}
    assert list(parts) == list(FITTED) and parts["speaker"]["low"] > 2 and parts["dense"]["factor"] == 1
    recall, mrr = value["results"]
    assert recall["measure"] == "recall@3" and recall["difference"] > 0.05 and recall["low"] > 0 and mrr["p"] < 0.025
    written = json.loads((here / "fitted.json").read_text(encoding="utf-8"))
    assert written == value["weights"] == changes(weights_of("fitted.json"))
    with Memory.open("memory:", embedder=None, ranking="fitted.json") as memory:
        assert memory.search("?", user_id="ada") == []
    found = jiyi(
        "--embedder", "hashing", "eval", "recall", "set", "--k", "3", "--compare", "default", "fitted.json", "--json"
    )
    (again,) = [
        one for one in found.well().json["differences"]
        if (one["level"], one["category"], one["metric"], one["k"]) == ("message", "ALL", "recall", 3)
    ]  # fmt: skip
    assert again["value_a"] == recall["shipped"] and again["value_b"] >= recall["fitted"] - 0.1


def test_what_it_says_and_what_it_never_overwrites(jiyi: Run, here: Path) -> None:
    planted(here / "set", "en")
    (here / "fitted.json").write_text("mine", encoding="utf-8")
    ran = jiyi(*FIT, "set", "--k", "3", "--out", "fitted.json")
    assert ran.code == 2 and "--force" in ran.err and (here / "fitted.json").read_text() == "mine"
    ran = jiyi(*FIT, "set", "--k", "3", "--out", "fitted.json", "--force").well()
    assert "speaker (whether it is of the speaker whom the question names) counts" in ran.out
    assert "4 folds, conversations" in ran.out and "JIYI_RANKING=fitted.json" in ran.err
    assert weights_of("fitted.json").speaker > weights_of(None).speaker
    ran = jiyi(*FIT, "set", "--k", "3", "--markdown").well()
    assert "| speaker |" in ran.out and "With --out FILE" in ran.err


def test_labels_by_chance_are_refused(jiyi: Run, here: Path) -> None:
    planted(here / "set", "en", seed=3)
    ran = jiyi(*FIT, "set", "--out", "fitted.json", "--force")
    assert ran.code == 7 and "Refused" in ran.err and not (here / "fitted.json").exists()
    value = jiyi(*FIT, "set", "--json")
    assert value.code == 7 and not value.json["better"] and value.json["against"] in ran.err


def test_constants_that_are_not_fitted_stay_as_one_has_set_them(
    jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(here / "set", "en")
    (here / "mine.json").write_text('{"floor": 0.7, "speaker": 9}', encoding="utf-8")
    plain = jiyi(*FIT, "set", "--json").well().json
    monkeypatch.setenv("JIYI_RANKING", "mine.json")
    value = jiyi(*FIT, "set", "--json").well().json
    assert value["weights"] == {**plain["weights"], "floor": 0.7} and value["results"] == plain["results"]


def test_a_history_of_the_database(jiyi: Run, here: Path) -> None:
    planted(here / "set", "en", conversations=1)
    lines = []
    for session in json.loads((here / "set" / "conversations.jsonl").read_text())["sessions"]:
        for message in session["messages"]:
            message["name"] = message.pop("speaker")
            lines.append({"user_id": "ada", "session_id": session["session_id"], **message})
    (here / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    jiyi("--embedder", "hashing", "import", "said.jsonl").well()
    rows = [json.loads(line) for line in (here / "set" / "questions.jsonl").read_text().splitlines()]
    for row in rows:
        del row["conversation_id"]
    asked = [
        {**row, "question": f"{row['question']}{'?' * n}", "question_id": f"{row['question_id']}{n}"} for row in rows for n in range(4)
    ]  # fmt: skip
    for name, part in (("few.jsonl", asked[:49]), ("q.jsonl", asked)):
        (here / name).write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    before = bytes_of(here)
    few = jiyi(*FIT, "--user", "ada", "--questions", "few.jsonl")
    assert few.code == 2 and "at least 50" in few.err and "49" in few.err
    value = jiyi(*FIT, "--user", "ada", "--questions", "q.jsonl", "--k", "3", "--json").well().json
    assert (value["folds"], value["held_out"], value["questions"]) == (5, "stretches of sessions", 52)
    assert bytes_of(here) == before


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    [
        ([], 2, "name directories"),
        (["none"], 3, "conversations.jsonl"),
        (["set", "--user", "ada"], 2, "either"),
        (["--user", "nobody", "--questions", "set/questions.jsonl"], 3, "jiyi.db"),
        (["set"], 2, "at least 50"),
        (["set", "--out", "no/where.json"], 2, "directory"),
    ],
)
def test_what_is_wrong_is_said(jiyi: Run, here: Path, arguments: list[str], code: int, what: str) -> None:
    planted(here / "set", "en", conversations=1)
    ran = jiyi("eval", "fit", *arguments)
    assert ran.code == code and what in ran.err and not (here / "jiyi.db").exists()


def test_stopping_says_how_to_go_on(jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    planted(here / "set", "en")
    monkeypatch.setattr(fitting, "cross_validated", stop)
    ran = jiyi(*FIT, "set", "--out", "fitted.json", "--cache", "kept")
    assert ran.code == 130 and "4 of 4 conversations are done" in ran.err and "kept" in ran.err
    assert not (here / "fitted.json").exists()
