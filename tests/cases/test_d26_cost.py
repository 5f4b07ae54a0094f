"""D26: calls and tokens of deriving are bounded, do not grow with the conversation, and can be read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from jiyi import AsyncMemory, Entities, Graph
from jiyi.eval.cost import StandIn, asking, blank, measure, opened
from jiyi.prompts import LANGUAGES
from jiyi.testing import ScriptedLLM, echo
from tests.conftest import OpenMemory

TURNS, EARLY = 220, 20
MOST_GROWTH = 1.5
STRATEGIES = asking()
RATINGS = {
    "type": "object",
    "properties": {
        "ratings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"number": {"type": "integer"}, "importance": {"type": "integer", "minimum": 0}},
                "required": ["number", "importance"],
            },
        }
    },
    "required": ["ratings"],
}
GREETINGS = {"en": ["hi", "Good morning!", "thanks", "ok, great"], "zh": ["你好", "好的", "谢谢", "早上好！"]}


@pytest.fixture(params=LANGUAGES)
async def spoken(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def memory(spoken: str) -> AsyncIterator[AsyncMemory]:
    async with await opened(None, spoken) as memory:
        yield memory


def test_there_are_strategies_that_ask() -> None:
    assert "importance" in STRATEGIES


@pytest.mark.slow
@pytest.mark.parametrize("name", STRATEGIES)
async def test_calls_are_bounded_and_do_not_grow(memory: AsyncMemory, spoken: str, name: str) -> None:
    costs = await measure(memory, name, [STRATEGIES[name]], spoken, TURNS, lambda: None)
    assert costs, "it asked at all"
    for cost in costs:
        assert cost.per_100.calls <= 100, "a call a turn at most"
        assert cost.growth is not None and cost.growth <= MOST_GROWTH, cost
        assert cost.early is not None and cost.largest <= MOST_GROWTH * cost.early, cost


@pytest.mark.parametrize("name", STRATEGIES)
async def test_twenty_turns_take_no_more_calls_than_documented(memory: AsyncMemory, spoken: str, name: str) -> None:
    """A step asks once for each stride that is full, of sixteen messages unless it says otherwise."""
    costs = await measure(memory, name, [STRATEGIES[name]], spoken, EARLY, lambda: None)
    calls = {one.purpose: one.usage.calls for one in await memory.spent("cost")}
    assert calls.keys() == {cost.step for cost in costs}
    assert all(count <= EARLY for count in calls.values()), calls
    assert calls.get("importance", 0) <= 2 * EARLY // 16


@pytest.mark.parametrize("name", STRATEGIES)
async def test_greetings_ask_nothing(memory: AsyncMemory, spoken: str, name: str) -> None:
    await memory.use_recipe([STRATEGIES[name]])
    chat = memory.session("s", user_id="ada")
    for turn in range(64):
        await chat.add("user" if turn % 2 == 0 else "assistant", GREETINGS[spoken][turn % 4])
    await memory.drain()
    found = await memory.spent("ada")
    assert sum(one.usage.calls for one in found) <= 64 // 16, "at most batched"


async def test_entities_and_what_relates_them_share_their_calls(memory: AsyncMemory, spoken: str) -> None:
    await memory.use_recipe([Entities(), Graph()])
    chat = memory.session("s", user_id="ada")
    for n in range(20):
        said = f"Norr{n} acquired Kestrel{n} this week." if spoken == "en" else f"蓝湾{n}公司收购了灰雀{n}公司。"
        await chat.add("user", said)
        await chat.add("assistant", GREETINGS[spoken][n % 4])
    await memory.drain()
    (spent,) = await memory.spent("ada")
    assert (spent.purpose, spent.usage.calls) == ("entities", 2 * 20 // 16), "one in sixteen messages, for both"
    for turn in range(64):
        await chat.add("user" if turn % 2 == 0 else "assistant", GREETINGS[spoken][turn % 4])
    await memory.drain()
    assert (await memory.spent("ada"))[0].usage.calls <= spent.usage.calls + 1, "small talk asks nothing"


async def test_without_extraction_no_model_is_asked_to_derive(open_memory: OpenMemory, spoken: str) -> None:
    """The shipped recipes without a model: everything works, nothing is asked."""
    memory = await open_memory(memory_llm=None)
    chat = memory.session("s", user_id="ada")
    for n in range(20):
        await chat.add("user", f"We met the team of project P{n}, the budget is {n}00 EUR." if spoken == "en" else
                       f"我们见了P{n}项目的团队，预算{n}00欧元。")  # fmt: skip
    await memory.drain()
    assert await memory.spent() == [] and memory.usage == {}
    assert (await memory.search("P7", user_id="ada"))[0].message.text.find("P7") >= 0
    assert (await chat.context(max_tokens=1000)).tokens <= 1000


async def test_calls_and_tokens_of_a_turn_can_be_read(open_memory: OpenMemory) -> None:
    llm = ScriptedLLM(echo)
    memory = await open_memory(llm=llm, memory_llm=StandIn("en"), recipe=[STRATEGIES["importance"]])
    chat = memory.session("s", user_id="ada")
    answer = await chat.send("Today I met the team of project P1.")
    (spent,) = await memory.spent("ada")
    assert spent.usage == answer.usage == (await chat.context()).usage["answer"]


@pytest.mark.parametrize(
    ("schema", "least"),
    [
        (RATINGS, {"ratings": [{"number": 1, "importance": 0}]}),
        ({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "null"}}, "required": ["a"]}, {"a": "They talked about their work."}),
        ({"type": "array", "items": {"$ref": "#/$defs/one"}, "minItems": 2, "$defs": {"one": {"enum": ["x", "y"]}}},
         ["x", "x"]),
        ({"anyOf": [{"type": ["boolean", "null"]}, {"type": "string"}]}, False),
        ({}, None),
    ],
)  # fmt: skip
async def test_the_stand_in_answers_in_the_form_asked_for(schema: dict[str, object], least: object) -> None:
    assert blank(schema, schema, "They talked about their work. ") == least  # type: ignore[arg-type]
    reply = await StandIn("en").complete([{"role": "user", "content": "?"}], schema=schema)  # type: ignore[arg-type]
    assert json.loads(reply.text) == least


def test_each_strategy_of_the_evaluation_is_fresh() -> None:
    one, two = asking(), asking()
    assert all(one[name] is not two[name] for name in one)
    assert all(isinstance(strategy.name, str) for strategy in one.values())
