"""``topics``: projects and subjects, with what was decided and what is open; and which one a session is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

import click

from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.indexing import brought_up
from jiyi.cli.output import clean, console, short, show_table, when, write_json
from jiyi.cli.records import WHOSE, Listing, named, short_id, whose
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, NotFound
from jiyi.importing import moment
from jiyi.strategies.topics import Topics
from jiyi.text import flat, language
from jiyi.topics import Topic, TopicPoint

_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "also": "also called {names}",
        "decisions": "Decided",
        "open": "Open",
        "summary": "Said",
        "sessions": "Sessions",
        "said": "{since} to {until}",
        "person": "you said that it is about this",
        "chosen": "{session} is about {name}",
        "cleared": "{session} is about what is said in it",
    },
    "zh": {
        "also": "又称 {names}",
        "decisions": "已定",
        "open": "待定",
        "summary": "谈到的",
        "sessions": "会话",
        "said": "{since} 至 {until}",
        "person": "您指定的",
        "chosen": "{session} 的主题是 {name}",
        "cleared": "{session} 的主题由内容决定",
    },
}
_NONE = "no topics yet: they are found in what the user says, for example “For the Starling project we chose Postgres.”"


@click.group(cls=Listing)
def topics() -> None:
    """See projects and subjects, with decisions and open points, and say what a session is about.  `jiyi topics` lists.

    `jiyi records rename` gives a topic another name, `jiyi records merge` makes two of them one.
    """


@topics.command("list")
@WHOSE
@click.option("--query", metavar="QUESTION", help="Only those that answer this question, best first.")
@click.option("--as-of", "as_of", metavar="TIME", help="As they stood then (ISO 8601; UTC unless it says otherwise).")
@shared
@click.pass_obj
def list_(state: State, user: str | None, query: str | None, as_of: str | None) -> None:
    """List a user's topics; those that were spoken of last come first."""
    found = _read(state, user, query, as_of)
    if state.json:
        write_json([topic_json(one) for one in found])
    elif not found:
        console().print(_NONE)
    else:
        rows = [
            [
                short_id(one.id),
                one.name,
                str(len(one.decisions)),
                str(len(one.open)),
                str(len(one.sessions)),
                when(one.said_at)[:10],
                short(_brief(one)),
            ]
            for one in found
        ]
        heads = ["id", "topic", "decided", "open", "sessions", "said", "last"]
        show_table(heads, rows, right=["decided", "open", "sessions"], whole=["id", "said"])


@topics.command()
@click.argument("name", metavar="NAME")
@WHOSE
@click.option("--as-of", "as_of", metavar="TIME", help="As it stood then (ISO 8601; UTC unless it says otherwise).")
@shared
@click.pass_obj
def show(state: State, name: str, user: str | None, as_of: str | None) -> None:
    """Show a topic by its name or id: what was decided, what is open, what was said, where and when."""
    one = _named(_read(state, user, None, as_of), name)
    if state.json:
        write_json(topic_json(one))
        return
    from rich.text import Text

    out = console()
    every = [*one.decisions, *one.open, *one.summary]
    words = _WORDS[language(" ".join([one.name, *(point.text for point in every)]))]
    out.print(Text(clean(one.name), style="bold"))
    if one.names:
        out.print(Text(clean(words["also"].format(names=", ".join(one.names)))))
    out.print(Text(words["said"].format(since=when(one.since)[:10], until=when(one.said_at)[:10]), style="dim"))
    for kind, points in (("decisions", one.decisions), ("open", one.open), ("summary", one.summary)):
        if points:
            out.print(Text(f"\n{words[kind]}", style="bold"))
            for point in points:
                _print(out, point)
    out.print(Text(f"\n{words['sessions']}", style="bold"))
    for session in one.sessions:
        out.print(Text(clean(f"  {when(session.until)[:10]}  {session.session_id or '-'}  {session.count}")))
    for name in one.chosen:
        out.print(Text(clean(f"  {name}  {words['person']}")))


