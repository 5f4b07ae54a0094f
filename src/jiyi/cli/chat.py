"""``chat``: talking with a model that remembers."""

from __future__ import annotations

from typing import Any

import click

from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.chatting import Chat
from jiyi.cli.models import advice
from jiyi.cli.slash import ALIASES, COMMANDS, obey
from jiyi.cli.typing import lines
from jiyi.errors import InvalidInput
from jiyi.intake import positive


@click.command()
@click.option("--user", default="me", show_default=True, metavar="ID", help="Whose memory.")
@click.option("--session", metavar="ID", help="The session to go on with; a new one without.")
@click.option("--continue", "resume", is_flag=True, help="Go on with the session that was used last.")
@click.option("--llm", metavar="ADDRESS", help="Who answers, for example ollama:qwen3:8b.  [env JIYI_LLM]")
@click.option("--recipe", metavar="NAME", help="A recipe or strategy, by name.  [env JIYI_RECIPE; default balanced]")
@click.option("--max-tokens", type=int, default=4000, show_default=True, metavar="N", help="Tokens of a context.")
@click.option("--reply-tokens", type=int, metavar="N", help="Tokens of an answer at most.  Default: the model's own.")
@click.option("--off", "off_record", is_flag=True, help="Start off the record: read the memory, store nothing.")
@shared
@click.pass_obj
def chat(state: State, user: str, session: str | None, max_tokens: int, **given: Any) -> None:
    """Talk with a model that remembers.  /help inside shows what there is.

    Without a model everything but the reply works: each line is stored, and shown with what would be sent.  Lines may
    also come from standard input; with --json each answer is one line of JSON.
    """
    if session is not None and given["resume"]:
        raise InvalidInput("session", "give either --session or --continue, not both")
    positive("max-tokens", max_tokens)
    if given["reply_tokens"] is not None:
        positive("reply-tokens", given["reply_tokens"])
    options = {name: given[name] for name in ("llm", "recipe") if given[name]}

    async def work() -> None:
        async with opened(state, create=True, background=True, **options) as memory:
            name = session
            if given["resume"]:
                name = next((info.id for info in await memory.sessions(user_id=user)), None)
            here = Chat(
                memory=memory,
                lines=lines([f"/{word}" for word in (*COMMANDS, *ALIASES)]),
                user=user,
                session=memory.session(name, user_id=user),
                recipe=given["recipe"] or memory.settings.recipe,
                max_tokens=max_tokens,
                reply_tokens=given["reply_tokens"],
                advice="" if memory.llm else await advice(memory.settings),
                json=state.json,
            )
            if not state.json:
                stats = await memory.stats(user)
                here.introduce(stats.messages + stats.statements)
            if given["off_record"]:
                await obey(here, "/off")
            await here.run(obey)

    run(work())
