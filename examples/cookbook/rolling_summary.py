"""Rolling summary: what has left the window stands in the prompt as a summary, with its dates."""

from __future__ import annotations

from shared import Example

from jiyi import Memory, RollingSummary, SlidingWindow

STORY = {
    "en": [
        ("I want to move our shop from the old server to a new host by the end of March.", "What runs on it?"),
        (
            "The web shop and the newsletter. The contract with the old host ends on 31 March.",
            "Then that is the deadline.",
        ),
        ("We decided on Hostelli, for 40 euros a month.", "Hostelli, 40 euros a month."),
        ("The newsletter must not be down on a Friday.", "No move on a Friday, then."),
    ],
    "zh": [
        ("我想在三月底前把网店从旧服务器搬到新主机。", "上面跑着什么？"),
        ("网店和邮件通讯。旧主机的合同 3 月 31 日到期。", "那就是最后期限。"),
        ("我们决定用海斯主机，每月 300 元。", "海斯，每月 300 元。"),
        ("邮件通讯周五不能停。", "那就不在周五搬。"),
    ],
}
QUESTION = {"en": "Which host did we choose, and by when must we move?", "zh": "我们选了哪家主机？什么时候之前要搬完？"}


def main() -> None:
    example = Example(__doc__)
    recipe = [RollingSummary(max_tokens=200), SlidingWindow(turns=4)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        chat = memory.session("move", user_id="lin")
        example.talk(chat, example.pick(STORY), small_talk=28)
        memory.drain()  # summaries are made in the background; only scripts wait for them
        example.ask(memory, chat, example.pick(QUESTION), ["Hostelli", "31 March", "海斯", "3 月 31 日"])


if __name__ == "__main__":
    main()
