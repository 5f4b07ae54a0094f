"""``snapshots``: who a user was and where the task stood at earlier times, and what has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC

import click

from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.indexing import brought_up
from jiyi.cli.output import clean, console, short, show_table, when, write_json
from jiyi.cli.records import WHOSE, Listing, whose
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput, NotFound
from jiyi.importing import moment
from jiyi.past import entry_json
from jiyi.snapshots import ProfileSnapshot, SnapshotChanges
from jiyi.strategies.snapshot import Snapshot

_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "Snapshot {number}, {when}",
        "changes": "From snapshot {older} ({then}) to {newer} ({when})",
        "same": "nothing has changed",
        "left_out": "… and {count} less important facts",
        "empty": "nothing was known yet",
    },
    "zh": {
        "title": "第 {number} 次快照，{when}",
        "changes": "从第 {older} 次快照（{then}）到第 {newer} 次（{when}）",
        "same": "没有变化",
        "left_out": "……另有 {count} 条较次要的事实",
        "empty": "当时还什么都不知道",
    },
}
_NONE = "no snapshots yet: one is taken every ten turns"


@click.group(cls=Listing)
def snapshots() -> None:
    """See who a user was and where the task stood, every so many turns.  `jiyi snapshots` lists."""


@snapshots.command("list")
@WHOSE
@click.option(
    "--as-of", "as_of", metavar="TIME", help="Only those up to then (ISO 8601; UTC unless it says otherwise)."
)
@click.option("--limit", type=click.IntRange(0), metavar="N", help="At most so many: the newest.")
@shared
@click.pass_obj
def list_(state: State, user: str | None, as_of: str | None, limit: int | None) -> None:
    """List a user's snapshots, the newest last, with what each has changed: + added, ~ changed, - removed."""
    found = _read(state, user, as_of)
    before: list[ProfileSnapshot | None] = [None, *found]
    rows = [(one, one.since(older or _nothing(one))) for older, one in zip(before, found, strict=False)]
    rows = rows if limit is None else rows[max(0, len(rows) - limit) :]
    if state.json:
        write_json([snapshot_json(one) for one, _ in rows])
    elif not rows:
        console().print(_NONE)
    else:
        shown = [[str(one.number), when(one.at), str(len(one.entries)), _counts(c), _brief(c)] for one, c in rows]
        show_table(["number", "when", "facts", "changed", "what"], shown, right=["number", "facts"], whole=["when"])


@snapshots.command()
@click.argument("number", type=click.IntRange(1), metavar="[N]", required=False)
@WHOSE
@shared
@click.pass_obj
def show(state: State, number: int | None, user: str | None) -> None:
    """Show a snapshot, the newest or the one numbered N, with the words that say so."""
    found = _read(state, user)
    one = _numbered(found, number) if number else _last(found, 1)[-1]
    if state.json:
        write_json(snapshot_json(one))
        return
    from rich.text import Text

    spoken, out = one.language, console()
    words = _WORDS[spoken]
    out.print(Text(clean(words["title"].format(number=one.number, when=when(one.at))), style="bold"))
    for line in one.text.splitlines():
        out.print(Text(clean(line), style="" if line.startswith(" ") else "bold"))
    if not one.entries:
        out.print(words["empty"])
    if one.left_out:
        out.print(Text(words["left_out"].format(count=one.left_out), style="dim"))
    rows = [[when(e.said_at)[:10], e.attribute, e.message_id, short(e.quote)] for e in one.entries]
    if rows:
        out.print()
        show_table(["said", "about", "message", "quote"], rows, whole=["said"])


@snapshots.command()
@click.argument("older", type=click.IntRange(1), metavar="[A]", required=False)
@click.argument("newer", type=click.IntRange(1), metavar="[B]", required=False)
@WHOSE
@shared
@click.pass_obj
def diff(state: State, older: int | None, newer: int | None, user: str | None) -> None:
    """Show what has changed from snapshot A to B, or to the newest; without both, between the last two."""
    found = _read(state, user)
    first, last = _last(found, 2) if older is None else (_numbered(found, older), _last(found, 1)[-1])
    changes = (_numbered(found, newer) if newer else last).since(first)
    if state.json:
        write_json(changes_json(changes))
        return
    from rich.text import Text

    words, out = _WORDS[changes.newer.language], console()
    title = words["changes"].format(
        older=changes.older.number, newer=changes.newer.number, then=when(changes.older.at), when=when(changes.newer.at)
    )
    out.print(Text(clean(title), style="bold"))
    out.print(Text(clean(changes.text) or words["same"]))


def snapshot_json(one: ProfileSnapshot) -> dict[str, object]:
    """A snapshot, its entries by section."""
    sections = {name: [entry_json(entry) for entry in entries] for name, entries in one.sections.items()}
    return {"id": one.id, "number": one.number, "at": one.at, "sections": sections, "left_out": one.left_out}


def changes_json(changes: SnapshotChanges) -> dict[str, object]:
    """What lies between two snapshots."""
    return {
        "older": changes.older.number,
        "newer": changes.newer.number,
        "added": [entry_json(entry) for entry in changes.added],
        "changed": [{"before": entry_json(before), "now": entry_json(now)} for before, now in changes.changed],
        "removed": [entry_json(entry) for entry in changes.removed],
    }


def _read(state: State, user: str | None, as_of: str | None = None) -> list[ProfileSnapshot]:
    until = None if as_of is None else moment("as_of", as_of, UTC)

    async def work() -> list[ProfileSnapshot]:
        async with opened(state, embedder=None) as memory:
            await brought_up(memory)
            name = await whose(memory, user)
            if not await _are_taken(memory):
                await memory.use_recipe([*memory.strategies, Snapshot()])
                await brought_up(memory)
            return await memory.snapshots(user_id=name, as_of=until)

    return run(work())


async def _are_taken(memory: AsyncMemory) -> bool:
    """Whether somebody has set how often snapshots are taken, and of what: then it stays so, for all users."""
    if any(one.name == Snapshot.name for one in memory.strategies):
        return True
    for name in await memory.users():
        if await memory.snapshots(user_id=name, limit=1):
            return True
    return False


def _numbered(found: Sequence[ProfileSnapshot], number: int) -> ProfileSnapshot:
    for one in found:
        if one.number == number:
            return one
    there = ", ".join(str(one.number) for one in found[-8:])
    raise NotFound(f"there is no snapshot {number}; " + (f"the last ones are {there}" if found else _NONE))


def _last(found: Sequence[ProfileSnapshot], count: int) -> Sequence[ProfileSnapshot]:
    if not found:
        raise NotFound(_NONE)
    if len(found) < count:
        raise InvalidInput("A", "there is only one snapshot yet, and nothing to compare it with")
    return found[-count:]


def _nothing(one: ProfileSnapshot) -> ProfileSnapshot:
    return ProfileSnapshot("", 0, one.at)


def _counts(changes: SnapshotChanges) -> str:
    parts = (("+", changes.added), ("~", changes.changed), ("-", changes.removed))
    return " ".join(f"{sign}{len(some)}" for sign, some in parts if some)


def _brief(changes: SnapshotChanges) -> str:
    return short("; ".join(changes.text.splitlines()))
