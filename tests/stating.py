"""Facts without a model or rules, for tests of what comes after them: "I live in X.", "我住在X。", "I have X.", "我叫X。"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jiyi.candidates import Candidate
from jiyi.facts import Making, changes
from jiyi.ports import LLM, Batch, Deriver, Request
from jiyi.types import Block, Changes, Item, Message, Record, Step

STEP = Step("facts:rules", "1")
_SAYS = {
    "home": re.compile(r"I live in (?P<value>[\w ]+)|我住在(?P<han>[\w]+)"),
    "pet": re.compile(r"I have (?P<value>[\w ]+)|我养了(?P<han>[\w]+)"),
    "name": re.compile(r"I am called (?P<value>[\w ]+)|我叫(?P<han>[\w]+)"),
    "birthday": re.compile(r"I was born on (?P<value>[\w ]+)|我生日是(?P<han>[\w]+)"),
    "identifier": re.compile(r"my code is (?P<value>[\w-]+)|门禁码是 ?(?P<han>[\w-]+)"),
}


def candidates(message: Message) -> list[Candidate]:
    """What the message states, if a user said it."""
    found: list[Candidate] = []
    for attribute, pattern in _SAYS.items() if message.role == "user" else ():
        for match in pattern.finditer(message.text):
            value = match["value"] or match["han"]
            found.append(Candidate(message, *match.span(), text=match[0], attribute=attribute, value=value))
    return found


class Stating:
    """Derives facts; it reads all that is known, which is little here."""

    batch_size = 16
    asks_llm = False
    step = STEP

    async def derive(self, batch: Batch) -> Changes:
        ids = frozenset(message.id for message in batch.messages)
        known = await batch.records(current=None)
        said = [(candidate, "rules") for message in batch.messages for candidate in candidates(message)]
        whole = {record.key for record in known if record.key} | {f"user.{name}" for name in _SAYS}
        made = changes(said, known, Making(STEP, ids, whole=whole))
        return Changes(batch.cursor, put=made.put, drop=made.drop)


class Facts:
    """Puts all facts into the memory section, in order of importance."""

    name = "facts"
    window = False

    def derivers(self, llm: LLM | None) -> Sequence[Deriver]:
        return [Stating()]

    async def recall(self, request: Request) -> list[Block]:
        found = await request.reader.records(kind="fact", important=True, limit=10)
        shown = [record for record in found if record.data.get("status") != "unverified"]
        return [Block(self.name, "memory", tuple(Item((), text=record.text) for record in shown))]


def texts(records: Sequence[Record]) -> list[str]:
    return [record.text for record in records]
