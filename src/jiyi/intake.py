"""Turns what a caller gives into a ``Message``, or says which field is wrong.  Pure."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal, TypedDict, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from jiyi.errors import InvalidInput
from jiyi.media import without_files
from jiyi.text import check_text
from jiyi.types import JSON, ROLES, Content, Message, Part

MAX_CONTENT_BYTES = 4 * 1024 * 1024
"""Largest text of one message, in UTF-8 bytes: far above what any model takes at once, small enough to handle."""

MAX_ID = 512

Moment = datetime | Literal["now"] | None
"""When something was said: a datetime with zone, ``"now"``, or None when nobody knows."""


class Details(TypedDict, total=False):
    """What may be said of a message beside its role and content."""

    name: str | None
    created_at: Moment
    message_id: str | None
    metadata: Mapping[str, JSON] | None
    tool_calls: Sequence[Part] | None
    tool_call_id: str | None
    incomplete: bool
    importance: float | None
    pinned: bool


_KNOWN = Details.__annotations__.keys()


def identifier(field: str, value: object) -> str:
    """Checks an id: text, not blank, no spaces around it, no control characters.

    Raises:
        InvalidInput: names ``field``.
    """
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    if not value.strip():
        raise InvalidInput(field, "must not be empty")
    if value != value.strip():
        raise InvalidInput(field, f"{value!r} has spaces around it; remove them")
    if len(value) > MAX_ID:
        raise InvalidInput(field, f"has {len(value)} characters; at most {MAX_ID}")
    check_text(field, value)
    if any(ord(char) < 32 or ord(char) == 127 for char in value):
        raise InvalidInput(field, f"{value!r} has a control character; remove it")
    return value


def limit(field: str, value: object) -> None:
    """Checks a number of things: a whole number from 0, or None for all.

    Raises:
        InvalidInput: names ``field``.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InvalidInput(field, f"must be a whole number from 0, not {value!r}")


def fraction(field: str, value: object) -> float:
    """Checks a number between 0 and 1, and gives it back.

    Raises:
        InvalidInput: names the field.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(field, f"must be a number from 0 to 1, not {value!r}")
    return float(value)


def part(field: str, value: object) -> float:
    """Checks a share of a whole, above 0 and at most 1, and gives it back.

    Raises:
        InvalidInput: names the field.
    """
    number = fraction(field, value)
    if not number:
        raise InvalidInput(field, "must be above 0")
    return number


def positive(field: str, value: object) -> int:
    """Checks a whole number above 0, and gives it back.

    Raises:
        InvalidInput: names the field.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise InvalidInput(field, f"must be a whole number above 0, not {value!r}")
    return value


def moment(field: str, value: object, now: datetime) -> datetime | None:
    """Checks a time.

    Raises:
        InvalidInput: not a datetime, or one without zone.
    """
    if value is None or value == "now":
        return now if value == "now" else None
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be a datetime with zone, 'now' or None, not {value!r}")
    if value.utcoffset() is None:
        raise InvalidInput(field, f"{value.isoformat()} has no time zone; give one, for example tzinfo=datetime.UTC")
    return value


def zone(field: str, value: object) -> ZoneInfo | None:
    """Checks the name of a time zone, such as ``Asia/Shanghai``; "" gives None.

    Raises:
        InvalidInput: there is no such zone, or this machine has no list of zones.
    """
    if value == "" or value is None:
        return None
    try:
        return ZoneInfo(str(value))
    except (OSError, ValueError, ZoneInfoNotFoundError) as error:
        raise InvalidInput(
            field,
            f"{value!r} is no time zone; give a name of the IANA list, for example Asia/Shanghai or Europe/Berlin"
            " (a machine without that list needs pip install tzdata)",
        ) from error


def in_zone(message: Message, zone: ZoneInfo) -> Message:
    """The same message, the moment at which it was said on that zone's clock: days begin there."""
    said_at = message.created_at
    return message if said_at is None else message.but(created_at=said_at.astimezone(zone))


def draft(session_id: str, role: object, content: object, details: Details, *, now: datetime, at: str = "") -> Message:
    """Builds a message that is ready for its digest and the store.

    Args:
        session_id: where it goes.
        role: one of ``ROLES``.
        content: text, parts, or None for an assistant that only called tools.
        details: the rest.
        now: the time to record.
        at: prefix for field names in errors, for example ``messages[3].``.

    Raises:
        InvalidInput: names the field.
    """
    if unknown := details.keys() - _KNOWN:
        raise InvalidInput(at + sorted(unknown)[0], f"unknown field; there are {', '.join(Details.__annotations__)}")
    if role not in ROLES:
        raise InvalidInput(f"{at}role", f"{role!r} is not one of {', '.join(ROLES)}")
    calls = _calls(f"{at}tool_calls", details.get("tool_calls"))
    call_id = details.get("tool_call_id")
    if role == "tool" and not call_id:
        raise InvalidInput(f"{at}tool_call_id", "a tool message needs the id of the call it answers")
    if content is None and role != "assistant":
        raise InvalidInput(f"{at}content", "must be text or a list of parts; only an assistant may say nothing")
    name, given_id, importance = details.get("name"), details.get("message_id"), details.get("importance")
    return Message(
        id=identifier(f"{at}message_id", given_id) if given_id else new_id(now),
        session_id=session_id,
        role=role,
        content=_content(f"{at}content", content),
        name=check_text(f"{at}name", name) if name else None,
        tool_calls=calls,
        tool_call_id=identifier(f"{at}tool_call_id", call_id) if call_id else None,
        created_at=moment(f"{at}created_at", details.get("created_at", "now"), now),
        metadata=json_object(f"{at}metadata", details.get("metadata")),
        incomplete=bool(details.get("incomplete", False)),
        importance=None if importance is None else fraction(f"{at}importance", importance),
        pinned=bool(details.get("pinned", False)),
        recorded_at=now,
    )


