"""``records``: what was derived, seen and corrected by people."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC
from functools import partial
from typing import Any

import click

from jiyi.about import Event
from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.history import text_of
from jiyi.cli.indexing import brought_up, catch_up
from jiyi.cli.output import clean, console, counted, short, show_pairs, show_table, when, write_json
from jiyi.cli.values import event_json, record_json
from jiyi.commands import listed
from jiyi.engine import AsyncMemory
from jiyi.entities import form_of, shown_names
from jiyi.errors import InvalidInput, NotFound
from jiyi.groups import GROUPED
from jiyi.importing import moment
from jiyi.mentions import USER
from jiyi.relation_types import label_of
from jiyi.relations import ends_of, is_negated, name_of
from jiyi.text import language
from jiyi.types import KINDS, Filter, Message, Record

WHOSE = click.option("--user", metavar="ID", help="Whose memory; not needed where only one user has one.")
_ID = 8
"""Characters of an id that a table shows; a person may give as many as it takes to tell it from the others."""

_TAIL = re.compile(r"^(?:[^:\d]+:)+")  # the step's name; what follows is a hash, or of a summary place and session


class Listing(click.Group):
    """A group whose name alone lists."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts ``list`` before what is no other command."""
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help")):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=Listing)
def records() -> None:
    """See what was derived, facts, notes, summaries, entities…, and correct it.  `jiyi records` lists."""


async def whose(memory: AsyncMemory, user: str | None) -> str:
    """The user who is meant: the one that is named, or the only one there is."""
    users = await memory.users()
    if user is not None:
        if user not in users:
            raise NotFound(f"{user} has no memory in this database; `jiyi users` lists who has")
        return user
    if len(users) != 1:
        raise InvalidInput("user", f"say whose memory; there are {', '.join(users[:8])}" if users else "nobody is here")
    return users[0]


def short_id(name: str) -> str:
    """An id as tables show it: without the step's name, and of a hash its beginning."""
    tail = _TAIL.sub("", name)
    return tail if ":" in tail else tail[:_ID]


def named(given: str, ids: Iterable[str]) -> str:
    """The id that begins as a person wrote it, with or without the kind before it; as it was given when there is none.

    Raises:
        InvalidInput: several begin so.
    """
    found = sorted({name for name in ids if name.startswith(given) or _TAIL.sub("", name).startswith(given)})
    if given in found or not found:
        return given
    if len(found) > 1:
        raise InvalidInput("id", f"{given!r} could be {', '.join(found[:8])}; give more of it")
    return found[0]


async def one_of(memory: AsyncMemory, user: str, given: str) -> str:
    """The id of one of the user's records, also of those that were deleted, or went into another one.

    Raises:
        NotFound: there is none.
    """
    there = await memory.records(user_id=user, current=None, hidden=True)
    ids = [*(record.id for record in there), *(one.record for one in await memory.commands(user_id=user))]
    if (name := named(given, ids)) in ids:
        return name
    raise NotFound(
        f"{user} has no record {given!r}; `jiyi records --user {user} --all` lists them, closed and hidden ones too"
    )


async def messages_of(memory: AsyncMemory, user: str, found: Sequence[Record]) -> Mapping[str, Message]:
    """Id -> message, of what the records rest on."""
    ids = tuple({source.message_id for record in found for source in record.sources})
    where = Filter(ids=ids, kinds=KINDS, active=None)
    return {message.id: message for message in await memory.store.messages(memory.scope(user), where)} if ids else {}


def marks(record: Record) -> str:
    """What is to be known of a record beside its text."""
    found = [name for name in ("pinned", "hidden") if getattr(record, name)]
    status = record.data.get("status")
    found += [str(status)] if status else []
    found += ["corrected"] if "corrected" in record.data else []
    if record.kind in GROUPED:
        found += [f"{len(joined) + 1} merged"] if (joined := listed(record, "joined")) else []
        found += [name for name, sign in (("split", "parted"), ("renamed", "renamed")) if sign in record.data]
        found += [f"topic of {session}" for session in listed(record, "chosen")]
    found += [f"closed {record.closed_at:%Y-%m-%d}"] if record.closed_at else []
    return ", ".join(found)


