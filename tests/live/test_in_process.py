"""A GGUF file in the process: the suite for chat models, and a conversation."""

from __future__ import annotations

from pathlib import Path

import pytest

from jiyi import AsyncMemory
from jiyi.config import Settings
from jiyi.errors import ModelRejected
from jiyi.llms.llamacpp import LlamaCpp
from jiyi.testing import LLMConformance

pytestmark = pytest.mark.live


class TestLlamaCpp(LLMConformance):
    holds_schema = True
    context = 1024
    tokens = 16
    patience = 60.0

    @pytest.fixture(autouse=True)
    def _file(self, gguf: Path) -> None:
        self.file = gguf

    def llm(self) -> LlamaCpp:
        return LlamaCpp(self.file, context=1024, threads=1)


async def test_a_conversation_is_answered_and_erased(gguf: Path) -> None:
    model = LlamaCpp(gguf, context=2048, threads=1, temperature=0)
    async with await AsyncMemory.open("memory:", llm=model, embedder=None, settings=Settings()) as memory:
        chat = memory.session("s", user_id="ada")
        answer = await chat.send("My parcel 88-401 is in Rotterdam. Where is my parcel?", reply_tokens=24)
        print("\nanswer:", answer.text)
        assert answer.usage.prompt_tokens > 50 and 0 < answer.usage.completion_tokens <= 24
        assert (await chat.messages())[-1].text == answer.text
        await memory.forget(user_id="ada")
        assert (await chat.send("Hello!", reply_tokens=4)).text
    await model.close()


@pytest.fixture
def half(gguf: Path, tmp_path: Path) -> Path:
    with gguf.open("rb") as whole:
        (tmp_path / "half.gguf").write_bytes(whole.read(1_000_000))
    return tmp_path / "half.gguf"


async def test_a_damaged_file_is_told(half: Path) -> None:
    model = LlamaCpp(half)
    with pytest.raises(ModelRejected, match="cannot be loaded"):
        await model.complete([{"role": "user", "content": "Hello!"}])
    await model.close()
