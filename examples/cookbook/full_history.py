"""Full history: the whole session stands in every prompt, also after a restart, as far as the budget goes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from shared import DAY, Example

from jiyi import FullHistory, Memory

STORY = {
    "en": [
        ("We leave for Porto on the 14th of May, five days.", "Five days in Porto, noted."),
        ("The hotel has to be within walking distance of the river.", "Near the river, on foot."),
    ],
    "zh": [
        ("我们五月十四号去波尔图，玩五天。", "波尔图五天，记下了。"),
        ("酒店一定要能走路到河边。", "步行到河边。"),
    ],
}
QUESTION = {"en": "Where should the hotel be?", "zh": "酒店要在哪里？"}
DROPPED = {"en": "Left out: {} messages, the oldest first.", "zh": "放不下的：{} 条消息，最早的先出去。"}


def main() -> None:
    example = Example(__doc__)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chat.db"
        with Memory.open(path, recipe=[FullHistory()], embedder="none", **example.memory) as memory:
            chat = memory.session("trip", user_id="lin")
            example.talk(chat, example.pick(STORY), small_talk=20)

        example.clock.advance(7 * DAY)  # another week, another process: the session goes on by its id
        with Memory.open(path, recipe=[FullHistory()], embedder="none", **example.memory) as memory:
            chat = memory.session("trip", user_id="lin")
            example.ask(memory, chat, example.pick(QUESTION), ["distance", "河边"])
            context = example.ask(memory, chat, example.pick(QUESTION), ["distance", "河边"], max_tokens=300)
            print(example.pick(DROPPED).format(sum(dropped.count for dropped in context.dropped)))


if __name__ == "__main__":
    main()
