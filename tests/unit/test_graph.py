from __future__ import annotations

from datetime import timedelta

import pytest

from jiyi.graph import EntityGraph, Path
from jiyi.graph.building import confidence
from jiyi.graph.names import named, stretches
from jiyi.graph.questions import question_of
from jiyi.mentions import USER
from tests.graphs import START, Told, pen_name, pen_name_zh


def told(paths: list[Path]) -> list[str]:
    return [str(path) for path in paths]


class TestValues:
    def test_a_relation_has_its_quote_its_message_and_its_direction(self) -> None:
        graph = pen_name().graph()
        first = graph.relations[0]
        assert (first.head.name, first.relation, first.tail.name) == ("Chen Mo", "pen_name", "Moyu")
        assert first.quote.text == "Chen Mo writes under the pen name Moyu"
        assert (first.quote.message_id, first.quote.start, first.quote.end) == ("m1", 0, 38)
        assert first.quote.said_at == START and first.quote.session_id == "s"
        assert first.label == "has the pen name" and first.called("zh") == "笔名"

    def test_the_label_is_in_the_language_in_which_it_was_said(self) -> None:
        labels = [relation.label for relation in pen_name_zh().graph().relations]
        assert labels == ["笔名", "创建", "后端", "就职于"]

    def test_words_that_no_relation_is_called_by_stay(self) -> None:
        told = Told()
        one = told.message("Ines mentors Tal.")
        told.entity("Ines", one)
        told.entity("Tal", one)
        told.relation("Ines", "mentors", "Tal", one)
        (relation,) = told.graph().relations
        assert relation.label == relation.called("zh") == "mentors"

    def test_two_messages_are_one_relation_with_two_quotes(self) -> None:
        told = Told()
        one, two = told.message("Ines works at Alder Labs."), told.message("Ines 在 Alder Labs 工作。")
        told.entity("Ines", one, two)
        told.entity("Alder Labs", one, two)
        told.relation("Ines", "works_at", "Alder Labs", one, two)
        (relation,) = told.graph().relations
        assert relation.messages == ("m1", "m2") and relation.label == "就职于"

    def test_the_same_under_two_aliases_is_one_relation(self) -> None:
        told = Told()
        one, two = told.message("MGA uses Redis."), told.message("Meridian Grid Authority uses Redis.")
        told.entity("Meridian Grid Authority", two, one, also=["MGA"], type="organisation")
        told.entity("Redis", one, two)
        ids = {
            told.relation("MGA", "uses", "Redis", one),
            told.relation("Meridian Grid Authority", "uses", "Redis", two),
        }
        (relation,) = told.graph().relations
        assert set(relation.ids) == ids and relation.messages == ("m1", "m2")

    def test_namesakes_are_told_apart_by_the_message(self) -> None:
        told = Told()
        one, two = told.message("My brother Tom lives in Ghent."), told.message("Tom from accounting lives in Lille.")
        brother = told.entity("Tom", one, role="my brother")
        told.entity("Tom", two, sense="from accounting", role="from accounting")
        told.entity("Ghent", one)
        told.entity("Lille", two)
        told.relation("Tom", "lives_in", "Ghent", one)
        told.relation("Tom", "lives_in", "Lille", two)
        graph = told.graph()
        assert told_(graph) == {("Tom", "Ghent"), ("Tom (from accounting)", "Lille")}
        assert [one.head.id == brother for one in graph.relations] == [True, False]

    def test_one_relation_of_two_namesakes_is_two(self) -> None:
        told = Told()
        one, two = told.message("My brother Tom uses Redis."), told.message("Tom from accounting uses Redis.")
        told.entity("Tom", one)
        told.entity("Tom", two, sense="from accounting")
        told.entity("Redis", one, two)
        told.relation("Tom", "uses", "Redis", one, two)
        assert told_(told.graph()) == {("Tom", "Redis"), ("Tom (from accounting)", "Redis")}

    def test_of_namesakes_that_no_message_tells_apart_nothing_is_guessed(self) -> None:
        told = Told()
        one, two, three = told.message("Tom 1."), told.message("Tom 2."), told.message("Tom uses Redis.")
        told.entity("Tom", one)
        told.entity("Tom", two, sense="from accounting")
        told.entity("Redis", three)
        told.relation("Tom", "uses", "Redis", three)
        assert told.graph().relations == ()

    def test_a_relation_of_which_an_end_is_gone_is_left_out(self) -> None:
        told = pen_name()
        del told.entities[next(id_ for id_, one in told.entities.items() if one.data["name"] == "Moyu")]
        assert told_(told.graph()) == {("Starfinch", "FastAPI"), ("Chen Mo", "Alder Labs")}

    def test_what_was_closed_later_held_then(self) -> None:
        told = Told()
        one = told.message("Ines works at Alder Labs.")
        told.entity("Ines", one)
        told.entity("Alder Labs", one)
        told.relation("Ines", "works_at", "Alder Labs", one, closed_at=START + timedelta(days=30))
        assert told.graph().relations[0].closed_at and told.graph().paths(about="Ines") == []
        then = told.graph(as_of=START + timedelta(days=10))
        assert then.relations[0].closed_at is None and len(then.paths(about="Ines")) == 1

    def test_confidence_comes_from_evidence(self) -> None:
        assert confidence(1, None) == confidence(1, timedelta()) == 0.7
        assert confidence(2, None) == 0.85 and confidence(0.5, None) < 0.7
        assert confidence(1, timedelta(days=365)) == 0.63
        assert confidence(1, timedelta(days=36500)) == pytest.approx(0.56, abs=0.001)
        assert confidence(5, timedelta(days=-1)) <= 1.0

    def test_neighbours(self) -> None:
        graph = pen_name().graph()
        assert {one.name for one in graph.neighbours("moyu").entities} == {"Moyu", "Chen Mo", "Starfinch"}
        two = graph.neighbours("MOYU", 2)
        assert len(two.entities) == 5 and len(two.relations) == 4
        assert not graph.neighbours("nobody")


