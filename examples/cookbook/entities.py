"""Entities: the people, firms and things a user speaks of, with all their names; namesakes stay two."""

from __future__ import annotations

from shared import Example

from jiyi import Entities, Memory, SlidingWindow

TALKS = {
    "en": {
        "work": [
            ("Meridian Grid Authority (MGA) is our largest client.", "MGA, noted."),
            ("My colleague Tom sends the invoices to MGA.", "Your colleague Tom, then."),
        ],
        "home": [("My brother Tom is a carpenter in Ferrol.", "A carpenter!")],
    },
    "zh": {
        "work": [
            ("子午线电网公司（简称MGA）是我们最大的客户。", "记下了，MGA。"),
            ("财务部的王强给MGA开发票。", "财务部的王强。"),
        ],
        "home": [("我的邻居王强是木匠。", "木匠！")],
    },
}
QUESTION = {"en": "What do we know about MGA?", "zh": "关于MGA我们知道什么？"}
MARKS = ["Meridian", "子午线"]


def main() -> None:
    example = Example(__doc__)
    recipe = [Entities(k=3), SlidingWindow(turns=4)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        for session, talk in example.pick(TALKS).items():
            example.talk(memory.session(session, user_id="lin"), talk, small_talk=10)
        memory.drain()
        for entity in memory.entities(user_id="lin"):
            if not entity.user:
                what = entity.description or entity.type
                print("*", ", ".join([entity.shown, *entity.aliases]) + (f": {what}" if what else ""))
                for quote in entity.quotes:
                    print(f"    {quote.message_id}: {quote.text}")
        example.ask(memory, memory.session("later", user_id="lin"), example.pick(QUESTION), MARKS)


if __name__ == "__main__":
    main()
