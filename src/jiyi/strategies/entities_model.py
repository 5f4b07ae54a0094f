"""Entities and relations by the model: a stride of messages in one call, each checked against the words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from jiyi.entities import MODEL, form_of
from jiyi.importance import SMALL_TALK, importance
from jiyi.mentions import USER, Edge, Mention, Mentioned
from jiyi.ports import LLM, Batch
from jiyi.prompts import Prompt, prompt
from jiyi.relation_types import RELATIONS, RelationType
from jiyi.strategies.entities_known import derived, resting
from jiyi.strategies.facts_known import is_own
from jiyi.strategies.numbered import EVERY, numbered_lines
from jiyi.structured import ask
from jiyi.text import flat, language
from jiyi.types import Changes, Message, Step

_VERSION = "1"
_NO_NAME = frozenset(
    ("项目", "工程", "系统", "应用", "团队", "project", "app", "team", "system", "library", "framework")
)
"""What often stands beside a name without being a part of it."""
_WORDS = 3  # further Chinese words of a relation in the prompt
_ANSWER = 240  # tokens for each of the user's messages in the reply: about four items


class ModelEntities:
    """Derives entities and relations from what the user says, by a chat model; what it makes nothing of keeps those of
    the rules.

    Args:
        llm: the model that derives.
        instructions: a few words more for the model.
        every: messages of one call.
    """

    asks_llm = True

    def __init__(self, llm: LLM, *, instructions: str = "", every: int = EVERY) -> None:
        self.step = Step(MODEL, _VERSION, stride=every)
        self.batch_size = every
        self._llm = llm
        self._instructions = instructions

    async def derive(self, batch: Batch) -> Changes:
        """The entities and relations of one batch; ``structured.CALLS`` calls at most, none for small talk.

        Raises:
            ModelError: there was no answer that can be used.
        """
        from jiyi.rules import mentioned  # their tables take a while, and only who derives needs them

        own = [message for message in batch.messages if is_own(message)]
        asked = [message for message in own if importance(message).score > SMALL_TALK]
        told: Mapping[str, Mentioned] = {}
        made: dict[str, str] = {}
        if asked:
            system = self._prompt(language("\n".join(message.text for message in asked)))
            made = {"model": self._llm.name, "prompt": system.id}
            told = await self._told(system, batch.messages, asked)
        found: list[tuple[Mentioned, str]] = []
        for message in own:
            by_model, by_rules = together(told.get(message.id, Mentioned()), mentioned(message))
            found += [(by_model, "model"), (by_rules, "rules")]
        found = [(one, maker) for one, maker in found if one.mentions or one.edges]
        touched = await resting(batch)  # after the call: meanwhile the rules have gone on
        if not found and not touched:
            return Changes(batch.cursor)
        return await derived(batch, found, touched, self.step, made)

    async def _told(
        self, system: Prompt, messages: Iterable[Message], asked: Sequence[Message]
    ) -> Mapping[str, Mentioned]:
        """What the model tells, as far as it is let in, by message."""
        from jiyi.prompts.entities import Told  # pydantic takes a while
        from jiyi.strategies.entities_gate import let_in

        text, most = numbered_lines(messages, asked), 200 + _ANSWER * len(asked)
        reply = await ask(self._llm, system, text, Told, field="relations", max_tokens=most)
        numbered = dict(enumerate(asked, start=1))
        found: defaultdict[str, list[Mentioned]] = defaultdict(list)
        for one in (let_in(item, numbered) for item in reply):
            if one.mentions:
                found[one.mentions[0].message.id].append(one)
        return {message: _gathered(of_it) for message, of_it in found.items()}

    def _prompt(self, spoken: str) -> Prompt:
        """The prompt, with the relations that have a name and the user's own instructions."""
        names = [f"{one.name}（{_chinese(one)}）" if spoken == "zh" else one.name for one in RELATIONS.values()]
        listed = "、".join(names) if spoken == "zh" else ", ".join(names)
        return prompt("entities", spoken).filled(relations=listed, instructions=self._instructions)


def _chinese(relation: RelationType) -> str:
    """How a person reads it, and other words: a small model chooses by them."""
    words = [one for one in relation.words if not one.isascii() and "…" not in one and one not in relation.zh]
    return "、".join((relation.zh, *sorted(words, key=len)[:_WORDS]))


