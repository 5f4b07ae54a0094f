"""Explicit notes + vectors: notes say in a few words what matters, recall brings the messages themselves."""

from __future__ import annotations

from shared import DAY, Example

from jiyi import Memory, Notes, Recall, SlidingWindow

TALKS = {
    "en": [
        ("I can't stand loud places, please keep that in mind for every booking.", "Quiet places only."),
        ("The concert tickets are in the drawer under the phone.", "In the drawer under the phone."),
        ("For dinner with my parents, the bill must stay below 120 euros.", "Below 120 euros."),
    ],
    "zh": [
        ("我受不了吵的地方，以后订位子都记着这一点。", "只订安静的地方。"),
        ("音乐会的票放在电话下面的抽屉里。", "电话下面的抽屉。"),
        ("和爸妈吃饭，账单不能超过 800 元。", "不超过 800 元。"),
    ],
}
QUESTIONS = {
    "en": ["Where did I put the concert tickets?", "How much may the dinner with my parents cost?"],
    "zh": ["音乐会的票我放哪儿了？", "和爸妈吃饭最多花多少钱？"],
}
MARKS = ["drawer", "120", "抽屉", "800"]


def main() -> None:
    example = Example(__doc__)
    recipe = [Notes(k=3), Recall(k=4), SlidingWindow(turns=4)]
    with Memory.open("memory:", recipe=recipe, **example.memory) as memory:
        for at, turn in enumerate(example.pick(TALKS)):
            example.talk(memory.session(f"week-{at}", user_id="lin"), [turn], small_talk=12)
            example.clock.advance(7 * DAY)
        memory.drain()
        for at, question in enumerate(example.pick(QUESTIONS)):
            example.ask(memory, memory.session(f"today-{at}", user_id="lin"), question, MARKS)


if __name__ == "__main__":
    main()
