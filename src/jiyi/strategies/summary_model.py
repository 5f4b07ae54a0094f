"""Summaries by the model: one call for all sessions of a stride, and one for each level that ends with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jiyi.errors import ModelError
from jiyi.extractive import both_ends, parted
from jiyi.ports import LLM, Deriver
from jiyi.prompts import prompt
from jiyi.strategies.summary_making import MODEL, RULES, TOKENS, Part, Summaries, Text
from jiyi.strategies.summary_rules import RuleSummaries, extracted
from jiyi.strategies.summary_tree import STRIDE
from jiyi.structured import ask
from jiyi.text import language
from jiyi.tokens import Estimate
from jiyi.types import Message, Record

if TYPE_CHECKING:
    from jiyi.prompts.summary import Summary

_SHOWN = 1_200  # characters of a message, so that a call has at most about 20,000
_MOST = TOKENS * 3 // 2  # of a summary that is longer than it was asked for, the first sentences up to so many tokens
_COUNT = Estimate()


class ModelSummaries(Summaries):
    """Derives nodes that a model writes; each replaces the node that rules made of the same messages.

    A sentence with a number, a date, a name or a negation that its sources lack is left out.  Where nothing is left,
    and for the beginning of a session, which a window shows anyway, the rules' sentences serve.
    """

    maker, other = MODEL, RULES
    asks_llm = True

    def __init__(self, llm: LLM, every: int = STRIDE, *, early: int = 0) -> None:
        """Sets who writes.

        Args:
            every: messages that are summarised together.
            early: no call for the first so many messages of a session: short sessions then cost nothing.
        """
        super().__init__(every)
        self._llm = llm
        self._early = early

    async def write(self, parts: Sequence[Part]) -> list[Text]:
        """A text for each part; ``structured.CALLS`` calls at most, and none when there is nothing to ask about.

        Raises:
            ModelError: there was no answer; for messages, also when there was nothing in it that could be used.
        """
        asked = [at for at, part in enumerate(parts) if part.says_something and not self._is_early(part)]
        answers = await self._ask([parts[at] for at in asked]) if asked else {}
        if asked and not answers and parts[asked[0]].messages:
            raise ModelError(f"{self._llm.name} gave no summary that keeps to what was said; it is asked again later")
        written = {asked[number]: text for number, text in answers.items()}
        return [written.get(at) or extracted(part) for at, part in enumerate(parts)]

    def _is_early(self, part: Part) -> bool:
        return bool(part.messages) and part.messages[-1].position <= self._early

    async def _ask(self, parts: Sequence[Part]) -> dict[int, Text]:
        """Place of the part -> its summary, of those that can be used."""
        told = prompt(MODEL, language("\n".join(_words(part) for part in parts)))
        from jiyi.prompts.summary import Summary  # pydantic takes a while

        text = "\n\n".join(f"# {number}\n{_shown(part)}" for number, part in enumerate(parts, start=1))
        limit = 100 + 2 * TOKENS * len(parts)
        try:
            given = await ask(self._llm, told, text, Summary, field="summaries", max_tokens=limit)
        except ModelError as error:
            if parts[0].messages or type(error) is not ModelError:
                raise
            return {}  # the nodes below are there, and must not wait for one that joins them
        made = {"model": self._llm.name, "prompt": told.id}
        texts = {at: _grounded(said, parts[at]) for at, said in _assigned(given, len(parts)).items()}
        return {at: Text(text, "model", made) for at, text in texts.items() if text}


def summarisers(llm: LLM | None, every: int, early: int) -> list[Deriver]:
    """What derives summaries: the rules, and the model where there is one."""
    return [RuleSummaries(every), *([ModelSummaries(llm, every, early=early)] if llm is not None else [])]


def _assigned(given: Sequence[Summary], asked: int) -> dict[int, str]:
    """Place of the part -> its summary; without numbers they go by their order, when there are as many."""
    if len(given) == asked and not any(one.number for one in given):
        return dict(enumerate(one.summary for one in given))
    first: dict[int, str] = {}
    for one in given:
        first.setdefault(one.number - 1, one.summary)
    return {at: summary for at, summary in first.items() if 0 <= at < asked}


def _grounded(summary: str, part: Part) -> str:
    """The sentences of a summary that say nothing that was not said; at most ``_MOST`` tokens of them."""
    from jiyi.grounding import Sources  # many expressions, which take a while to compile

    said = [*(node.text for node in part.nodes), *map(_seen, part.spoken)]
    sources = Sources(said, [message.name for message in part.spoken if message.name] + _dates(part))
    kept, tokens = "", 0
    for sentence in parted(summary):
        tokens += _COUNT.count(sentence)
        if tokens > _MOST and kept:
            break
        if any(map(str.isalnum, sentence)) and not sources.unsupported(sentence):
            apart = " " if kept and kept[-1].isascii() else ""
            kept += apart + sentence.strip()
    return kept


def _dates(part: Part) -> list[str]:
    """The days on which it was said, which a summary may give."""
    times = [node.said_at for node in part.nodes] + [message.created_at for message in part.messages]
    return [f"{at:%Y-%m-%d}" for at in times if at]


# -- what the model is shown -----------------------------------------------------------------------------------------


def _words(part: Part) -> str:
    return "\n".join([node.text for node in part.nodes] + [_seen(message) for message in part.spoken])


def _shown(part: Part) -> str:
    """A part, a line for each message or earlier summary."""
    lines = [_earlier(node) for node in part.nodes if node.text]
    lines += [_line(message) for message in part.spoken if message.text.strip()]
    return "\n".join(lines)


def _earlier(node: Record) -> str:
    """A summary on one line."""
    when = f"[until {node.said_at:%Y-%m-%d %H:%M}] " if node.said_at else ""
    return f"{when}summary: {json.dumps(node.text, ensure_ascii=False)}"


def _line(message: Message) -> str:
    """A message on one line."""
    when = f"[{message.created_at:%Y-%m-%d %H:%M}] " if message.created_at else ""
    return f"{when}{message.name or message.role}: {json.dumps(_seen(message), ensure_ascii=False)}"


def _seen(message: Message) -> str:
    """What the model sees of a message."""
    return both_ends(message.text, _SHOWN)
