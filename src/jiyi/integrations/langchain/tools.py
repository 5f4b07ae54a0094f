"""Tools with which an agent remembers and looks things up by itself."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from langchain_core.documents import Document
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field, create_model

from jiyi.errors import InvalidInput
from jiyi.integrations.langchain.remembering import user_of
from jiyi.integrations.langchain.retriever import JiyiRetriever
from jiyi.waiting import elsewhere, run

if TYPE_CHECKING:
    from jiyi.sync import Memory

Language = Literal["en", "zh"]


class _Words(NamedTuple):
    """What a model is told of the tools, and by them."""

    remember: str
    text: str
    remembered: str
    search: str
    query: str
    nothing: str
    roles: Mapping[str, str]


_WORDS: Mapping[str, _Words] = {
    "en": _Words(
        "Keep something for later conversations with this user. One thing at a time, in a whole sentence that can be "
        "understood alone.",
        "what to remember",
        "Remembered.",
        "Look up what was said in earlier conversations with this user: facts, wishes, plans, agreements. Ask in a "
        "whole sentence.",
        "what you want to know",
        "Nothing in the memory answers this.",
        {"user": "user", "assistant": "assistant", "tool": "tool"},
    ),
    "zh": _Words(
        "记住一件以后和这位用户聊天时用得上的事。一次一件，写成单独也能看懂的完整句子。",
        "要记住的内容",
        "记住了。",
        "查找以前和这位用户聊过的内容：事实、喜好、计划、约定。用完整的句子提问。",
        "想知道什么",
        "记忆里没有能回答这个问题的内容。",
        {"user": "用户", "assistant": "助手", "tool": "工具"},
    ),
}


def memory_tools(
    memory: Memory,
    *,
    user_id: str | None = None,
    k: int = 5,
    floor: float | None = None,
    language: Language = "en",
) -> list[BaseTool]:
    """``remember`` and ``search_memory``, for ``create_agent(tools=…)`` or ``model.bind_tools(…)``.

    Whose memory it is comes from here or from the run, never from the model.  What the agent remembers is kept as a
    statement of the assistant: it is found like everything else, and no fact about the user is derived from it, since
    the user did not say it.  The model is told of a text that cannot be kept, such as an empty one; the run goes on.

    Args:
        memory: the memory.
        user_id: whose; None to take it from the run, as ``Remembering`` does.
        k: messages that a search brings back at most.
        floor: least relevance of these, 0 to 1; None for the calibrated one.
        language: in which the model is told of them.

    Raises:
        InvalidInput: no such language.
    """
    if language not in _WORDS:
        raise InvalidInput("language", f"must be one of {', '.join(_WORDS)}, not {language!r}")
    words = _WORDS[language]
    retriever = JiyiRetriever(memory=memory, user_id=user_id, k=k, floor=floor)
    return [_remembering(memory, user_id, words), _searching(retriever, words)]


def _remembering(memory: Memory, user_id: str | None, words: _Words) -> BaseTool:
    def remember(text: str) -> str:
        with _by_the_model("text"):
            run(memory.inner.remember(text, user_id=user_of(user_id), role="assistant"))
        return words.remembered

    async def aremember(text: str) -> str:
        with _by_the_model("text"):
            await elsewhere(memory.inner.remember(text, user_id=user_of(user_id), role="assistant"))
        return words.remembered

    return StructuredTool.from_function(
        remember,
        coroutine=aremember,
        name="remember",
        description=words.remember,
        args_schema=_argument("text", words.text),
        handle_tool_error=True,
    )


def _searching(retriever: JiyiRetriever, words: _Words) -> BaseTool:
    def search_memory(query: str) -> tuple[str, list[Document]]:
        with _by_the_model("query"):
            found = retriever.invoke(query)
        return _told(found, words), found

    async def asearch_memory(query: str) -> tuple[str, list[Document]]:
        with _by_the_model("query"):
            found = await retriever.ainvoke(query)
        return _told(found, words), found

    return StructuredTool.from_function(
        search_memory,
        coroutine=asearch_memory,
        name="search_memory",
        description=words.search,
        args_schema=_argument("query", words.query),
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


@contextmanager
def _by_the_model(argument: str) -> Generator[None]:
    """What is wrong with the model's own argument is told to the model; all else is for the program to mend."""
    try:
        yield
    except InvalidInput as error:
        if error.field != argument:
            raise
        raise ToolException(str(error)) from error


def _argument(name: str, description: str) -> type[BaseModel]:
    return create_model(name.title(), **{name: (str, Field(description=description))})  # type: ignore[call-overload]


def _told(found: Sequence[Document], words: _Words) -> str:
    """What a search brought back, a message a line, with its day and speaker."""
    lines: list[str] = []
    for document in found:
        day = (document.metadata["said_at"] or "")[:10]
        speaker = words.roles.get(document.metadata["role"], document.metadata["role"])
        lines.append(f"[{day} {speaker}] {document.page_content}" if day else f"[{speaker}] {document.page_content}")
    return "\n".join(lines) or words.nothing


__all__ = ["Language", "memory_tools"]
