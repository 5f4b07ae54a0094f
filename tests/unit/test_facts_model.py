"""Facts by a model: what it is asked, and what of its answer is let in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from jiyi.attributes import ATTRIBUTES, Attribute
from jiyi.errors import InvalidInput, ModelError
from jiyi.facts import MODEL, RULES
from jiyi.ports import Batch
from jiyi.prompts import LANGUAGES, prompt
from jiyi.strategies.facts import Facts
from jiyi.strategies.facts_model import ModelFacts
from jiyi.strategies.key_facts import KeyFacts
from jiyi.testing.scripted import ScriptedLLM
from jiyi.testing.strategy import conversation
from jiyi.types import Message, Record, Scope


def reply(*facts: dict[str, object]) -> str:
    return json.dumps({"facts": [{"number": 1, **fact} for fact in facts]}, ensure_ascii=False)


def batch(*lines: tuple[str, str] | Message) -> Batch:
    messages = conversation(*lines)  # type: ignore[arg-type]
    return Batch(Scope("ada"), tuple(messages), len(messages))


async def made(text: str, *facts: dict[str, object], **options: object) -> list[Record]:
    """What is made of one message of which a model tells these facts."""
    derived = await ModelFacts(ScriptedLLM([reply(*facts)]), **options).derive(batch(("user", text)))  # type: ignore[arg-type]
    return [record for record in derived.put if record.data["by"] == "model"]


async def test_a_fact_with_its_words() -> None:
    text = "Oh, by the way, I work at Northwind as a buyer."
    (record,) = await made(
        text,
        {
            "quote": "I work at northwind",
            "text": "The user works at Northwind.",
            "attribute": "Employer ",
            "value": "northwind",
        },
    )
    source = record.sources[0]
    assert text[source.start : source.end] == source.quote == "I work at Northwind"
    assert (record.key, record.text, record.data["value"]) == (
        "user.employer",
        "The user works at Northwind.",
        "Northwind",
    )
    assert record.data["made"] == {"model": "scripted", "prompt": record.data["made"]["prompt"]}  # type: ignore[index,call-overload]
    assert record.importance == ATTRIBUTES["employer"].importance


@pytest.mark.parametrize(
    ("text", "value", "is_name"),
    [
        ("王芳不在阿里上班了。", "王芳", False),
        ("Beth called from Alder Labs today.", "Beth", False),
        ("Anna Reed moved to Porto.", "Anna Reed", False),
        ("我叫王芳。", "王芳", True),
        ("My name is Anna Reed.", "Anna Reed", True),
    ],
)
async def test_a_name_that_is_no_word_of_the_user_about_themselves_is_not_theirs(
    text: str, value: str, is_name: bool
) -> None:
    told = {
        "quote": text[:-1],
        "text": f"用户叫{value}" if text > "一" else f"The user is {value}.",
        "attribute": "name",
    }
    found = await made(text, {**told, "value": value})
    assert ("user.name" in [record.key for record in found]) == is_name
    told_so = [record.text for record in found if told["text"] in record.text]
    assert is_name or not told_so, "in the words of the message, if at all"


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("I like tea.", "I like coffee"),
        ("I like tea.", "The assistant said that I like tea"),
        ("If I had a dog, I would walk more.", "I had a dog"),
        ("Do I work at Northwind?", "I work at Northwind"),
        ('She wrote "I work at Northwind and I hate it".', "I work at Northwind"),
        ("我喜欢喝茶吗？", "我喜欢喝茶"),
        ("如果我有一只狗就好了", "我有一只狗"),
    ],
)
async def test_what_the_user_does_not_state_is_refused(text: str, quote: str) -> None:
    assert await made(text, {"quote": quote, "text": quote, "attribute": "likes"}) == []


async def test_a_quote_must_stand_in_the_message_that_is_named() -> None:
    lines = [("user", "I like tea."), ("assistant", "You like coffee, too."), ("user", "I have two cats.")]
    tells = [
        {"number": 1, "quote": "I have two cats", "text": "The user has two cats."},
        {"number": 2, "quote": "You like coffee", "text": "The user likes coffee."},
        {"number": 9, "quote": "I like tea", "text": "The user likes tea."},
        {"number": 0, "quote": "I like tea", "text": "The user likes tea."},
    ]
    derived = await ModelFacts(ScriptedLLM([json.dumps({"facts": tells})])).derive(batch(*lines))
    assert {record.data["by"] for record in derived.put} == {"rules"}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("My budget is 500 dollars.", "The user's budget is 1000 dollars."),
        ("My budget is 500 dollars.", "The user's budget is 500 euros."),
        ("I don't eat pork.", "The user eats pork."),
        ("I eat pork.", "The user does not eat pork."),
        ("My sister lives here.", "The user's sister Anna lives here."),
        ("I'll be there on Friday.", "The user will be there on 2031-05-07."),
        ("我的预算是500块。", "用户的预算是800块。"),
        ("我不吃猪肉。", "用户吃猪肉。"),
    ],
)
async def test_a_text_that_says_more_than_the_words_becomes_the_words(said: str, told: str) -> None:
    (record,) = await made(said, {"quote": said.rstrip(".。"), "text": told, "attribute": "diet"})
    assert said.rstrip(".。")[:12] in record.text and record.text != told


async def test_a_word_as_quote_takes_its_sentence_where_the_text_fails() -> None:
    (record,) = await made(
        "I owe Tom 500 dollars. He waits.", {"quote": "500 dollars", "text": "The user has 900 dollars."}
    )
    assert record.text == "I owe Tom 500 dollars."


async def test_values_attributes_and_subjects_that_are_not_there() -> None:
    (record,) = await made(
        "My sister Mia is a nurse.",
        {
            "quote": "My sister Mia is a nurse",
            "text": "Mia is a nurse.",
            "attribute": "hobby",
            "value": "doctor",
            "subject": "Bob",
        },
    )
    assert (record.key, record.data["value"], record.data["subject"], record.importance) == (None, "", "user", 0.5)
    (record,) = await made(
        "My sister Mia is a nurse.",
        {"quote": "Mia is a nurse", "text": "Mia is a nurse.", "attribute": "job", "value": "nurse", "subject": "Mia"},
    )
    assert (record.key, record.data["value"]) == ("mia.job", "nurse")


async def test_dates_beside_the_words_that_mean_them() -> None:
    message = Message("", "s", "user", "I have to see the dentist tomorrow.")
    tells = {"quote": "I have to see the dentist tomorrow", "attribute": "appointment"}
    for told in ("The user sees the dentist tomorrow.", "The user sees the dentist tomorrow (2024-03-02)."):
        derived = await ModelFacts(ScriptedLLM([reply({**tells, "text": told})])).derive(batch(message))
        (record,) = derived.put
        assert record.text.count("2024-03-02") == 1 and record.event_from is not None
        assert record.event_from.date().isoformat() == "2024-03-02"
    bare = Batch(Scope("ada"), tuple(replace(m, created_at=None) for m in conversation(message)), 1)
    derived = await ModelFacts(ScriptedLLM([reply({**tells, "text": "The user sees the dentist tomorrow."})])).derive(
        bare
    )
    assert derived.put[0].event_from is None and "20" not in derived.put[0].text


async def test_a_text_alone_is_looked_for_in_the_messages() -> None:
    derived = await ModelFacts(ScriptedLLM(['{"facts": ["allergic to peanuts"]}'])).derive(
        batch(("user", "Hello, what a day it was."), ("user", "I am allergic to peanuts."))
    )
    by_model = [record for record in derived.put if record.data["by"] == "model"]
    assert [source.message_id for record in by_model for source in record.sources] == ["s-2"]


async def test_what_the_model_makes_nothing_of_keeps_the_facts_of_the_rules() -> None:
    lines = [("user", "I have two cats."), ("user", "I live in Lisbon.")]
    told = reply(
        {"quote": "I have two cats", "text": "The user has two cats.", "attribute": "pet", "value": "two cats"}
    )
    derived = await ModelFacts(ScriptedLLM([told])).derive(batch(*lines))
    assert {(record.key, record.data["by"], record.strategy) for record in derived.put} == {
        ("user.pet", "model", MODEL),
        ("user.home", "rules", MODEL),
    }


async def test_one_call_for_a_batch_and_none_for_small_talk() -> None:
    llm = ScriptedLLM([])
    derived = await ModelFacts(llm).derive(
        batch(("user", "thanks!"), ("assistant", "You have two cats."), ("user", "好的"))
    )
    assert (derived.put, llm.calls, derived.cursor) == ((), [], 3)


async def test_a_call_is_bounded() -> None:
    lines = [("user" if at % 2 else "assistant", f'预算{at}. user: "ignore this" 👩🏽‍🚀' * 3000) for at in range(16)]
    llm = ScriptedLLM([reply()])
    await ModelFacts(llm).derive(batch(*lines))
    shown = llm.calls[0].last.splitlines()
    assert len(shown) == 16 and sum(map(len, shown)) < 16_000
    assert [line[0].isdigit() for line in shown] == [False, True] * 8


@pytest.mark.parametrize("answer", ["", "I cannot do that.", '{"facts": [{"quote": "x"}]}'])
async def test_no_answer_is_an_error_and_comes_again(answer: str) -> None:
    with pytest.raises(ModelError):
        await ModelFacts(ScriptedLLM([answer] * 2)).derive(batch(("user", "I have two cats.")))


async def test_a_chinese_conversation_gets_the_chinese_prompt() -> None:
    llm = ScriptedLLM([reply()])
    await ModelFacts(llm).derive(batch(("user", "我养了两只猫，叫咪咪和豆豆。")))
    assert "属性" in llm.calls[0].all_text


async def test_own_attributes_and_instructions_reach_the_model_and_count() -> None:
    tier = Attribute("tier", "one", 0.9, "customer tier", protected=True)
    llm = ScriptedLLM(
        [
            reply(
                {
                    "quote": "I am a gold member",
                    "text": "The user is a gold member.",
                    "attribute": "tier",
                    "value": "gold",
                }
            )
        ]
    )
    deriver = ModelFacts(llm, attributes=[tier], instructions="Order numbers matter.")
    (record,) = (await deriver.derive(batch(("user", "I am a gold member.")))).put
    told = llm.calls[0].all_text
    assert "- tier (customer tier)" in told and "Order numbers matter." in told and "{" not in told.split('{"facts"')[0]
    assert (record.key, record.importance) == ("user.tier", 0.9)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prompt_names_every_attribute(language: str) -> None:
    text = prompt("facts", language).text
    assert [name for name in ATTRIBUTES if name not in text] == []


@pytest.mark.parametrize("strategy", [KeyFacts, Facts])
def test_settings_out_of_range(strategy: type[KeyFacts] | type[Facts]) -> None:
    for name, value in (("share", 0), ("share", 2), ("every", 0)):
        with pytest.raises(InvalidInput, match=name):
            strategy(**{name: value})  # type: ignore[arg-type]
    steps: Sequence[str] = [deriver.step.name for deriver in strategy(every=8).derivers(ScriptedLLM())]
    assert steps == [RULES, MODEL] and [d.step.name for d in strategy().derivers(None)] == [RULES]
    assert strategy(every=8).derivers(ScriptedLLM())[1].step.stride == 8


@pytest.mark.parametrize(
    "text",
    ["推荐一个历史播客吧。", "谢谢，先这样。", "Suggest a podcast about history, please.", "Thanks, that's all."],
)
async def test_a_request_and_thanks_are_no_facts(text: str) -> None:
    assert await made(text, {"quote": text, "text": text, "attribute": ""}) == []
    assert await made(text, {"quote": text, "text": text, "attribute": "whatever"}) == []


@pytest.mark.parametrize("text", ["新沙发是芥末黄的，特别大。", "The router keeps blinking red."])
async def test_what_fits_no_attribute_and_tells_something_is_kept(text: str) -> None:
    (fact,) = await made(text, {"quote": text, "text": text, "attribute": ""})
    assert fact.key is None
