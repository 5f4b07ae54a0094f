"""The model that tests script."""

import asyncio
import subprocess
import sys
from contextlib import aclosing

import pytest

from jiyi.errors import InvalidInput, ModelUnavailable
from jiyi.testing import ScriptedLLM, Streamed, echo
from jiyi.types import Delta, Reply, Usage


def asked(text, *before):
    return [*({"role": "system", "content": line} for line in before), {"role": "user", "content": text}]


async def pieces(llm, text, **options):
    async with aclosing(llm.stream(asked(text), **options)) as stream:
        return [piece async for piece in stream]


async def test_a_list_is_said_in_order_and_then_nothing_is_left():
    llm = ScriptedLLM(["one", Reply("two", "filtered", Usage(1, 7, 2)), ModelUnavailable("down")])
    assert (await llm.complete(asked("a"))).text == "one"
    assert await llm.complete(asked("b")) == Reply("two", "filtered", Usage(1, 7, 2))
    with pytest.raises(ModelUnavailable, match="down"):
        await llm.complete(asked("c"))
    with pytest.raises(AssertionError, match="only 3 answers; asked again: 'd'"):
        await llm.complete(asked("d"))
    assert [call.last for call in llm.calls] == ["a", "b", "c", "d"]
    assert [call.ended for call in llm.calls] == ["whole", "whole", "error", ""]


async def test_a_mapping_is_looked_up_by_schema_then_last_then_first_message():
    llm = ScriptedLLM({"budget": "500", "facts": ["{}", "[]"], "预算": "五百"})
    assert (await llm.complete(asked("What is my budget?"))).text == "500"
    assert (await llm.complete(asked("我的预算是多少？"))).text == "五百"
    assert (await llm.complete(asked("my budget"), schema={"title": "facts"})).text == "{}"
    assert (await llm.complete(asked("go on", "List the facts."))).text == "[]"
    with pytest.raises(AssertionError, match="only 2 answers for 'facts'"):
        await llm.complete(asked("facts"))
    with pytest.raises(AssertionError, match=r"no answer for 'hello'; its keys are \['budget', 'facts', '预算'\]"):
        await llm.complete(asked("hello"))


async def test_a_function_sees_the_whole_call():
    llm = ScriptedLLM(lambda call: f"{call.max_tokens} {call.streamed} {call.all_text}")
    messages = asked("b", "a")
    assert (await llm.complete(messages, schema={"type": "object"}, max_tokens=50)).text == "50 False a\nb"
    messages[1]["content"] = "changed later"
    assert llm.calls[0].last == "b" and llm.calls[0].schema == {"type": "object"}


@pytest.mark.parametrize("size", [1, 3, 100])
async def test_pieces_of_any_size_add_up(size):
    text = "预算五百块 🎁👩‍👩‍👧‍👦 é, ok"
    found = await pieces(ScriptedLLM([text], piece=size), "?")
    assert "".join(piece.text for piece in found) == text
    assert all(len(piece.text) <= size for piece in found)
    assert found[-1].finish == "stop" and found[-1].usage.completion_tokens > 0


async def test_thoughts_come_first_and_are_no_part_of_the_answer():
    llm = ScriptedLLM([Streamed("Yes.", thought="Let me see"), Streamed("Yes.", thought="Let me see")], piece=99)
    assert (await pieces(llm, "?"))[:2] == [Delta(thought="Let me see"), Delta("Yes.")]
    assert (await llm.complete(asked("?"))).text == "Yes."


async def test_a_stream_breaks_after_what_was_said():
    llm = ScriptedLLM([Streamed("half an ans", error=ModelUnavailable("broke off"))], piece=99)
    stream = llm.stream(asked("?"))
    assert await anext(stream) == Delta("half an ans")
    with pytest.raises(ModelUnavailable, match="broke off"):
        await anext(stream)
    assert llm.calls[0].ended == "error" and llm.calls[0].text == "half an ans"


async def test_one_that_hangs_waits_for_the_caller_to_give_up():
    llm = ScriptedLLM([Streamed("half", hangs=True), Streamed(hangs=True)], piece=99)
    stream = llm.stream(asked("?"))
    assert await anext(stream) == Delta("half")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(stream), 0.02)
    await stream.aclose()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(llm.complete(asked("?")), 0.02)
    assert [call.ended for call in llm.calls] == ["closed", "closed"]
    assert llm.usage == Usage()


async def test_closing_early_is_seen():
    llm = ScriptedLLM(echo, piece=1)
    stream = llm.stream(asked("hello"))
    await anext(stream)
    await stream.aclose()
    assert llm.calls[0].ended == "closed"


async def test_an_answer_is_cut_where_max_tokens_ends():
    llm = ScriptedLLM(echo)
    reply = await llm.complete(asked("一二三四五六七八九十" * 5), max_tokens=5)
    assert reply.finish == "length" and 0 < len(reply.text) < 20
    assert reply.usage.completion_tokens <= 5


async def test_no_messages_and_calls_after_close():
    llm = ScriptedLLM(echo)
    with pytest.raises(InvalidInput, match="messages"):
        await llm.complete([])
    await llm.close()
    assert llm.closed
    with pytest.raises(AssertionError, match="after close"):
        await llm.complete(asked("?"))


async def test_usage_adds_up():
    llm = ScriptedLLM(echo)
    one = await llm.complete(asked("hello"))
    two = (await pieces(llm, "你好"))[-1].usage
    assert llm.usage == one.usage + two and llm.usage.calls == 2


def test_the_stand_ins_need_no_pytest():
    script = "import sys; sys.modules['pytest'] = None; from jiyi.testing import FakeClock, ScriptedLLM, Streamed, echo"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
