"""``forget``: erasing, after asking."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.history import USER
from jiyi.cli.output import clean, console, counted, show_pairs, write_json
from jiyi.errors import InvalidInput
from jiyi.types import Erased


@click.command()
@USER
@click.option("--session", metavar="ID", help="Only this session.")
@click.option("--message", "messages", multiple=True, metavar="ID", help="Only this message; may be repeated.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
@click.pass_obj
def forget(state: State, user: str, session: str | None, messages: tuple[str, ...], yes: bool) -> None:
    """Erase a user, a session or messages: rows, vectors, index, and the bytes in the file."""

    async def work() -> Erased | None:
        async with opened(state, embedder=None) as memory:
            memory.scope(user)  # a wrong id is said before anything is asked
            if not yes and not _agreed(state, user, session, messages, (await memory.stats(user)).messages):
                return None
            return await memory.forget(
                user_id=user, session_id=session, message_ids=list(messages) if messages else None
            )

    erased = run(work())
    if erased is None:
        console().print("nothing was erased")
    elif state.json:
        write_json(asdict(erased))
    elif erased == Erased():
        console().print(clean(f"there is nothing of {_what(user, session, messages)} here; nothing was erased"))
    else:
        console().print("erased for good:")
        show_pairs((f"  {name}", f"{count:,}") for name, count in asdict(erased).items())


def _agreed(state: State, user: str, session: str | None, messages: tuple[str, ...], count: int) -> bool:
    if state.json or not sys.stdin.isatty():
        raise InvalidInput("yes", "erasing cannot be undone and nobody can be asked here; confirm it with --yes")
    what = _what(user, session, messages)
    if session is None and not messages:
        what = f"everything of {what} ({count:,} messages)"
    return click.confirm(clean(f"Erase {what}? This cannot be undone."), err=True)


def _what(user: str, session: str | None, messages: tuple[str, ...]) -> str:
    if session is not None:
        return f"session {session} of {user}"
    return f"{counted(len(messages), 'message')} of {user}" if messages else user
