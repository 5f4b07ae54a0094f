"""What is exported and imported again is the same."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from jiyi import exporting, importing, intake
from jiyi.commands import DOES, Does
from jiyi.importing import Entry, Source
from jiyi.types import Message

NOW = datetime(2026, 1, 1, tzinfo=UTC)
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)
ident = st.text("abc:#日-_.", min_size=1, max_size=8)
zoned = st.none() | st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
part = st.fixed_dictionaries({"type": st.just("text"), "text": text})


@st.composite
def messages(draw: st.DrawFn) -> list[Message]:
    ids = draw(st.lists(ident, unique=True, min_size=1, max_size=6))
    return [
        intake.draft(
            draw(st.sampled_from(["s1", "s2"])),
            draw(st.sampled_from(["user", "assistant", "system"])),
            draw(text | st.lists(part, min_size=1, max_size=2)),
            {
                "message_id": name,
                "name": draw(st.none() | st.sampled_from(["Ada", "user", "李雪"])),
                "created_at": draw(zoned),
                "metadata": draw(
                    st.dictionaries(st.sampled_from(["a", "name", "kind"]), st.integers() | text, max_size=2)
                ),
                "incomplete": draw(st.booleans()),
            },
            now=NOW,
        )
        for name in ids
    ]


def back(lines: list[dict[str, object]], form: str) -> list[Message]:
    raw = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    found = list(importing.read(io.BytesIO(raw), Source("x", user_id="ada"), form))  # type: ignore[arg-type]
    assert all(isinstance(item, Entry) for item in found), found
    made: list[Message] = []
    for entry in found:
        assert isinstance(entry, Entry)
        rest = {key: value for key, value in entry.fields.items() if key not in ("role", "content")}
        role, content = entry.fields["role"], entry.fields["content"]
        made.append(intake.draft(entry.session_id, role, content, rest, now=NOW))  # type: ignore[arg-type]
    return made


@given(messages())
def test_lines_come_back_as_they_were(said: list[Message]) -> None:
    assert back([exporting.as_line("ada", message) for message in said], "jsonl") == said


@given(st.lists(ident, unique=True, min_size=1, max_size=4), st.none() | text, zoned, st.sampled_from(DOES))
def test_commands_come_back_with_what_they_are_about(
    ids: list[str], said: str | None, at: datetime | None, does: Does
) -> None:  # fmt: skip
    order = {"command": does, "record": ids[0], "mark": "c0ffee", "sources": ids, "opens": False, "importance": 0.5}
    details: intake.Details = {"message_id": ids[-1], "created_at": at, "metadata": order}
    command = intake.command(said, details, now=NOW)
    raw = json.dumps(exporting.as_line("ada", command)).encode()
    (entry,) = importing.read(io.BytesIO(raw), Source("x"), "jsonl")
    assert isinstance(entry, Entry)
    fields = dict(entry.fields)
    back = intake.command(fields.pop("text"), fields, now=NOW)  # type: ignore[arg-type]
    assert (entry.kind, entry.user_id, entry.session_id, back) == ("command", "ada", "", command)


@given(messages())
def test_conversations_come_back_by_session(said: list[Message]) -> None:
    found = back([exporting.as_conversation("ada", said)], "data")
    place = {session: n for n, session in enumerate(dict.fromkeys(m.session_id for m in said))}
    expected = sorted(said, key=lambda message: place[message.session_id])

    def kept(message: Message) -> tuple[object, ...]:
        return (message.id, message.session_id, message.role, message.content, dict(message.metadata))

    assert list(map(kept, found)) == list(map(kept, expected))


@given(messages())
def test_chats_come_back_word_for_word(said: list[Message]) -> None:
    found = back(list(exporting.as_chats(said)), "openai")
    assert sorted(m.text for m in found) == sorted(m.text for m in said)


@given(text, st.none() | ident, st.none() | st.floats(0, 1), st.booleans(), st.sampled_from(["user", "assistant"]))
def test_statements_come_back(
    words: str, category: str | None, importance: float | None, pinned: bool, role: str
) -> None:
    if not words.strip():
        return
    stated = replace(
        intake.draft("", role, words, {"created_at": NOW, "message_id": "m"}, now=NOW),
        kind="statement", category=category, importance=importance, pinned=pinned,
    )  # fmt: skip
    raw = json.dumps(exporting.as_line("ada", stated)).encode()
    (entry,) = importing.read(io.BytesIO(raw), Source("x"), "jsonl")
    assert isinstance(entry, Entry) and entry.session_id == ""
    expected = {"text": words, "message_id": "m", "created_at": NOW, "category": category, "importance": importance}
    assert {key: entry.fields.get(key) for key in expected} == expected
    assert (entry.fields.get("pinned", False), entry.fields.get("role", "user")) == (pinned, role)
