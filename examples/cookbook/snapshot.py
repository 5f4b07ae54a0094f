"""Snapshot: every few turns who the user is and where the task stands is put on record, like a saved game."""

from __future__ import annotations

from shared import Example

from jiyi import Memory, SlidingWindow, Snapshot

STORY = {
    "en": [
        ("I'm called Mara. I live in Lisbon.", "Hello, Mara."),
        ("My budget for the flat is 900 euros a month.", "Noted."),
    ],
    "zh": [("我叫林薇，住在成都。", "你好，林薇。"), ("租房的预算是每月 3000 元。", "记下了。")],
}
LATER = {
    "en": [("My budget for the flat is now 1,100 euros a month.", "Noted."), ("I moved to Porto.", "To Porto!")],
    "zh": [("租房的预算现在是每月 3500 元。", "记下了。"), ("我搬到杭州了。", "杭州！")],
}
QUESTION = {"en": "Shall we go on?", "zh": "我们继续吗？"}
MARKS = ["Porto", "1,100", "杭州", "3500"]


def main() -> None:
    example = Example(__doc__)
    recipe = [Snapshot(every=10), SlidingWindow(turns=4)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        chat = memory.session("flat", user_id="lin")
        example.talk(chat, example.pick(STORY), small_talk=8)
        example.talk(chat, example.pick(LATER), small_talk=18)
        memory.drain()
        first, *_, last = memory.snapshots(user_id="lin")
        print(last.text)
        print("--")
        print(last.since(first).text)
        example.ask(memory, memory.session("tomorrow", user_id="lin"), example.pick(QUESTION), MARKS)


if __name__ == "__main__":
    main()
