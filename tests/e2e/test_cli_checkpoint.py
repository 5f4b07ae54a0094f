"""``jiyi checkpoint``: the commands one after another, as a person types them, and what they say when something is wrong."""

from __future__ import annotations

import json

import pytest

from tests.e2e.conftest import Run

HERE = ("--user", "李雪", "--session", "旅行")


@pytest.fixture
def said(jiyi: Run) -> Run:
    """A session with one turn."""
    jiyi("add", "去里斯本，预算五百", *HERE, "--id", "m1").well()
    jiyi("add", "坐飞机还是火车？", *HERE, "--role", "assistant", "--id", "m2").well()
    return jiyi


def test_saved_left_compared_and_gone_back_to(said: Run) -> None:
    out = said("checkpoint", "save", "第一版", *HERE, "--state", '{"步骤": 3}').well().out
    assert out == "saved 第一版 after 2 messages of session 旅行\n"
    said("add", "坐飞机", *HERE).well()
    out = said("checkpoint", "diff", "第一版", *HERE).well().out
    assert "in common up to: assistant: 坐飞机还是火车？" in out
    assert "only 第一版: nothing" in out and "only now:\n  user: 坐飞机\n" in out
    out = said("checkpoint", "restore", "第一版", *HERE).well().out
    assert out.startswith("session 旅行 stands at 第一版 again, after 2 messages\n")
    assert json.loads(out.split("\n", 1)[1]) == {"步骤": 3}
    said("add", "坐火车", *HERE).well()
    found = said("checkpoint", "diff", "第一版", *HERE, "--json").well().json
    assert (found["common"]["id"], found["only_a"]) == ("m2", [])
    assert [message["content"] for message in found["only_b"]] == ["坐火车"]
    table = said("checkpoint", "list", *HERE).well().out
    assert "第一版" in table and '{"步骤": 3}' in table


def test_a_fork_and_the_end_of_a_name(said: Run) -> None:
    said("checkpoint", "save", "cp", *HERE).well()
    assert (
        said("checkpoint", "fork", "cp", *HERE, "--to", "另一条").well().out
        == "session 另一条 begins with 2 messages of 旅行\n"
    )
    fresh = said("checkpoint", "fork", *HERE, "--json").well().json
    assert (fresh["messages"], fresh["forked_from"]) == (2, {"session_id": "旅行", "checkpoint": None})
    names = [row["id"] for row in said("sessions", "--user", "李雪", "--json").well().json]
    assert set(names) == {"旅行", "另一条", fresh["session_id"]}
    assert (
        said("checkpoint", "rm", "cp", *HERE).well().out == "deleted checkpoint cp; the messages of session 旅行 stay\n"
    )
    assert "has no checkpoints" in said("checkpoint", "list", *HERE).well().out
    assert said("checkpoint", "list", *HERE, "--json").well().json == []


def test_what_programs_get(said: Run) -> None:
    saved = said("checkpoint", "save", "cp", *HERE, "--state", "-", "--json", stdin='{"n": [1, null]}').well().json
    created = saved.pop("created_at")
    assert created and saved == {
        "name": "cp", "session_id": "旅行", "message_id": "m2", "messages": 2, "automatic": False, "state": {"n": [1, None]},
    }  # fmt: skip
    assert said("checkpoint", "restore", "cp", *HERE, "--json").well().json == saved | {"created_at": created}
    assert said("checkpoint", "rm", "cp", *HERE, "--json").well().json == {"deleted": "cp"}
    assert said("stats", "--json").well().json["checkpoints"] == 0


def test_what_is_wrong_is_said(said: Run) -> None:
    said("checkpoint", "save", "cp", *HERE).well()
    taken = said("checkpoint", "save", "cp", *HERE)
    assert (taken.code, "already" in taken.err) == (2, True)
    said("checkpoint", "save", "cp", *HERE, "--overwrite").well()
    for command in ("restore", "rm", "diff", "fork"):
        missing = said("checkpoint", command, "cq", *HERE)
        assert missing.code == 3 and "no checkpoint 'cq'; there are 'cp'" in missing.err
    for command in (("save", "x"), ("list",), ("restore", "cp"), ("fork",), ("diff", "cp"), ("rm", "cp")):
        nobody = said("checkpoint", *command, "--user", "李雪", "--session", "旅 行")
        assert nobody.code == 3 and "no session '旅 行'" in nobody.err
        assert said("checkpoint", *command).code == 2
    for state in ("{", "[1]", "3"):
        wrong = said("checkpoint", "save", "x", *HERE, "--state", state, "--json")
        assert (wrong.code, wrong.error["field"]) == (2, "state")
    for name in ("", " x", "auto:7"):
        wrong = said("checkpoint", "save", name, *HERE, "--json")
        assert (wrong.code, wrong.error["field"]) == (2, "name")
    assert [row["name"] for row in said("checkpoint", "list", *HERE, "--json").well().json] == ["cp"]


def test_names_cannot_steer_the_terminal(said: Run) -> None:
    said("checkpoint", "save", "a\u202eb", *HERE).well()
    said("add", "\x1b[31mred", *HERE).well()
    for command in (("list",), ("diff", "a\u202eb"), ("restore", "a\u202eb")):
        out = said("checkpoint", *command, *HERE).well().out
        assert "\u202e" not in out and "\x1b" not in out


def test_without_a_database(jiyi: Run) -> None:
    assert jiyi("checkpoint", "list", *HERE).code == 3