def told_(graph: EntityGraph) -> set[tuple[str, str]]:
    return {(one.head.shown, one.tail.shown) for one in graph.relations}


class TestNames:
    def test_the_longest_name_wins_and_borders_count(self) -> None:
        names = {name: [name] for name in ("lin", "lin wei", "go", "wei")}
        assert [one.name for one in named("Did Lin Wei's brother meet Lin?", names)] == ["lin wei", "lin"]
        assert named("Did the linen gown go?", {"lin": ["Lin"], "gow": ["Gow"]}) == []

    def test_chinese_has_no_borders(self) -> None:
        names = {name: [name] for name in ("林薇", "林", "星雀", "星雀计划")}
        assert [one.name for one in named("林薇发起的星雀计划用了什么？", names)] == ["林薇", "星雀计划"]

    @pytest.mark.parametrize("question", ["Which insurer do I have?", "我的保险公司是哪家？", "What is my home town?"])
    def test_the_user(self, question: str) -> None:
        assert [one.name for one in named(question, {USER: [USER]})] == [USER]

    @pytest.mark.parametrize(
        "question", ["Can you tell me who Lin is?", "请告诉我林薇是谁", "Tell me about Lin", "我想知道林薇是谁"]
    )
    def test_manners_mean_nobody(self, question: str) -> None:
        assert USER not in [one.name for one in named(question, {USER: [USER], "lin": ["Lin"], "林薇": ["林薇"]})]

    def test_a_usual_word_is_a_name_where_it_is_written_so(self) -> None:
        assert named("Where did Moyu go last summer?", {"go": ["Go"]}) == []
        assert [one.name for one in named("Does Moyu write Go?", {"go": ["Go"]})] == ["go"]
        assert [one.name for one in named("is starfinch written in go?", {"go": ["Go"]})] == ["go"]

    def test_names_with_signs(self) -> None:
        names = {name: [name] for name in ("c++", "rx-2217", "node.js", "rx-2219")}
        assert [one.name for one in named("Is RX-2217 made with C++ or Node.js?", names)] == [
            "rx-2217",
            "c++",
            "node.js",
        ]

    def test_a_long_question_is_looked_at_in_part(self) -> None:
        assert len(stretches("星雀和墨鱼" * 20_000)) < 3_000
        assert len(stretches("Lin met Wei " * 20_000)) < 3_000


