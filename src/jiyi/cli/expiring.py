"""``expire``: facts and notes that have not mattered for long."""

from __future__ import annotations

import click

from jiyi.cli.app import Interrupted, State, opened, run, shared
from jiyi.cli.output import clean, console, counted, progress_bars, short, show_table, when, write_json
from jiyi.expiry import last
from jiyi.types import Record

Gone = dict[str, list[Record]]


@click.command()
@click.option("--user", metavar="ID", help="Only this user.")
@click.option(
    "--days", type=click.IntRange(1), metavar="N", help="Not said or used for N days.  [env JIYI_EXPIRE_DAYS]"
)
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@shared
@click.pass_obj
def expire(state: State, user: str | None, days: int | None, dry_run: bool) -> None:
    """Delete facts and notes that were neither said nor used for long.  Pinned ones stay, and every message."""
    gone: Gone = {}

    async def work() -> int:
        async with opened(state) as memory:
            users = await memory.users() if user is None else [user]
            with progress_bars() as bars:
                task = bars.add_task("looking at users", total=len(users))
                for name in users:
                    if found := await memory.expire(name, days=days, dry_run=dry_run):
                        gone[name] = found
                    bars.advance(task)
            return days or memory.expire_days

    try:
        used = run(work())
    except KeyboardInterrupt as error:
        done = counted(sum(map(len, gone.values())), "record")
        said = f"stopped; {done} would go so far" if dry_run else f"stopped; {done} went, and run again it goes on"
        raise Interrupted(said) from error
    if state.json:
        write_json({"days": used, "dry_run": dry_run, "expired": _value(gone)})
        return
    rows = [
        (name, record.kind, when(last(record)), f"{record.used:,}", short(clean(record.text), 80))
        for name, records in gone.items()
        for record in records
    ]
    if rows:
        show_table(["user", "kind", "last", "used", "text"], rows, right=["used"], whole=["last"])
    total = counted(len(rows), "record")
    console().print(f"{total} {'would go' if dry_run else 'went'}: not said or used for {counted(used, 'day')}")


def _value(gone: Gone) -> list[dict[str, object]]:
    return [
        {"user": name, "id": record.id, "kind": record.kind, "text": record.text, "used": record.used,
         "last": last(record).isoformat(), "sources": [source.message_id for source in record.sources]}
        for name, records in gone.items() for record in records
    ]  # fmt: skip
