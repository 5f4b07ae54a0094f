"""Asks a model the questions of a conversation, with the contexts that the memory gives, and marks what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass
from typing import Any

from jiyi.context import Context
from jiyi.engine import AsyncMemory
from jiyi.errors import ModelError, ModelRejected
from jiyi.eval.dataset import Conversation, Label, Question
from jiyi.eval.judging import NOTHING, judge
from jiyi.eval.ledger import Ledger, Row
from jiyi.eval.matching import Match, chosen, compare, declined
from jiyi.eval.recall import USER, Replay, asked_at, moment_of
from jiyi.ports import LLM
from jiyi.prompts import prompt
from jiyi.text import language
from jiyi.types import Usage

IN_A_ROW = 5
"""Questions that may fail one after the other; then the run stops."""


async def context_for(memory: AsyncMemory, question: Question, name: str, max_tokens: int) -> Context:
    """What is sent for a question that is asked in a new session, off the record.  No label is looked at.

    Args:
        memory: with what was said before.
        question: recall looks for its text alone, not for its choices.
        name: of the session.
        max_tokens: of the context.
    """
    told = prompt("quiz", language(question.text)).text
    if question.asked_at:
        spoken = language(question.text)
        told += f"\n\n{'提问时间' if spoken == 'zh' else 'The question is asked on'}: {question.asked_at}"
    choices = "".join(f"\n{letter}. {text}" for letter, text in question.choices.items())
    session = memory.session(name, user_id=USER, off_record=True)
    await session.add("system", told)
    await session.add("user", question.text + choices)
    return await session.context(question.text, max_tokens=max_tokens, allow_partial=True)


def marked(answer: str, label: Label, question: Question) -> Match:
    """The deterministic mark of an answer."""
    if not label.answerable:
        return declined(answer)
    if label.option:
        return chosen(answer, label.option, question.choices)
    return compare(answer, label.answer)


def reference(label: Label, question: Question) -> str:
    """What the judge compares with."""
    if not label.answerable:
        return NOTHING["zh" if language(question.text) == "zh" else "en"]
    return f"{label.option}. {question.choices[label.option]}" if label.option else label.answer


def usable(label: Label) -> bool:
    """Whether there is something to compare an answer with."""
    return bool(label.answer or label.option or not label.answerable)


@dataclass(frozen=True, slots=True)
class Plan:
    """How it is asked.

    Attributes:
        llm: who answers.
        judge: who marks beside the rules; None for nobody.
        max_tokens: of a context.
        reply_tokens: of an answer.
        concurrency: questions that are with a model at once.
    """

    llm: LLM
    judge: LLM | None
    max_tokens: int
    reply_tokens: int
    concurrency: int


class Quiz:
    """Questions to a model, kept in a ledger as they are answered.

    Args:
        plan: how.
        ledger: where each answer is kept.
        passed: called after each question.
    """

    def __init__(self, plan: Plan, ledger: Ledger, passed: Callable[[], object] = lambda: None) -> None:
        self._plan = plan
        self._ledger = ledger
        self._passed = passed
        self._failed = 0

    async def run(self, memory: AsyncMemory, conversation: Conversation, name: str) -> None:
        """Replays a conversation into an empty memory and asks all its questions, each at its moment.

        Args:
            memory: empty, its worker stopped, with the recipe in use.
            conversation: with the questions to ask, and no others.
            name: of its set.

        Raises:
            ModelRejected: at once.
            ModelError: ``IN_A_ROW`` questions failed one after the other.
        """
        free = asyncio.Semaphore(self._plan.concurrency)
        try:
            async with asyncio.TaskGroup() as group, aclosing(Replay(memory).moments(conversation)) as moments:
                async for index in moments:
                    await free.acquire()
                    question, label = conversation.questions[index], conversation.labels[index]
                    with asked_at(memory, moment_of(question, conversation.times_before(question))):
                        context = await context_for(memory, question, f"asked-{index}", self._plan.max_tokens)
                    about = {"set": name, "conversation_id": conversation.id, **_about(question, label)}
                    task = group.create_task(self._one(about, context, question, label))
                    task.add_done_callback(lambda _: free.release())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _one(self, about: Row, context: Context, question: Question, label: Label) -> None:
        row: dict[str, Any] = {**about, "tokens": context.tokens, **_EMPTY}
        try:
            reply = await self._plan.llm.complete(context.messages, max_tokens=self._plan.reply_tokens)
        except ModelError as error:
            self._keep({**row, "error": _told(error)}, error)
            return
        match = marked(reply.text, label, question)
        row |= {"answer": reply.text, **asdict(match), "f1": round(match.f1, 4), "usage": asdict(_once(reply.usage))}
        if self._plan.judge is None:
            self._keep(row)
            return
        try:
            verdict = await judge(self._plan.judge, question.text, row["reference"], reply.text)
        except ModelError as error:
            self._keep({**row, "judge_error": _told(error)}, error)
            return
        row |= {"judge": verdict.correct, "reason": verdict.reason, "judge_usage": asdict(_once(verdict.usage))}
        self._keep(row)

    def _keep(self, row: Mapping[str, Any], error: ModelError | None = None) -> None:
        """Writes the row; raises the error where going on makes no sense."""
        if not isinstance(error, ModelRejected):
            self._ledger.add(row)
            self._passed()
        self._failed = self._failed + 1 if error else 0
        if error and (isinstance(error, ModelRejected) or self._failed >= IN_A_ROW):
            raise error


_EMPTY = {
    "answer": None, "right": None, "exact": None, "contains": None, "f1": None, "declined": None, "judge": None,
    "reason": None, "usage": None, "judge_usage": None, "error": None, "judge_error": None,
}  # fmt: skip


def _about(question: Question, label: Label) -> dict[str, object]:
    return {
        "question_id": label.question_id,
        "category": label.category,
        "answerable": label.answerable,
        "question": question.text,
        "reference": reference(label, question),
    }


def _told(error: ModelError) -> dict[str, str]:
    named = next(kind for kind in type(error).__mro__ if kind.__module__ == "jiyi.errors")  # those that users know
    return {"type": named.__name__, "message": str(error)}


def _once(usage: Usage) -> Usage:
    """A model that does not count its calls was called once."""
    return usage if usage.calls else usage + Usage(1)
