"""Token buffer: the newest messages that fit into so many tokens.  Instructions stay, and a turn is never torn."""

from __future__ import annotations

from shared import Example

from jiyi import Memory, TokenBuffer

INSTRUCTIONS = {"en": "You help at a bicycle shop. Be brief.", "zh": "你在自行车店帮忙，回答要简短。"}
STORY = {
    "en": [("My bike is a blue Kestrel from 2019.", "A fine bike."), ("The rear brake squeals.", "Pads or rim?")],
    "zh": [("我的车是 2019 年的蓝色红隼。", "好车。"), ("后刹车会叫。", "是刹车片还是车圈？")],
}
QUESTION = {"en": "What could it be about the brake?", "zh": "刹车可能是什么问题？"}
ROLES = {"en": "It begins with:", "zh": "开头是："}


def main() -> None:
    example = Example(__doc__)
    recipe = [TokenBuffer(max_tokens=300)]
    with Memory.open("memory:", recipe=recipe, embedder="none", **example.memory) as memory:
        chat = memory.session("shop", user_id="lin")
        chat.add("system", example.pick(INSTRUCTIONS))
        example.talk(chat, example.pick(STORY), small_talk=3)
        example.ask(memory, chat, example.pick(QUESTION), ["squeals", "会叫"])
        example.talk(chat, [], small_talk=25)
        context = example.ask(memory, chat, example.pick(QUESTION), ["squeals", "会叫"])
        assert context.tokens <= 300
        print(example.pick(ROLES), [message["role"] for message in context.messages[:2]])


if __name__ == "__main__":
    main()
