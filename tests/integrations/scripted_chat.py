"""A chat model of LangChain's that says what a test tells it to, and calls tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field, PrivateAttr

Reply = AIMessage | str | Exception
_calls = count(1)


def calling(name: str, /, **args: Any) -> AIMessage:
    """An answer that calls one tool."""
    return both((name, args))


def both(*calls: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    """An answer that calls several tools at once."""
    made = [{"name": name, "args": args, "id": f"call-{next(_calls)}", "type": "tool_call"} for name, args in calls]
    return AIMessage(text, tool_calls=made)


class ScriptedChat(BaseChatModel):
    """Gives its replies in order, or what a function makes of the messages; an exception is raised.

    Attributes:
        seen: the messages of each call.
    """

    replies: Any  # a sequence of them, or a function of the messages
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    _rest: Iterator[Reply] = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        if not callable(self.replies):
            self._rest = iter(self.replies)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> ScriptedChat:
        return self

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        self.seen.append(list(messages))
        reply = self.replies(messages) if callable(self.replies) else next(self._rest)
        if isinstance(reply, Exception):
            raise reply
        return AIMessage(reply) if isinstance(reply, str) else reply.model_copy(update={"id": None})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        reply = self._reply(messages)
        if reply.tool_calls:
            chunk = AIMessageChunk(
                reply.content,
                tool_call_chunks=[
                    {"name": c["name"], "args": json.dumps(c["args"]), "id": c["id"], "index": at}
                    for at, c in enumerate(reply.tool_calls)
                ],
            )
            yield ChatGenerationChunk(message=chunk)
            return
        for at, word in enumerate(reply.text.split(" ")):
            chunk = ChatGenerationChunk(message=AIMessageChunk(word if not at else f" {word}"))
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk
