"""Field case D12: relations run in the direction in which they were stated, once, between things that were named."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from jiyi import AsyncMemory, Graph
from jiyi.testing import ScriptedLLM
from tests.cases.entities import Item, called, entities, playing, relations, say, triples
from tests.conftest import OpenMemory

BOUGHT = ("蓝湾物流", "acquired", "灰雀机器人")
SENTENCES = [
    "蓝湾物流收购了灰雀机器人。",
    "灰雀机器人去年被蓝湾物流收购。",
    "乌鹭科技有一家子公司，叫白鲸软件。",
    "I report to the head of logistics.",
]
EXPECTED = sorted([BOUGHT, ("白鲸软件", "subsidiary_of", "乌鹭科技"), ("user", "reports_to", "head of logistics")])
TELLS: Mapping[str, Sequence[Item]] = {
    SENTENCES[0][:-1]: [{"head": "蓝湾物流", "relation": "收购", "tail": "灰雀机器人"}],
    SENTENCES[1][:-1]: [{"head": "灰雀机器人", "relation": "收购", "tail": "蓝湾物流"}],  # as small models do
    SENTENCES[2][:-1]: [{"head": "乌鹭科技", "relation": "子公司", "tail": "白鲸软件"}],
    SENTENCES[3][:-1]: [{"head": "user", "relation": "reports_to", "tail": "head of logistics"}],
}  # fmt: skip


async def opened(open_memory: OpenMemory, tells: Mapping[str, Sequence[Item]] | None, every: int = 1) -> AsyncMemory:
    return await open_memory(recipe=[Graph(every=every)], memory_llm=None if tells is None else playing(tells))


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_the_field_case(open_memory: OpenMemory, by: str) -> None:
    memory = await opened(open_memory, TELLS if by == "model" else None)
    ids = await say(memory, *SENTENCES)
    found = await relations(memory)
    assert triples(found) == EXPECTED
    (bought,) = [record for record in found if record.data["relation"] == "acquired"]
    assert [source.message_id for source in bought.sources] == ids[:2], "once, with two pieces of evidence"
    assert [(source.quote or "?") in text for source, text in zip(bought.sources, SENTENCES, strict=False)] == [
        True,
        True,
    ]
    await say(memory, *SENTENCES)
    assert sorted(record.id for record in await relations(memory, current=None)) == sorted(r.id for r in found)


async def test_raw_edges(open_memory: OpenMemory) -> None:
    said = "蓝湾物流投资了码头，白鲸软件搬走了。"
    raw = [
        {"head": "蓝湾物流", "relation": "包含", "tail": "蓝湾物流"},
        {"head": "蓝湾物流", "relation": "投资", "tail": "从未提到的公司"},
        {"head": "白鲸软件", "relation": "位于", "tail": ""},
        {"head": "蓝湾物流", "relation": "投资", "tail": "码头"},
    ]
    memory = await opened(open_memory, {said[:-1]: raw})
    await say(memory, said)
    assert triples(await relations(memory, current=None)) == [("蓝湾物流", "invested_in", "码头")]
    assert "从未提到的公司" not in str(await memory.store.records(memory.scope("ada"), current=None))
    assert {"蓝湾物流"} in called(await entities(memory))


PAIRS = [
    ("Norr acquired Kestrel.", "Kestrel was acquired by Norr.", ("Norr", "acquired", "Kestrel")),
    ("Beluga is a subsidiary of Heron.", "Heron has a subsidiary called Beluga.", ("Beluga", "subsidiary_of", "Heron")),
    ("Mia founded Kestrel.", "Kestrel was founded by Mia.", ("Mia", "created", "Kestrel")),
    ("Mia leads Nightjar.", "Nightjar is led by Mia.", ("Mia", "leads", "Nightjar")),
    ("Pylon is the backend of Nightjar.", "Nightjar's backend is Pylon.", ("Nightjar", "backend", "Pylon")),
    ("Qiu Shan is the pen name of Lin Wei.", "Lin Wei writes under the pen name Qiu Shan.", ("Lin Wei", "pen_name", "Qiu Shan")),
    ("林薇的笔名是秋山。", "秋山是林薇的笔名。", ("林薇", "pen_name", "秋山")),
    ("夜莺项目的后端是海塔。", "海塔是夜莺项目的后端。", ("夜莺", "backend", "海塔")),
    ("红隼公司由林薇创办。", "林薇创办了红隼公司。", ("林薇", "created", "红隼公司")),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "edge"), PAIRS)
@pytest.mark.parametrize("mixed", [False, True])
async def test_both_ways_to_say_it_are_one(
    open_memory: OpenMemory, one: str, other: str, edge: tuple[str, str, str], mixed: bool
) -> None:
    """``mixed``: the model gives the ends the wrong way round, of both."""
    head, relation, tail = edge
    item = (
        {"head": tail, "relation": relation, "tail": head}
        if mixed
        else {"head": head, "relation": relation, "tail": tail}
    )
    memory = await opened(open_memory, {one.rstrip(".。"): [item], other.rstrip(".。"): [item]})
    ids = await say(memory, one, other)
    (found,) = await relations(memory, current=None)
    assert triples([found]) == [edge] and [source.message_id for source in found.sources] == ids


RULED = [(one, other, edge) for one, other, edge in PAIRS]


@pytest.mark.parametrize(("one", "other", "edge"), RULED)
async def test_rules_have_no_direction_wrong(
    open_memory: OpenMemory, one: str, other: str, edge: tuple[str, str, str]
) -> None:
    memory = await opened(open_memory, None)
    await say(memory, one, other)
    found = triples(await relations(memory, current=None))
    assert set(found) <= {edge} and len(found) <= 1


CHANGES = [
    (["I work at Northwind.", "I work at Alder Labs now."], [("user", "works_at", "Alder Labs")]),
    (["Nightjar uses Rust.", "Nightjar no longer uses Rust."], []),
    (["Nightjar uses Rust.", "Nightjar uses Python."], [("Nightjar", "uses", "Python"), ("Nightjar", "uses", "Rust")]),
    (["夜莺项目用Rust。", "夜莺项目不再用Rust了。"], []),
    (["夜莺项目的后端是海塔。", "夜莺项目的后端是云杉。"], [("夜莺", "backend", "云杉")]),
]
TOLD: Mapping[str, Sequence[Item]] = {
    "I work at Northwind": [{"head": "user", "relation": "works_at", "tail": "Northwind"}],
    "I work at Alder Labs now": [{"head": "user", "relation": "works_at", "tail": "Alder Labs"}],
    "Nightjar uses Rust": [{"head": "Nightjar", "relation": "uses", "tail": "Rust"}],
    "Nightjar uses Python": [{"head": "Nightjar", "relation": "uses", "tail": "Python"}],
    "Nightjar no longer uses Rust": [{"head": "Nightjar", "relation": "uses", "tail": "Rust"}],
    "夜莺项目用Rust": [{"head": "夜莺项目", "relation": "uses", "tail": "Rust"}],
    "夜莺项目不再用Rust了": [{"head": "夜莺项目", "relation": "uses", "tail": "Rust"}],
    "夜莺项目的后端是海塔": [{"head": "夜莺项目", "relation": "backend", "tail": "海塔"}],
    "夜莺项目的后端是云杉": [{"head": "夜莺项目", "relation": "backend", "tail": "云杉"}],
}


@pytest.mark.parametrize(("said", "current"), CHANGES)
async def test_what_ended_or_was_replaced_is_closed(
    open_memory: OpenMemory, said: list[str], current: list[tuple[str, str, str]]
) -> None:
    memory = await opened(open_memory, TOLD)
    ids = await say(memory, *said)
    assert triples(await relations(memory)) == current
    closed = await relations(memory, current=False)
    for record in closed:
        assert record.sources[-1].message_id == ids[1]
    await memory.forget(user_id="ada", message_ids=ids[1:])
    await memory.drain()
    assert len(await relations(memory)) == 1 and await relations(memory, current=False) == []


async def test_a_reply_that_makes_things_up_leaves_nothing(open_memory: OpenMemory) -> None:
    made_up = {"relations": [{"number": 1, "quote": "Norr bought Kestrel", "head": "Norr", "relation": "acquired", "tail": "Kestrel"}]}  # fmt: skip
    memory = await open_memory(recipe=[Graph(every=1)], memory_llm=ScriptedLLM(lambda _: json.dumps(made_up)))
    await say(memory, "Did Norr buy Kestrel?", "The assistant thinks that things go well.", "听说公司很好。")
    assert await relations(memory, current=None) == []
