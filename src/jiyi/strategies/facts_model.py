"""Facts by the model: a stride of messages in one call, each fact checked against the words of its message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jiyi.attributes import ATTRIBUTES, Attribute
from jiyi.candidates import Candidate
from jiyi.facts import MODEL
from jiyi.importance import SMALL_TALK, importance
from jiyi.ports import LLM, Batch
from jiyi.prompts import Prompt, prompt
from jiyi.strategies.facts_known import derived, is_own, resting
from jiyi.strategies.numbered import EVERY, numbered_lines
from jiyi.structured import ask
from jiyi.text import language
from jiyi.types import Changes, Message, Step

_VERSION = "1"
_ANSWER = 160  # tokens for each of the user's messages in the reply


class ModelFacts:
    """Derives facts from what the user says, by a chat model; what it makes nothing of keeps the facts of the rules.

    Args:
        llm: the model that derives.
        attributes: further ones that facts may be about, beside ``attributes.ATTRIBUTES``.
        instructions: a few words more for the model.
        every: messages of one call.
    """

    asks_llm = True

    def __init__(
        self, llm: LLM, *, attributes: Sequence[Attribute] = (), instructions: str = "", every: int = EVERY
    ) -> None:
        self.step = Step(MODEL, _VERSION, stride=every)
        self.batch_size = every
        self._llm = llm
        self._more = tuple(attributes)
        self._attributes: Mapping[str, Attribute] = {**ATTRIBUTES, **{one.name: one for one in attributes}}
        self._instructions = instructions

    async def derive(self, batch: Batch) -> Changes:
        """The facts of one batch; ``structured.CALLS`` calls at most, none for small talk.

        Raises:
            ModelError: there was no answer that can be used.
        """
        from jiyi.rules import candidates  # their tables take a while, and only who derives needs them

        own = [message for message in batch.messages if is_own(message)]
        asked = [message for message in own if importance(message).score > SMALL_TALK]
        found: list[tuple[Candidate, str]] = []
        made: dict[str, str] = {}
        if asked:
            told = self._prompt(language("\n".join(message.text for message in asked)))
            made = {"model": self._llm.name, "prompt": told.id}
            found = [(one, "model") for one in await self._told(told, batch.messages, asked)]
        rules = [one for message in own for one in candidates(message)]
        told_of = [one for one, _ in found]
        found += [
            (one, "rules") for one in rules if _is_left(one, [o for o in told_of if o.message.id == one.message.id])
        ]
        touched = await resting(batch)  # after the call: meanwhile the rules have gone on
        if not found and not touched:
            return Changes(batch.cursor)
        return await derived(batch, found, touched, self.step, self._attributes, made)

    async def _told(self, told: Prompt, messages: Iterable[Message], asked: Sequence[Message]) -> list[Candidate]:
        """What the model tells, as far as it is let in."""
        from jiyi.prompts.facts import Told  # pydantic takes a while
        from jiyi.strategies.facts_gate import let_in

        text, most = numbered_lines(messages, asked), 200 + _ANSWER * len(asked)
        reply = await ask(self._llm, told, text, Told, field="facts", max_tokens=most)
        numbered = dict(enumerate(asked, start=1))
        return [one for item in reply if (one := let_in(item, numbered, self._attributes)) is not None]

    def _prompt(self, spoken: str) -> Prompt:
        """The prompt, with the user's own attributes and instructions."""
        lines = [f"- {one.name} ({one.says})" if one.says else f"- {one.name}" for one in self._more]
        return prompt("facts", spoken).filled(attributes="\n".join(lines), instructions=self._instructions)


def _is_left(one: Candidate, told_of: Sequence[Candidate]) -> bool:
    """Whether the model made nothing of what the rules found: of the message, of these words, or that it is over."""
    if one.ends:
        return not any(other.ends for other in told_of)
    return not told_of or (bool(one.attribute) and all(o.end <= one.start or one.end <= o.start for o in told_of))
