"""Import and export: all or nothing, a listed remainder, hostile files, Ctrl-C and going on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.conftest import Ran, Run, line, write_lines

BROKEN = [
    ('{"user_id": "ada", "role": "user", "content": ', "broken JSON"),
    ('{"user_id": "ada", "role": "user", "content": "a\\u0000b"}', "NUL"),
    ('{"user_id": "ada", "role": "user", "content": "\\ud83d"}', "surrogate"),
    ('{"user_id": "ada", "role": "user", "content": "x", "created_at": "31.12.2024"}', "created_at"),
    ('{"user_id": {}, "role": "user", "content": "x"}', "user_id"),
    ('{"user_id": "ada", "role": "wizard", "content": "x"}', "role"),
    ('{"user_id": "ada", "role": "user", "content": "' + "x" * 5_000_000 + '"}', "content"),
    ("[" * 50_000, "broken JSON"),
]


def messages(jiyi: Run, user: str = "ada") -> list[str]:
    ran = jiyi("export", "--user", user)
    return [json.loads(row)["content"] for row in ran.out.splitlines()]


@pytest.mark.parametrize(("bad", "what"), BROKEN, ids=[what + str(i) for i, (_, what) in enumerate(BROKEN)])
def test_a_broken_line_stores_nothing_or_is_left_out(jiyi: Run, here: Path, bad: str, what: str) -> None:
    write_lines(here / "chat.jsonl", line("one"), bad, line("two"))
    refused = jiyi("import", "chat.jsonl", "--json")
    assert (refused.code, refused.out) == (2, "")
    (problem,) = refused.error["problems"]
    assert problem["line"] == 2 and what in problem["message"]
    assert not (here / "jiyi.db").exists()

    plain = jiyi("import", "chat.jsonl")
    assert plain.code == 2 and "line 2" in plain.err and "--skip-broken" in plain.err

    rest = jiyi("import", "chat.jsonl", "--skip-broken").well()
    assert "left out: line 2" in rest.err
    assert messages(jiyi) == ["one", "two"]


def test_importing_again_adds_nothing_and_a_longer_file_only_what_is_new(jiyi: Run, here: Path) -> None:
    chat = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": "hi"},
    ]
    write_lines(here / "chat.json", chat)
    first = jiyi("import", "chat.json", "--user", "ada", "--json").well().json
    assert (first["format"], first["new"], first["total"], first["sessions"]) == ("openai", 3, 3, 1)
    assert jiyi("import", "chat.json", "--user", "ada", "--json").well().json["new"] == 0
    write_lines(here / "chat.json", [*chat, {"role": "assistant", "content": "bye"}])
    assert jiyi("import", "chat.json", "--user", "ada", "--json").well().json["new"] == 1
    assert messages(jiyi) == ["hi", "hi", "hi", "bye"]


def test_an_id_that_names_another_message_stores_nothing(jiyi: Run, here: Path) -> None:
    write_lines(here / "a.jsonl", line("tea", id="m1"))
    write_lines(here / "b.jsonl", line("new", id="m0"), line("coffee", id="m1"), line("last", id="m2"))
    jiyi("import", "a.jsonl").well()
    refused = jiyi("import", "b.jsonl", "--json")
    assert refused.code == 2 and refused.error["problems"][0]["line"] == 2
    assert messages(jiyi) == ["tea"]
    kept = jiyi("import", "b.jsonl", "--skip-broken", "--json").well().json
    assert kept["new"] == 2 and [problem["line"] for problem in kept["problems"]] == [2]
    assert messages(jiyi) == ["tea", "new", "last"]


def test_chats_need_a_user(jiyi: Run, here: Path) -> None:
    write_lines(here / "chat.json", [{"role": "user", "content": "hi"}])
    assert "--user" in jiyi("import", "chat.json").err


def test_standard_input_and_a_session_of_ones_own(jiyi: Run) -> None:
    data = json.dumps([{"role": "user", "content": "from a pipe"}])
    jiyi("import", "-", "--user", "ada", "--session", "mine", stdin=data).well()
    assert [row["id"] for row in jiyi("sessions", "--user", "ada", "--json").json] == ["mine"]
    assert jiyi("import", "-", "--user", "ada", stdin=b"").well().out


def test_a_data_directory(jiyi: Run, here: Path) -> None:
    said = {"message_id": "m1", "role": "user", "speaker": "李雪", "content": "我最喜欢鼓浪屿", "created_at": None}
    session = {"session_id": "S1", "started_at": "2023-05-01", "messages": [said]}
    (here / "set").mkdir()
    write_lines(
        here / "set" / "conversations.jsonl", {"conversation_id": "c", "user_id": "李雪", "sessions": [session]}
    )
    jiyi("import", "set", "--timezone", "Asia/Shanghai").well()
    (hit,) = jiyi("search", "--user", "李雪", "鼓浪屿", "--floor", "0", "--json").well().json
    assert (hit["id"], hit["session_id"], hit["name"]) == ("m1", "S1", "李雪")
    assert hit["created_at"] == "2023-05-01T00:00:00+08:00"


def test_the_order_of_the_file_is_the_order_of_the_log(jiyi: Run, here: Path) -> None:
    values = [line(f"n{i}", session_id=f"s{i % 7}", user_id=f"u{i % 2}") for i in range(60)]
    write_lines(here / "chat.jsonl", *values)
    jiyi("import", "chat.jsonl").well()
    for user in ("u0", "u1"):
        assert messages(jiyi, user) == [value["content"] for value in values if value["user_id"] == user]


def test_export_comes_back_the_same(jiyi: Run, here: Path) -> None:
    correct = {"command": "correct", "record": "r1", "key": "ada.drinks", "sources": ["m1"]}
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    write_lines(
        here / "chat.jsonl",
        line("日程", id="m1", created_at="2026-03-01T20:16:00+08:00", name="林越", mood="good"),
        line(None, role="assistant", id="m2", tool_calls=[call]),
        line("42", role="tool", id="m3", tool_call_id="c1"),
        line([{"type": "text", "text": "look"}], id="m4"),
        {"kind": "statement", "user_id": "ada", "id": "m5", "content": "tea", "category": "taste", "pinned": True},
        {"kind": "command", "user_id": "ada", "id": "m6", "content": "Ada likes coffee", "metadata": correct},
        {"kind": "command", "user_id": "ada", "id": "m7", "metadata": {"command": "pin", "record": "r1"}},
    )
    jiyi("import", "chat.jsonl").well()
    assert "0 new, 7 known" in jiyi("import", "chat.jsonl").well().out
    jiyi("export", "out.jsonl").well()
    jiyi("--db", "other.db", "import", "out.jsonl").well()
    jiyi("--db", "other.db", "export", "again.jsonl").well()
    assert (here / "out.jsonl").read_bytes() == (here / "again.jsonl").read_bytes()
    for form in ("openai", "data"):
        ran = jiyi("export", "--format", form).well()
        assert "3 statements and commands" in ran.err and "42" in ran.out


def test_no_index_leaves_it_for_later(jiyi: Run, here: Path) -> None:
    write_lines(here / "chat.jsonl", line("one"), line("two"))
    assert "jiyi reindex" in jiyi("import", "chat.jsonl", "--no-index").well().out
    assert jiyi("stats", "--json").json["pending"] == 2
    jiyi("reindex").well()
    assert jiyi("stats", "--json").json["pending"] == 0


# -- as a process of its own


def start(*args: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "jiyi", *args]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def test_ctrl_c_in_the_middle_leaves_a_whole_database_and_the_next_run_goes_on(process: Run, here: Path) -> None:
    total = 12_000
    write_lines(here / "chat.jsonl", *(line(f"message number {i}", session_id=f"s{i // 3}") for i in range(total)))
    running = start("import", "chat.jsonl")
    log = here / "jiyi.db-wal"
    deadline = time.monotonic() + 60
    while (not log.exists() or log.stat().st_size < 300_000) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert b"Traceback" not in err and b"again" in err and out == b""
    stored = process("stats", "--json").well().json["messages"]
    assert 0 < stored < total
    summary = process("import", "chat.jsonl", "--json").well().json
    assert (summary["new"], summary["total"], summary["waiting"]) == (total - stored, total, 0)
    rows = process("export").well().out.splitlines()
    assert [json.loads(row)["content"] for row in rows] == [f"message number {i}" for i in range(total)]


def test_ctrl_c_while_the_program_is_loaded_is_told_in_a_line(process: Run, here: Path) -> None:
    (here / "click.py").write_text("raise KeyboardInterrupt\n")  # as if it came just then
    path = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    ran = process("import", "chat.jsonl", PYTHONPATH=path)
    assert ran.code == -signal.SIGINT and ran.err == "jiyi: interrupted; nothing was done\n"


def test_a_reader_that_has_seen_enough_is_no_error(process: Run, here: Path) -> None:
    write_lines(here / "chat.jsonl", *(line("word " * 200, session_id=f"s{i}") for i in range(500)))
    process("import", "chat.jsonl", "--no-index").well()
    with start("export") as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert (running.wait(60), running.stderr.read()) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk", "utf-16"])
def test_odd_encodings_of_the_output_never_fail(process: Run, here: Path, encoding: str) -> None:
    write_lines(here / "chat.jsonl", line("晚上吃🍜 é", id="🍜"))
    process("import", "chat.jsonl", PYTHONIOENCODING=encoding).well()
    for command in (["search", "--floor", "0", "吃"], ["context", "吃"], ["sessions"]):
        process(*command, "--user", "ada", PYTHONIOENCODING=encoding).well()
    ran = process("search", "--user", "ada", "--floor", "0", "吃", "--json", PYTHONIOENCODING="ascii")
    assert ran.well().json[0]["text"] == "晚上吃🍜 é"


def test_arguments_that_are_not_utf8_are_refused(process: Run) -> None:
    bad = os.fsdecode(b"caf\xe9")
    ran = process("add", "--user", "ada", bad, "--json")
    assert ran.code == 2 and ran.error["field"] == "content"
    assert process("add", "--user", bad, "x").code == 2


def test_python_m_jiyi_in_an_empty_directory(process: Run) -> None:
    ran: Ran = process("search", "--user", "ada", "x", "--json")
    assert (ran.code, ran.out, ran.error["type"]) == (3, "", "NotFound")
    assert process("--help").well().out.startswith("Usage: jiyi")


def test_export_never_writes_over_the_database_and_never_half(jiyi: Run, here: Path) -> None:
    jiyi("add", "--user", "ada", "hello").well()
    refused = jiyi("export", "jiyi.db")
    assert refused.code == 2 and "database itself" in refused.err
    jiyi("sessions", "--user", "ada").well()
    (here / "out.jsonl").write_text("what was there", encoding="utf-8")
    assert jiyi("export", "out.jsonl", "--user", "nobody").code == 3
    assert (here / "out.jsonl").read_text(encoding="utf-8") == "what was there"
    jiyi("export", "out.jsonl").well()
    assert [file.name for file in here.iterdir() if file.name.endswith(".part")] == []


def test_secrets_are_redacted_and_counted(jiyi: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JIYI_REDACT", "on")
    write_lines(
        here / "chat.jsonl", line("card 4111111111111111"), line("密码是abc123"), line("order no. 4111111111111111")
    )
    first = jiyi("import", "chat.jsonl", "--json").well().json
    assert first["redacted"] == {"card": 1, "password": 1}
    again = jiyi("import", "chat.jsonl").well()
    assert "0 new" in again.out and "1 card, 1 password" in again.out
    assert messages(jiyi) == ["card [redacted: card]", "密码是[已隐去：密码]", "order no. 4111111111111111"]
    assert "redacted: 1 password" in jiyi("add", "my password is hunter2", "--user", "ada").well().out
    monkeypatch.setenv("JIYI_REDACT", "cards")
    assert "there are private_key, key" in jiyi("users").err