def _gathered(items: Sequence[Mentioned]) -> Mentioned:
    """The items about one message; a name is of the type that most of them give."""
    mentions = [mention for one in items for mention in one.mentions]
    types: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for mention in mentions:
        types[form_of(mention.name)].update([mention.type] if mention.type else [])
    best = {form: votes.most_common(1)[0][0] for form, votes in types.items() if votes}
    mentions = [replace(one, type=best.get(form_of(one.name), "")) for one in mentions]
    return Mentioned(
        tuple(mentions),
        tuple(alias for one in items for alias in one.aliases),
        tuple(edge for one in items for edge in one.edges),
    )


def together(model: Mentioned, rules: Mentioned) -> tuple[Mentioned, Mentioned]:
    """What a model and the rules find in one message, without what the model's word takes the place of.

    A name has the model's type and the rules' role and traits.  Between two names the model's relations count, unless
    it only repeats words where the rules know the relation, or has the ends of it the wrong way round: rules are sure.
    """
    model = _renamed(model, rules.mentions)
    by_form: dict[str, list[Mention]] = {}
    for mention in rules.mentions:
        by_form.setdefault(form_of(mention.name), []).append(mention)
    sure = {_pair(edge) for edge in rules.edges if edge.relation in RELATIONS}
    edges = [edge for edge in model.edges if _counts(edge, rules.edges, sure)]
    decided = {_pair(edge) for edge in edges}
    apart = decided | {_pair(edge) for edge in rules.edges}
    aliases = tuple(one for one in rules.aliases if frozenset(map(form_of, one.names)) not in decided)
    there = {form_of(one.name) for one in model.mentions}
    needed = {form_of(name) for one in aliases for name in one.names}
    needed |= {form for form, found in by_form.items() if len(found) > 1 or form not in there}
    types = {form_of(one.name): one.type for one in model.mentions if one.type}
    left = tuple(
        replace(one, type=types.get(form_of(one.name), one.type))
        for one in rules.mentions
        if form_of(one.name) in needed
    )
    taken = {one.start for one in left}
    mine = [_with_role(one, by_form.get(form_of(one.name), ())) for one in model.mentions]
    return (
        Mentioned(
            tuple(one for one in mine if one.start not in taken or one.name == USER),
            tuple(one for one in model.aliases if frozenset(map(form_of, one.names)) not in apart),
            tuple(edges),
        ),
        Mentioned(
            left,
            aliases,
            tuple(one for one in rules.edges if _pair(one) not in decided),
        ),
    )


def _renamed(model: Mentioned, rules: Sequence[Mention]) -> Mentioned:
    """With the names of the rules where a model adds a word that is no part of one: 夜莺项目, "my sister Mia"."""
    better = {
        one.name: inner
        for one in model.mentions
        for inner in rules
        if one.start <= inner.start and inner.end <= one.end and _adds_a_word(one, inner)
    }
    if not better:
        return model
    names = {name: inner.name for name, inner in better.items()}

    def named(name: str) -> str:
        return names.get(name, name)

    return Mentioned(
        tuple(
            replace(one, name=inner.name, start=inner.start, end=inner.end) if (inner := better.get(one.name)) else one
            for one in model.mentions
        ),
        tuple(replace(one, names=(named(one.names[0]), named(one.names[1]))) for one in model.aliases),
        tuple(replace(one, head=named(one.head), tail=named(one.tail)) for one in model.edges),
    )


def _adds_a_word(one: Mention, inner: Mention) -> bool:
    if USER in (one.name, inner.name) or one.end - one.start == inner.end - inner.start:
        return False
    text = one.message.text
    more = flat(text[one.start : inner.start] + " " + text[inner.end : one.end])
    role = flat(inner.role)
    return more in _NO_NAME or (bool(role) and more in (role, role.removeprefix("my "), role.removeprefix("我")))


def _pair(edge: Edge) -> frozenset[str]:
    return frozenset((form_of(edge.head), form_of(edge.tail)))


def _counts(edge: Edge, rules: Sequence[Edge], sure: set[frozenset[str]]) -> bool:
    if edge.relation not in RELATIONS:
        return _pair(edge) not in sure
    same = [one for one in rules if _pair(one) == _pair(edge) and one.relation == edge.relation]
    return not same or any(form_of(one.head) == form_of(edge.head) for one in same)


def _with_role(mention: Mention, rules: Sequence[Mention]) -> Mention:
    """With what rules see of the same name: its role, its traits, and the type where the model gives none."""
    if not rules:
        return mention
    near = min(rules, key=lambda one: abs(one.start - mention.start))
    place = near if near.traits and not mention.traits else mention  # the clause that has the traits is the quote
    return replace(place, type=mention.type or near.type, role=near.role)
