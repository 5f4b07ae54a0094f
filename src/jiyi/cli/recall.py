"""``search`` and ``context``: what the memory brings back."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

import click

from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.history import USER
from jiyi.cli.indexing import catch_up, unindexed
from jiyi.cli.output import clean, console, counted, say, short, show_bar, show_table, when, write_json
from jiyi.cli.values import hit_json
from jiyi.context import Context
from jiyi.engine import AsyncMemory
from jiyi.errors import NotFound
from jiyi.importing import moment
from jiyi.types import Hit

SOURCES_SHOWN = 8


@click.command()
@click.argument("query")
@USER
@click.option("-k", "k", type=int, default=10, show_default=True, metavar="N", help="Results at most.")
@click.option("--session", "session_id", metavar="ID", help="Only this session.")
@click.option("--role", "roles", multiple=True, metavar="ROLE", help="Only this role; may be repeated.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="message, statement or command; may be repeated.")
@click.option("--category", metavar="NAME", help="Only statements of this category.")
@click.option("--since", metavar="TIME", help="Said at or after (ISO 8601; UTC unless it says otherwise).")
@click.option("--until", metavar="TIME", help="Said before.")
@click.option("--as-of", "as_of", metavar="TIME", help="Said by then.")
@click.option("--neighbours", type=click.IntRange(0), default=0, metavar="N", help="Messages around each result.")
@click.option("--floor", type=float, metavar="0..1", help="Least relevance; 0 shows everything.  Default: calibrated.")
@click.option("--full", is_flag=True, help="Show whole texts.")
@click.option("--explain", is_flag=True, help="Show below each result why it came back.")
@shared
@click.pass_obj
def search(state: State, query: str, user: str, k: int, floor: float | None, **where: Any) -> None:
    """Find what was said, in any words.  A QUERY that begins with a dash goes after `--`."""
    filters = {key: where[key] for key in ("session_id", "category") if where[key] is not None}
    filters |= {key: where[key] for key in ("roles", "kinds") if where[key]}
    filters |= {key: moment(key, where[key], UTC) for key in ("since", "until", "as_of") if where[key]}

    async def work() -> list[Hit]:
        async with opened(state) as memory:
            hits = await memory.search(query, user_id=user, k=k, floor=floor, neighbours=where["neighbours"], **filters)
            if not state.json:
                await _hints(memory, user, bool(hits))
            return hits

    hits = run(work())
    if state.json:
        write_json([hit_json(hit) for hit in hits])
    elif not hits:
        console().print("nothing found" + ("" if floor == 0 else " above the relevance floor (--floor 0 shows all)"))
    else:
        show_hits(hits, where["full"])
        if where["explain"]:
            explain_hits(hits)


async def _hints(memory: AsyncMemory, user: str, found: bool) -> None:
    if not found and user not in await memory.users():
        say(f"note: {user} has no memory in this database; `jiyi users` lists who has")
    elif lacking := unindexed(await memory.progress()):
        say(f"note: {lacking:,} messages are not fully indexed yet; `jiyi reindex` completes it")


def show_hits(hits: list[Hit], full: bool) -> None:
    """Prints what a search found, with the messages around it."""
    rows: list[list[str]] = []
    for hit in hits:
        for near in hit.before:
            rows.append(["", "", when(near.created_at), near.name or near.role, "", f"  {short(near.text)}"])
        message = hit.message
        text = clean(message.text) if full else short(message.text)
        place = message.session_id or f"({message.category or message.kind})"
        rows.append([f"{hit.score:.2f}", f"{hit.relevance:.2f}", when(message.created_at), message.name or message.role,
                     place, text])  # fmt: skip
        for near in hit.after:
            rows.append(["", "", when(near.created_at), near.name or near.role, "", f"  {short(near.text)}"])
    show_table(
        ["score", "relevance", "when", "who", "session", "text"],
        rows,
        right=["score", "relevance"],
        whole=["when", "who"],
    )


def explain_hits(hits: list[Hit]) -> None:
    """Prints why each result came back."""
    from rich.text import Text

    for hit in hits:
        head = f"{hit.message.id} {short(hit.message.text, 80)}"
        console().print(Text(f"\n{head}", style="bold"))
        console().print(Text(clean(hit.explain())))


@click.command()
@click.argument("query", required=False)
@USER
@click.option("--session", metavar="ID", help="The session to go on with.  Without: the user's memory alone.")
@click.option("--max-tokens", type=int, default=4000, show_default=True, metavar="N", help="Tokens of the whole.")
@click.option("--recipe", metavar="NAME", help="A recipe or strategy, by name.  [env JIYI_RECIPE; default balanced]")
@click.option("--allow-partial", is_flag=True, help="Shorten the newest message when it alone does not fit.")
@click.option("--explain", is_flag=True, help="Show every source and everything that was dropped.")
@click.option("--as-of", "as_of", metavar="TIME", help="As it would have been then.")
@shared
@click.pass_obj
def context(state: State, query: str | None, user: str, session: str | None, max_tokens: int, recipe: str | None,
            **flags: Any) -> None:  # fmt: skip
    """Show the messages that a chat model would get, and where each part comes from."""
    options: dict[str, Any] = {"recipe": recipe} if recipe else {}
    as_of = moment("as_of", flags["as_of"], UTC) if flags["as_of"] else None

    async def work() -> Context:
        async with opened(state, **options) as memory:
            await catch_up(memory)
            chat = memory.session(session, user_id=user)
            if session is not None and await chat.info() is None:
                raise NotFound(f"{user} has no session {session!r}; `jiyi sessions --user {user}` lists them")
            partial = bool(flags["allow_partial"])
            found = await chat.context(query, max_tokens=max_tokens, allow_partial=partial, as_of=as_of)
            if not state.json:
                await _hints(memory, user, bool(found.blocks))
            return found

    found = run(work())
    if state.json:
        write_json(found.to_dict())
    else:
        show_context(found, explain=flags["explain"])


def show_context(found: Context, *, explain: bool = False) -> None:
    """Prints the messages, the token bar, the blocks and what was dropped."""
    from rich.text import Text

    out = console()
    for message in found.messages:
        out.print(Text(f"[{message['role']}]", style="bold"))
        out.print(Text(clean(_words(message))))
    if not found.messages:
        out.print(Text("nothing: no message in this session, and no memory above the relevance floor", style="dim"))
    out.print()
    show_bar(found)
    if explain:
        out.print(Text(clean(str(found.explain()))))
        return
    for used in found.blocks:
        names = [short(source, 40) for source in used.sources]
        more = f" … {len(names) - SOURCES_SHOWN} more" if len(names) > SOURCES_SHOWN else ""
        where = ", ".join(names[:SOURCES_SHOWN]) + more
        said = f" from {counted(len(names), 'message')}: {where}" if names else ", in the words of a correction"
        out.print(Text(f"{used.strategy}: {used.tokens:,} tokens{said}"))
    if found.dropped:
        reasons: dict[str, int] = {}
        for dropped in found.dropped:
            reasons[dropped.reason] = reasons.get(dropped.reason, 0) + (dropped.count or 1)
        listed = "; ".join(f"{count:,} ({reason})" for reason, count in reasons.items())
        out.print(Text(clean(f"dropped: {listed}; --explain lists them"), style="dim"))


def _words(message: dict[str, object]) -> str:
    content = message.get("content")
    words = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False) if content else ""
    calls = message.get("tool_calls")
    return "\n".join(part for part in (words, json.dumps(calls, ensure_ascii=False) if calls else "") if part)
