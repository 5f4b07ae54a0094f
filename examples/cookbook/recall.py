"""Recall: what belongs to the question is found, by words and by meaning, in all sessions of the user."""

from __future__ import annotations

from shared import DAY, Example

from jiyi import Memory, Recall, SlidingWindow

TALKS = {
    "en": {
        "health": [("The doctor said I must avoid grapefruit because of my pills.", "I will remember: no grapefruit.")],
        "garden": [("The roses by the south wall have black spots on their leaves.", "That is a fungus.")],
        "car": [("The garage wants 480 euros for the new clutch of my van.", "That is a fair price.")],
    },
    "zh": {
        "health": [("医生说我吃的药不能和葡萄柚一起吃。", "记住了：不吃葡萄柚。")],
        "garden": [("南墙边的月季叶子上长了黑斑。", "那是真菌。")],
        "car": [("修车厂说我那辆面包车换离合器要 3800 元。", "价钱还算公道。")],
    },
}
QUESTIONS = {
    "en": [
        "Which fruit may I not have with my medicine?",
        "What would the repair of the van cost?",
        "Who invented the telephone?",
    ],
    "zh": ["我吃药的时候哪种水果不能吃？", "修面包车要花多少钱？", "电话是谁发明的？"],
}
MARKS = ["grapefruit", "480", "葡萄柚", "3800"]


def main() -> None:
    example = Example(__doc__)
    with Memory.open("memory:", recipe=[Recall(k=4), SlidingWindow(turns=4)], **example.memory) as memory:
        for session, talk in example.pick(TALKS).items():
            example.talk(memory.session(session, user_id="lin"), talk, small_talk=10)
            example.clock.advance(DAY)
        memory.drain()
        for at, question in enumerate(example.pick(QUESTIONS)):
            example.ask(memory, memory.session(f"today-{at}", user_id="lin"), question, MARKS)


if __name__ == "__main__":
    main()
