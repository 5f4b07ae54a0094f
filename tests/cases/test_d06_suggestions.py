"""Field case D06: what the assistant suggests is no fact about the user, until the user takes it up."""

from __future__ import annotations

import pytest

from jiyi import KeyFacts, SlidingWindow
from tests.cases.facts import facts, playing
from tests.conftest import OpenMemory

TALK = [
    ("user", "周末想放松一下，有什么建议？"),
    ("assistant", "可以去莫干山徒步，你应该很喜欢户外运动，也可以办一张健身卡。"),
    ("user", "嗯，我再想想。"),
]
LATER = ("user", "那就去莫干山吧，我订了民宿。")
TELLS = {
    "周末想放松": [
        {"quote": "你应该很喜欢户外运动", "text": "用户喜欢户外运动", "attribute": "likes", "value": "户外运动"},
        {"quote": "办一张健身卡", "text": "用户有健身卡", "attribute": "owns", "value": "健身卡"},
        {"quote": "周末想放松一下", "text": "用户周末想放松", "attribute": "plan"},
    ],
    "订了民宿": [
        {"quote": "那就去莫干山吧，我订了民宿", "text": "用户要去莫干山，订了民宿。", "attribute": "plan"},
    ],
}


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_a_suggestion_is_no_fact(open_memory: OpenMemory, by: str) -> None:
    llm = playing(TELLS) if by == "model" else None
    memory = await open_memory(recipe=[KeyFacts(every=4), SlidingWindow(1)], memory_llm=llm)
    chat = memory.session("s", user_id="ada")
    for role, text in (*TALK, ("user", "好的")):
        await chat.add(role, text)  # type: ignore[arg-type]
    await memory.drain()
    assert not [r for r in await facts(memory, current=None) if "户外" in r.text or "健身卡" in r.text]
    taken = await chat.add(*LATER)  # type: ignore[arg-type]
    for text in ("谢谢", "好的", "嗯嗯"):
        await chat.add("user", text)
    await memory.drain()
    trip = [record for record in await facts(memory) if "莫干山" in record.text]
    assert trip
    for record in trip:
        assert [source.message_id for source in record.sources] == [taken.id]
        assert record.data["speaker"] == "user" and not record.text.isascii()
    if by == "model":
        assert [record.text for record in trip] == ["用户要去莫干山，订了民宿。"]


NOT_MINE = [
    ("tool", "The user is allergic to nuts."),
    ("user", "If I had a dog, I would call it Rex."),
    ("user", 'My boss wrote: "I live in Oslo and I hate meetings."'),
    ("user", "Do I like sushi?"),
    ("user", "你觉得我喜欢喝茶吗？"),
    ("user", "翻译一下：I am allergic to penicillin."),
    ("user", "Write a story in which I have three cats and live in Rome."),
]


@pytest.mark.parametrize(("role", "text"), NOT_MINE)
@pytest.mark.parametrize("by", ["rules", "model"])
async def test_what_others_say_and_what_is_only_supposed_is_no_fact(
    open_memory: OpenMemory, by: str, role: str, text: str
) -> None:
    whole = {"quote": text, "text": text, "attribute": "likes"}
    part = {"quote": text[len(text) // 2 :], "text": text[len(text) // 2 :], "attribute": "likes"}
    llm = playing({text: [whole, part]}) if by == "model" else None
    memory = await open_memory(recipe=[KeyFacts(every=2), SlidingWindow(1)], memory_llm=llm)
    chat = memory.session("s", user_id="ada")
    if role == "tool":
        await chat.add("assistant", None, tool_calls=[{"id": "c", "name": "look", "arguments": {}}])
        await chat.add("tool", text, tool_call_id="c")
    else:
        await chat.add(role, text)  # type: ignore[arg-type]
        await chat.add("assistant", "ok")
    await memory.drain()
    assert await facts(memory, current=None) == []
