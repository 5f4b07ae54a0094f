"""What the tests of topics say, and how they read what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jiyi.engine import AsyncMemory
from jiyi.topics import TOPIC, Topic, topic_of

ENGLISH: Mapping[str, Sequence[str]] = {
    "a": ("For the Starling project we decided to use Postgres as the database.", "OK.",
          "We still need to choose a logo.", "Sure."),
    "b": ("Let's talk about the kitchen renovation. We'll take white tiles.", "Nice.",
          "The oven hasn't been ordered yet.", "OK.", "My budget for it is 5000 euros.", "Noted."),
    "c": ("Starling: the logo will be a blue bird, that's decided.", "Great.", "Next step: the login page."),
    "d": ("The oven is ordered now.", "Fine.", "Let's go with oak for the floor of the kitchen."),
}  # fmt: skip
CHINESE: Mapping[str, Sequence[str]] = {
    "a": ("星雀项目的数据库决定用 Postgres。", "好的。", "图标还没定。", "嗯。"),
    "b": ("说说厨房装修吧，瓷砖就用白色的。", "不错。", "烤箱还没订。", "好。", "预算是五千欧元。", "记下了。"),
    "c": ("星雀的图标定了，用蓝色的鸟。", "很好。", "下一步要做登录页。"),
    "d": ("烤箱订好了。", "好。", "厨房地板就用橡木。"),
}  # fmt: skip
"""Two projects over four sessions, turn by turn: what one leaves open, a later session settles."""

BOTH = {"en": ENGLISH, "zh": CHINESE}
NAMES = {"en": ("Starling", "kitchen renovation"), "zh": ("星雀", "厨房装修")}


async def say(memory: AsyncMemory, session: str, texts: Sequence[str], *, drain: bool = True) -> None:
    """User and assistant in turn."""
    chat = memory.session(session, user_id="ada")
    there = len(await chat.messages())
    for at, text in enumerate(texts, start=there):
        await chat.add("assistant" if at % 2 else "user", text, message_id=f"{session}{at}")
    if drain:
        await memory.drain()


async def tell(memory: AsyncMemory, said: Mapping[str, Sequence[str]], *, drain: bool = True) -> None:
    """All of it, turn by turn, the sessions interleaved two by two."""
    for pair in (("a", "b"), ("c", "d")):
        left = {session: list(said[session]) for session in pair}
        while any(left.values()):
            for session, texts in left.items():
                await say(memory, session, texts[:2], drain=drain)
                del texts[:2]


async def topics(memory: AsyncMemory) -> dict[str, Topic]:
    """By name."""
    found = await memory.store.records(memory.scope("ada"), kind=TOPIC)
    return {topic.name: topic for topic in map(topic_of, found)}


def texts_of(topic: Topic) -> tuple[list[str], list[str], list[str]]:
    """Decisions, open points, sessions."""
    return (
        [point.text for point in topic.decisions],
        [point.text for point in topic.open],
        sorted(one.session_id for one in topic.sessions),
    )
