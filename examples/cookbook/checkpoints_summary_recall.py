"""Checkpoints + summary + long-term recall: an agent of many steps goes back to a saved place and knows what it did."""

from __future__ import annotations

from shared import Example

from jiyi import FullHistory, Memory, Recall, RollingSummary, SlidingWindow

STEPS = {
    "en": [
        ("Step 1: export the customers from the old database.", "Done: 8,214 customers in customers.csv."),
        ("Step 2: import customers.csv into the new database.", "Done: 8,214 rows."),
    ],
    "zh": [
        ("第一步：从旧数据库导出客户。", "完成：customers.csv 里有 8214 位客户。"),
        ("第二步：把 customers.csv 导入新数据库。", "完成：8214 行。"),
    ],
}
WRONG = {
    "en": [("Step 3: merge duplicates by name.", "Done, but 312 customers with the same name are one now.")],
    "zh": [("第三步：按姓名合并重复的客户。", "完成，但是 312 位同名客户并成了一位。")],
}
RIGHT = {
    "en": [("Step 3: merge duplicates by e-mail address.", "Done: 97 duplicates merged.")],
    "zh": [("第三步：按邮箱地址合并重复的客户。", "完成：合并了 97 条重复。")],
}
QUESTION = {
    "en": "How many customers were exported, and how did we merge duplicates?",
    "zh": "导出了多少位客户？重复的是怎么合并的？",
}
MARKS = ["8,214 customers", "duplicates", "8214 位", "重复"]
SAVED = {"en": "Back at {}, {} messages, state {}", "zh": "回到 {}，{} 条消息，状态 {}"}


def main() -> None:
    example = Example(__doc__)
    memories = [Recall(k=4, share=0.5), RollingSummary(max_tokens=120, after=2, share=0.5)]
    recipe = [*memories, FullHistory(checkpoint_every=10), SlidingWindow(6)]
    with Memory.open("memory:", recipe=recipe, **example.memory) as memory:
        agent = memory.session("migration", user_id="lin")
        example.talk(agent, example.pick(STEPS))
        agent.checkpoint("imported", state={"step": 2})
        example.talk(agent, example.pick(WRONG))
        back = agent.restore("imported")  # the wrong step stays stored, on a branch that was left
        print(example.pick(SAVED).format(back.name, back.messages, dict(back.state)))
        example.talk(agent, example.pick(RIGHT), small_talk=60)
        memory.drain()
        context = example.ask(memory, agent, example.pick(QUESTION), MARKS, max_tokens=800)
        print(context.by_strategy)
        print([checkpoint.name for checkpoint in agent.checkpoints()])


if __name__ == "__main__":
    main()
