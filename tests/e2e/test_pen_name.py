"""A person, a pen name, a project and its backend, said in four sentences: four relations with their words, and a
question over two of them; in both languages, by rules alone and by a model.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from jiyi import Graph, Memory, SlidingWindow
from jiyi.testing import ScriptedLLM
from tests.e2e.conftest import Run


@dataclass(frozen=True)
class Story:
    """Four sentences, the relation of each, and a question with the path that answers it."""

    said: tuple[str, ...]
    relations: tuple[tuple[str, str, str], ...]
    question: str
    answer: str

    def reply(self) -> str:
        """What a model says of them."""
        items = [
            {"number": number, "quote": text.rstrip(".。"), "head": head, "relation": relation, "tail": tail}
            for number, (text, (head, relation, tail)) in enumerate(
                zip(self.said, self.relations, strict=True), start=1
            )
        ]
        return json.dumps({"relations": items}, ensure_ascii=False)


ENGLISH = Story(
    (
        "Chen Mo writes under the pen name Moyu.",
        "Moyu started the project Starfinch last spring.",
        "The backend of Starfinch is FastAPI.",
        "Chen Mo works at Alder Labs.",
    ),
    (
        ("Chen Mo", "pen_name", "Moyu"),
        ("Moyu", "created", "Starfinch"),
        ("Starfinch", "backend", "FastAPI"),
        ("Chen Mo", "works_at", "Alder Labs"),
    ),
    "Which backend does the project that Moyu started use?",
    "Moyu —created→ Starfinch —has the backend→ FastAPI",
)
CHINESE = Story(
    ("陈默的笔名是墨鱼。", "墨鱼去年发起了星雀项目。", "星雀的后端是FastAPI。", "陈默就职于青木科技公司。"),
    (
        ("陈默", "pen_name", "墨鱼"),
        ("墨鱼", "created", "星雀"),
        ("星雀", "backend", "FastAPI"),
        ("陈默", "works_at", "青木科技公司"),
    ),
    "墨鱼发起的项目后端是什么？",
    "墨鱼 —创建→ 星雀 —后端→ FastAPI",
)
STORIES = pytest.mark.parametrize("story", [ENGLISH, CHINESE], ids=["en", "zh"])


@STORIES
@pytest.mark.parametrize("model", [False, True], ids=["rules", "model"])
def test_four_relations_with_their_words(story: Story, model: bool) -> None:
    llm = ScriptedLLM([story.reply()]) if model else None
    memory = Memory.open("memory:", embedder=None, recipe=[Graph(every=4), SlidingWindow(2)], memory_llm=llm)
    chat = memory.session("s", user_id="ada")
    messages = [chat.add("user", text) for text in story.said]
    memory.drain()
    graph = memory.graph(user_id="ada")
    found = {(one.head.name, one.relation, one.tail.name): one for one in graph.relations}
    assert tuple(found) == story.relations
    for message, relation in zip(messages, story.relations, strict=True):
        quote = found[relation].quote
        assert quote.message_id == message.id and quote.said_at == message.created_at
        assert message.text[quote.start : quote.end] == quote.text == message.text.rstrip(".。")
    assert {record.data["by"] for record in memory.records(user_id="ada", kind="relation")} == {
        "model" if model else "rules"
    }
    path = memory.graph(story.question, user_id="ada").paths()[0]
    assert str(path) == story.answer and path.end.name == "FastAPI"
    assert [quote.message_id for quote in path.quotes] == [messages[1].id, messages[2].id]
    context = memory.session("later", user_id="ada").context(story.question, max_tokens=400)
    text = "\n".join(str(message["content"]) for message in context.messages)
    assert story.said[1].rstrip(".。") in text and story.said[2].rstrip(".。") in text
    memory.close()


def test_a_question_in_the_other_language() -> None:
    memory = Memory.open("memory:", embedder=None, recipe="graph")
    for story, question in (
        (ENGLISH, "Moyu发起的项目后端是什么？"),
        (CHINESE, "What is the backend of the project that 墨鱼 started?"),
    ):
        memory.session("s", user_id=story.answer).add_many([{"role": "user", "content": text} for text in story.said])
        memory.drain()
        assert str(memory.graph(question, user_id=story.answer).paths()[0]) == story.answer
    memory.close()


@STORIES
def test_on_the_command_line(story: Story, jiyi: Run, here: Path) -> None:
    for text in story.said:
        jiyi("add", "--user", "ada", "--session", "s", text).well()
    out = jiyi("graph", story.question).well().out.splitlines()
    assert out[0].startswith(story.answer + "   (")
    assert story.said[1].rstrip(".。") in out[1] and story.said[2].rstrip(".。") in out[2]
    (best, *_) = jiyi("graph", story.question, "--json").well().json["paths"]
    assert best["text"] == story.answer and len(best["quotes"]) == 2
