"""Readers of files: formats, names, times, and what is said about broken lines."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from jiyi import importing
from jiyi.errors import InvalidInput
from jiyi.importing import Entry, Problem, Source


def read(data: object, form: str | None = None, **source: object) -> list[importing.Read]:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    stream = io.BytesIO(raw)
    found = form or importing.detect(stream)
    return list(importing.read(stream, Source("chat", **source), found))  # type: ignore[arg-type]


def lines(*values: object) -> bytes:
    return b"".join(v if isinstance(v, bytes) else json.dumps(v).encode() + b"\n" for v in values)


def entries(found: list[importing.Read]) -> list[Entry]:
    assert all(isinstance(item, Entry) for item in found), found
    return [item for item in found if isinstance(item, Entry)]


def problems(found: list[importing.Read]) -> list[Problem]:
    return [item for item in found if isinstance(item, Problem)]


def conversation(*messages: dict[str, object], **more: object) -> dict[str, object]:
    session = {"session_id": "S1", "started_at": "2024-03-15", "messages": list(messages)}
    return {"conversation_id": "c1", "user_id": "ada", "sessions": [session], **more}


def said(ident: str, text: str, **more: object) -> dict[str, object]:
    return {"message_id": ident, "role": "user", "speaker": "Ada", "content": text, "created_at": None, **more}


# -- the data format


def test_data_keeps_ids_names_and_times() -> None:
    (entry,) = entries(read(lines(conversation(said("m1", "hello")))))
    assert (entry.line, entry.user_id, entry.session_id, entry.message_id) == (1, "ada", "S1", "m1")
    assert entry.fields["name"] == "Ada"
    assert entry.fields["created_at"] == datetime(2024, 3, 15, tzinfo=UTC)


@pytest.mark.parametrize("speaker", ["user", "User", "ASSISTANT", "assistant", None, ""])
def test_a_speaker_that_is_a_role_is_no_name(speaker: str | None) -> None:
    (entry,) = entries(read(lines(conversation(said("m1", "hello", speaker=speaker)))))
    assert "name" not in entry.fields


def test_zoneless_times_take_the_zone_given_and_others_keep_theirs() -> None:
    shanghai = timezone(timedelta(hours=8))
    data = lines(
        conversation(said("m1", "a", created_at="2024-05-01T08:00:00"), said("m2", "b", created_at="2024-05-01T00:00Z"))
    )
    first, second = entries(read(data, zone=importing.zone("+08:00")))
    assert first.fields["created_at"] == datetime(2024, 5, 1, 8, tzinfo=shanghai)
    assert first.fields["created_at"] == second.fields["created_at"]


def test_two_conversations_of_one_user_do_not_mix() -> None:
    data = lines(conversation(said("m1", "a")), conversation(said("m1", "b"), conversation_id="c2"))
    first, second = entries(read(data))
    assert (first.session_id, first.message_id) == ("S1", "m1")
    assert (second.session_id, second.message_id) == ("c2/S1", "c2/m1")
    kept = entries(read(data, apart=True))
    assert [entry.message_id for entry in kept] == ["m1", "m1"]


def test_every_broken_place_is_named_and_the_rest_is_read() -> None:
    data = lines(
        conversation(said("m1", "fine"), said("m2", "x", role="narrator"), said("m3", "x", created_at="soon")),
        b'{"conversation_id": "c2", "user_id": \n',
        {"conversation_id": "c3", "user_id": "", "sessions": []},
        {"conversation_id": "c4", "user_id": "ada", "sessions": {}},
        b"[1]\n",
        b"\xff\xfe\n",
        conversation(said("m9", "fine too"), conversation_id="c5"),
    )
    found = read(data)
    assert [(p.line, p.what.split(":")[0]) for p in problems(found)] == [
        (1, "sessions[0].messages[1].role"),
        (1, "sessions[0].messages[2].created_at"),
        (2, "broken JSON"),
        (3, "user_id"),
        (4, "sessions"),
        (5, "must be a JSON object, not list"),
        (6, "not UTF-8 (byte 1 of the line)"),
    ]
    assert [item.message_id for item in found if isinstance(item, Entry)] == ["m1", "m9"]


def test_an_id_for_two_messages_is_a_problem_and_a_repeat_is_not() -> None:
    data = lines(conversation(said("m1", "a"), said("m1", "a"), said("m1", "b")))
    found = read(data)
    assert len(entries(found[:2])) == 2
    assert "names another message on line 1" in problems(found)[0].what


# -- chat messages

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "hi"},
    {"role": "user", "content": "hi"},
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("wrap", [lambda c: c, lambda c: {"messages": c}, lambda c: [{"messages": c}], lambda c: [c]])
def test_chats_in_every_shape(wrap, indent: int | None) -> None:
    found = entries(read(json.dumps(wrap(CHAT), indent=indent).encode(), user_id="ada"))
    assert [entry.fields["content"] for entry in found] == ["Be brief.", "hi", "hi"]
    assert len({entry.message_id for entry in found}) == 3
    assert {entry.session_id for entry in found} == {found[0].session_id}


def test_chats_one_a_line_are_sessions_of_their_own() -> None:
    data = lines({"messages": CHAT}, {"messages": CHAT, "id": "named", "title": "Hello"})
    found = entries(read(data, user_id="ada"))
    assert len({entry.session_id for entry in found}) == 2
    assert found[3].session_id == "named" and found[3].title == "Hello"


def test_the_same_file_gives_the_same_ids_and_a_longer_one_too() -> None:
    before = entries(read(CHAT, user_id="ada"))
    after = entries(read([*CHAT, {"role": "assistant", "content": "hello"}], user_id="ada"))
    assert [(e.session_id, e.message_id) for e in before] == [(e.session_id, e.message_id) for e in after[:3]]


def test_chats_need_a_user() -> None:
    assert "give --user" in problems(read(CHAT))[0].what


def test_tool_calls_and_parts_stay() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    chat = [
        {"role": "user", "content": [{"type": "text", "text": "look"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
    ]
    found = entries(read(chat, user_id="ada"))
    assert found[1].fields["tool_calls"] == [call] and found[2].fields["tool_call_id"] == "c1"


def test_a_broken_list_names_the_line() -> None:
    data = b'[\n  {"role": "user", "content": "a"},\n  {"role": "wizard", "content": "b"},\n  {"role" "x"}\n]'
    assert [problem.line for problem in problems(read(data, user_id="ada"))] == [3, 4]


@pytest.mark.parametrize("data", [b'[{"role": "user", "content": "a"}', b"[1, 2]", b'[{"messages": 3}]', b"[[[[", b"["])
def test_odd_lists_are_problems(data: bytes) -> None:
    assert problems(read(data, user_id="ada"))


# -- a message a line


def test_lines_keep_what_they_say() -> None:
    value = {
        "user_id": "ada", "session_id": "s", "id": 7, "role": "user", "content": "x", "created_at": 1714521600,
        "mood": "good", "metadata": {"a": 1},
    }  # fmt: skip
    (entry,) = entries(read(lines(value)))
    assert entry.message_id == "7"
    assert entry.fields["metadata"] == {"mood": "good", "a": 1}
    assert entry.fields["created_at"] == datetime(2024, 5, 1, tzinfo=UTC)


def test_statements_have_no_session() -> None:
    value = {"kind": "statement", "user_id": "ada", "content": "likes tea", "category": "taste", "importance": 0.5}
    (entry,) = entries(read(lines(value)))
    assert entry.session_id == "" and entry.fields["text"] == "likes tea" and entry.fields["category"] == "taste"
    assert problems(read(lines({**value, "importance": 3})))[0].what.startswith("importance")


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"role": "user", "content": "x"}, "user_id"),
        ({"user_id": {"a": 1}, "role": "user", "content": "x"}, "user_id"),
        ({"user_id": "ada", "role": "nobody", "content": "x"}, "role"),
        ({"user_id": "ada", "role": "user"}, "content"),
        ({"user_id": "ada", "role": "user", "content": "a\0b"}, "content"),
        ({"user_id": "ada", "role": "user", "content": "half \ud800"}, "content"),
        ({"user_id": "ada", "role": "user", "content": "x" * 5_000_000}, "content"),
        ({"user_id": "ada", "role": "user", "content": "x", "created_at": "yesterday"}, "created_at"),
        ({"user_id": "ada", "role": "user", "content": "x", "created_at": True}, "created_at"),
        ({"user_id": "ada", "role": "user", "content": "x", "created_at": 1e300}, "created_at"),
        ({"user_id": "ada", "role": "user", "content": "x", "metadata": 3}, "metadata"),
        ({"kind": "statement", "user_id": "ada", "role": "system", "content": "x"}, "role"),
        ({"kind": "statement", "user_id": "ada", "metadata": {"a": 1}}, "content"),
        ({"kind": "statement", "user_id": "ada", "role": "assistant"}, "content"),
        ({"kind": "command", "user_id": "ada"}, "metadata.command"),
        ({"kind": "command", "user_id": "ada", "metadata": {"command": "drop", "record": "r"}}, "metadata.command"),
        ({"kind": "command", "user_id": "ada", "metadata": {"command": "pin"}}, "metadata.record"),
        ({"kind": "command", "user_id": "ada", "content": 3, "metadata": {"command": "pin", "record": "r"}}, "content"),
        ({"user_id": "ada", "role": "user", "content": "x", "id": " "}, "message_id"),
        ({"user_id": "ada", "role": "user", "content": "x", "session_id": ["s"]}, "session_id"),
    ],
)
def test_a_bad_field_is_named_with_its_line(line: dict[str, object], field: str) -> None:
    good = {"user_id": "ada", "role": "user", "content": "fine"}
    (problem,) = problems(read(lines(good, line), "jsonl"))
    assert (problem.line, problem.what.split(":")[0]) == (2, field)


@pytest.mark.parametrize(
    "bad", [b"{\n", b'{"a": NaN}\n', b"[" * 100_000 + b"\n", b'"text"\n', b"null\n", b'{"n": 1' + b"0" * 5000 + b"}\n"]
)
def test_broken_json_never_raises(bad: bytes) -> None:
    good = {"user_id": "ada", "role": "user", "content": "fine"}
    found = read(lines(good, bad, good), "jsonl")
    assert [p.line for p in problems(found)] == [2]
    assert len(found) == 3


def test_a_byte_order_mark_and_empty_lines_are_passed_over() -> None:
    good = {"user_id": "ada", "role": "user", "content": "fine"}
    assert len(entries(read(b"\xef\xbb\xbf" + lines(good) + b"\r\n  \n" + lines(good)))) == 2


def test_formats_are_told_apart() -> None:
    cases = {
        b"": "jsonl",
        b'{"role": "user"}': "jsonl",
        b'{"broken\n{"role": "user"}\n': "jsonl",
        b'{"messages": []}': "openai",
        b'{\n  "messages": []\n}': "openai",
        b"  [\n]": "openai",
        b'{"sessions": []}': "data",
    }
    assert {data: importing.detect(io.BytesIO(data)) for data in cases} == cases


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "+8h", "\0"])
def test_unknown_zones_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="timezone"):
        importing.zone(name)
