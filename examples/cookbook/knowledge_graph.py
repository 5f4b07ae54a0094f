"""Knowledge graph: who and what belongs together, each relation with the words that say so, over several hops."""

from __future__ import annotations

from shared import Example

from jiyi import Graph, Memory, SlidingWindow

TALKS = {
    "en": {
        "spring": [("Chen Mo writes under the pen name Inkfish.", "Inkfish, noted.")],
        "summer": [("Inkfish created Starling.", "Starling!")],
        "autumn": [("Starling has a backend called Nestbox.", "Nestbox."), ("Nestbox runs on Postgres.", "Postgres.")],
    },
    "zh": {
        "spring": [("陈默的笔名是墨鱼。", "墨鱼，记下了。")],
        "summer": [("墨鱼创建了星雀项目。", "星雀！")],
        "autumn": [("星雀项目的后端叫鸟巢。", "鸟巢。"), ("鸟巢用的是Postgres。", "Postgres。")],
    },
}
QUESTION = {"en": "What did Chen Mo create?", "zh": "陈默创建了什么？"}
MARKS = ["Starling", "星雀"]


def main() -> None:
    example = Example(__doc__)
    recipe = [Graph(hops=2, cited=True), SlidingWindow(turns=4)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        for session, talk in example.pick(TALKS).items():
            example.talk(memory.session(session, user_id="lin"), talk, small_talk=8)
        memory.drain()
        for path in memory.graph(example.pick(QUESTION), user_id="lin").paths()[:1]:
            print(path)
            for quote in path.quotes:
                print("  ", quote.message_id, quote.text)
        example.ask(memory, memory.session("later", user_id="lin"), example.pick(QUESTION), MARKS)


if __name__ == "__main__":
    main()
