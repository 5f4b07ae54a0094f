"""Any chat model of LangChain as a chat model of Jiyi."""

from __future__ import annotations

import importlib
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

from jiyi.errors import InvalidInput, MissingDependency, ModelError, ModelRejected
from jiyi.raised import meant
from jiyi.thinking import Thinking, answer_of
from jiyi.types import JSON, ChatMessage, Delta, Finish, Reply, Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_ADVICE = "it needs the package langchain, and the provider's own: pip install 'jiyi[langchain]' langchain-openai"

_LONGEST = ("max_tokens", "num_predict", "max_output_tokens", "max_new_tokens", "max_tokens_to_sample")
"""Fields by which LangChain's models are told how long an answer may be: OpenAI and most, Ollama, Google, …"""

_LENGTH = ("length", "max_tokens", "model_length")
_FILTERED = ("content_filter", "safety", "refusal", "recitation", "prohibited_content", "blocklist")
_ENDS = ("finish_reason", "stop_reason", "done_reason", "stopReason")


class LangChainChat:
    """A chat model of LangChain; it is asked as it is set up, and blocks no loop where it has only methods that block.

    With a schema the model's own ``with_structured_output`` is used where it has one that works, else the model is
    asked without.  ``max_tokens`` reaches models that have a field for it.

    Args:
        model: an instance, or ``PROVIDER:MODEL`` as ``init_chat_model`` takes it.
        name: stored beside what it says; None for ``langchain:`` with provider and model, as the instance names them.

    Raises:
        MissingDependency: langchain or the provider's package is not installed.
        ModelRejected: no such provider, or a key is missing.
    """

    def __init__(self, model: BaseChatModel | str, *, name: str | None = None) -> None:
        if isinstance(model, str):
            self.name = name or f"langchain:{model}"
            self._model: Any = _opened(model, self.name)
        else:
            self.name = name or _named(model)
            self._model = model
        self._structured = True

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, JSON] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """See ``LLM.complete``."""
        sent, model = self._sent(messages), _limited(self._model, max_tokens)
        found: tuple[Any, Any] | None = None
        if schema is not None and self._structured:
            found = await self._by_schema(model, sent, schema)
        try:
            message, parsed = found or (await model.ainvoke(sent), None)
        except Exception as error:
            raise self._error(error) from error
        finish = _finish(message)
        text = answer_of(_text(message), whole=finish == "stop")
        if isinstance(parsed, (dict, list)):
            text = json.dumps(parsed, ensure_ascii=False)
        if not text.strip():
            raise self._empty(finish)
        return Reply(text, finish, _usage([message]))

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None
    ) -> AsyncGenerator[Delta, None]:
        """See ``LLM.stream``."""
        thinking = Thinking()
        finish: Finish = "stop"
        answered = False
        chunks: list[Any] = []
        pieces = _limited(self._model, max_tokens).astream(self._sent(messages))
        try:
            async with aclosing(pieces):
                async for chunk in pieces:
                    chunks.append(chunk.model_copy(update={"content": ""}))
                    finish = _finish(chunk, finish)
                    text, thought = thinking.feed(_text(chunk))
                    thought = _thought(chunk) + thought
                    answered = answered or bool(text.strip())
                    if text or thought:
                        yield Delta(text, thought)
        except Exception as error:
            raise self._error(error) from error
        text, thought = thinking.finish(whole=finish == "stop")
        if not answered and not text.strip():
            raise self._empty(finish)
        yield Delta(text, thought, finish, _usage(chunks))

    async def close(self) -> None:
        """Does nothing: the model is its owner's, and LangChain's models have nothing to close."""

    # -- inside

    async def _by_schema(self, model: Any, sent: Any, schema: Mapping[str, JSON]) -> tuple[Any, Any] | None:
        """The reply and what was read of it; None when the model cannot be held to a schema."""
        titled = {"title": "answer", "description": "The answer.", **json.loads(json.dumps(schema))}
        try:
            result = await model.with_structured_output(titled, include_raw=True).ainvoke(sent)
        except NotImplementedError:
            self._structured = False
            return None
        except Exception as error:
            if isinstance(self._error(error), ModelRejected):  # perhaps because of the schema; without one we shall see
                return None
            raise self._error(error) from error
        return result["raw"], result["parsed"]

    def _sent(self, messages: Sequence[ChatMessage]) -> list[Any]:
        if not messages:
            raise InvalidInput("messages", "must not be empty; there is nothing to answer")
        convert: Any = importlib.import_module("langchain_core.messages").convert_to_messages
        try:
            return convert([_readable(message) for message in messages])
        except (ValueError, NotImplementedError) as error:
            raise ModelRejected(f"{self.name} cannot take these messages: {error}") from error

    def _error(self, error: Exception) -> Exception:
        fields = cast("dict[str, Any]", getattr(self._model, "__dict__", {}))
        keys = [value.get_secret_value() for value in fields.values() if hasattr(value, "get_secret_value")]
        return meant(self.name, error, keys)

    def _empty(self, finish: Finish) -> ModelError:
        if finish == "filtered":
            return ModelRejected(f"{self.name}: a content filter withheld the answer")
        if finish == "length":
            return ModelError(
                f"{self.name}: max_tokens was used up before the answer began; give more, since a reasoning model "
                "thinks first"
            )
        return ModelError(f"{self.name}: the model gave an empty answer; ask again, or ask another model")


