from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jiyi import BudgetTooSmall, ContextOverflow, InvalidInput, Memory, ModelError, ModelRejected, ModelUnavailable
from jiyi.testing import ScriptedLLM, Streamed, echo
from jiyi.types import Reply, Usage
from tests.conftest import OpenMemory

QUESTION, ANSWER = "预算是多少？", "您说过预算是500元。🎁"


def words(messages: list[Any]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages]


async def test_a_turn_stores_what_was_asked_and_answered(open_memory: OpenMemory) -> None:
    llm = ScriptedLLM([ANSWER])
    memory = await open_memory(llm=llm)
    session = memory.session("s", user_id="ada")
    answer = await session.send(QUESTION)
    assert answer.text == ANSWER and answer.finish == "stop" and answer.message.text == ANSWER
    stored = await session.messages()
    assert words(stored) == [("user", QUESTION), ("assistant", ANSWER)]
    assert stored[1].metadata["model"] == "scripted" and stored[1].metadata["finish"] == "stop"
    assert stored[1].metadata["prompt_tokens"] == answer.usage.prompt_tokens > 0
    assert not stored[1].incomplete
    assert llm.calls[0].messages == answer.context.messages


async def test_what_was_said_in_another_session_reaches_the_model_with_its_instructions(
    open_memory: OpenMemory,
) -> None:
    llm = ScriptedLLM([ANSWER])
    memory = await open_memory(llm=llm)
    await memory.session("old", user_id="ada").add("user", "给侄女买礼物，预算500元，她上一年级。")
    await memory.drain()  # without an embedder two words of a question are too few for recall, and a fact has them
    answer = await memory.session("new", user_id="ada").send("礼物的预算是多少？")
    sent = llm.calls[0]
    assert [message["role"] for message in sent.messages] == ["system", "system", "user"]
    assert "预算500元" in sent.all_text and "不得编造" in sent.all_text
    assert answer.context.tokens <= 4000
    recalled = [message for block in answer.context.blocks if block.place == "memory" for message in block.sources]
    assert len(recalled) == 1


@pytest.mark.parametrize(("text", "rule"), [("What is my budget?", "Never make up"), ("我的预算呢？", "不得编造")])
async def test_the_instructions_speak_the_language_of_the_question(
    open_memory: OpenMemory, text: str, rule: str
) -> None:
    llm = ScriptedLLM(echo)
    session = (await open_memory(llm=llm)).session("s", user_id="ada")
    await session.add("system", "You are a pirate.")
    await session.send(text)
    first, second = llm.calls[0].messages[:2]
    assert first["content"] == "You are a pirate." and rule in str(second["content"])
    plain = await session.context()
    assert rule not in str(plain.messages), "only send adds it unless asked to"


@pytest.mark.parametrize("given", ["", "Answer in rhymes."])
async def test_instructions_can_be_replaced_or_left_out(open_memory: OpenMemory, given: str) -> None:
    llm = ScriptedLLM(echo)
    session = (await open_memory(llm=llm, instructions=given)).session("s", user_id="ada")
    await session.send("hello")
    assert [message["content"] for message in llm.calls[0].messages] == [*([given] if given else []), "hello"]


async def test_instructions_count_in_the_budget(open_memory: OpenMemory) -> None:
    llm = ScriptedLLM(echo)
    session = (await open_memory(llm=llm)).session("s", user_id="ada")
    with pytest.raises(BudgetTooSmall) as caught:
        await session.send("hello", max_tokens=20)
    assert llm.calls == [] and words(await session.messages()) == [("user", "hello")]
    answer = await session.send(None, max_tokens=caught.value.needed)
    assert answer.context.tokens == caught.value.needed


async def test_a_stream_gives_pieces_and_then_the_whole(open_memory: OpenMemory) -> None:
    memory = await open_memory(llm=ScriptedLLM([Streamed(ANSWER, thought="嗯……预算")]))
    session = memory.session("s", user_id="ada")
    stream = session.stream(QUESTION)
    assert await session.messages() == [], "nothing happens before the first piece is asked for"
    pieces = [piece async for piece in stream]
    assert len(pieces) > 1 and "".join(pieces) == ANSWER
    assert stream.answer is not None and stream.answer.text == ANSWER
    assert stream.thought == "嗯……预算" and "嗯" not in str(await session.messages())
    assert stream.context is not None and stream.message == (await session.messages())[-1]


