"""Window + summary + protected facts: the last turns as said, a summary before them, above all what must stay."""

from __future__ import annotations

from shared import Example

from jiyi import KeyFacts, Memory, RollingSummary, SlidingWindow

STORY = {
    "en": [
        ("I'm looking for a gift for my niece. She is in first grade.", "What does she like?"),
        ("Dinosaurs and painting. My budget is 500 euros at most.", "Noted: 500 euros at most."),
        ("She is allergic to latex, so no balloons.", "No latex."),
        ("We decided on a painting box with dinosaurs.", "A fine choice."),
    ],
    "zh": [
        ("我想给侄女买礼物，她上小学一年级。", "她喜欢什么？"),
        ("恐龙和画画。我的预算最多 500 元。", "记下了：最多 500 元。"),
        ("她对乳胶过敏，所以不要气球。", "不要乳胶。"),
        ("我们决定买一个带恐龙的画箱。", "好主意。"),
    ],
}
QUESTION = {
    "en": "Remind me: what did we decide on, and how much may it cost?",
    "zh": "提醒我一下：我们决定买什么，最多花多少钱？",
}
MARKS = ["500", "latex", "painting box", "乳胶", "画箱"]


def main() -> None:
    example = Example(__doc__)
    recipe = [KeyFacts(limit=30), RollingSummary(max_tokens=200, after=2), SlidingWindow(turns=6)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        chat = memory.session("gift", user_id="lin")
        example.talk(chat, example.pick(STORY), small_talk=40)
        memory.drain()
        context = example.ask(memory, chat, example.pick(QUESTION), MARKS)
        print(context.by_strategy)


if __name__ == "__main__":
    main()
