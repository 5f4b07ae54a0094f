"""The three formats, each from a stream of bytes to entries and problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO, cast

from jiyi import intake
from jiyi.errors import InvalidInput
from jiyi.importing.entries import OUTSIDE, Maker, Read, Source
from jiyi.importing.values import Object, Problem, digest, items, lines, moment, objects, text_of


def read_conversations(stream: BinaryIO, source: Source) -> Iterator[Read]:
    taken: dict[tuple[str, str, str], str] = {}
    for line, value in lines(stream):
        if isinstance(value, Problem):
            yield value
            continue
        try:
            conversation = text_of(value, "conversation_id")
            user = source.user_id or intake.identifier("user_id", text_of(value, "user_id"))
            sessions = items(value, "sessions")
        except InvalidInput as error:
            yield Problem(line, str(error))
            continue

        def own(kind: str, name: str, user: str = user, conversation: str = conversation) -> str:
            """Ids are unique within a conversation only: one that the user's other conversation has is qualified."""
            owner = taken.setdefault((kind, user, name), conversation)
            return name if source.apart or owner == conversation else f"{conversation}/{name}"

        for number, session in enumerate(sessions):
            at = f"sessions[{number}]"
            try:
                if not isinstance(session, Mapping):
                    raise InvalidInput(at, "must be an object")
                session = cast("Object", session)
                name = source.session_id or own("session", text_of(session, "session_id", f"{at}."))
                started = moment(f"{at}.started_at", session.get("started_at"), source.zone)
                messages = items(session, "messages", f"{at}.")
            except InvalidInput as error:
                yield Problem(line, str(error))
                continue
            title = session.get("title")
            maker = Maker(source, user, name, started=started, title=title if isinstance(title, str) else "",
                           conversation=conversation, own=own)  # fmt: skip
            for index, message in enumerate(messages):
                yield maker.make(line, message, f"{at}.messages[{index}]")


def read_chats(stream: BinaryIO, source: Source) -> Iterator[Read]:
    try:
        text = stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield Problem(1, f"not UTF-8 (byte {error.start + 1} of the file)")
        return
    if source.user_id is None:
        yield Problem(1, "user_id: a list of chat messages does not say whose it is; give --user")
        return
    single: Maker | None = None
    for number, (line, value) in enumerate(objects(text)):
        if isinstance(value, Problem):
            yield value
        elif isinstance(value, Mapping) and "messages" not in value:
            value = cast("Object", value)
            single = single or _chat(source, {}, value, 0)
            yield single.make(line, value, f"[{number}]")
        else:
            chat = cast("Object", value) if isinstance(value, Mapping) else {"messages": value}
            messages = chat["messages"]
            if not isinstance(messages, list):
                yield Problem(line, f"messages: must be a list, not {type(messages).__name__}")
                continue
            messages = cast("list[object]", messages)
            maker = _chat(source, chat, messages[0] if messages else None, number)
            for index, message in enumerate(messages):
                yield maker.make(line, message, f"messages[{index}]")


def _chat(source: Source, chat: Object, first: object, number: int) -> Maker:
    """Names the session of a chat: by its own id, else by the file, its place in it and its first message."""
    given = [chat[key] for key in ("session_id", "conversation_id", "id") if isinstance(chat.get(key), (str, int))]
    stem = f"{source.name}-{number + 1}" if number else source.name
    made = f"{stem}-{digest(first)[:4].hex()}"
    title = chat.get("title")
    session = source.session_id or (str(given[0]) if given else made)
    return Maker(source, cast("str", source.user_id), session, title=title if isinstance(title, str) else "")


def read_lines(stream: BinaryIO, source: Source) -> Iterator[Read]:
    makers: dict[tuple[str, str], Maker] = {}
    default_session: str | None = source.session_id
    for line, value in lines(stream):
        if isinstance(value, Problem):
            yield value
            continue
        try:
            if source.user_id is None and "user_id" not in value:
                raise InvalidInput("user_id", "missing; name it on the line or give --user")
            user = source.user_id or intake.identifier("user_id", value["user_id"])
            if (outside := OUTSIDE.get(str(value.get("kind")))) is not None:
                yield outside(line, user, value, source)
                continue
            default_session = default_session or f"{source.name}-{digest(value)[:4].hex()}"
            session = source.session_id or intake.identifier("session_id", value.get("session_id") or default_session)
        except InvalidInput as error:
            yield Problem(line, str(error))
            continue
        maker = makers.setdefault((user, session), Maker(source, user, session))
        yield maker.make(line, value, "")
