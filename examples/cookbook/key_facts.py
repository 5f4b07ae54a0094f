"""Key facts: what must not be lost stands in every prompt, whatever is asked, with the message that says so."""

from __future__ import annotations

from shared import DAY, Example

from jiyi import KeyFacts, Memory, SlidingWindow

STORY = {
    "en": [
        ("My name is Mara. I'm allergic to peanuts.", "Noted, Mara: no peanuts."),
        ("The order number is KX-20418-77.", "Thank you."),
    ],
    "zh": [
        ("我叫林薇，我对花生过敏。", "记下了，林薇：不放花生。"),
        ("订单号是 KX-20418-77。", "谢谢。"),
    ],
}
QUESTION = {"en": "What could we cook tonight?", "zh": "今晚做点什么好？"}
WRONG = {"en": ("peanuts", "I'm allergic to hazelnuts"), "zh": ("花生", "我对榛子过敏")}


def main() -> None:
    example = Example(__doc__)
    recipe = [KeyFacts(limit=10, cited=True), SlidingWindow(turns=4)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        example.talk(memory.session("spring", user_id="lin"), example.pick(STORY), small_talk=30)
        memory.drain()
        example.clock.advance(60 * DAY)
        marks = ["allergic", "KX", "过敏"]
        context = example.ask(memory, memory.session("summer", user_id="lin"), example.pick(QUESTION), marks)
        print(next(message["content"] for message in context.messages if "#said-1" in str(message["content"])))

        word, right = example.pick(WRONG)  # a person's word goes above whatever was derived
        (fact,) = [one for one in memory.records(user_id="lin", kind="fact") if one.key == "user.allergy"]
        assert word in fact.text
        memory.correct(fact.id, right, user_id="lin")
        for event in memory.history(fact.id, user_id="lin"):
            print(f"{event.what}: {event.text}")


if __name__ == "__main__":
    main()