def told(record: Record, names: Mapping[str, str] | None = None) -> str:
    """What a record says, on one line: of a relation its ends, of a snapshot how much it has.

    ``names``: what the ends are called now, as ``entities.shown_names`` gives it.
    """
    if record.kind == "relation":
        head, tail = ((names or {}).get(form_of(end)) or _end(end, record) for end in ends_of(record))
        label = label_of(name_of(record), language(record.text), negated=is_negated(record))
        return short(f"{head} —{label}→ {tail}")
    if record.kind == "snapshot":
        return f"{record.data.get('number')}: {counted(len(record.sources), 'quote')}  `jiyi snapshots show`"
    return short(record.text)


async def names_of(memory: AsyncMemory, user: str, found: Iterable[Record]) -> Mapping[str, str]:
    """What the ends of these relations are called now."""
    if not any(record.kind == "relation" for record in found):
        return {}
    return shown_names(await memory.records(user_id=user, kind="entity"))


def _end(name: str, record: Record) -> str:
    return name if name != USER else "用户" if language(record.text) == "zh" else "the user"


@records.command("list")
@WHOSE
@click.option("--kind", metavar="KIND", help="Only this kind: fact, note, summary, entity, relation, topic, snapshot.")
@click.option("--key", metavar="KEY", help="Only what is about this, for example user.home.")
@click.option("--session", "session_id", metavar="ID", help="Only of this session.")
@click.option("--query", metavar="QUESTION", help="Only what answers this question, best first.")
@click.option("--as-of", "as_of", metavar="TIME", help="As it was known then (ISO 8601; UTC unless it says otherwise).")
@click.option("--all", "everything", is_flag=True, help="With what was closed or hidden.")
@click.option("--limit", type=click.IntRange(0), metavar="N", help="At most so many: the best, or the newest.")
@shared
@click.pass_obj
def list_(state: State, user: str | None, as_of: str | None, everything: bool, **which: Any) -> None:
    """List a user's records: what holds now, in order of arrival."""
    chosen = {name: value for name, value in which.items() if value is not None}
    if as_of is not None:
        chosen["as_of"] = moment("as_of", as_of, UTC)

    async def work() -> tuple[list[Record], Mapping[str, Message], Mapping[str, str]]:
        options: dict[str, Any] = {} if "query" in chosen else {"embedder": None}
        async with opened(state, **options) as memory:
            await brought_up(memory)
            name = await whose(memory, user)
            if everything:
                chosen.update(current=None, hidden=True)
            found = await memory.records(user_id=name, **chosen)
            return found, await messages_of(memory, name, found), await names_of(memory, name, found)

    found, messages, names = run(work())
    if state.json:
        write_json([record_json(record) for record in found])
    elif not found:
        console().print("no records" if everything else "no records; --all shows closed and hidden ones too")
    else:
        rows = [
            [short_id(r.id), r.kind, when(r.said_at)[:10], _where(r, messages), marks(r), told(r, names)] for r in found
        ]
        show_table(["id", "kind", "said", "session", "marks", "text"], rows, whole=["id", "kind", "said"])


def _where(record: Record, messages: Mapping[str, Message]) -> str:
    message = messages.get(record.sources[0].message_id) if record.sources else None
    if message is None:
        return record.session_id or ""
    return message.session_id or f"({message.kind})"


def _on_one(name: str, about: str, *, text: bool = False) -> Callable[..., Any]:
    """A command about one record: gets memory, user and id, and what it gives is shown."""

    def made(does: Callable[..., Awaitable[Record | None]]) -> click.Command:
        def command(state: State, given: str, user: str | None, **said: str | None) -> None:
            words = [text_of(argument) for argument in said.values()]

            async def order(memory: AsyncMemory, person: str) -> Record | None:
                return await does(memory, await one_of(memory, person, given), *words, user_id=person)

            ordered(state, user, order)

        wrapped: Any = shared(click.pass_obj(command))
        wrapped = click.argument("text", required=False)(wrapped) if text else wrapped
        wrapped = click.argument("given", metavar="ID")(WHOSE(wrapped))
        return records.command(name, help=about)(wrapped)

    return made


