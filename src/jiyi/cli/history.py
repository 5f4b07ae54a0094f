"""``add``, ``remember``, ``sessions``, ``users``: writing single messages, and seeing what there is."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Any

import click

from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.indexing import catch_up
from jiyi.cli.output import clean, console, short, show_table, when, write_json
from jiyi.cli.values import counted, message_json, redactions, session_json
from jiyi.errors import InvalidInput
from jiyi.importing import moment
from jiyi.types import ROLES, Message

USER = click.option("--user", "user", required=True, metavar="ID", help="Whose memory.")
IMPORTANCE = click.option("--importance", type=float, metavar="0..1", help="How much it matters; else rules tell.")
PINNED = click.option("--pinned", is_flag=True, help="It matters most.")


def text_of(argument: str | None) -> str:
    """The text given, or standard input when none or ``-`` is given.

    Raises:
        InvalidInput: standard input is not UTF-8.
    """
    if argument not in (None, "-"):
        return argument or ""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InvalidInput("text", f"standard input is not UTF-8 (byte {error.start + 1})") from error


def said_at(value: str | None) -> datetime | str:
    """The time of ``--at``: now when it is not given, UTC when it names no zone."""
    return moment("at", value, UTC) or "now"


@click.command()
@click.argument("text", required=False)
@USER
@click.option("--session", metavar="ID", help="The session to go on with; a new one without.")
@click.option("--role", default="user", show_default=True, help=", ".join(ROLES))
@click.option("--name", metavar="NAME", help="Who speaks.")
@click.option("--at", metavar="TIME", help="When it was said (ISO 8601; UTC unless it says otherwise).  Default: now.")
@click.option("--id", "message_id", metavar="ID", help="The message's id; the same id again adds nothing.")
@click.option("--tool-call-id", metavar="ID", help="For a tool message: the call it answers.")
@IMPORTANCE
@PINNED
@shared
@click.pass_obj
def add(state: State, text: str | None, user: str, session: str | None, role: str, **details: Any) -> None:
    """Add one message to a session.  TEXT may come from standard input."""

    async def work() -> Message:
        async with opened(state, create=True) as memory:
            chat = memory.session(session, user_id=user)
            said = {name: value for name, value in details.items() if name != "at" and value not in (None, False)}
            message = await chat.add(role, text_of(text), created_at=said_at(details["at"]), **said)  # pyright: ignore
            await catch_up(memory)
            return message

    _show_stored(state, run(work()))


@click.command()
@click.argument("text", required=False)
@USER
@click.option("--category", metavar="NAME", help="A word to filter by.")
@IMPORTANCE
@PINNED
@click.option("--at", metavar="TIME", help="When it was said (ISO 8601; UTC unless it says otherwise).  Default: now.")
@click.option("--id", "message_id", metavar="ID", help="Its id; the same id again adds nothing.")
@shared
@click.pass_obj
def remember(
    state: State,
    text: str | None,
    user: str,
    category: str | None,
    importance: float | None,
    **details: str | bool | None,
) -> None:
    """Store something stated outside a conversation.  TEXT may come from standard input."""

    async def work() -> Message:
        async with opened(state, create=True) as memory:
            message = await memory.remember(
                text_of(text),
                user_id=user,
                category=category,
                importance=importance,
                pinned=bool(details["pinned"]),
                created_at=said_at(details["at"]),  # pyright: ignore
                message_id=details["message_id"],  # pyright: ignore
            )
            await catch_up(memory)
            return message

    _show_stored(state, run(work()))


def _show_stored(state: State, message: Message) -> None:
    if state.json:
        write_json(message_json(message))
        return
    where = f"session {message.session_id}" if message.session_id else "statements"
    console().print(f"stored {clean(message.id)} as message {message.seq} of the log ({clean(where)})")
    if found := redactions([message]):
        console().print(f"redacted: {counted(found)}")


@click.command()
@USER
@shared
@click.pass_obj
def sessions(state: State, user: str) -> None:
    """List a user's sessions, last updated first."""

    async def work() -> list[dict[str, object]]:
        async with opened(state, embedder=None) as memory:
            return [session_json(session) for session in await memory.sessions(user_id=user)]

    found = run(work())
    if state.json:
        write_json(found)
    elif not found:
        console().print(f"{clean(user)} has no sessions here")
    else:
        rows = [
            [str(row["id"]), str(row["messages"]), _minute(row["created_at"]), _minute(row["updated_at"]),
             short(str(row["title"]))]
            for row in found
        ]  # fmt: skip
        show_table(
            ["session", "messages", "created", "updated", "title"],
            rows,
            right=["messages"],
            whole=["created", "updated"],
        )


def _minute(value: object) -> str:
    return when(value) if isinstance(value, datetime) else ""


@click.command()
@shared
@click.pass_obj
def users(state: State) -> None:
    """List everybody who has a memory here."""

    async def work() -> list[str]:
        async with opened(state, embedder=None) as memory:
            return await memory.users()

    found = run(work())
    if state.json:
        write_json(found)
        return
    for user in found:
        click.echo(clean(user))
