"""Entries: the messages of a file, checked one by one.  Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TypeAlias, cast

from jiyi import intake
from jiyi.commands import DOES
from jiyi.errors import InvalidInput
from jiyi.importing.values import Object, Problem, digest, moment, text_of
from jiyi.types import MessageKind

ROLE_NAMES = frozenset({"user", "assistant"})
"""Speakers that name a role and nobody in particular; they are not kept as names."""

_PLAIN = ("role", "content", "tool_calls", "tool_call_id", "incomplete", "importance", "pinned")
_STATED = ("category", "importance", "pinned")
_KNOWN = frozenset(
    {
        *_PLAIN,
        *_STATED,
        "id",
        "message_id",
        "user_id",
        "session_id",
        "name",
        "speaker",
        "created_at",
        "metadata",
        "kind",
    }
)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands in for the time where a message is only checked."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message, statement or command of a file, checked and ready to store.

    Attributes:
        line: where it stands, from 1.
        session_id: "" for a statement or a command.
        fields: what ``add_many`` takes; for a statement ``text``, None where it has no words, and what ``remember``
            takes; for a command ``text``, and what ``intake.command`` takes.
        title: of the session, "" when it has none.
        conversation_id: of the data format, else "".
    """

    line: int
    user_id: str
    session_id: str
    fields: Mapping[str, object]
    title: str = ""
    conversation_id: str = ""
    kind: MessageKind = "message"

    @property
    def message_id(self) -> str:
        return cast("str", self.fields["message_id"])


Read: TypeAlias = "Entry | Problem"


@dataclass(frozen=True, slots=True)
class Source:
    """How a file is to be read.

    Attributes:
        name: of the file; sessions without an id are named after it.
        user_id: whose everything is, whatever the file says; None to take the file's word.
        session_id: the same for the session.
        zone: of dates that name none.
        apart: each conversation is kept apart by the caller, so its ids stay as they are.
    """

    name: str
    user_id: str | None = None
    session_id: str | None = None
    zone: tzinfo = UTC
    apart: bool = False


class Maker:
    """Makes the entries of one session."""

    def __init__(  # noqa: PLR0913 - what a session says of all its messages
        self,
        source: Source,
        user_id: str,
        session_id: str,
        *,
        started: datetime | None = None,
        title: str = "",
        conversation: str = "",
        own: Callable[[str, str], str] = lambda kind, name: name,
    ) -> None:
        self._source = source
        self._user = user_id
        self._session = session_id
        self._started = started
        self._title = title
        self._conversation = conversation
        self._own = own
        self._count = 0

    def make(self, line: int, value: object, where: str) -> Read:
        """Checks one message; ``where`` leads to it within the line."""
        place, self._count = self._count, self._count + 1
        at = f"{where}." if where else ""
        try:
            if not isinstance(value, Mapping):
                raise InvalidInput(where or "line", f"must be a message, not {type(value).__name__}")
            fields = self._fields(cast("Object", value), place, at)
            details = {key: item for key, item in fields.items() if key not in ("role", "content")}
            session = intake.identifier("session_id", self._session)
            built = cast("intake.Details", details)
            intake.draft(session, fields.get("role"), fields.get("content"), built, now=LONG_AGO, at=at)
        except InvalidInput as error:
            return Problem(line, str(error))
        return Entry(line, self._user, session, fields, self._title, self._conversation)

    def _fields(self, value: Object, place: int, at: str) -> dict[str, object]:
        fields = {key: value[key] for key in _PLAIN if key in value}
        fields["content"] = value.get("content")
        given = _given_id(value, at)
        made = f"imp-{digest(self._session, place, value.get('role'), value.get('content'))[:12].hex()}"
        fields["message_id"] = self._own("message", given) if given else made
        fields["created_at"] = moment(f"{at}created_at", value.get("created_at"), self._source.zone) or self._started
        if name := _name(value):
            fields["name"] = name
        if (metadata := _metadata(value)) is not None:
            fields["metadata"] = metadata
        return fields


def _statement(line: int, user: str, value: Object, source: Source) -> Entry:
    said, role = value.get("content"), value.get("role")
    wordless = said is None and role == "assistant" and bool(value.get("metadata"))  # as programs keep values
    text = None if wordless else intake.check_text("content", said)
    if text is not None and not text.strip():
        raise InvalidInput("content", "must not be empty")
    fields: dict[str, object] = {key: value[key] for key in _STATED if value.get(key) is not None}
    if "category" in fields:
        intake.identifier("category", fields["category"])
    fields["text"] = text
    fields |= _details(line, text, value, source)
    details = {key: item for key, item in fields.items() if key not in ("text", "category")}
    if role in ("assistant", "user"):  # a model's words do not become the user's on the way
        fields["role"] = role
    elif role is not None:
        raise InvalidInput("role", f"of a statement must be 'user' or 'assistant', not {role!r}")
    intake.draft("", role or "user", text, cast("intake.Details", details), now=LONG_AGO)
    return Entry(line, user, "", fields, kind="statement")


def _command(line: int, user: str, value: Object, source: Source) -> Entry:
    said = value.get("metadata")
    order: Object = cast("Object", said) if isinstance(said, Mapping) else dict[str, object]()
    if order.get("command") not in DOES:
        raise InvalidInput("metadata.command", f"{order.get('command')!r} is not one of {', '.join(DOES)}")
    text_of(order, "record", "metadata.")
    text = value.get("content")
    if text is not None and not isinstance(text, str):
        raise InvalidInput("content", "must be text")
    details = _details(line, text, value, source)
    intake.command(text, cast("intake.Details", details), now=LONG_AGO)
    return Entry(line, user, "", {"text": text, **details}, kind="command")


OUTSIDE: Mapping[str, Callable[[int, str, Object, Source], Entry]] = {"statement": _statement, "command": _command}
"""Who reads what stands in no session, by kind."""


def _details(line: int, text: str | None, value: Object, source: Source) -> dict[str, object]:
    """What every entry outside a session says beside its text."""
    fields: dict[str, object] = {"message_id": _given_id(value, "") or f"imp-{digest('', line, text)[:12].hex()}"}
    fields["created_at"] = moment("created_at", value.get("created_at"), source.zone)
    if (metadata := _metadata(value)) is not None:
        fields["metadata"] = metadata
    return fields


def _given_id(value: Object, at: str) -> str | None:
    given = value.get("message_id", value.get("id"))
    if isinstance(given, int) and not isinstance(given, bool):
        given = str(given)
    return None if given is None else intake.identifier(f"{at}message_id", given)


def _name(value: Object) -> object:
    if name := value.get("name"):
        return name
    speaker = value.get("speaker")
    plain = isinstance(speaker, str) and speaker.casefold() in ROLE_NAMES | {value.get("role")}
    return None if plain else speaker


def _metadata(value: Object) -> object:
    """The message's metadata and whatever else it says that has no field of ours; a null says nothing."""
    extra = {key: item for key, item in value.items() if key not in _KNOWN and item is not None}
    given = value.get("metadata")
    if not extra:
        return given
    return {**extra, **cast("Object", given)} if isinstance(given, Mapping) else extra if given is None else given