def ordered(
    state: State, user: str | None, order: Callable[[AsyncMemory, str], Awaitable[Record | None]]
) -> None:  # fmt: skip
    """Carries out a person's order, which gets memory and user, and prints what became of the record."""

    async def work() -> Record | None:
        async with opened(state) as memory:
            await brought_up(memory)
            record = await order(memory, await whose(memory, user))
            await catch_up(memory)
            return record

    _show_one(state, run(work()))


def _show_one(state: State, record: Record | None) -> None:
    """Prints what became of a record, None for one that is gone."""
    if state.json:
        write_json(None if record is None else record_json(record))
    elif record is None:
        console().print("deleted; it stays away until the same is said again.  `jiyi records recover` takes that back")
    else:
        said = marks(record)
        console().print(
            clean(f"{short_id(record.id)}: {told(record)}" + (f" ({said})" if said else "")), soft_wrap=True
        )


_EDIT = "Say what a record says from now on.  TEXT is the whole statement; it may come from standard input."
_on_one("edit", _EDIT, text=True)(AsyncMemory.correct)
_on_one("pin", "Have a record always stand among the key facts.")(AsyncMemory.pin)
_on_one("unpin", "No longer.")(partial(AsyncMemory.pin, pinned=False))
_on_one("hide", "Keep a record out of prompts and searches.")(AsyncMemory.hide)
_on_one("confirm", "Say that a record is right: ends a conflict or a doubt, and opens what was closed.")(
    AsyncMemory.confirm
)
_on_one("rm", "Delete a record.  It stays away until the same is said again; `jiyi forget` erases messages.")(
    AsyncMemory.delete
)
_on_one("recover", "Take back that a record was hidden or deleted, merged into another, or split off.")(
    AsyncMemory.recover
)


@records.command()
@click.argument("given", metavar="ID")
@WHOSE
@shared
@click.pass_obj
def show(state: State, given: str, user: str | None) -> None:
    """Show a record with its sources."""

    async def work() -> tuple[Record, Mapping[str, Message]]:
        async with opened(state, embedder=None) as memory:
            await brought_up(memory)
            person = await whose(memory, user)
            record = await memory.record(await one_of(memory, person, given), user_id=person)
            return record, await messages_of(memory, person, [record])

    record, messages = run(work())
    if state.json:
        write_json(record_json(record))
        return
    value = record_json(record)
    shown = ("id", "kind", "key", "text", "by", "importance", "said_at", "event_from", "event_to", "closed_at", "used")
    pairs = [(name, str(value[name])) for name in shown if value.get(name) not in (None, "")]
    show_pairs([*pairs, ("marks", marks(record))] if marks(record) else pairs)
    rows = [
        [when(m.created_at), m.name or m.role, m.session_id or f"({m.kind})", m.id, short(source.quote or m.text)]
        for source in record.sources
        if (m := messages.get(source.message_id))
    ]
    show_table(["when", "who", "session", "message", "quote"], rows, whole=["when", "who"])


@records.command()
@click.argument("given", metavar="ID")
@WHOSE
@shared
@click.pass_obj
def history(state: State, given: str, user: str | None) -> None:
    """Show all that happened to a record, oldest first."""

    async def work() -> list[Event]:
        async with opened(state, embedder=None) as memory:
            await brought_up(memory)
            person = await whose(memory, user)
            return await memory.history(await one_of(memory, person, given), user_id=person)

    found = run(work())
    if state.json:
        write_json([event_json(event) for event in found])
        return
    rows = [[when(e.at), e.what, short_id(e.record), _said_where(e), _told(e)] for e in found]
    show_table(["when", "what", "record", "where", "text"], rows, whole=["when", "what", "record"])


def _said_where(event: Event) -> str:
    message = event.message
    return "" if message is None or message.kind == "command" else message.session_id or f"({message.kind})"


def _told(event: Event) -> str:
    quote = event.source.quote if event.source else None
    by = f"  {'->' if event.what in ('merge', 'split') else '<-'} {short_id(event.by)}" if event.by else ""
    return short(event.text) + (f'  "{short(quote)}"' if quote and quote != event.text else "") + by