@topics.command()
@click.argument("session")
@click.argument("topic", required=False)
@click.option("--none", "clear", is_flag=True, help="Take back what was said: it is about what is said in it.")
@WHOSE
@shared
@click.pass_obj
def use(state: State, session: str, topic: str | None, clear: bool, user: str | None) -> None:
    """Say that SESSION is about TOPIC: its name or id, or the name of a new one."""
    if clear == (topic is not None):
        raise InvalidInput("TOPIC", "say which topic the session is about, or --none")

    async def work() -> str | None:
        async with opened(state, embedder=None) as memory:
            await _brought_up(memory)
            person = await whose(memory, user)
            if session not in {one.id for one in await memory.sessions(user_id=person)}:
                raise NotFound(f"{person} has no session {session!r}; `jiyi sessions` lists them")
            there = {one.id: one.name for one in await memory.topics(user_id=person)}
            names = set(map(flat, there.values()))
            given = topic if topic is None or flat(topic) in names else named(topic, there)
            record = await memory.session(session, user_id=person).set_topic(given)
            return None if record is None else str(record.data.get("name") or record.text)

    name = run(work())
    if state.json:
        write_json({"session": session, "topic": name})
        return
    words = _WORDS[language(name or session)]
    console().print(clean(words["cleared" if name is None else "chosen"].format(session=session, name=name)))


def topic_json(one: Topic) -> dict[str, object]:
    """A topic with all that it keeps."""
    return {
        "id": one.id,
        "name": one.name,
        "names": list(one.names),
        "since": one.since,
        "said_at": one.said_at,
        "decisions": [_point_json(point) for point in one.decisions],
        "open": [_point_json(point) for point in one.open],
        "summary": [_point_json(point) for point in one.summary],
        "sessions": [
            {
                "session": session.session_id,
                "first": session.first,
                "last": session.last,
                "since": session.since,
                "until": session.until,
                "messages": session.count,
            }
            for session in one.sessions
        ],
        "chosen": list(one.chosen),
    }


def _point_json(point: TopicPoint) -> dict[str, object]:
    return {
        "text": point.text,
        "message": point.message_id,
        "start": point.start,
        "end": point.end,
        "quote": point.quote,
        "said_at": point.at,
        "by": point.by,
    }


def _read(state: State, user: str | None, query: str | None, as_of: str | None) -> list[Topic]:
    until = None if as_of is None else moment("as_of", as_of, UTC)

    async def work() -> list[Topic]:
        options: dict[str, Any] = {} if query is not None else {"embedder": None}
        async with opened(state, **options) as memory:
            await _brought_up(memory)
            return await memory.topics(user_id=await whose(memory, user), query=query, as_of=until)

    return run(work())


async def _brought_up(memory: AsyncMemory) -> None:
    """Finds topics by rules also where the recipe does not read them."""
    if not any(one.name == "topics" for one in memory.strategies):
        await memory.use_recipe([*memory.strategies, Topics()])
    await brought_up(memory)


def _named(found: Sequence[Topic], name: str) -> Topic:
    """The topic that is meant: by its name, another name of it, or its id."""
    called = [one for one in found if flat(name) == flat(one.name)]
    called = called or [one for one in found if flat(name) in map(flat, one.names)]
    if called:
        return called[0]
    given = named(name, (one.id for one in found))
    for one in found:
        if one.id == given:
            return one
    there = ", ".join(one.name for one in found[:8])
    raise NotFound(f"there is no topic {name!r}; " + (f"there are {there}" if found else _NONE))


def _brief(one: Topic) -> str:
    """What was said last of it."""
    every = [*one.decisions, *one.open, *one.summary]
    return max(every, key=lambda point: point.order).text if every else ""


def _print(out: Any, point: TopicPoint) -> None:
    from rich.text import Text

    line = Text(clean(f"  {when(point.at)[:10]}  {point.text}"))
    line.append(f"  ({point.message_id})", style="dim")
    out.print(line)
    if point.quote and flat(point.quote) != flat(point.text):
        out.print(Text(clean(f'              "{point.quote}"'), style="dim"))
