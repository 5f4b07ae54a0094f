"""What the recipes share: two options, small talk to forget things in, and a look at what a model is told."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from typing import Any, TypeVar

from jiyi import Context, Memory, Message, Session
from jiyi.config import Settings
from jiyi.testing import FakeClock
from jiyi.tokens import REPLY, Estimate, count_message

T = TypeVar("T")
MINUTE, DAY = 60, 24 * 60 * 60

SMALL_TALK = {
    "en": [
        ("How was the match last night?", "Two goals in the last minute, they say."),
        ("Is it going to rain again?", "A little, in the afternoon."),
        ("Tell me a joke about pigeons.", "Why did the pigeon cross the road? It was the chicken's day off."),
        ("What is a good word for a very small hill?", "Hillock, or knoll."),
        ("How do you spell rhythm?", "R, h, y, t, h, m: no vowel but the y."),
        ("What can one do on a grey Sunday?", "Bake bread, or walk along the river."),
        ("Why is the sky blue?", "Air scatters blue light more than red light."),
        ("Which is faster, a hare or a cat?", "A hare, by far."),
        ("What rhymes with orange?", "Nothing really; door hinge comes close."),
        ("How long does pasta take?", "Nine minutes, and taste it after seven."),
        ("Is there a word for fear of spiders?", "Arachnophobia."),
        ("How many legs does a centipede really have?", "Between thirty and some three hundred."),
        ("What was on the radio this morning?", "A talk about lighthouses."),
        ("Can penguins bend their knees?", "They can, under all the feathers."),
        ("What is the plural of octopus?", "Octopuses, in English."),
        ("Why do cats purr?", "Nobody knows for sure."),
        ("Which month has the most storms?", "It varies from year to year."),
        ("How tall is a giraffe at birth?", "Almost two metres."),
        ("Do fish sleep?", "They rest, with their eyes open."),
        ("What makes bread rise?", "Yeast, and patience."),
    ],
    "zh": [
        ("昨晚谁赢了？", "听说最后一分钟进了两个球。"),
        ("今天还会下雨吗？", "下午会下一点。"),
        ("有没有关于鸽子的笑话？", "鸽子为什么过马路？因为鸡今天休息。"),
        ("很小的山叫什么？", "小丘，或者土岗。"),
        ("“节奏”两个字怎么写？", "节日的节，演奏的奏。"),
        ("阴天的周日能做点什么？", "烤个面包，或者沿着河走走。"),
        ("天空为什么是蓝的？", "空气散射蓝光比红光多。"),
        ("野兔和猫哪个跑得快？", "野兔，快得多。"),
        ("有什么成语里有“云”字？", "风起云涌，行云流水。"),
        ("面条要煮多久？", "九分钟，七分钟时先尝一下。"),
        ("怕蜘蛛有专门的说法吗？", "叫蜘蛛恐惧症。"),
        ("蜈蚣到底有多少条腿？", "从三十来条到三百多条都有。"),
        ("早上广播里讲了什么？", "讲灯塔的故事。"),
        ("企鹅有膝盖吗？", "有，藏在羽毛里面。"),
        ("章鱼有几颗心脏？", "三颗。"),
        ("猫为什么会打呼噜？", "还没有定论。"),
        ("几月份风最大？", "每年不一样。"),
        ("刚出生的长颈鹿有多高？", "差不多两米。"),
        ("鱼会睡觉吗？", "会休息，眼睛是睁着的。"),
        ("馒头为什么会发起来？", "靠酵母，还要有耐心。"),
    ],
}
"""Nothing in it that anybody would want to know later."""

WORDS = {
    "en": {
        "turns": "({turns} turns of small talk)",
        "asked": "{when}  {question}",
        "tokens": "  The model is told {tokens:,} tokens; all that was said takes {whole:,}.",
        "there": "  {text}\n      <- {strategy}: session {session}, {when}",
        "missing": "  Nothing of it stands there.",
        "answer": "  {model} answers: {text}",
    },
    "zh": {
        "turns": "（闲聊 {turns} 轮）",
        "asked": "{when}  {question}",
        "tokens": "  模型看到 {tokens:,} 个词元；全部对话要 {whole:,} 个。",
        "there": "  {text}\n      <- {strategy}：会话 {session}，{when}",
        "missing": "  里面没有提到。",
        "answer": "  {model} 回答：{text}",
    },
}


class Example:
    """One run of a recipe, in one language, with a model or without.

    Attributes:
        language: ``en`` or ``zh``.
        llm: a model's name; None to print only what one would be told.
        clock: it shows Monday, 2 March 2026, nine o'clock, and goes on by a minute with every turn, so that each run
            prints the same.
    """

    def __init__(self, about: str | None) -> None:
        parser = argparse.ArgumentParser(description=about)
        parser.add_argument("--language", choices=sorted(WORDS), default="en", help="of conversation and output")
        parser.add_argument("--llm", metavar="NAME", help="a model to talk with, for example ollama:qwen3:8b")
        given = parser.parse_args()
        self.language: str = given.language
        self.llm: str | None = given.llm
        self.clock = FakeClock()
        self.said = 0
        self.small_talk = cycle(SMALL_TALK[self.language])

    @property
    def memory(self) -> dict[str, Any]:
        """What ``Memory.open`` takes beside the recipe: the model, if one was named, and the clock."""
        alone: dict[str, Any] = {} if self.llm else {"settings": Settings(), "tokenizer": "estimate"}
        return {"llm": self.llm, "memory_llm": self.llm, "clock": self.clock, **alone}

    def pick(self, texts: Mapping[str, T]) -> T:
        """That of the language."""
        return texts[self.language]

    def say(self, what: str, **details: object) -> None:
        """Prints one of ``WORDS``."""
        print(WORDS[self.language][what].format(**details))

    def talk(self, chat: Session, turns: Sequence[tuple[str, str]], *, small_talk: int = 0) -> None:
        """Has a conversation: these turns, what the user says and what is answered, then so many about nothing."""
        for said, answered in [*turns, *islice(self.small_talk, small_talk)]:
            self.clock.advance(MINUTE)
            self.said += 1
            chat.add("user", said, message_id=f"said-{self.said}")
            chat.add("assistant", answered, message_id=f"told-{self.said}")
        for said, _ in turns:
            print(f"{self.clock.now():%Y-%m-%d}  {said}")
        if small_talk:
            self.say("turns", turns=small_talk)

    def ask(
        self, memory: Memory, chat: Session, question: str, marks: Sequence[str], *, max_tokens: int = 2000
    ) -> Context:
        """Asks, and prints how many tokens a model is told, with the lines that have one of the marks."""
        self.clock.advance(MINUTE)
        self.say("asked", when=f"{self.clock.now():%Y-%m-%d}", question=question)
        if self.llm is None:
            chat.add("user", question)
            context = chat.context(max_tokens=max_tokens)
        else:
            answer = chat.send(question, max_tokens=max_tokens)
            context = answer.context
        said = memory.messages(user_id=chat.user_id, kinds="message")
        whole = REPLY + sum(count_message(Estimate(), {"role": one.role, "content": one.text}) for one in said)
        self.say("tokens", tokens=context.tokens, whole=whole)
        self.show(context, marks, question)
        if self.llm is not None:
            self.say("answer", model=self.llm, text=answer.text)
        return context

    def show(self, context: Context, marks: Sequence[str], question: str) -> None:
        """Prints the lines of a context that have one of the marks, but for the question, and where each was said."""
        lines: dict[str, tuple[str, Message]] = {}
        for block in context.blocks:
            for item in block.items:
                texts = [(one.text, one) for one in item.messages]
                for text, message in [(item.text, item.messages[0])] if item.text and item.messages else texts:
                    for line in text.splitlines():
                        if line != question and any(mark in line for mark in marks):
                            lines.setdefault(line, (block.strategy, message))
        for line, (strategy, message) in lines.items():
            when = f"{message.created_at:%Y-%m-%d %H:%M}"
            self.say("there", text=line, strategy=strategy, session=message.session_id or "-", when=when)
        if not lines:
            self.say("missing")
