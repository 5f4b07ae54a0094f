"""A chat model, tried as a memory uses it: whole answers, streams, Chinese, forms."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from difflib import get_close_matches
from typing import Protocol, runtime_checkable

from jiyi.errors import ModelError
from jiyi.ports import LLM
from jiyi.refusals import Unreachable
from jiyi.thinking import TAGS
from jiyi.trying.forms import try_forms
from jiyi.trying.parts import Found, Trial, Tried, quoted, skipped
from jiyi.types import Capacity, ChatMessage, Usage

ROOM = 1024
"""Tokens of an answer at most: enough for a model that thinks before a few words."""

NEEDED = 5000
"""Tokens that a context of the usual size takes, with an answer."""

HELLO: list[ChatMessage] = [
    {"role": "system", "content": "You are kind and brief."},
    {"role": "user", "content": "Say hello in one short sentence."},
]
SENTENCE = "记忆：明早九点半在图书馆门口见，带上𠮷野家的优惠券😀。"
"""With a character outside the plane that most are in, and an emoji: where texts break first."""
REPEAT: list[ChatMessage] = [{"role": "user", "content": f"请逐字重复下面这句话，不要加别的：\n{SENTENCE}"}]

ENOUGH = 200
"""Characters after which a stream has shown what it can; a model that goes on is stopped."""

LIST_SECONDS = 10.0
"""A server that lists its models does so at once."""

_CHINESE = re.compile("[\u4e00-\u9fff]")
_MISREAD = re.compile(r"[\u00c0-\u00ff][\u0080-\u00bf\u2018-\u203a]")
"""UTF-8 that was read as Latin 1 or Windows 1252."""


@runtime_checkable
class _Lists(Protocol):
    async def models(self) -> Mapping[str, Mapping[str, object]]: ...


@runtime_checkable
class _Measured(Protocol):
    async def capacity(self) -> Capacity: ...


async def try_llm(llm: LLM, trial: Trial) -> AsyncGenerator[Tried, None]:
    """Tries a chat model; five requests, each of a few words.  What cannot work when something else does not is passed
    over.
    """
    if isinstance(llm, _Lists):
        address = await trial.part("address", _address(llm, llm.name))
        yield address
        if address.state == "bad":
            for part in skipped("chat", "stream", "chinese", "schema", "thoughts", "usage", "context"):
                yield part
            return
    talk = _Talk(llm)
    chat = await trial.part("chat", talk.chat())
    yield chat
    if chat.state == "bad":
        for part in skipped("stream", "chinese", "schema", "thoughts", "usage", "context"):
            yield part
        return
    stream = await trial.part("stream", talk.stream())
    yield stream
    yield await trial.part("chinese", talk.chinese()) if stream.state != "bad" else skipped("chinese")[0]
    yield await trial.part("schema", try_forms(llm, max_tokens=ROOM))
    yield await trial.part("thoughts", talk.thoughts())
    yield await trial.part("usage", talk.counted())
    if isinstance(llm, _Measured):
        yield await trial.part("context", _capacity(llm))


class _Talk:
    """What was said so far."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self._answers: list[str] = []
        self._thought = ""
        self._usages: list[Usage] = []

    async def chat(self) -> Found:
        reply = await self._llm.complete(HELLO, max_tokens=ROOM)
        if not reply.text.strip():
            raise ModelError(f"{self._llm.name}: an empty answer; ask another model")
        self._answers.append(reply.text)
        self._usages.append(reply.usage)
        return Found("ok", quoted(reply.text), {"answer": reply.text, "finish": reply.finish})

    async def stream(self) -> Found:
        now = asyncio.get_running_loop().time
        began, arrivals, said, ended = now(), list[float](), "", False
        async with aclosing(self._llm.stream(REPEAT, max_tokens=ROOM)) as deltas:
            async for delta in deltas:
                if delta.text or delta.thought:
                    arrivals.append(now() - began)
                said += delta.text
                self._thought += delta.thought
                if delta.finish is not None:
                    self._usages.append(delta.usage or Usage(1))
                if ended := delta.finish is not None or len(said) > ENOUGH:
                    break
        if not ended or not said.strip():
            raise ModelError(f"{self._llm.name}: the stream ended before the answer did")
        self._answers.append(said)
        return flow(arrivals, len(said))

    async def chinese(self) -> Found:
        return unbroken(self._answers[-1])

    async def thoughts(self) -> Found:
        for answer in self._answers:
            if tag := next((tag for pair in TAGS for tag in pair if tag in answer), None):
                advice = "say that the prompt opens it: OpenAIChat(…, opened=True), or let the server tell it apart"
                return Found("bad", f"a thought stands in the answer ({tag}); {advice}", {"kept_out": False})
        if self._thought:
            what = f"thinks before it answers ({len(self._thought):,} characters); kept out of the answer"
            return Found("ok", what, {"thinks": True, "kept_out": True})
        return Found("ok", "none seen", {"thinks": False})

    async def counted(self) -> Found:
        tokens = [{"in": usage.prompt_tokens, "out": usage.completion_tokens} for usage in self._usages]
        counted = all(count for usage in tokens for count in usage.values())
        shown = ", ".join(f"{usage['in']:,} in and {usage['out']:,} out" for usage in tokens)
        value = {"counted": counted, "prompt_tokens": tokens[0]["in"], "completion_tokens": tokens[0]["out"]}
        if counted:
            return Found("ok", f"the server counts tokens: {shown}", value)
        return Found("note", "the server does not count all tokens; Jiyi counts them by its own tokenizer", value)