def _opened(spec: str, name: str) -> Any:
    try:
        package: Any = importlib.import_module("langchain.chat_models")
    except ModuleNotFoundError as error:
        raise MissingDependency(f"{name}: {_ADVICE}") from error
    try:
        return package.init_chat_model(spec)
    except ImportError as error:
        raise MissingDependency(f"{name}: {error}") from error
    except Exception as error:  # each provider's package raises its own when a key is missing
        raise ModelRejected(str(meant(name, error))) from error


def _named(model: object) -> str:
    given: Any = model
    said: Mapping[str, str | None] = given._get_ls_params()  # how LangChain names a model in its own traces
    kind = said.get("ls_provider") or type(given).__name__
    named = said.get("ls_model_name")
    return f"langchain:{kind}:{named}" if named else f"langchain:{kind}"


def _limited(model: Any, max_tokens: int | None) -> Any:
    """The model with the longest answer set, in the field that it has for that."""
    if max_tokens is None:
        return model
    fields = cast("Mapping[str, object]", getattr(cast("object", model.__class__), "model_fields", {}))
    field = next((name for name in _LONGEST if name in fields), None)
    return model.model_copy(update={field: max_tokens}) if field else model


def _text(message: Any) -> str:
    """The words, without what models and LangChain put beside them."""
    return str(message.text)


def _thought(message: Any) -> str:
    """What it thinks, as far as LangChain tells that apart."""
    blocks = cast("list[dict[str, Any]]", message.content_blocks)
    return "".join(block.get("reasoning") or "" for block in blocks if block.get("type") == "reasoning")


def _finish(message: Any, before: Finish = "stop") -> Finish:
    said: Mapping[str, Any] = message.response_metadata
    why = next((value for name in _ENDS if isinstance(value := said.get(name), str)), "").lower()
    return "length" if why in _LENGTH else "filtered" if why in _FILTERED else before


def _usage(messages: Sequence[Any]) -> Usage:
    counted = [found for message in messages if (found := getattr(message, "usage_metadata", None))]
    return Usage(1, sum(one["input_tokens"] for one in counted), sum(one["output_tokens"] for one in counted))


def _readable(value: Any) -> Any:
    """The same with text that can be sent: no half characters."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {key: _readable(item) for key, item in cast("Mapping[str, Any]", value).items()}
    return [_readable(item) for item in cast("list[Any]", value)] if isinstance(value, (list, tuple)) else value


__all__ = ["LangChainChat"]
