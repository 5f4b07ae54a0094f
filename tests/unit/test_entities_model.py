"""Entities and relations by a model: what it is asked, and how its word and the rules' go together."""

from __future__ import annotations

import json

import pytest

from jiyi.entities import ENTITY, MODEL, RULES, names_of, role_of, type_of
from jiyi.errors import ModelError
from jiyi.mentions import USER, Alias, Edge, Mention, Mentioned
from jiyi.ports import Batch
from jiyi.prompts import LANGUAGES, prompt
from jiyi.relation_types import RELATIONS
from jiyi.relations import RELATION, ends_of, name_of
from jiyi.strategies.entities_model import ModelEntities, together
from jiyi.strategies.entities_steps import entity_derivers
from jiyi.testing import ScriptedLLM
from jiyi.testing.strategy import conversation
from jiyi.types import Message, Record, Scope


def reply(*items: dict[str, object]) -> str:
    return json.dumps({"relations": [{"number": 1, **item} for item in items]}, ensure_ascii=False)


def batch(*lines: tuple[str, str]) -> Batch:
    messages = conversation(*lines)  # type: ignore[arg-type]
    return Batch(Scope("ada"), tuple(messages), len(messages))


async def made(text: str, *items: dict[str, object]) -> list[Record]:
    derived = await ModelEntities(ScriptedLLM([reply(*items)])).derive(batch(("user", text)))
    return list(derived.put)


def relations(records: list[Record]) -> list[tuple[str, str, str]]:
    return [(ends_of(r)[0], name_of(r), ends_of(r)[1]) for r in records if r.kind == RELATION]


async def test_a_relation_and_its_ends() -> None:
    records = await made(
        "So Norr bought Kestrel last week.",
        {
            "quote": "Norr bought Kestrel", "head": "Norr", "head_type": "company", "relation": "acquired",
            "tail": "Kestrel", "tail_type": "Organisation",
        },
    )  # fmt: skip
    assert relations(records) == [("Norr", "acquired", "Kestrel")]
    (edge,) = [record for record in records if record.kind == RELATION]
    assert (edge.strategy, edge.text, edge.data["by"]) == (MODEL, "Norr bought Kestrel", "model")
    assert edge.data["made"]["model"] == "scripted"  # type: ignore[index,call-overload]
    assert {(names_of(r)[0], type_of(r)) for r in records if r.kind == ENTITY} == {
        ("Norr", "organisation"), ("Kestrel", "organisation")
    }  # fmt: skip


async def test_what_is_refused_leaves_the_rest_of_the_reply() -> None:
    records = await made(
        "蓝湾物流收购了灰雀机器人，白鲸软件也在。",
        {"quote": "蓝湾物流收购了灰雀机器人", "head": "蓝湾物流", "relation": "包含", "tail": "蓝湾物流"},
        {"quote": "蓝湾物流收购了灰雀机器人", "head": "蓝湾物流", "relation": "投资", "tail": "从未提到的公司"},
        {"quote": "白鲸软件也在", "head": "白鲸软件", "relation": "位于", "tail": ""},
        {"quote": "蓝湾物流收购了灰雀机器人", "head": "蓝湾物流", "relation": "收购", "tail": "灰雀机器人"},
        {"quote": "没有人说过", "head": "蓝湾物流"},
        {"head": 7},
    )
    assert relations(records) == [("蓝湾物流", "acquired", "灰雀机器人")]
    assert "从未提到的公司" not in repr(records)


async def test_what_a_small_real_model_replied() -> None:
    """All numbers the same, a quote of its own making, an end and a relation that no word speaks of."""
    said = [
        "我朋友林薇是个作家，住在厦门。",
        "林薇用笔名秋山写作。",
        "秋山做了一个叫夜莺的笔记应用。",
        "夜莺的后端是用Rust写的。",
    ]
    told = reply(
        {"quote": said[0], "head": "林薇", "relation": "is", "tail": "作家", "ends": True},
        {"quote": "林薇住在厦门。", "head": "林薇", "relation": "lives_in", "tail": "厦门", "ends": True},
        {"quote": said[1], "head": "林薇", "relation": "pen_name", "tail": "秋山"},
        {"quote": said[2], "head": "秋山", "relation": "works_on", "tail": "夜莺"},
        {"quote": said[2], "head": "秋山", "relation": "created", "tail": "夜莺"},
        {"quote": said[3], "head": "夜莺", "relation": "backend", "tail": "Rust", "ends": True},
    )
    derived = await ModelEntities(ScriptedLLM([told])).derive(batch(*(("user", text) for text in said)))
    by_model = [record for record in derived.put if record.data["by"] == "model"]
    assert sorted(relations(by_model)) == [
        ("夜莺", "backend", "Rust"), ("林薇", "pen_name", "秋山"), ("秋山", "created", "夜莺")
    ]  # fmt: skip
    edges = [record for record in by_model if record.kind == RELATION]
    assert all(record.closed_at is None for record in edges)
    assert sorted(record.sources[0].message_id for record in edges) == ["s-2", "s-3", "s-4"]


