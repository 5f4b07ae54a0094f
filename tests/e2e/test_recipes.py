"""Every recipe does a whole conversation: from Python and from the command line, without a model and with one."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jiyi import AsyncMemory
from jiyi.prompts import LANGUAGES
from jiyi.recipes import RECIPES
from jiyi.testing import ScriptedLLM
from tests.e2e.conftest import Run

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
TOLD = {
    "en": (
        "I'm allergic to hazelnuts, please remember that.",
        "My sister Mia works at Alder Labs.",
        "The budget for the Starling project is 500 euros.",
        "We decided to use PostgreSQL for the Starling project.",
    ),
    "zh": (
        "我对榛子过敏，请记住。",
        "我姐姐米娅在桤木实验室工作。",
        "星雀项目的预算是500欧元。",
        "星雀项目我们决定用PostgreSQL。",
    ),
}
FILLER = {"en": "And what about the weather on day {n}?", "zh": "第{n}天的天气怎么样？"}
ANSWER = {"en": "I see, thank you.", "zh": "好的，记下了。"}
ASKED = {"en": "What must I not eat, and what is the budget of Starling?", "zh": "我不能吃什么？星雀项目的预算是多少？"}


async def talked(path: Path, language: str, recipe: str, **options: object) -> AsyncMemory:
    """A user who told four things in one session, and talked on in another."""
    memory = await AsyncMemory.open(path, recipe=recipe, embedder=None, tokenizer="estimate", **options)  # type: ignore[arg-type]
    for session, said in (("first", TOLD[language]), ("second", [FILLER[language].format(n=n) for n in range(20)])):
        chat = memory.session(session, user_id="ada")
        for number, text in enumerate(said):
            at = DAY + timedelta(hours=24 * (session == "second"), minutes=number)
            await chat.add("user", text, created_at=at)
            await chat.add("assistant", ANSWER[language], created_at=at)
    await memory.drain()
    return memory


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("recipe", RECIPES)
async def test_from_python(tmp_path: Path, recipe: str, language: str) -> None:
    async with await talked(tmp_path / "m.db", language, recipe) as memory:
        chat = memory.session("second", user_id="ada")
        await chat.add("user", ASKED[language], created_at=DAY + timedelta(days=2))
        context = await chat.context(max_tokens=1500)
        assert context.tokens <= 1500
        assert context.messages[-1] == {"role": "user", "content": ASKED[language]}
        window = [message for message in context.messages if message["role"] != "system"]
        assert any(FILLER[language].format(n=19) == message["content"] for message in window), (
            "the last turns stand in it"
        )
        said = str(context.messages)
        if recipe not in ("casual", "support_bot"):  # the others know other sessions
            assert "500" in said, context.explain()
        if recipe not in (
            "casual",
            "support_bot",
            "project_agent",
            "task_agent",
            "knowledge_assistant",
        ):  # what no word asks for
            assert "hazelnuts" in said or "榛子" in said, context.explain()
        stored = {message.id for message in await memory.messages(user_id="ada")}
        records = await memory.records(user_id="ada", current=None)
        assert all(source.message_id in stored for record in records for source in record.sources)


@pytest.mark.parametrize("recipe", RECIPES)
async def test_a_model_that_answers_nonsense_harms_no_context(tmp_path: Path, recipe: str) -> None:
    model = ScriptedLLM(lambda messages: "no idea")
    async with await talked(tmp_path / "m.db", "en", recipe, memory_llm=model) as memory:
        chat = memory.session("second", user_id="ada")
        await chat.add("user", ASKED["en"])
        context = await chat.context(max_tokens=1500)
        assert "no idea" not in str(context.messages)


@pytest.mark.parametrize("recipe", RECIPES)
def test_from_the_command_line(jiyi: Run, here: Path, recipe: str) -> None:
    async def fill() -> None:
        await (await talked(here / "jiyi.db", "zh", "casual")).close()

    asyncio.run(fill())
    shown = (
        jiyi("context", "--user", "ada", "--session", "second", "--recipe", recipe, "--json", ASKED["zh"]).well().json
    )
    assert shown["messages"][-1]["content"] == ANSWER["zh"] and FILLER["zh"].format(n=19) in str(shown["messages"])
    llm = "tests.e2e.talker:Talker"
    said = jiyi("chat", "--user", "ada", "--recipe", recipe, "--llm", llm, stdin=f"{ASKED['zh']}\n").well()
    assert f"heard <{ASKED['zh']}>" in said.out
