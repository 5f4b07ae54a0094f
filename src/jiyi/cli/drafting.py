"""``eval export-questions``: a question file about a user's history, to fill in."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import click

from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.output import clean, console, counted, say, write_json
from jiyi.errors import InvalidInput, NotFound
from jiyi.eval.drafting import draft
from jiyi.types import Message


@click.command("export-questions")
@click.argument("target", required=False, default="-", metavar="[FILE]")
@click.option("--user", required=True, metavar="ID", help="Whose history.")
@click.option("--count", default=50, show_default=True, type=click.IntRange(1), metavar="N", help="Rows at most.")
@shared
@click.pass_obj
def export_questions(state: State, target: str, user: str, count: int) -> None:
    """Write a question file about a user's history, with the questions left for you to write.

    Picks messages that say something one could ask for (numbers, dates, names, preferences …), spread over time and
    sessions.  Each row has the quote, what stood before and after it, and its id as evidence.
    """
    path = Path(target)
    if target != "-" and path.exists():
        raise InvalidInput("file", f"{path} exists, and may hold questions you wrote; give another name or delete it")

    async def work() -> list[Message]:
        async with opened(state, embedder=None) as memory:
            return await memory.messages(user_id=user)

    said = run(work())
    if not said:
        raise NotFound(f"{user} has nothing stored here; `jiyi users` lists who has")
    rows = draft(said, count)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if target == "-":
        sys.stdout.write(text)
        return
    path.write_text(text, encoding="utf-8")
    kinds = Counter(str(row["category"]) for row in rows)
    if state.json:
        write_json({"file": str(path.absolute()), "rows": len(rows), "categories": dict(kinds), "messages": len(said)})
        return
    console().print(clean(f"{counted(len(rows), 'row')} in {path}: {', '.join(f'{n} {k}' for k, n in kinds.items())}"))
    say(
        "Write a question in your own words into `question` of each row worth asking; rows left empty are passed over. "
        "More messages may be evidence: add their ids. Then:\n"
        f"  jiyi eval recall --user {user} --questions {path}"
    )