async def test_one_call_for_a_batch_and_none_for_small_talk() -> None:
    llm = ScriptedLLM([])
    derived = await ModelEntities(llm).derive(
        batch(("user", "thanks!"), ("assistant", "Norr is here."), ("user", "好的"))
    )
    assert (derived.put, llm.calls, derived.cursor) == ((), [], 3)


async def test_a_call_is_bounded() -> None:
    lines = [("user" if at % 2 else "assistant", f'Norr{at} bought. user: "ignore" 👩🏽‍🚀' * 3000) for at in range(16)]
    llm = ScriptedLLM([reply()])
    await ModelEntities(llm).derive(batch(*lines))
    shown = llm.calls[0].last.splitlines()
    assert len(shown) == 16 and sum(map(len, shown)) < 16_000


@pytest.mark.parametrize("answer", ["", "I cannot do that.", '{"relations": [{"quote": "x"}]}'])
async def test_no_answer_is_an_error_and_comes_again(answer: str) -> None:
    with pytest.raises(ModelError):
        await ModelEntities(ScriptedLLM([answer] * 2)).derive(batch(("user", "Norr bought Kestrel.")))


async def test_a_chinese_conversation_gets_the_chinese_prompt_and_instructions_reach_the_model() -> None:
    llm = ScriptedLLM([reply()])
    await ModelEntities(llm, instructions="只列公司。").derive(batch(("user", "蓝湾物流收购了灰雀机器人。")))
    text = llm.calls[0].all_text
    assert "关系从 head 读到 tail" in text and "只列公司。" in text and "{relations}" not in text
    assert "acquired（收购、" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_of_the_prompt_names_relations_that_there_are(language: str) -> None:
    text = prompt("entities", language).text
    example = json.loads(text[text.rindex('{"relations": [') :])
    known = {item["relation"] for item in example["relations"]} & RELATIONS.keys()
    assert {"sibling_of", "pen_name", "created", "backend"} <= known


def test_the_steps() -> None:
    assert [one.step.name for one in entity_derivers(None)] == [RULES]
    rules, model = entity_derivers(ScriptedLLM(), every=8)
    assert (rules.step.stride, model.step.name, model.step.stride, model.asks_llm) == (1, MODEL, 8, True)


# -- the model's word and the rules'

SAID = Message("m", "s", "user", "My brother Tom bought Kestrel from Norr.", seq=1)


def mention(name: str, type_: str = "", role: str = "") -> Mention:
    at = SAID.text.index(name) if name != USER else 0
    return Mention(SAID, at, at + len(name), name, type_, role, {}, 0, len(SAID.text) - 1)


def edge(head: str, relation: str, tail: str) -> Edge:
    return Edge(SAID, 0, len(SAID.text) - 1, head, relation, tail, relation)


def test_a_name_has_the_models_type_and_the_rules_role() -> None:
    rules = Mentioned((mention("Tom", "product", "My brother"), mention("Norr", "organisation")))
    mine, left = together(Mentioned((mention("Tom", "person"),)), rules)
    assert [(one.name, one.type, one.role) for one in mine.mentions] == [("Tom", "person", "My brother")]
    assert [one.name for one in left.mentions] == ["Norr"], "what the model made nothing of"


def test_between_two_names_the_models_relation_counts() -> None:
    rules = Mentioned((), (), (edge("Tom", "uses", "Kestrel"), edge("Tom", "friend_of", "Norr")))
    mine, left = together(Mentioned((), (), (edge("Tom", "owns", "Kestrel"),)), rules)
    assert [one.relation for one in mine.edges] == ["owns"] and [one.relation for one in left.edges] == ["friend_of"]


def test_rules_are_sure_of_a_direction_and_know_the_relation() -> None:
    rules = Mentioned((), (), (edge("Tom", "acquired", "Kestrel"),))
    for told in (edge("Kestrel", "acquired", "Tom"), edge("Tom", "bought from norr", "Kestrel")):
        mine, left = together(Mentioned((), (), (told,)), rules)
        assert mine.edges == () and left.edges == rules.edges


async def test_an_alias_and_a_role_of_the_rules_stay_with_the_models_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def rules(of: Message) -> Mentioned:
        both = [Mention(of, of.text.index(name), of.text.index(name) + len(name), name, "", "our", {}, 0, 20)
                for name in ("Grid Authority", "GA)")]  # fmt: skip
        return Mentioned(tuple(both), (Alias(of, 0, 20, ("Grid Authority", "GA)")),))

    monkeypatch.setattr("jiyi.rules.mentioned", rules)
    text = "Grid Authority (GA) is here."
    (record,) = await made(text, {"quote": text[:-1], "head": "GA", "head_type": "organisation"})
    assert set(record.links) == {"grid authority", "ga"} and type_of(record) == "organisation"
    assert role_of(record) == "our"
