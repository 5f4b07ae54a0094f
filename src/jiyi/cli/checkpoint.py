"""``checkpoint``: places in a session to come back to, to fork from, to compare."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

import click

from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.history import USER, text_of
from jiyi.cli.output import clean, console, counted, short, show_table, when, write_json
from jiyi.cli.values import checkpoint_json, message_json
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, NotFound
from jiyi.session import AsyncSession
from jiyi.types import JSON, Checkpoint, Message


@click.group()
def checkpoint() -> None:
    """Name places in a session: go back to them, fork from them, compare them."""


def _of_a_session(command: Callable[..., None]) -> Callable[..., Any]:
    """What every command here is told: whose session, and which."""
    named = click.option("--session", required=True, metavar="ID", help="The session.")
    return USER(named(shared(click.pass_obj(command))))


async def _session(memory: AsyncMemory, user: str, session: str) -> AsyncSession:
    """The session, which must be there: a mistyped id would else be an empty one."""
    chat = memory.session(session, user_id=user)
    if await chat.info() is None:
        raise NotFound(f"{user} has no session {session!r} here; `jiyi sessions` lists those there are")
    return chat


def _where(saved: Checkpoint) -> str:
    return counted(saved.messages, "message")


@checkpoint.command()
@click.argument("name")
@click.option("--state", "given", metavar="JSON", help="An object to keep with it; - reads standard input.")
@click.option("--overwrite", is_flag=True, help="Put it in the place of one of the same name.")
@_of_a_session
def save(state: State, name: str, user: str, session: str, given: str | None, overwrite: bool) -> None:
    """Save the place where a session stands as NAME."""
    kept = None if given is None else _object(text_of(given))

    async def work() -> Checkpoint:
        async with opened(state, embedder=None) as memory:
            chat = await _session(memory, user, session)
            return await chat.checkpoint(name, state=kept, overwrite=overwrite)

    saved = run(work())
    if state.json:
        write_json(checkpoint_json(saved))
    else:
        console().print(clean(f"saved {name} after {_where(saved)} of session {session}"))


def _object(text: str) -> dict[str, JSON]:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise InvalidInput("state", f"is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise InvalidInput("state", 'must be a JSON object, for example {"step": 3}')
    return cast("dict[str, JSON]", value)


@checkpoint.command("list")
@_of_a_session
def list_(state: State, user: str, session: str) -> None:
    """List the checkpoints of a session, oldest first."""

    async def work() -> list[Checkpoint]:
        async with opened(state, embedder=None) as memory:
            return await (await _session(memory, user, session)).checkpoints()

    found = run(work())
    if state.json:
        write_json([checkpoint_json(saved) for saved in found])
    elif not found:
        console().print(clean(f"session {session} has no checkpoints; `jiyi checkpoint save` makes one"))
    else:
        rows = [
            [saved.name, str(saved.messages), when(saved.created_at),
             short(json.dumps(dict(saved.state), ensure_ascii=False)) if saved.state else ""]
            for saved in found
        ]  # fmt: skip
        show_table(["name", "messages", "saved", "state"], rows, right=["messages"], whole=["saved"])


@checkpoint.command()
@click.argument("name")
@_of_a_session
def restore(state: State, name: str, user: str, session: str) -> None:
    """Go back to NAME: the next message follows it, and what came after stays stored."""

    async def work() -> Checkpoint:
        async with opened(state, embedder=None) as memory:
            return await (await _session(memory, user, session)).restore(name)

    saved = run(work())
    if state.json:
        write_json(checkpoint_json(saved))
        return
    console().print(clean(f"session {session} stands at {name} again, after {_where(saved)}"))
    if saved.state:
        click.echo(clean(json.dumps(dict(saved.state), ensure_ascii=False, indent=2)))


@checkpoint.command()
@click.argument("name", required=False)
@click.option("--to", metavar="ID", help="Id of the new session; a fresh one without.")
@_of_a_session
def fork(state: State, name: str | None, user: str, session: str, to: str | None) -> None:
    """Begin a new session with copies of the messages up to NAME; up to now without."""

    async def work() -> tuple[str, int]:
        async with opened(state, embedder=None) as memory:
            made = await (await _session(memory, user, session)).fork(name, session_id=to)
            return made.id, len(await made.messages())

    made, count = run(work())
    if state.json:
        write_json({"session_id": made, "messages": count, "forked_from": {"session_id": session, "checkpoint": name}})
    else:
        console().print(clean(f"session {made} begins with {count} messages of {session}"))


@checkpoint.command()
@click.argument("a")
@click.argument("b", required=False)
@_of_a_session
def diff(state: State, a: str, b: str | None, user: str, session: str) -> None:
    """Show what was said up to A and not up to B, and the other way round; without B, up to now."""

    async def work() -> tuple[Message | None, Sequence[Message], Sequence[Message]]:
        async with opened(state, embedder=None) as memory:
            found = await (await _session(memory, user, session)).diff(a, b)
            return found.common, found.only_a, found.only_b

    common, only_a, only_b = run(work())
    if state.json:
        write_json(
            {
                "common": None if common is None else message_json(common),
                "only_a": [message_json(message) for message in only_a],
                "only_b": [message_json(message) for message in only_b],
            }
        )
        return
    last = "no message in common" if common is None else f"in common up to: {short(_line(common))}"
    console().print(clean(last))
    for name, messages in ((a, only_a), (b or "now", only_b)):
        console().print(clean(f"\nonly {name}: {'nothing' if not messages else ''}".rstrip()))
        for message in messages:
            console().print(clean(f"  {short(_line(message))}"))


def _line(message: Message) -> str:
    return f"{message.name or message.role}: {message.text}"


@checkpoint.command()
@click.argument("name")
@_of_a_session
def rm(state: State, name: str, user: str, session: str) -> None:
    """Delete NAME and its state; the messages stay."""

    async def work() -> None:
        async with opened(state, embedder=None) as memory:
            await (await _session(memory, user, session)).delete_checkpoint(name)

    run(work())
    if state.json:
        write_json({"deleted": name})
    else:
        console().print(clean(f"deleted checkpoint {name}; the messages of session {session} stay"))
