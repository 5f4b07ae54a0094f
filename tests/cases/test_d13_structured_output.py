"""What a model replies is often not what it was asked for: nothing is made up of it, and nothing breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from jiyi.engine import AsyncMemory
from jiyi.errors import ModelError, ModelUnavailable
from jiyi.ports import LLM, Batch, Deriver
from jiyi.prompts import Prompt
from jiyi.structured import CALLS, ask, form
from jiyi.testing.clock import FakeClock
from jiyi.testing.scripted import Call, ScriptedLLM
from jiyi.types import JSON, Changes, Record, Reply, Source, Step


class Fact(BaseModel):
    text: str
    confidence: float | None = None


class Said(BaseModel):
    """A richer form: several required fields, and some that may be missing."""

    text: str
    number: Annotated[int, Field(ge=1)]
    kind: Literal["likes", "owns"] = "likes"
    tags: list[str] = []


TOLD = {language: Prompt("facts", language, "List facts. 列出事实。", "0" * 12) for language in ("en", "zh")}
NUT = "Allergic to peanuts"
SAID = "I am allergic to peanuts."

FIELD_CASES: dict[str, tuple[str, list[str] | None]] = {
    "fence and brackets around": ('```json\n{"facts":[{"text":"Allergic to peanuts"}]}\n```\nSee [notes] and {x}.', [NUT]),
    "a draft in a thought": ('<think>maybe {"facts": [{"text":"wrong"}]}</think>\n{"facts":[{"text":"Allergic to peanuts"}]}', [NUT]),
    "a thought without end": ('<think>the user said {"facts":[{"text":"wrong"}]}', None),
    "commas before the end": ('{"facts":[{"text":"Allergic to peanuts",},],}', [NUT]),
    "a bare text": ('{"facts":["Allergic to peanuts"]}', [NUT]),
    "null": ('{"facts": null}', []),
    "a fence in a value": ('{"facts":[{"text":"Runs ```pip install foo``` before deploy"}]}', ["Runs ```pip install foo``` before deploy"]),
    "cut off": ('{"facts":[{"text":"Allergic to peanuts"},{"text":"Lives in', [NUT]),
    "single quotes": ("{'facts': [{'text': 'Allergic to peanuts'}]}", [NUT]),
    "nothing": ("", None),
    "wrong types": ('{"facts":[{"text":42},{"text":"Allergic to peanuts","confidence":"high"}]}', [NUT]),
}  # fmt: skip

MORE: dict[str, tuple[str, list[str] | None]] = {
    "an empty list": ('{"facts": []}', []),
    "the list alone": ('[{"text":"对花生过敏"}]', ["对花生过敏"]),
    "one object alone": ('{"text":"对花生过敏"}', ["对花生过敏"]),
    "a line each": ('{"text":"a"}\n{"text":"b"}', ["a", "b"]),
    "a thought that the prompt opened": ('hm {"facts":[{"text":"wrong"}]}\n</think>\n{"facts":["对花生过敏"]}', ["对花生过敏"]),
    "the example first": ('Like {"facts":[{"text":"wrong"}]}? Then: {"facts":[{"text":"right"}]}', ["right"]),
    "an apostrophe in single quotes": ("{'facts': [{'text': 'a'}, {'text': 'I don't eat pork'}]}", ["a"]),
    "quotes within quotes": ('{"facts":[{"text":"He said "hi" twice"}]}', None),
    "cut off in the first": ('{"facts":[{"text":"Lives in', None),
    "cut off in a list of texts": ('{"facts":["Lives in Lisbon","Lives in', ["Lives in Lisbon"]),
    "half a character": ('{"facts":[{"text":"a\\ud83d"},{"text":"b"}]}', ["b"]),
    "a NUL": ('{"facts":[{"text":"a\\u0000"},{"text":"b"}]}', ["b"]),
    "nothing fits": ('{"facts":[{"text":42},{"text":true},7,null,[],{}]}', None),
    "another name": ('{"items":[{"text":"a"}]}', None),
    "a text in place of the list": ('{"facts":"none"}', None),
    "no JSON": ("The user is allergic to peanuts.", None),
    "fields that were not asked for": ('{"facts":[{"text":"a","mood":"sad"}]}', ["a"]),
}  # fmt: skip
ALL = FIELD_CASES | MORE


async def facts(llm: LLM, language: str = "en") -> list[str]:
    return [item.text for item in await ask(llm, TOLD[language], SAID, Fact, field="facts", max_tokens=400)]


@pytest.mark.parametrize("case", ALL)
async def test_exactly_what_was_said_or_an_error(case: str) -> None:
    reply, expected = ALL[case]
    llm = ScriptedLLM(lambda _: reply)
    if expected is None:
        with pytest.raises(ModelError, match="no facts that can be used"):
            await facts(llm)
        assert len(llm.calls) == CALLS == 2
    else:
        assert await facts(llm) == expected
        assert len(llm.calls) == 1


async def test_a_field_that_does_not_fit_is_left_out_and_a_required_one_takes_its_item_along() -> None:
    reply = json.dumps({"facts": [
        {"text": "a", "number": 1, "kind": "hates", "tags": "x"},
        {"text": "b", "number": "2"},
        {"text": "c", "number": True},
        {"text": "d", "number": 0},
        {"text": "e", "number": 2.5},
        {"text": "f", "number": 7, "kind": "owns", "tags": ["x"], "more": 1},
        {"text": None, "number": 7},
        "g",
    ]})  # fmt: skip
    found = await ask(ScriptedLLM([reply]), TOLD["en"], SAID, Said, field="facts", max_tokens=400)
    assert list(found) == [Said(text="a", number=1), Said(text="f", number=7, kind="owns", tags=["x"])]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_second_call_shows_the_model_what_was_wrong(language: str) -> None:
    llm = ScriptedLLM(['{"facts":[{"text":42}]}', '{"facts":[{"text":"Allergic to peanuts"}]}'])
    assert await facts(llm, language) == [NUT]
    first, second = llm.calls
    assert second.messages[:2] == first.messages and second.messages[2]["content"] == '{"facts":[{"text":42}]}'
    assert "facts[0].text" in second.last and ("JSON，" if language == "zh" else "as JSON only") in second.last
    assert first.schema == second.schema == form(Fact, "facts", title="facts")


async def test_an_empty_reply_is_asked_for_again_without_an_empty_message() -> None:
    llm = ScriptedLLM(["", '{"facts":["Allergic to peanuts"]}'])
    assert await facts(llm) == [NUT]
    assert [message["role"] for message in llm.calls[1].messages] == ["system", "user"]


async def test_a_long_bad_reply_does_not_come_back_whole() -> None:
    llm = ScriptedLLM(lambda _: "no " * 100_000)
    with pytest.raises(ModelError) as caught:
        await facts(llm)
    assert len(llm.calls[1].all_text) < 6_000 and len(str(caught.value)) < 400


async def test_what_is_cut_off_says_so() -> None:
    for reply, cut in (
        (Reply('{"facts":[{"text":"a"}]}'), False),
        (Reply('{"facts":[{"text":"a"},{"te'), True),
        (Reply('{"facts":[{"text":"a"},{"te', finish="length"), True),
        (Reply('{"text":"a"}\n', finish="length"), True),
    ):
        found = await ask(ScriptedLLM([reply]), TOLD["en"], SAID, Fact, field="facts", max_tokens=400)
        assert ([item.text for item in found], found.cut) == (["a"], cut)
    with pytest.raises(ModelError, match="before the first item"):
        await facts(ScriptedLLM([Reply('{"facts":[', finish="length")] * 2))


async def test_an_error_of_the_model_goes_through() -> None:
    with pytest.raises(ModelUnavailable):
        await facts(ScriptedLLM([ModelUnavailable("down")]))
    with pytest.raises(ModelUnavailable):
        await facts(ScriptedLLM(["no", ModelUnavailable("down")]))


async def test_errors_do_not_repeat_what_was_said() -> None:
    with pytest.raises(ModelError) as caught:
        await facts(ScriptedLLM(lambda _: '{"facts":[{"text":{"secret":"4711"}}],"secret":"4711"}'))
    assert "4711" not in str(caught.value) and "secret" not in str(caught.value)


def test_the_schema_closes_and_requires_everything() -> None:
    class Inner(BaseModel):
        title: str
        default: int = 3

    class Outer(BaseModel):
        inner: Inner
        note: str | None = None

    schema = form(Outer, "list", title="t")
    assert schema == {
        "title": "t",
        "type": "object",
        "properties": {
            "list": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "inner": {"$ref": "#/$defs/Inner"},
                        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    },
                    "required": ["inner", "note"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["list"],
        "additionalProperties": False,
        "$defs": {
            "Inner": {
                "type": "object",
                "properties": {"title": {"type": "string"}, "default": {"type": "integer"}},
                "required": ["title", "default"],
                "additionalProperties": False,
            }
        },
    }


# -- whatever it replies


def texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


PIECE = st.sampled_from(
    ['{"facts":', "[", "]", "{", "}", '"text":', '"', "'", ",", ":", "null", "true", "4", "<think>", "</think>", "```json",
     "\n", "\\", "\\n", "\\u4f60", '{"text":"Allergic"}', "'text'", "对花生过敏", "I don't", " "]
)  # fmt: skip


@given(st.lists(PIECE | st.text(max_size=6), max_size=30).map("".join))
async def test_garbage_gives_an_error_or_words_of_the_reply(reply: str) -> None:
    llm = ScriptedLLM(lambda _: reply)
    try:
        found = await facts(llm)
    except ModelError:
        found = []
    assert len(llm.calls) <= CALLS
    said = reply.replace("\\n", "\n").replace("\\u4f60", "你")
    for text in found:  # one escape may make a mark of another
        assert all(word in said for word in text.replace("\\", " ").split())


VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["facts", "text", "x"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(VALUE)
async def test_any_json_gives_its_own_texts(value: JSON) -> None:
    try:
        found = await facts(ScriptedLLM(lambda _: json.dumps(value)))
    except ModelError:
        return
    assert set(found) <= set(texts(value))


# -- in the background


class FactsByModel:
    """A stand-in: a record for every fact."""

    step = Step("standin", "1")
    batch_size = 4
    asks_llm = True

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    async def derive(self, batch: Batch) -> Changes:
        message = batch.messages[0]
        found = await ask(self._llm, TOLD["en"], message.text, Fact, field="facts", max_tokens=400)
        put = tuple(
            Record(
                f"fact:{message.id}:{at}", "fact", item.text, self.step.name, self.step.version, (Source(message.id),),
                recorded_at=message.recorded_at,
            )
            for at, item in enumerate(found)
        )  # fmt: skip
        return Changes(batch.cursor, put=put)


class StandIn:
    """A strategy that only derives."""

    name = "standin"
    window = False

    def derivers(self, llm: LLM | None) -> list[Deriver]:
        return [FactsByModel(llm)] if llm else []

    async def recall(self, _request: object) -> list[object]:
        return []


@pytest.mark.parametrize("case", ALL)
async def test_the_message_stays_and_what_failed_is_tried_again(case: str, tmp_path: Path, clock: FakeClock) -> None:
    reply, expected = ALL[case]
    calls: list[Call] = []

    def script(call: Call) -> str:
        calls.append(call)
        return reply

    options = {"recipe": [StandIn()], "embedder": None, "clock": clock, "memory_llm": ScriptedLLM(script)}
    async with await AsyncMemory.open(tmp_path / "m.db", **options) as memory:  # type: ignore[arg-type]
        chat = memory.session("s", user_id="ada")
        await chat.add("user", SAID)
        await memory.drain()
        assert [message.text for message in await chat.messages()] == [SAID]
        (progress,) = [step for step in await memory.progress() if step.step.name == "standin"]
        records = await memory.store.records(memory.scope("ada"))
        assert [record.text for record in records] == (expected or [])
        assert len(calls) == (1 if expected is not None else CALLS)
        assert (progress.done, progress.failed) == (0 if expected is None else 1, 0)
        assert [error.partition(":")[0] for error in progress.errors] == ["ModelError"] * (expected is None)
