"""A LlamaIndex agent with Jiyi's memory: two sessions, one user.

A stand-in answers instead of a model; in your program it is ``OpenAI(…)``, ``Ollama(…)``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory as LlamaMemory

from jiyi import Memory
from jiyi.integrations.llama_index import JiyiMemoryBlock, JiyiQueueStore


class StandIn(MockLLM):
    """Shows what it is told."""

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        print("the model is told:")
        for message in messages:
            print(f"  {message.role.value}: {message.content}")
        return ChatResponse(message=ChatMessage(role="assistant", content="好的。"))


async def main() -> None:
    memory = Memory.open("memory:", embedder="none")
    asked = [("monday", "我坐火车只坐靠窗的座位。"), ("tuesday", "帮我订一张火车票，你知道我坐火车要什么座位。")]
    for session, said in asked:
        remembering = LlamaMemory.from_defaults(
            session_id=session,
            chat_store=JiyiQueueStore(memory=memory, user_id="lin"),
            memory_blocks=[JiyiMemoryBlock(memory=memory, user_id="lin", accept_short_term_memory=False)],
        )
        engine = SimpleChatEngine.from_defaults(llm=StandIn(), memory=remembering)
        print(f"user: {said}\nengine: {await engine.achat(said)}\n")
        await asyncio.to_thread(memory.drain)  # a program need not wait
    print(f"{len(memory.messages(user_id='lin'))} messages are kept.")
    await asyncio.to_thread(memory.close)


asyncio.run(main())