QUESTIONS = [
    ("Which backend does the project that Moyu started use?", "Moyu —created→ Starfinch —has the backend→ FastAPI"),
    ("What is the backend of the project Moyu founded?", "Moyu —created→ Starfinch —has the backend→ FastAPI"),
    ("Which project did Moyu start?", "Moyu —created→ Starfinch"),
    ("What is Chen Mo's pen name?", "Chen Mo —has the pen name→ Moyu"),
    ("Where does Chen Mo work?", "Chen Mo —works at→ Alder Labs"),
    ("Who is behind Starfinch?", "Starfinch ←created— Moyu"),
    ("Who created Starfinch?", "Starfinch ←created— Moyu"),
    ("What has Chen Mo created?", "Chen Mo —has the pen name→ Moyu —created→ Starfinch"),
    ("Moyu 发起的项目后端是什么？", "Moyu —created→ Starfinch —has the backend→ FastAPI"),
    ("谁创建了 Starfinch？", "Starfinch ←created— Moyu"),
    ("Chen Mo 在哪里工作？", "Chen Mo —works at→ Alder Labs"),
]
QUESTIONS_ZH = [
    ("墨鱼发起的项目后端是什么？", "墨鱼 —创建→ 星雀 —后端→ FastAPI"),
    ("墨鱼做的项目用的什么后端？", "墨鱼 —创建→ 星雀 —后端→ FastAPI"),
    ("墨鱼做了什么项目？", "墨鱼 —创建→ 星雀"),
    ("陈默的笔名是什么？", "陈默 —笔名→ 墨鱼"),
    ("谁创建了星雀？", "星雀 ←创建— 墨鱼"),
    ("陈默在哪里工作？", "陈默 —就职于→ 青木实验室"),
    ("用FastAPI的项目是谁发起的？", "FastAPI ←后端— 星雀 ←创建— 墨鱼"),
    ("Which backend does the project that 墨鱼 started use?", "墨鱼 —创建→ 星雀 —后端→ FastAPI"),
    ("Where does 陈默 work?", "陈默 —就职于→ 青木实验室"),
]