def flow(arrivals: Sequence[float], length: int) -> Found:
    """Whether an answer came piece by piece.

    Args:
        arrivals: of each piece, in seconds after the request.
        length: of the answer, in characters.
    """
    first, last = arrivals[0], arrivals[-1]
    value = {"pieces": len(arrivals), "first": round(first, 3), "last": round(last, 3)}
    if len(arrivals) == 1 and length > 8:
        return Found("note", f"the whole answer comes at once, after {first:.1f} s: this server does not stream", value)
    if last > 1 and first > 0.9 * last:
        what = (
            f"all {len(arrivals)} pieces come together, after {first:.1f} s: something holds them back, as proxies do"
        )
        return Found("note", what, value)
    return Found("ok", f"{len(arrivals)} pieces, the first after {first:.2f} s, the last after {last:.2f} s", value)


def unbroken(answer: str) -> Found:
    """Whether Chinese came through in both directions."""
    if SENTENCE in answer:
        return Found("ok", "in and out unbroken, rare characters and emoji too", {"repeated": True})
    if (
        "\ufffd" in answer
        or _MISREAD.search(answer)
        or (re.search(r"[?？]{3}", answer) and not _CHINESE.search(answer))
    ):
        why = "the server, or something before it, does not keep to UTF-8, or the model is too small for Chinese"
        what = f"comes back broken: {quoted(answer)}; {why}"
        return Found("bad", what, {"repeated": False})
    if _CHINESE.search(answer):
        return Found("note", f"unbroken, but not repeated word by word: {quoted(answer)}", {"repeated": False})
    return Found("note", f"not answered in Chinese: {quoted(answer)}; another model may", {"repeated": False})


async def _address(llm: _Lists, name: str) -> Found:
    model = re.sub(r"@https?://.*", "", name.partition(":")[2])
    try:
        async with asyncio.timeout(LIST_SECONDS):
            models = list(await llm.models())
    except Unreachable:
        raise
    except TimeoutError:
        return Found("note", f"does not list its models within {LIST_SECONDS:g} seconds", {"listed": None})
    except ModelError as error:
        return Found("note", f"does not list its models: {error}", {"listed": None})
    value = {"listed": len(models), "model_listed": model in models or f"{model}:latest" in models}
    if value["model_listed"]:
        return Found("ok", f"answers, and lists the model ({len(models)} in all)", value)
    if not models:
        return Found("note", "answers, and lists no models", value)
    shown = get_close_matches(model, models, n=3, cutoff=0.3) or models[:3]
    rest = f" and {len(models) - len(shown)} more" if len(models) > len(shown) else ""
    return Found("note", f"answers, but does not list {model!r}; it has {', '.join(shown)}{rest}", value)


async def _capacity(llm: _Measured) -> Found:
    found = await llm.capacity()
    value = {"tokens": found.tokens, "most": found.most}
    made_for = f"the model was made for {found.most:,} tokens"
    if not found.tokens:
        return Found("note", f"{made_for}; the server does not say how many it takes now" if found.most else
                     "the server does not say how long a prompt may be", value)  # fmt: skip
    what = f"{found.tokens:,} tokens of prompt and answer" + (f"; {made_for}" if found.most > found.tokens else "")
    if found.tokens < NEEDED:
        what += (
            f". A context of the usual size needs {NEEDED:,} with its answer: serve it with more, or lower max_tokens"
        )
        return Found("note", what, value)
    return Found("ok", what, value)


__all__ = ["HELLO", "REPEAT", "SENTENCE", "flow", "try_llm", "unbroken"]
