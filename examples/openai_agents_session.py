"""An agent of OpenAI's Agents SDK that knows next week, in another session, what it was told today.

    pip install 'jiyi[openai-agents]'
    python examples/openai_agents_session.py

The model here is a scripted one, so nothing leaves the machine; leave ``model=`` out to talk with OpenAI's.
"""

from __future__ import annotations

import asyncio

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing.model import ScriptedModel, assistant_message, function_call

from jiyi import Memory
from jiyi.integrations.openai_agents import JiyiSession


@function_tool
def book_table(place: str, people: int) -> str:
    """Books a table."""
    return f"A table for {people} at {place} is booked."


async def main() -> None:
    model = ScriptedModel(
        [
            [function_call("book_table", {"place": "Casa Verde", "people": 3}, call_id="call_1")],
            [assistant_message("A table for three at Casa Verde is booked.")],
            [assistant_message("好的，不放香菜。")],
            [assistant_message("At Casa Verde, for three.")],
            [assistant_message("香菜。")],
        ]
    )
    waiter = Agent(name="waiter", instructions="You book tables.", tools=[book_table], model=model)

    with Memory.open("memory:") as memory:

        async def say(session: JiyiSession, text: str) -> None:
            # without the callback the model gets what answers the question before
            config = RunConfig(session_input_callback=session.with_memory, tracing_disabled=True)
            result = await Runner.run(waiter, text, session=session, run_config=config)
            print(f"user: {text}\nwaiter: {result.final_output}")

        today = JiyiSession(memory, "monday", user_id="ada", max_tokens=2000)
        await say(today, "Book a table for three at Casa Verde, please.")
        await say(today, "我不吃香菜。")

        memory.drain()  # until next week, what is done in the background is done
        later = JiyiSession(memory, "next week", user_id="ada", max_tokens=2000)
        for question in ("Where did I want a table?", "哪样东西我不吃？"):
            await say(later, question)
            assert model.last_call is not None
            print(f"\nWhat the model was given beside it:\n{model.last_call.input[0]['content']}\n")


if __name__ == "__main__":
    asyncio.run(main())
