"""What models are used for is counted for each user, day and purpose, and stops at a day's limit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, date, datetime

import pytest

from jiyi import AsyncMemory, Importance, LimitReached, ModelUnavailable, SlidingWindow
from jiyi.errors import InvalidInput, StoreBusy, StoreError
from jiyi.ports import LLM, Batch, Request
from jiyi.spending import Spending
from jiyi.stores.memory import MemoryStore
from jiyi.testing import FakeClock, ScriptedLLM, Streamed
from jiyi.testing.scripted import Call
from jiyi.tokens import Estimate, count_messages
from jiyi.types import Block, Changes, ChatMessage, Reply, Scope, Spent, Step, Usage
from jiyi.usage import Metered, used_for
from tests.conftest import OpenMemory

DAY = date(2026, 3, 2)
ADA, BOB = Scope("ada"), Scope("bob")


def rated(call: Call) -> str:
    count = len(call.last.splitlines())
    return json.dumps({"ratings": [{"number": n, "importance": 5} for n in range(1, count + 1)]})


def model(call: Call) -> str:
    return rated(call) if call.schema else "Your budget is 500."


class Asks:
    """A strategy whose deriver asks once for each message."""

    name = "asks"
    window = False

    def derivers(self, llm: LLM | None) -> Sequence[Asking]:
        return [] if llm is None else [Asking(llm)]

    async def recall(self, request: Request) -> list[Block]:
        return []


class Asking:
    step = Step("asking", "1")
    batch_size = 1
    asks_llm = True

    def __init__(self, llm: LLM) -> None:
        self.llm = llm

    async def derive(self, batch: Batch) -> Changes:
        for message in batch.messages:
            await self.llm.complete([{"role": "user", "content": message.text}], schema={"title": "asking"})
        return Changes(batch.cursor)


async def say(memory: AsyncMemory, *texts: str, user: str = "ada") -> None:
    for text in texts:
        await memory.session("s", user_id=user).add("user", text)


async def totals(memory: AsyncMemory, user: str = "ada") -> dict[tuple[date, str], Usage]:
    return {(one.day, one.purpose): one.usage for one in await memory.spent(user)}


async def test_answering_and_deriving_are_counted_apart(open_memory: OpenMemory) -> None:
    llm = ScriptedLLM(model)
    memory = await open_memory(recipe=[Importance(by_model=True)], llm=llm)
    chat = memory.session("s", user_id="ada")
    for at in range(8):
        await chat.send(f"The table number {at} costs 300 dollars.")
    await memory.drain()
    found = {one.purpose: one for one in await memory.spent("ada")}
    asked = [call for call in llm.calls if not call.schema]
    assert found.keys() == {"answer", "importance"}
    assert found["answer"].usage.calls == len(asked) == 8 and found["importance"].usage.calls == 1
    assert found["answer"].usage + found["importance"].usage == llm.usage
    assert {one.day for one in found.values()} == {DAY}
    assert await memory.spent("bob") == [] and await memory.spent() == list(found.values())


async def test_the_counts_are_there_after_a_restart(open_memory: OpenMemory, url: str) -> None:
    if url == "memory:":
        pytest.skip("is gone with the process")
    first = await open_memory(llm=ScriptedLLM(model))
    await first.session("s", user_id="ada").send("hello")
    await first.close()
    again = await open_memory(llm=ScriptedLLM(model))
    await again.session("s", user_id="ada").send("hello again")
    assert (await totals(again))[DAY, "answer"].calls == 2


async def test_tokens_saved_against_the_full_history(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=[SlidingWindow(1)], llm=ScriptedLLM(model))
    chat = memory.session("s", user_id="ada")
    saved = 0
    for at in range(4):
        answer = await chat.send(f"The table number {at} costs 300 dollars.")
        saved += answer.context.saved or 0
    assert [one.saved for one in await memory.spent("ada")] == [saved] and saved > 0


async def test_a_failed_call_counts(open_memory: OpenMemory) -> None:
    memory = await open_memory(llm=ScriptedLLM([ModelUnavailable("down"), Streamed("Your bud", error=OSError("gone"))]))
    chat = memory.session("s", user_id="ada")
    with pytest.raises(ModelUnavailable):
        await chat.send("hello")
    assert (await totals(memory))[DAY, "answer"] == Usage(1), "the model was never reached"
    with pytest.raises(OSError, match="gone"):
        await chat.send(None)
    used = (await totals(memory))[DAY, "answer"]
    assert used.calls == 2 and used.prompt_tokens > 0 and used.completion_tokens > 0, "as far as it came"
    assert [one.saved for one in await memory.spent("ada")] == [0], "no answer, nothing saved"


async def test_a_call_that_is_stopped_counts(open_memory: OpenMemory) -> None:
    memory = await open_memory(llm=ScriptedLLM(["A long answer that nobody reads to its end."]))
    stream = memory.session("s", user_id="ada").stream("hello")
    await anext(stream)
    await stream.aclose()
    used = (await totals(memory))[DAY, "answer"]
    assert used.calls == 1 and used.prompt_tokens > 0 and used.completion_tokens > 0


async def test_a_server_without_counts_is_counted_for(clock: FakeClock) -> None:
    class Silent(ScriptedLLM):
        async def complete(self, *given: object, **more: object) -> Reply:
            return Reply("预算是500元。")

    llm = Metered(Silent(), Spending(await MemoryStore.open(), clock), Estimate())
    asked: list[ChatMessage] = [{"role": "user", "content": "预算是多少？"}]
    await llm.complete(asked)
    assert llm.usage == Usage(1, count_messages(Estimate(), asked), Estimate().count("预算是500元。"))


async def test_the_purpose_is_that_of_the_task_that_asks(clock: FakeClock) -> None:
    """Calls of several users at once do not mix."""
    spending = Spending(await MemoryStore.open(), clock)
    llm = Metered(ScriptedLLM(lambda call: call.last), spending, Estimate())

    async def ask(user: str, times: int) -> None:
        with used_for(Scope(user), "facts"):
            for _ in range(times):
                await llm.complete([{"role": "user", "content": user}])

    await asyncio.gather(ask("ada", 3), ask("bob", 5))
    await llm.complete([{"role": "user", "content": "for nobody"}])
    assert (spending.counted(ADA)["facts"].calls, spending.counted(BOB)["facts"].calls) == (3, 5)
    assert llm.usage.calls == 9


async def test_what_a_busy_store_does_not_take_is_written_later(clock: FakeClock) -> None:
    store = await MemoryStore.open()
    spending, taken, busy = Spending(store, clock), list[Spent](), True

    async def spend(scope: Scope, what: str, day: date, usage: Usage, *, saved: int = 0) -> None:
        if busy:
            raise StoreBusy("locked")
        taken.append(Spent(scope, day, what, usage, saved))

    store.spend = spend  # type: ignore[method-assign]
    spending.add(ADA, "facts", Usage(1, 10, 2))
    await spending.write()
    spending.add(ADA, "facts", Usage(1, 5, 1), saved=3)
    busy = False
    await spending.write()
    await spending.write()
    assert taken == [Spent(ADA, DAY, "facts", Usage(2, 15, 3), 3)]


async def test_who_asks_what_was_spent_waits_for_what_is_being_stored(clock: FakeClock) -> None:
    store = await MemoryStore.open()
    spending, begun, go = Spending(store, clock), asyncio.Event(), asyncio.Event()
    taken: list[str] = []

    async def spend(scope: Scope, what: str, day: date, usage: Usage, *, saved: int = 0) -> None:
        begun.set()
        await go.wait()
        taken.append(what)

    store.spend = spend  # type: ignore[method-assign]
    spending.add(ADA, "facts", Usage(1, 10, 2))
    first = asyncio.create_task(spending.write())
    await begun.wait()
    second = asyncio.create_task(spending.write())
    await asyncio.sleep(0)
    assert not second.done()
    first.cancel()  # what was begun is stored all the same, once
    go.set()
    await asyncio.gather(first, second, return_exceptions=True)
    await spending.write()
    assert taken == ["facts"]


async def test_a_context_tells_what_today_took(open_memory: OpenMemory, clock: FakeClock) -> None:
    memory = await open_memory(llm=ScriptedLLM(model))
    chat = memory.session("s", user_id="ada")
    answer = await chat.send("The table costs 300 dollars.")
    assert answer.context.usage == {}, "it was made before the call"
    context = await chat.context()
    assert context.usage == {"answer": answer.usage}
    assert sum(context.by_strategy.values()) == context.tokens - 3
    assert json.dumps(context.to_dict()["usage"])
    assert (await memory.session("s", user_id="bob").context()).usage == {}
    clock.advance(24 * 3600)
    assert (await chat.context()).usage == {}


async def test_the_usage_of_a_user_who_is_forgotten_goes_too(open_memory: OpenMemory) -> None:
    memory = await open_memory(llm=ScriptedLLM(model))
    for user in ("ada", "bob"):
        await memory.session("s", user_id=user).send("hello")
    await memory.forget(user_id="ada")
    assert [one.scope.user for one in await memory.spent()] == ["bob"]
    assert memory.spending.counted(memory.scope("ada")) == {}


# -- the limit ---------------------------------------------------------------------------------------------------------


async def test_answering_stops_at_the_limit_until_the_next_day(open_memory: OpenMemory, clock: FakeClock) -> None:
    llm = ScriptedLLM(model)
    memory = await open_memory(llm=llm, daily_tokens=200, instructions="")
    chat = memory.session("s", user_id="ada")
    with pytest.raises(LimitReached) as caught:
        for at in range(50):
            await chat.send(f"The table number {at} costs 300 dollars.")
    calls, last = len(llm.calls), (await chat.messages())[-1]
    assert 1 < calls < 50
    assert (last.role, last.text) == ("user", f"The table number {calls} costs 300 dollars."), "what was said is stored"
    (day,) = await memory.spent("ada")
    assert day.usage.tokens >= 200 and day.usage.tokens - _tokens(llm.calls[-1]) < 200, "by one call at most"
    assert caught.value.until == datetime(2026, 3, 3, tzinfo=UTC) and caught.value.limit == 200
    for told in ("'ada'", "2026-03-03 00:00 UTC", "JIYI_DAILY_TOKENS", "daily_tokens"):
        assert told in str(caught.value)
    await memory.session("s", user_id="bob").send("hello")  # others are not concerned
    clock.advance(15 * 3600 - 1)  # a second before midnight
    with pytest.raises(LimitReached):
        await chat.send(None)
    clock.advance(1)
    assert (await chat.send(None)).text == "Your budget is 500."


def _tokens(call: Call) -> int:
    return count_messages(Estimate(), call.messages) + Estimate().count(call.text)


async def test_deriving_waits_for_the_next_day(open_memory: OpenMemory, clock: FakeClock) -> None:
    llm = ScriptedLLM(model)
    memory = await open_memory(recipe=[Asks(), SlidingWindow()], memory_llm=llm, daily_tokens=60)
    await memory.worker.stop()
    texts = [f"The table number {at} costs 300 dollars." for at in range(10)]
    await say(memory, *texts)
    async with asyncio.timeout(20):
        await memory.drain()
    done = len(llm.calls)
    (step,) = [step for step in await memory.progress() if step.step.name == "asking"]
    assert 0 < done < 10 and (step.done, step.limited, step.total) == (done, 10 - done, 10)
    assert step.errors == () and await memory.failures() == [], "it is no failure"
    assert sum(one.usage.tokens for one in await memory.spent("ada")) - _tokens(llm.calls[-1]) < 60
    clock.advance(15 * 3600 - 1)
    await memory.drain()
    assert len(llm.calls) == done
    clock.advance(1)
    days = 1
    while len(llm.calls) < 10:
        await memory.drain()
        clock.advance(24 * 3600)
        days += 1
    assert [call.last for call in llm.calls] == texts, "each once, in order"
    assert days > 2
    (step,) = [step for step in await memory.progress() if step.step.name == "asking"]
    assert (step.done, step.limited) == (10, 0)


async def test_a_raised_limit_is_heeded_within_ten_minutes(open_memory: OpenMemory, clock: FakeClock) -> None:
    llm = ScriptedLLM(model)
    memory = await open_memory(recipe=[Asks(), SlidingWindow()], memory_llm=llm, daily_tokens=10)
    await memory.worker.stop()
    await say(memory, *(f"The table number {at} costs 300 dollars." for at in range(4)))
    await memory.drain()
    assert len(llm.calls) == 1
    memory.spending.limit = 0
    clock.advance(600)
    await memory.drain()
    assert len(llm.calls) == 4


async def test_a_rebuild_says_that_it_waits(open_memory: OpenMemory) -> None:
    memory = await open_memory(recipe=[Asks(), SlidingWindow()], memory_llm=ScriptedLLM(model), daily_tokens=10)
    await memory.worker.stop()
    await say(memory, "one", "two", "three")
    with pytest.raises(StoreError, match=r"asking waits until 2026-03-03 00:00 UTC: daily_tokens are used up"):
        await memory.rebuild()


async def test_calls_at_once_keep_to_the_limit(clock: FakeClock) -> None:
    """What is under way is reckoned with: of many calls at once no more begin than fit."""
    spending = Spending(await MemoryStore.open(), clock, 100)
    llm = Metered(ScriptedLLM(lambda call: "ok"), spending, Estimate())
    refused = 0

    async def ask() -> None:
        nonlocal refused
        with used_for(ADA, "facts"):
            try:
                await llm.complete([{"role": "user", "content": "The table costs 300 dollars."}], max_tokens=10)
            except LimitReached:
                refused += 1

    await asyncio.gather(*(ask() for _ in range(20)))
    one = llm.usage.tokens // llm.usage.calls
    assert refused > 0 and llm.usage.tokens <= 100 + one


async def test_what_another_process_spent_counts(open_memory: OpenMemory, url: str) -> None:
    if url == "memory:":
        pytest.skip("there is no other")
    one, two = (
        await open_memory(llm=ScriptedLLM(model), daily_tokens=30),
        await open_memory(llm=ScriptedLLM(model), daily_tokens=30),
    )
    await one.session("s", user_id="ada").send("The table costs 300 dollars.")
    with pytest.raises(LimitReached):
        await two.session("s", user_id="ada").send("And the chair?")


async def test_a_session_off_the_record_has_the_same_limit(open_memory: OpenMemory) -> None:
    memory = await open_memory(llm=ScriptedLLM(model), daily_tokens=30)
    chat = memory.session("s", user_id="ada", off_record=True)
    await chat.send("The table costs 300 dollars.")
    with pytest.raises(LimitReached):
        await chat.send("And the chair?")
    assert await memory.users() == [], "nothing is stored of somebody who only talked off the record"


@pytest.mark.parametrize("wrong", [-1, True, "many", 1.5])
async def test_a_wrong_limit_is_refused(open_memory: OpenMemory, wrong: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        await open_memory(daily_tokens=wrong)
    assert caught.value.field == "daily_tokens"
