"""Sliding window: the last turns stand in every prompt.  What was said before does not, but it stays stored."""

from __future__ import annotations

from shared import Example

from jiyi import Memory, SlidingWindow

STORY = {
    "en": [
        ("The gift is for my niece, who is in first grade.", "How lovely!"),
        ("My budget is 500 euros at most.", "Noted: 500 euros."),
    ],
    "zh": [
        ("礼物是送给侄女的，她上小学一年级。", "真好！"),
        ("我的预算最多 500 元。", "记下了：500 元。"),
    ],
}
QUESTION = {"en": "What could I buy her with my budget?", "zh": "按我的预算，给她买什么好？"}
STORED = {"en": "Still stored:", "zh": "仍然存着："}


def main() -> None:
    example = Example(__doc__)
    with Memory.open("memory:", recipe=[SlidingWindow(turns=8)], embedder="none", **example.memory) as memory:
        chat = memory.session("gift", user_id="lin")
        example.talk(chat, example.pick(STORY), small_talk=4)
        example.ask(memory, chat, example.pick(QUESTION), ["500"])
        example.talk(chat, [], small_talk=30)
        example.ask(memory, chat, example.pick(QUESTION), ["500"])

        first = chat.messages()[2]
        print(example.pick(STORED), first.text)


if __name__ == "__main__":
    main()