def statement(
    text: str | None, details: Details, *, now: datetime, role: object = "user", category: object = None
) -> Message:
    """Builds something stated outside a conversation, ready for the store.

    Args:
        text: None where a program keeps a value beside it, and no words.
        details: as for ``draft``.
        now: the time to record.
        role: whose words they are.
        category: None for none.

    Raises:
        InvalidInput: names the field.
    """
    named = None if category is None else identifier("category", category)
    return replace(draft("", role, text, details, now=now), kind="statement", category=named)


def command(text: str | None, details: Details, *, now: datetime, at: str = "") -> Message:
    """Builds an order about a record, ready for the store: see ``jiyi.commands`` for what its metadata says.

    Args:
        text: what the record is to say; None where it stays as it is.
        details: as for ``draft``.
        now: the time to record.
        at: prefix for field names in errors.

    Raises:
        InvalidInput: names the field.
    """
    said = check_text(f"{at}content", text) if text is not None else None
    return replace(draft("", "user", said or "", details, now=now, at=at), kind="command", content=said)


def given(messages: object, session_id: str, *, now: datetime, name_them: bool = True) -> list[Message]:
    """Builds messages from mappings, as ``add_many`` and ``sync`` take them.

    Args:
        messages: mappings with role, content and what ``Details`` allows; ``id`` is read as ``message_id``, as chat
            clients write it.
        session_id: where they go.
        now: the time to record.
        name_them: False leaves the id of a message that came without one empty.

    Raises:
        InvalidInput: names ``messages[i].field``.
    """
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Sequence):
        raise InvalidInput("messages", "must be a list of messages")
    drafts: list[Message] = []
    for index, item in enumerate(cast("Sequence[object]", messages)):
        at = f"messages[{index}]"
        if not isinstance(item, Mapping):
            raise InvalidInput(at, f"must be a mapping with role and content, not {type(item).__name__}")
        rest = _said(at, cast("Mapping[object, object]", item))
        role, content = rest.pop("role", None), rest.pop("content", None)
        if "refusal" in rest and content is None:  # as OpenAI's clients give it; this is its form as a part
            content = [{"type": "refusal", "refusal": rest.pop("refusal")}]
        if "id" in rest:
            rest.setdefault("message_id", rest["id"])
            del rest["id"]
        built = draft(session_id, role, content, cast("Details", rest), now=now, at=f"{at}.")
        drafts.append(built if name_them or rest.get("message_id") else replace(built, id=""))
    return drafts


def _said(at: str, item: Mapping[object, object]) -> dict[str, object]:
    """The fields of a message that say something: client libraries write out their empty ones too."""
    said: dict[str, object] = {}
    for key, value in item.items():
        if not isinstance(key, str):
            raise InvalidInput(at, f"has the key {key!r}; keys must be text")
        if value is not None and (value not in ([], {}) or key in ("content", "role")):
            said[key] = value
    return said


def new_id(now: datetime) -> str:
    """A fresh id: the second, then 56 random bits; unique within a scope for all practical purposes.

    The second comes first so that new ids lie together in a store's index: random ones would change a page of it each.
    """
    return f"{int(now.timestamp()) & 0xFFFFFFFF:08x}{secrets.token_hex(7)}"


def json_object(field: str, value: object) -> Mapping[str, JSON]:
    """Checks that a mapping can be written as JSON, and copies it.

    Raises:
        InvalidInput: names ``field``.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be a mapping, not {type(value).__name__}")
    try:
        written = json.dumps(dict(cast("Mapping[str, object]", value)), ensure_ascii=False, allow_nan=False)
        written.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field, f"cannot be written as JSON: {error}") from error
    return cast("Mapping[str, JSON]", json.loads(written))


def _calls(field: str, value: object) -> tuple[Part, ...]:
    if not value:
        return ()
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise InvalidInput(field, "must be a list of tool calls")
    calls = [json_object(f"{field}[{i}]", call) for i, call in enumerate(cast("Sequence[object]", value))]
    for index, call in enumerate(calls):
        if not isinstance(call.get("id"), str):
            raise InvalidInput(f"{field}[{index}].id", "a tool call needs an id")
        if not isinstance(call.get("function", {}), Mapping):
            raise InvalidInput(f"{field}[{index}].function", "must be a mapping with name and arguments")
    return tuple(calls)


def _content(field: str, value: object) -> Content:
    if value is None:
        return None
    if isinstance(value, str):
        return _sized(field, check_text(field, value))
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Sequence):
        raise InvalidInput(field, "must be text or a list of parts")
    parts: list[Part] = []
    for index, part in enumerate(cast("Sequence[object]", value)):
        at = f"{field}[{index}]"
        kept = json_object(at, {"type": "text", "text": part} if isinstance(part, str) else part)
        if not isinstance(kept.get("type"), str):
            raise InvalidInput(f"{at}.type", "a part needs a type, for example text or image_url")
        if kept["type"] == "text":
            _sized(f"{at}.text", check_text(f"{at}.text", kept.get("text")))
        parts.append(cast("Part", without_files(kept)))
    return tuple(parts)


def _sized(field: str, text: str) -> str:
    if len(text) > MAX_CONTENT_BYTES // 4 and (size := len(text.encode())) > MAX_CONTENT_BYTES:
        raise InvalidInput(
            field,
            f"{size:,} bytes; at most {MAX_CONTENT_BYTES:,}. Split it, or keep it as a file and store a reference",
        )
    return text