BROKEN = [
    ModelUnavailable("gone"),
    ModelRejected("wrong key"),
    ContextOverflow("too long"),
    ModelError("no JSON"),
    RuntimeError("a bug of an adapter"),
]


@pytest.mark.parametrize("error", BROKEN, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("said", ["", "Your bud"])
async def test_when_a_model_fails_nothing_that_was_said_is_lost(
    open_memory: OpenMemory, error: Exception, said: str
) -> None:
    memory = await open_memory(llm=ScriptedLLM([Streamed(said, error=error), ANSWER]))
    session = memory.session("s", user_id="ada")
    with pytest.raises(type(error), match=str(error)):
        await session.send(QUESTION)
    stored = await session.messages()
    assert words(stored) == [("user", QUESTION), *([("assistant", said)] if said else [])]
    assert stored[-1].incomplete == bool(said)
    answer = await session.send(None)
    assert words(await session.messages()) == [("user", QUESTION), ("assistant", ANSWER)]
    assert said == "" or said not in str(answer.context.messages)
    everything = await session.messages(all_branches=True)
    assert len(everything) == (3 if said else 2), "the answer that broke off stays stored, off the path"


async def test_a_stream_that_just_ends_is_an_error(open_memory: OpenMemory) -> None:
    class Cut(ScriptedLLM):
        async def stream(self, messages: Any, *, max_tokens: int | None = None) -> Any:
            async for delta in super().stream(messages, max_tokens=max_tokens):
                if delta.finish is None:
                    yield delta

    session = (await open_memory(llm=Cut([ANSWER]))).session("s", user_id="ada")
    with pytest.raises(ModelUnavailable, match="broke off"):
        await session.send(QUESTION)
    assert (await session.messages())[-1].incomplete


async def test_an_empty_answer_is_an_error_and_is_not_stored(open_memory: OpenMemory) -> None:
    session = (await open_memory(llm=ScriptedLLM([Streamed("", thought="hm"), ANSWER]))).session("s", user_id="ada")
    with pytest.raises(ModelError, match="nothing"):
        await session.send(QUESTION)
    assert words(await session.messages()) == [("user", QUESTION)]
    assert (await session.send(None)).text == ANSWER


async def test_closing_a_stream_stores_what_was_said_and_stops_the_model(open_memory: OpenMemory) -> None:
    llm = ScriptedLLM([Streamed("one two three", hangs=True), ANSWER])
    session = (await open_memory(llm=llm)).session("s", user_id="ada")
    async with session.stream(QUESTION) as stream:
        first = await anext(stream)
    assert llm.calls[0].ended == "closed"
    last = (await session.messages())[-1]
    assert (last.text, last.incomplete) == (first, True) and stream.message == last and stream.answer is None
    await stream.aclose()
    assert len(await session.messages()) == 2


async def test_cancelling_stores_what_was_said_before_the_cancel_is_passed_on(open_memory: OpenMemory) -> None:
    llm = ScriptedLLM([Streamed("as far as it came", hangs=True)])
    session = (await open_memory(llm=llm)).session("s", user_id="ada")
    task = asyncio.create_task(session.send(QUESTION))
    for _ in range(200):
        await asyncio.sleep(0.01)
        if llm.calls and llm.calls[0].text:
            break
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [(m.text, m.incomplete) for m in await session.messages()][1:] == [("as far as it came", True)]
    assert llm.calls[0].ended == "closed"


async def test_a_stream_that_is_dropped_is_stored_too(open_memory: OpenMemory) -> None:
    session = (await open_memory(llm=ScriptedLLM([ANSWER]))).session("s", user_id="ada")
    async for _ in session.stream(QUESTION):
        break
    for _ in range(100):
        await asyncio.sleep(0.01)
        if len(await session.messages()) == 2:
            break
    assert (await session.messages())[-1].incomplete


async def test_without_a_model_it_says_how_to_set_one_and_stores_nothing(open_memory: OpenMemory) -> None:
    session = (await open_memory()).session("s", user_id="ada")
    with pytest.raises(InvalidInput, match="JIYI_LLM") as caught:
        await session.send("hello")
    assert caught.value.field == "llm" and await session.messages() == []


WRONG: list[dict[str, Any]] = [{"max_tokens": 0}, {"max_tokens": None}, {"reply_tokens": -1}, {"reply_tokens": True}, {"tokens": 5}]  # fmt: skip


@pytest.mark.parametrize("asking", WRONG, ids=str)
async def test_wrong_arguments_are_refused_before_anything_is_stored(
    open_memory: OpenMemory, asking: dict[str, Any]
) -> None:
    session = (await open_memory(llm=ScriptedLLM(echo))).session("s", user_id="ada")
    with pytest.raises(InvalidInput) as caught:
        await session.send("hello", **asking)
    assert caught.value.field == next(iter(asking)) and await session.messages() == []


async def test_there_must_be_something_to_answer(open_memory: OpenMemory) -> None:
    session = (await open_memory(llm=ScriptedLLM(echo))).session("s", user_id="ada")
    with pytest.raises(InvalidInput, match="nothing to answer"):
        await session.send(None)
    await session.send("hello")
    with pytest.raises(InvalidInput, match="nothing to answer"):
        await session.send(None)
    assert len(await session.messages()) == 2


async def test_off_the_record_it_talks_and_keeps_nothing(open_memory: OpenMemory) -> None:
    llm = ScriptedLLM([Streamed("half", error=ModelUnavailable("gone")), ANSWER, "and again"])
    memory = await open_memory(llm=llm)
    await memory.session("old", user_id="ada").add("user", "The budget is 500 euro.")
    session = memory.session(user_id="ada", off_record=True)
    with pytest.raises(ModelUnavailable):
        await session.send("What is the budget?")
    assert (await session.send(None)).text == ANSWER
    await session.send("Thanks, and what is the budget?")
    assert "500 euro" in llm.calls[2].all_text and ANSWER in llm.calls[2].all_text
    assert "half" not in llm.calls[2].all_text
    assert (await memory.stats("ada")).messages == 1


async def test_a_cut_answer_says_so(open_memory: OpenMemory) -> None:
    session = (await open_memory(llm=ScriptedLLM([ANSWER]))).session("s", user_id="ada")
    answer = await session.send(QUESTION, reply_tokens=3)
    assert answer.finish == "length" and ANSWER.startswith(answer.text)
    assert (await session.messages())[-1].metadata["finish"] == "length"


async def test_usage_is_kept_apart_by_role(open_memory: OpenMemory) -> None:
    answering = ScriptedLLM([Reply("yes", usage=Usage(1, 100, 7)), ModelUnavailable("gone")])
    deriving = ScriptedLLM([Reply("{}", usage=Usage(1, 30, 2))])
    memory = await open_memory(llm=answering, memory_llm=deriving)
    session = memory.session("s", user_id="ada")
    await session.send("hello")
    with pytest.raises(ModelUnavailable):
        await session.send("hello?")
    assert memory.memory_llm is not None
    await memory.memory_llm.complete([{"role": "user", "content": "x"}])
    assert memory.usage == {"llm": Usage(2, 100, 7), "memory_llm": Usage(1, 30, 2)}


async def test_one_model_in_both_roles_is_still_counted_apart(open_memory: OpenMemory) -> None:
    memory = await open_memory(llm=ScriptedLLM(echo))
    await memory.session("s", user_id="ada").send("hello")
    assert memory.usage["llm"].calls == 1 and memory.usage["memory_llm"] == Usage()
    assert (await open_memory()).usage == {}


async def test_a_model_that_was_given_stays_open(open_memory: OpenMemory) -> None:
    llm = ScriptedLLM(echo)
    memory = await open_memory(llm=llm)
    await memory.close()
    assert not llm.closed


# -- without await


def test_it_works_without_await(tmp_path: Any) -> None:
    llm = ScriptedLLM([ANSWER, "one two three four", Streamed("half an ans", hangs=True)])
    with Memory.open(tmp_path / "chat.db", embedder=None, llm=llm) as memory:
        chat = memory.session("s", user_id="ada")
        assert chat.send(QUESTION).text == ANSWER
        stream = chat.stream("count")
        assert "".join(stream) == "one two three four"
        assert stream.answer is not None and stream.context is not None and stream.thought == ""
        assert stream.message == chat.messages()[-1]
        with chat.stream("and now?") as stream:
            next(stream)
        assert chat.messages()[-1].incomplete and memory.usage["llm"].calls == 3
