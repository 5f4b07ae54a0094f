"""Intake by the recipe ``medical``: every line of the memory names its message and stands in it; what a model makes up
never gets there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from jiyi import AsyncMemory, Context
from jiyi.prompts import LANGUAGES
from jiyi.testing import Call, ScriptedLLM
from jiyi.types import Message

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
SAID = {
    "en": (
        ("I'm allergic to penicillin, it gives me a rash.", "Noted. Perhaps you are allergic to aspirin as well?"),
        ("Dr. Chen prescribed metformin, 500 mg twice a day.", "Understood."),
        ("I don't smoke, and I don't take any blood thinners.", "Good."),
        ("My mother has high blood pressure. She takes amlodipine.", "And your father?"),
        ("My doctor at Lakeside Clinic is Dr. Chen.", "Thank you."),
        ("I stopped taking ibuprofen last week.", "Fine. You could take warfarin instead."),
    ),
    "zh": (
        ("我对青霉素过敏，吃了会起疹子。", "记下了。您可能对阿司匹林也过敏？"),
        ("陈医生给我开了二甲双胍，每天两次，每次500毫克。", "明白。"),
        ("我不抽烟，也没有在吃抗凝药。", "好的。"),
        ("我妈妈有高血压，她在吃氨氯地平。", "您父亲呢？"),
        ("我在湖滨诊所的医生是陈医生。", "谢谢。"),
        ("我上周停用了布洛芬。", "好的。您可以改吃华法林。"),
    ),
}
ASKED = {
    "en": ("What am I allergic to?", "Which medicine do I take, and how much?", "Do I smoke?", "Who is my doctor?",
           "What do you know about my mother?", "Can I take ibuprofen or warfarin?"),
    "zh": ("我对什么过敏？", "我在吃什么药，吃多少？", "我抽烟吗？", "我的医生是谁？", "我妈妈的情况怎么样？", "我能吃布洛芬或者华法林吗？"),
}  # fmt: skip
LIES = {
    "en": {
        "facts": [
            {"number": 1, "quote": "I'm allergic to penicillin", "text": "The user is allergic to aspirin.", "attribute": "allergy", "value": "aspirin"},
            {"number": 2, "quote": "Dr. Chen prescribed metformin, 500 mg twice a day", "text": "The user takes metformin 1000 mg.", "attribute": "health", "value": "1000 mg"},
            {"number": 3, "quote": "I don't smoke", "text": "The user smokes.", "attribute": "habit", "value": "smokes", "negated": False},
            {"number": 1, "quote": "Perhaps you are allergic to aspirin as well", "text": "The user is allergic to aspirin.", "attribute": "allergy", "value": "aspirin"},
            {"number": 4, "quote": "the user has diabetes", "text": "The user has diabetes.", "attribute": "health", "value": "diabetes"},
        ],
        "relations": [
            {"number": 2, "quote": "Dr. Chen prescribed metformin", "head": "Dr. Chen", "relation": "prescribed", "tail": "warfarin"},
            {"number": 4, "quote": "She takes amlodipine", "head": "user", "relation": "takes", "tail": "amlodipine"},
            {"number": 2, "quote": "Dr. Chen gave insulin", "head": "Dr. Chen", "relation": "prescribed", "tail": "insulin"},
            {"number": 5, "quote": "My doctor at Lakeside Clinic is Dr. Chen", "head": "Dr. Chen", "relation": "treats", "tail": "Dr. Chen"},
        ],
    },
    "zh": {
        "facts": [
            {"number": 1, "quote": "我对青霉素过敏", "text": "用户对阿司匹林过敏。", "attribute": "allergy", "value": "阿司匹林"},
            {"number": 2, "quote": "每次500毫克", "text": "用户每次吃1000毫克二甲双胍。", "attribute": "health", "value": "1000毫克"},
            {"number": 3, "quote": "我不抽烟", "text": "用户抽烟。", "attribute": "habit", "value": "抽烟", "negated": False},
            {"number": 1, "quote": "您可能对阿司匹林也过敏", "text": "用户对阿司匹林过敏。", "attribute": "allergy", "value": "阿司匹林"},
            {"number": 4, "quote": "用户有糖尿病", "text": "用户有糖尿病。", "attribute": "health", "value": "糖尿病"},
        ],
        "relations": [
            {"number": 2, "quote": "陈医生给我开了二甲双胍", "head": "陈医生", "relation": "开了", "tail": "华法林"},
            {"number": 4, "quote": "她在吃氨氯地平", "head": "user", "relation": "服用", "tail": "氨氯地平"},
            {"number": 2, "quote": "陈医生开了胰岛素", "head": "陈医生", "relation": "开了", "tail": "胰岛素"},
            {"number": 5, "quote": "我在湖滨诊所的医生是陈医生", "head": "陈医生", "relation": "治疗", "tail": "陈医生"},
        ],
    },
}  # fmt: skip
UNTRUE = {
    "en": (r"\[fact[^\n]*aspirin", "1000", r"user smokes", "diabetes", "insulin", r"\[(relation|entity)[^\n]*warfarin"),
    "zh": (r"\[事实[^\n]*阿司匹林", "1000", r"用户抽烟", "糖尿病", "胰岛素", r"\[(关系|实体)[^\n]*华法林"),
}
_REFERENCE = re.compile(r"#([0-9a-z]{8})")
_QUOTE = re.compile(r'(?<!\w)"([^"]+)"|“([^”]+)”')


def liar(language: str) -> ScriptedLLM:
    """A model that makes things up in every form it is asked for."""

    def answer(call: Call) -> str:
        schema: Mapping[str, object] = call.schema or {}
        fields = schema.get("properties")
        (name,) = fields if isinstance(fields, Mapping) else ("",)
        return json.dumps({name: LIES[language].get(str(name), [])}, ensure_ascii=False)

    return ScriptedLLM(answer)


async def intake(memory: AsyncMemory, language: str) -> None:
    chat = memory.session("intake", user_id="p1")
    for number, (said, answer) in enumerate(SAID[language]):
        at = DAY + timedelta(minutes=number)
        await chat.add("user", said, created_at=at)
        await chat.add("assistant", answer, created_at=at)
    for number in range(8):  # the stride of a model's step is full
        await chat.add(
            "user", ("Thank you.", "谢谢。")[language == "zh"], created_at=DAY + timedelta(hours=1, minutes=number)
        )
    await memory.drain()


def is_cited(line: str, messages: Sequence[Message]) -> bool:
    """Whether a line names messages that are stored, and each of its quotes, or the line itself, stands in one."""
    named = [m for m in messages if m.id[-8:] in _REFERENCE.findall(line)]
    if not named:
        return False
    quotes = [first or second for first, second in _QUOTE.findall(line)]
    if not quotes:
        said = line.partition("] ")[2]
        return any(said in message.text for message in named)
    return all(any(quote in message.text for message in named) for quote in quotes)


@pytest.mark.parametrize("lies", [False, True], ids=["by rules", "with a model that lies"])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_statement_has_its_quote_and_message(language: str, lies: bool) -> None:
    model = liar(language) if lies else None
    async with await AsyncMemory.open("memory:", recipe="medical", embedder="hashing", memory_llm=model) as memory:
        await intake(memory, language)
        if model:
            asked = {name for call in model.calls for name in (call.schema or {}).get("properties", ())}  # type: ignore[attr-defined]
            assert asked == {"facts", "relations"}
        for question in ASKED[language]:
            chat = memory.session(user_id="p1")
            await chat.add("user", question)
            context = await chat.context(max_tokens=1500)
            lines, messages = said_in(context), await memory.messages(user_id="p1")
            assert lines, question
            for line in lines:
                assert is_cited(line, messages), line
            for untrue in UNTRUE[language]:
                assert not re.search(untrue, "\n".join(lines)), (question, untrue)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_was_stated_answers(language: str) -> None:
    expected = {"en": ("penicillin", "500 mg", "don't smoke", "Dr. Chen", "blood pressure", "stopped taking ibuprofen"),
                "zh": ("青霉素", "500毫克", "不抽烟", "陈医生", "高血压", "停用了布洛芬")}  # fmt: skip
    async with await AsyncMemory.open("memory:", recipe="medical", embedder="hashing") as memory:
        await intake(memory, language)
        for question, answer in zip(ASKED[language], expected[language], strict=True):
            chat = memory.session(user_id="p1")
            await chat.add("user", question)
            assert answer in "\n".join(said_in(await chat.context(max_tokens=1500))), question


def said_in(context: Context) -> list[str]:
    """The lines of the memory section, without its header and the dates."""
    if context.messages[0]["role"] != "system":
        return []
    text = str(context.messages[0]["content"])
    lines = filter(None, text.splitlines()[1:])
    return [line for line in lines if not re.fullmatch(r"\[\d{4}-\d\d-\d\d [^\]]*\]", line)]
