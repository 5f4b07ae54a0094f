"""What each recipe brings into a context: evidence against tokens, on the same questions, and which one to take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from statistics import fmean

from jiyi.engine import AsyncMemory
from jiyi.eval.dataset import Conversation, Label
from jiyi.eval.recall import USER, Replay, asked_at, moment_of
from jiyi.eval.statistics import mean, rounded, share
from jiyi.tokens import REPLY, count_message

FEW = 30
"""Questions below which nothing is recommended without a warning."""

NEAR = 0.02
"""Share of the evidence that a cheaper context may lack against the best one."""

Setting = tuple[str, int]
"""A recipe, and the tokens its context may take."""


@dataclass(frozen=True, slots=True)
class Brought:
    """One context.

    Attributes:
        index: of the question in its conversation.
        sources: ids of the messages that stand in it.
        tokens: of the whole context.
        full: what the whole past would take, with the question.
    """

    index: int
    setting: Setting
    sources: frozenset[str]
    tokens: int
    full: int


@dataclass(frozen=True, slots=True)
class Scored:
    """One context and how much of its question's evidence stands in it."""

    question: str
    setting: Setting
    evidence: float
    tokens: int
    full: int


async def contexts(
    memory: AsyncMemory,
    conversation: Conversation,
    settings: Sequence[Setting],
    *,
    stored: Callable[[int], None] = lambda count: None,
) -> list[Brought]:
    """Replays a conversation and asks each question, as its user would, in a session that has just begun.

    The sessions in which questions are asked are off the record, so that no question is found by a later one.  No label
    is looked at.

    Args:
        memory: empty, its worker stopped.
        conversation: with its questions.
        settings: recipes with the budgets of their contexts; those of one recipe beside each other.
        stored: called with the number of messages that were just stored and indexed.
    """
    counter, entries = memory.counter, conversation.entries
    sizes = [
        count_message(counter, {"role": e.fields.get("role"), "content": e.fields.get("content")}) for e in entries
    ]
    place = {entry.message_id: number for number, entry in enumerate(entries)}
    found: list[Brought] = []
    async with aclosing(Replay(memory, stored=stored).moments(conversation)) as moments:
        async for index in moments:
            question = conversation.questions[index]
            past = sum(sizes[: place[question.before]] if question.before else sizes)
            full = past + count_message(counter, {"role": "user", "content": question.text}) + REPLY
            session = memory.session(f"asked-{index}", user_id=USER, off_record=True)
            await session.add("user", question.text)
            moment = moment_of(question, conversation.times_before(question))
            recipe = ""
            for setting in settings:
                if setting[0] != recipe:
                    recipe = setting[0]
                    await memory.use_recipe(recipe)
                    await memory.drain()  # what this recipe derives, and the others do not
                with asked_at(memory, moment):
                    context = await session.context(max_tokens=setting[1], allow_partial=True)
                sources = frozenset(source for block in context.blocks for source in block.sources)
                found.append(Brought(index, setting, sources, context.tokens, full))
    return found


def scored(brought: Sequence[Brought], labels: Sequence[Label], session_of: Mapping[str, str]) -> list[Scored]:
    """The share of the evidence that came, of the questions that have any and can be answered.

    Evidence that is a session has come when any message of it has.
    """
    rows: list[Scored] = []
    for one in brought:
        label = labels[one.index]
        if not label.evidence or not label.answerable:
            continue
        came = one.sources if label.level == "message" else {session_of.get(source) for source in one.sources}
        part = sum(name in came for name in label.evidence) / len(label.evidence)
        rows.append(Scored(label.question_id, one.setting, part, one.tokens, one.full))
    return rows


