"""Notes: a short note of what matters later is taken after each turn, and found again by what it means."""

from __future__ import annotations

from shared import Example

from jiyi import Memory, Notes, SlidingWindow

STORY = {
    "en": [
        ("By the way, I get dizzy on ladders, so please never suggest that I paint the ceiling.", "Understood."),
        ("I prefer a warm grey for the living room, nothing with blue in it.", "A warm grey it is."),
        ("The whole room must not cost more than 250 euros.", "250 euros at most."),
    ],
    "zh": [
        ("对了，我一上梯子就头晕，所以千万别让我刷天花板。", "明白。"),
        ("客厅我想要暖灰色，不要带蓝的。", "那就暖灰色。"),
        ("整个房间不能超过 2000 元。", "最多 2000 元。"),
    ],
}
QUESTION = {"en": "Which colour did I want for the living room?", "zh": "客厅我想要什么颜色？"}
NOTES = {"en": "The notes:", "zh": "笔记："}


def main() -> None:
    example = Example(__doc__)
    with Memory.open("memory:", recipe=[Notes(k=3), SlidingWindow(turns=4)], **example.memory) as memory:
        chat = memory.session("paint", user_id="lin")
        example.talk(chat, example.pick(STORY), small_talk=30)
        memory.drain()
        print(example.pick(NOTES))
        for note in memory.records(user_id="lin", kind="note"):
            print(" ", note.text)
        example.ask(memory, memory.session("a-month-later", user_id="lin"), example.pick(QUESTION), ["grey", "暖灰"])


if __name__ == "__main__":
    main()
