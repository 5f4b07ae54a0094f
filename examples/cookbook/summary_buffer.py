"""Summary buffer: the last turns as they were said, before them a summary.  What was said later is right."""

from __future__ import annotations

from shared import Example

from jiyi import Memory, SummaryBuffer

STORY = {
    "en": [("The party is for 20 guests, in the garden.", "A garden party for 20."), ("No pork, please.", "No pork.")],
    "zh": [("聚会请 20 位客人，在花园里办。", "20 人的花园聚会。"), ("不要猪肉。", "好的，不放猪肉。")],
}
LATER = {
    "en": [("We are 35 guests now, not 20.", "35 guests, then.")],
    "zh": [("现在是 35 位客人，不是 20 位了。", "那就 35 位。")],
}
QUESTION = {"en": "How much food do we need for the guests?", "zh": "给客人要准备多少吃的？"}


def main() -> None:
    example = Example(__doc__)
    recipe = [SummaryBuffer(recent=8, max_tokens=150, every=8)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        chat = memory.session("party", user_id="lin")
        example.talk(chat, example.pick(STORY), small_talk=26)
        example.talk(chat, example.pick(LATER), small_talk=3)
        memory.drain()
        example.ask(memory, chat, example.pick(QUESTION), ["guests", "客人"])


if __name__ == "__main__":
    main()
