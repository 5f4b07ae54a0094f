"""What the field cases about facts share: a memory with facts by rules, or by a model that a test plays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib import resources

from jiyi import AsyncMemory, Record
from jiyi.testing.scripted import Call, ScriptedLLM

Line = tuple[str, str]


class Teller:
    """A script: of each message that has certain words, the facts that a model would tell.

    Args:
        tells: words of a message -> facts, each with ``quote`` and what else a reply has.
    """

    def __init__(self, tells: Mapping[str, Sequence[Mapping[str, object]]]) -> None:
        self.tells = tells

    def __call__(self, call: Call) -> str:
        facts = [
            {"number": int(line.partition(".")[0]), "text": fact["quote"], **fact}
            for line in call.last.splitlines()
            if line[0].isdigit()
            for words, told in self.tells.items()
            if words in json.loads(line.partition("user: ")[2])
            for fact in told
        ]
        return json.dumps({"facts": facts}, ensure_ascii=False)


def playing(tells: Mapping[str, Sequence[Mapping[str, object]]]) -> ScriptedLLM:
    """A model that tells these facts."""
    return ScriptedLLM(Teller(tells))


async def facts(memory: AsyncMemory, *, current: bool | None = True, user: str = "ada") -> list[Record]:
    """The facts about a user."""
    return await memory.store.records(memory.scope(user), kind="fact", current=current)


async def say(memory: AsyncMemory, text: str, *, at: str | None = None, session: str = "s", role: str = "user") -> str:
    """One message, and all background work; returns its id."""
    when = datetime.fromisoformat(at) if at else None
    (message,) = [await memory.session(session, user_id="ada").add(role, text, created_at=when)]  # type: ignore[arg-type]
    await memory.drain()
    return message.id


def filler(language: str, turns: int) -> Iterator[tuple[str, str]]:
    """So many turns of everyday talk: those of the sample conversation, over and over."""
    sample = resources.files("jiyi.cli") / "samples" / f"{language}.jsonl"
    messages = [m for session in json.loads(sample.read_text("utf-8"))["sessions"] for m in session["messages"]]
    pairs = [
        (one["content"], other["content"])
        for one, other in zip(messages, messages[1:], strict=False)
        if (one["role"], other["role"]) == ("user", "assistant")
    ]
    for at in range(turns):
        yield pairs[at % len(pairs)]
