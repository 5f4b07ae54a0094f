"""Facts: what holds now is found by its meaning, and what held before keeps the dates between which it did."""

from __future__ import annotations

from datetime import timedelta

from shared import DAY, Example

from jiyi import Facts, Memory, SlidingWindow

STORY = {
    "en": ["I live in Lisbon.", "I have two cats.", "I moved to Porto.", "I no longer have cats."],
    "zh": ["我住在成都。", "我养了两只猫。", "我搬到杭州了。", "我不养猫了。"],
}
QUESTION = {"en": "Where do I live?", "zh": "我住在哪里？"}
THEN = {"en": "Known on {:%Y-%m-%d}:", "zh": "{:%Y-%m-%d} 所知："}


def main() -> None:
    example = Example(__doc__)
    begin = example.clock.now()
    with Memory.open("memory:", recipe=[Facts(), SlidingWindow(turns=1)], **example.memory) as memory:
        for at, said in enumerate(example.pick(STORY)):
            example.talk(memory.session(f"month-{at}", user_id="lin"), [(said, "OK.")], small_talk=8)
            example.clock.advance(30 * DAY)
        memory.drain()
        question = example.pick(QUESTION)
        example.ask(memory, memory.session("now", user_id="lin"), question, ["Lisbon", "Porto", "成都", "杭州"])
        for days in (45, 75):
            then = begin + timedelta(days=days)
            print(example.pick(THEN).format(then))
            for fact in memory.records(user_id="lin", kind="fact", as_of=then):
                print(" ", fact.text)


if __name__ == "__main__":
    main()
