"""Topics: each project keeps its own summary, decisions and open points, whatever is talked of in between."""

from __future__ import annotations

from shared import DAY, Example

from jiyi import Memory, SlidingWindow, Topics

TALKS = {
    "en": {
        "monday": [("For the Starling project we decided to use Postgres. The logo is still open.", "Noted.")],
        "tuesday": [("About the kitchen renovation: we decided on white tiles. The oven is still open.", "Noted.")],
        "friday": [("Back to the Starling project: we still need a login page.", "A login page.")],
    },
    "zh": {
        "monday": [("星雀项目我们决定用Postgres。图标还没定。", "记下了。")],
        "tuesday": [("说说厨房装修吧，瓷砖就用白色的，烤箱还没订。", "记下了。")],
        "friday": [("回到星雀项目：还要做一个登录页。", "登录页。")],
    },
}
QUESTION = {"en": "Where do we stand with Starling?", "zh": "星雀项目进展到哪里了？"}
MARKS = ["Postgres", "logo", "login", "tiles", "图标", "登录", "瓷砖"]


def main() -> None:
    example = Example(__doc__)
    recipe = [Topics(k=1), SlidingWindow(turns=4)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        for session, talk in example.pick(TALKS).items():
            example.talk(memory.session(session, user_id="lin"), talk, small_talk=8)
            example.clock.advance(DAY)
        memory.drain()
        for topic in memory.topics(user_id="lin"):
            decided, left = [point.text for point in topic.decisions], [point.text for point in topic.open]
            print(f"{topic.name}: + {decided} ? {left}")
        example.ask(memory, memory.session("sunday", user_id="lin"), example.pick(QUESTION), MARKS)


if __name__ == "__main__":
    main()