def table(rows: Sequence[Scored], price: float | None) -> list[dict[str, object]]:
    """One row a setting: evidence in the context, tokens, and what they cost.

    Args:
        rows: in the same order of questions for every setting.
        price: of a million tokens; None leaves out what things cost.
    """
    found: list[dict[str, object]] = []
    for setting, group in by_setting(rows).items():
        tokens, full = fmean(one.tokens for one in group), fmean(one.full for one in group)
        row: dict[str, object] = {
            "recipe": setting[0],
            "max_tokens": setting[1],
            "questions": len(group),
            "evidence": rounded(share(sum(one.evidence for one in group), len(group))),
            "all": rounded(share(sum(one.evidence == 1 for one in group), len(group))),
            "tokens": round(tokens),
            "full_history_tokens": round(full),
            "saved": round(1 - tokens / full, 4),
        }
        if price is not None:
            row["cost_of_1000"] = round(tokens * price / 1000, 4)
        found.append(row)
    return found


def by_setting(rows: Sequence[Scored]) -> dict[Setting, list[Scored]]:
    """Setting -> its rows."""
    groups: dict[Setting, list[Scored]] = {}
    for row in rows:
        groups.setdefault(row.setting, []).append(row)
    return groups


def advice(rows: Sequence[Scored]) -> dict[str, object]:
    """Which setting to take, and why.

    It is the one with the fewest tokens whose evidence share is at most ``NEAR`` below that of the best one.  Gaps are
    measured on the same questions, with a 95 % interval (mean and 1.96 standard errors).  Settings with still
    fewer tokens whose gap could, by its interval, be as small as that are named: the data cannot tell them apart.
    """
    groups = by_setting(rows)
    if not groups:
        return {"setting": None, "text": "No question with evidence: nothing can be recommended."}
    evidence = {name: fmean(one.evidence for one in group) for name, group in groups.items()}
    cost = {name: fmean(one.tokens for one in group) for name, group in groups.items()}
    best = min(groups, key=lambda name: (-evidence[name], cost[name]))
    if not evidence[best]:
        return {"setting": None, "text": "No recipe brings any of the evidence: nothing can be recommended."}
    gaps = {name: _gap(groups[best], group) for name, group in groups.items()}
    taken = min((name for name in groups if gaps[name][0] <= NEAR), key=lambda name: (cost[name], -evidence[name]))
    unsure = sorted((n for n in groups if cost[n] < cost[taken] and gaps[n][1] <= NEAR), key=lambda n: cost[n])
    number, full = len(groups[taken]), fmean(one.full for one in groups[taken])
    said = [
        f"Take {_called(taken)}: {evidence[taken]:.1%} of the evidence stands in contexts of {cost[taken]:,.0f} tokens "
        f"on average, {_of_full(cost[taken], full)}."
    ]
    if taken != best:
        said.append(
            f"The best, {_called(best)}, has {evidence[best]:.1%} for {cost[best]:,.0f} tokens; "
            f"nothing within {100 * NEAR:.0f} points of it takes fewer than the one recommended."
        )
    if unsure:
        gap, low, high = gaps[unsure[0]]
        said.append(
            f"More questions would be needed to tell it from cheaper ones: {', '.join(map(_called, unsure))} "
            f"(the first lacks {100 * gap:.1f} points against the best, "
            f"95 % interval {100 * low:.1f} to {100 * high:.1f})."
        )
    if number < FEW:
        said.append(f"Measured on {number} of at least {FEW} questions: take this as a hint, and ask more.")
    return {
        "setting": {"recipe": taken[0], "max_tokens": taken[1]},
        "best": {"recipe": best[0], "max_tokens": best[1]},
        "enough": number >= FEW and not unsure,
        "text": " ".join(said),
    }


def _gap(best: Sequence[Scored], other: Sequence[Scored]) -> tuple[float, float, float]:
    """How much more the best brings, question by question, with its interval."""
    return mean([one.evidence - two.evidence for one, two in zip(best, other, strict=True)])


def _called(setting: Setting) -> str:
    return f"{setting[0]} with max_tokens={setting[1]}"


def _of_full(tokens: float, full: float) -> str:
    if tokens >= full:
        return f"no less than the whole past with {full:,.0f}"
    return f"{1 - tokens / full:.0%} less than the whole past with {full:,.0f}"