class TestQuestions:
    @pytest.mark.parametrize(("question", "answer"), QUESTIONS)
    def test_about_english_statements(self, question: str, answer: str) -> None:
        assert told(pen_name().graph().paths(question))[0] == answer

    @pytest.mark.parametrize(("question", "answer"), QUESTIONS_ZH)
    def test_about_chinese_statements(self, question: str, answer: str) -> None:
        assert told(pen_name_zh().graph().paths(question))[0] == answer

    def test_the_answer_has_the_quotes(self) -> None:
        best = pen_name().graph().paths("Which backend does the project that Moyu started use?")[0]
        assert [quote.text for quote in best.quotes] == [
            "Moyu started the project Starfinch last spring",
            "Starfinch uses FastAPI as its backend",
        ]
        assert best.forward == (True, True) and best.end.name == "FastAPI" and 0 < best.confidence < 0.7

    @pytest.mark.parametrize("question", ["How is Chen Mo connected to FastAPI?", "Chen Mo和FastAPI有什么关系？"])
    def test_what_joins_two_names(self, question: str) -> None:
        path = "Chen Mo —has the pen name→ Moyu —created→ Starfinch —has the backend→ FastAPI"
        assert told(pen_name().graph().paths(question, hops=3))[0] == path
        assert path not in told(pen_name().graph().paths(question, hops=2))

    def test_whom_nobody_knows(self) -> None:
        graph = pen_name().graph()
        for question in ("Which backend does Zara's project use?", "今天天气怎么样？", "", "???", "的" * 5000):
            assert graph.paths(question) == []

    def test_where_paths_begin_and_end(self) -> None:
        graph = pen_name().graph()
        assert told(graph.paths(about="Moyu", to="FastAPI")) == ["Moyu —created→ Starfinch —has the backend→ FastAPI"]
        assert graph.paths(about="Moyu", to="nobody") == [] == graph.paths(about="nobody")
        assert told(graph.paths(to="FastAPI", hops=1)) == ["Starfinch —has the backend→ FastAPI"]
        assert len(graph.paths(about="Chen Mo", hops=3)) == 4 and len(graph.paths(about="Chen Mo", limit=1)) == 1

    def test_who_reports_to_whom(self) -> None:
        told_ = Told()
        one, two = told_.message("Lin reports to Ada."), told_.message("Bo reports to Lin.")
        for name, messages in (("Lin", (one, two)), ("Ada", (one,)), ("Bo", (two,))):
            told_.entity(name, *messages, type="person")
        told_.relation("Lin", "reports_to", "Ada", one)
        told_.relation("Bo", "reports_to", "Lin", two)
        graph = told_.graph()
        assert graph.paths("Who does Lin report to?")[0].end.name == "Ada"
        assert graph.paths("Who reports to Lin?")[0].end.name == "Bo"
        assert graph.paths("谁汇报给Lin？")[0].end.name == "Bo"
        assert graph.paths("Lin汇报给谁？")[0].end.name == "Ada"

    def test_what_was_denied_is_said_but_not_walked(self) -> None:
        told_ = pen_name()
        denied = told_.message("Starfinch does not use Redis.")
        told_.entity("Redis", denied, type="technology")
        told_.relation("Starfinch", "uses", "Redis", denied, negated=True)
        graph = told_.graph()
        assert told(graph.paths("Does Starfinch use Redis?"))[0] == "Starfinch —not: uses→ Redis"
        assert not [path for path in graph.paths("What does Moyu's project use?") if path.end.name == "Redis"]

    def test_the_user(self) -> None:
        told_ = Told()
        one, two = told_.message("I work at Alder Labs."), told_.message("Alder Labs is based in Ghent.")
        told_.entity(USER, one)
        told_.entity("Alder Labs", one, two, type="organisation")
        told_.entity("Ghent", two, type="place")
        told_.relation(USER, "works_at", "Alder Labs", one)
        told_.relation("Alder Labs", "located_in", "Ghent", two)
        graph = told_.graph()
        assert graph.paths("Where is the company I work for located?")[0].end.name == "Ghent"
        assert graph.paths("我工作的公司在哪个城市？")[0].end.name == "Ghent"
        assert graph.paths("我在哪家公司上班？")[0].end.name == "Alder Labs"

    def test_somebody_with_many_relations(self) -> None:
        told_ = Told()
        one = told_.message("Moyu started Starfinch.")
        told_.entity("Moyu", one)
        for number in range(300):
            told_.entity(f"Finch {number}", one)
            told_.relation("Moyu", "uses", f"Finch {number}", one)
        told_.entity("Starfinch", one, type="project")
        told_.relation("Moyu", "created", "Starfinch", one)
        graph = told_.graph()
        assert graph.paths("What did Moyu start?", hops=3)[0].end.name == "Starfinch"
        assert len(graph.paths(about="Finch 7", to="Starfinch")) == 1

    def test_what_a_question_asks_for(self) -> None:
        asked = question_of("Which backend does the project use?", {})
        assert asked.ends == {"backend", "technology"} and "project" in asked.types
        assert question_of("星雀的后端是什么？", {}).ends == {"backend", "technology"}
        assert question_of("Where does Lin work?", {"lin": ["Lin"]}).ends == {"place"}


def test_order_makes_no_difference() -> None:
    told_ = pen_name()
    first = told_.graph()
    told_.entities = dict(reversed(told_.entities.items()))
    told_.relations = dict(reversed(told_.relations.items()))
    second = told_.graph()
    assert second.relations == first.relations and set(second.entities) == set(first.entities)
    question = "Which backend does the project that Moyu started use?"
    assert second.paths(question) == first.paths(question)


@pytest.mark.parametrize(("said", "line"), [
    ("I work at Alder Labs.", "the user —works at→ Alder Labs"), ("我在 Alder Labs 工作。", "用户 —就职于→ Alder Labs"),
])  # fmt: skip
def test_a_user_without_a_name_is_called_so(said: str, line: str) -> None:
    told_ = Told()
    one = told_.message(said)
    told_.entity(USER, one)
    told_.entity("Alder Labs", one)
    told_.relation(USER, "works_at", "Alder Labs", one)
    assert told(told_.graph().paths(about="me")) == [line]


@pytest.mark.parametrize("text", ["告诉我", "which ", "我", "'s ", "can you ", "?", "a ", "uses "])
def test_a_question_of_a_megabyte_is_cut(text: str) -> None:
    long = text * (1_000_000 // len(text))
    assert len(stretches(long)) < 3_000
    assert len(question_of(f"{long} 星雀？", {"星雀": ["星雀"]}).spoken) < 500
    assert [one.name for one in named(f"{long} 星雀？", {"星雀": ["星雀"]})] == ["星雀"]
