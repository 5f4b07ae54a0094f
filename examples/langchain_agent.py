"""A LangChain agent with Jiyi's memory: two threads, one user.

A stand-in answers instead of a model; in your program it is ``create_agent("openai:gpt-5", …)``.
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from jiyi import Memory
from jiyi.integrations.langchain import JiyiMiddleware


class StandIn(GenericFakeChatModel):
    """Says what is written down for it, and shows what it was told."""

    def bind_tools(self, tools: Any, **_: Any) -> StandIn:
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        print("\nthe model is told:")
        for message in messages:
            print(f"  {message.type}: {message.text}")
        return super()._generate(messages, *args, **kwargs)


@tool
def book_room(room: int, day: str) -> str:
    """Books a meeting room."""
    return f"room {room} is booked for {day}"


call = {"name": "book_room", "args": {"room": 4, "day": "Monday"}, "id": "call-1", "type": "tool_call"}
model = StandIn(
    messages=iter([AIMessage("好的，记住了。"), AIMessage("", tool_calls=[call]), AIMessage("四号房订好了。")])
)

with Memory.open("memory:", embedder="none") as memory:
    agent = create_agent(
        model,
        [book_room],
        system_prompt="You book rooms.",
        middleware=[JiyiMiddleware(memory, max_tokens=2000)],
        checkpointer=InMemorySaver(),
    )
    for thread, said in (
        ("monday", "我开会都要靠窗的房间。"),
        ("tuesday", "帮我订一间开会的房间，你知道我要什么样的房间。"),
    ):
        config: Any = {"configurable": {"thread_id": thread, "user_id": "lin"}}
        answer = agent.invoke({"messages": [("user", said)]}, config)["messages"][-1]
        print(f"\nuser: {said}\nagent: {answer.text}")
        memory.drain()
    print(f"\n{len(memory.messages(user_id='lin'))} messages are kept.")
