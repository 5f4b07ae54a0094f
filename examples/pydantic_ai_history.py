"""An agent of pydantic-ai that knows in a new session what it was told in another.

    pip install 'jiyi[pydantic-ai]'
    python examples/pydantic_ai_history.py

The model here is a function, so nothing leaves the machine; name a real one instead, as ``Agent("openai:…")``.
"""

from __future__ import annotations

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart
from pydantic_ai.messages import SystemPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from jiyi import Memory
from jiyi.integrations.pydantic_ai import JiyiHistory


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Says what it was given beside the question."""
    given = [part.content for part in messages[0].parts if isinstance(part, SystemPromptPart)]
    return ModelResponse([TextPart("I was given:\n" + "\n".join(given) if given else "Noted.")])


def main() -> None:
    with Memory.open("memory:") as memory:
        agent = Agent(FunctionModel(model), instructions="You plan trips.")
        trip = JiyiHistory(memory, "trip", user_id="ada", max_tokens=2000)
        for said in ("Our hotel in Porto is the Casa Azul, room 12.", "我对海鲜过敏。"):
            agent.run_sync(said, capabilities=[trip.capability()])
        print(f"{len(trip.load())} messages are kept.")
        memory.drain()

        later = JiyiHistory(memory, "later", user_id="ada", max_tokens=2000)
        for question in ("Which hotel in Porto was it?", "我对什么过敏？"):
            result = agent.run_sync(question, capabilities=[later.capability()])
            print(f"\nuser: {question}\n{result.output}")


if __name__ == "__main__":
    main()
