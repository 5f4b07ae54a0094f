"""What each strategy asks a model for: calls, tokens in and out, and whether a call grows with the conversation."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, cast

from jiyi.config import Settings
from jiyi.engine import AsyncMemory
from jiyi.errors import MissingDependency
from jiyi.options import Options
from jiyi.plugins import load
from jiyi.plugins import names as plugins
from jiyi.ports import LLM, Deriving, Strategy
from jiyi.types import JSON, ChatMessage, Delta, Reply, Step, Usage

EARLY = 20
"""Turns after which a call is compared with those at the end."""

_SAID = {
    "en": "Today I met the team of project P{n} in the city of C{n}, and we agreed on a budget of {n}00 EUR and on a "
    "review next month. The hotel near the station was quiet, the talks were friendly, and Mr. N{n} will send us the "
    "plan of the new hall before the end of the week.",
    "zh": "今天我在C{n}市见了P{n}项目的团队，我们商定预算为{n}00欧元，下个月再评审一次。车站旁边的酒店很安静，"
    "会谈也很友好，N{n}先生会在周末之前把新展厅的方案发给我们。",
}
_ANSWERED = {"en": "Noted. Shall I put the review into your calendar?", "zh": "记下了。要不要把评审加到您的日程里？"}
_PACE = 4  # turns from one look at what is to be derived to the next: half of a usual stride
_LONG = 30  # sentences: some 200 tokens
_FILLER = {"en": "They talked about their work. ", "zh": "双方谈了各自的工作。"}


@dataclass(frozen=True, slots=True)
class Cost:
    """What one step of one strategy or recipe took in one language.

    Attributes:
        strategy: its name.
        per_100: calls and tokens in 100 turns.
        early, late: tokens in of a call, in the first ``EARLY`` turns and in the last ones, as many; None without one.
        largest: tokens in of the largest call.
    """

    strategy: str
    step: str
    language: str
    turns: int
    per_100: Usage
    early: int | None
    late: int | None
    largest: int

    @property
    def growth(self) -> float | None:
        """How much larger a late call is than an early one."""
        return self.late / self.early if self.early and self.late else None


class StandIn:
    """A model that answers whatever it is asked in the form that is asked for: one item, which says nothing.

    Summaries, and texts that are asked for without a form, are long: what is told again in later calls is then about as
    long as it gets.
    """

    name = "stand-in"

    def __init__(self, language: str) -> None:
        self._filler = _FILLER[language]

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, JSON] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """See ``LLM.complete``."""
        if schema is not None:
            return Reply(json.dumps(blank(schema, schema, self._filler), ensure_ascii=False))
        return Reply(self._filler * _LONG)

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None
    ) -> AsyncGenerator[Delta, None]:
        """See ``LLM.stream``."""
        yield Delta(self._filler, finish="stop", usage=Usage())

    async def close(self) -> None:
        """See ``LLM.close``."""


def blank(schema: Mapping[str, JSON], root: Mapping[str, JSON], filler: str) -> JSON:
    """The least that a JSON schema allows, with one item in a list, and a sentence where a text is."""
    if isinstance(ref := schema.get("$ref"), str):
        found: JSON = root
        for part in ref.removeprefix("#/").split("/"):
            found = cast("Mapping[str, JSON]", found)[part]
        return blank(cast("Mapping[str, JSON]", found), root, filler)
    for choice in ("enum", "anyOf", "oneOf", "allOf"):
        if isinstance(options := schema.get(choice), Sequence) and options:
            return options[0] if choice == "enum" else blank(cast("Mapping[str, JSON]", options[0]), root, filler)
    kind = schema.get("type")
    match kind[0] if isinstance(kind, Sequence) and not isinstance(kind, str) else kind:
        case "object":
            fields = cast("Mapping[str, Mapping[str, JSON]]", schema.get("properties", {}))
            needed = cast("Sequence[str]", schema.get("required", ()))
            said = {name: filler * _LONG if name == "summary" else filler for name in needed}
            return {name: blank(fields[name], root, said[name]) for name in needed if name in fields}
        case "array":
            item = blank(cast("Mapping[str, JSON]", schema.get("items", {})), root, filler)
            return [item] * max(1, cast("int", schema.get("minItems", 1)))
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case "string":
            return filler.strip()
        case _:
            return None


class _Clock:
    """Stands still: a day that ends in between would be another page of the counts."""

    def now(self) -> datetime:
        return datetime(2026, 3, 2, 9, tzinfo=UTC)


def asking() -> dict[str, Strategy]:
    """Name -> the strategies here that have something derived by a model; of those that share it the first."""
    found: dict[str, Strategy] = {}
    seen: set[Step] = set()
    for name in plugins("strategies"):
        try:
            kind: Any = load("strategies", name)
        except MissingDependency:
            continue
        options = {"by_model": True} if "by_model" in inspect.signature(kind).parameters else {}
        strategy = cast("Strategy", kind(**options))
        made = strategy.derivers(StandIn("en")) if isinstance(strategy, Deriving) else ()
        steps = {one.step for one in made if one.asks_llm}
        if not steps <= seen:
            found[name] = strategy
            seen |= steps
    return found


async def measure(
    memory: AsyncMemory,
    name: str,
    recipe: str | Sequence[Strategy],
    language: str,
    turns: int,
    done: Callable[[], object],
) -> list[Cost]:
    """Talks for so many turns, all of which tell new names and amounts, and counts what is asked after each.

    Args:
        memory: an empty one, of ``opened``.
        name: of the strategy or recipe, in the results.
        recipe: is put to work in it.
        language: ``en`` or ``zh``.
        turns: a question and an answer each.
        done: called after each turn.
    """
    await memory.use_recipe(recipe)
    quick = [step.name for step in memory.worker.steps if step not in memory.worker.asking]
    chat, scope = memory.session("s", user_id="cost"), memory.scope("cost")
    pages: list[dict[str, Usage]] = [{}]
    for turn in range(1, turns + 1):
        await chat.add("user", _SAID[language].format(n=turn))
        await chat.add("assistant", _ANSWERED[language])
        if turn % _PACE == 0 or turn == turns:
            await memory.drain(steps=quick)  # the rules are done long before a model answers
            await memory.drain()
        pages.append(memory.spending.counted(scope))
        done()
    return [_cost(name, step, language, [page.get(step, Usage()) for page in pages]) for step in sorted(pages[-1])]


def _cost(strategy: str, step: str, language: str, pages: Sequence[Usage]) -> Cost:
    turns, whole = len(pages) - 1, pages[-1]
    calls = [
        (turn, (after.prompt_tokens - before.prompt_tokens) // (after.calls - before.calls))
        for turn, (before, after) in enumerate(pairwise(pages), 1)
        if after.calls > before.calls
    ]
    early = [tokens for turn, tokens in calls if turn <= EARLY]
    late = [tokens for turn, tokens in calls if turn > max(EARLY, turns - EARLY)]
    per_100 = Usage(*(round(100 * n / turns) for n in (whole.calls, whole.prompt_tokens, whole.completion_tokens)))
    largest = max((tokens for _, tokens in calls), default=0)
    return Cost(
        strategy, step, language, turns, per_100, early[-1] if early else None, late[-1] if late else None, largest
    )


async def opened(llm: LLM | str | None, language: str, settings: Settings | None = None) -> AsyncMemory:
    """A memory that is gone afterwards, whose work is only done when it is waited for."""
    options: Options = {"memory_llm": StandIn(language) if llm is None else llm, "recipe": "casual", "clock": _Clock()}
    options["embedder"] = None
    if settings is not None:
        options["settings"] = settings
    memory = await AsyncMemory.open("memory:", **options)
    await memory.worker.stop()
    return memory
