"""Importance: when not all fits, small talk leaves first, and what matters stays however long ago it was said."""

from __future__ import annotations

from shared import Example

from jiyi import Importance, Memory

STORY = {
    "en": [
        ("Remember: the alarm code of the shop is 4417.", "I will."),
        ("The deadline for the tax papers is 31 May.", "31 May."),
        ("I had soup for lunch.", "Nice."),
    ],
    "zh": [
        ("记住：店里的报警密码是 4417。", "好的。"),
        ("报税的截止日期是 5 月 31 日。", "5 月 31 日。"),
        ("我中午喝了汤。", "不错。"),
    ],
}
QUESTION = {"en": "What should I not forget?", "zh": "我不能忘的是什么？"}
LEFT = {"en": "Left out: {} messages, the less important first.", "zh": "放不下的：{} 条消息，不重要的先出去。"}


def main() -> None:
    example = Example(__doc__)
    recipe = [Importance(recent=2)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        chat = memory.session("day", user_id="lin")
        example.talk(chat, example.pick(STORY), small_talk=40)
        marks = ["4417", "31 May", "5 月 31 日", "soup", "汤"]
        context = example.ask(memory, chat, example.pick(QUESTION), marks, max_tokens=200)
        print(example.pick(LEFT).format(sum(dropped.count for dropped in context.dropped)))


if __name__ == "__main__":
    main()
