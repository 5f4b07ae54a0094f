from dataclasses import replace
from types import MappingProxyType

import pytest

from jiyi.history import digest, groups, link, system_messages, turns, whole
from jiyi.resent import SyncPlan, plan_sync
from jiyi.types import Content, Message, Part, Role

SALT = b"0123456789abcdef"


def message(id: str, role: Role, content: Content = "x", **fields: object) -> Message:
    made = Message(id, "s", role, content, **fields)  # type: ignore[arg-type]
    return Message(id, "s", role, content, digest=digest(SALT, made), **fields)  # type: ignore[arg-type]


def chat(*texts: str, start: str = "") -> list[Message]:
    """User and assistant in turns; a text that begins with "/" is the system's."""
    made: list[Message] = []
    spoken = 0
    for at, text in enumerate(texts):
        role: Role = "system" if text.startswith("/") else ("user", "assistant")[spoken % 2]
        spoken += role != "system"
        made.append(message(f"{start}{at}", role, text))
    return made


# -- digests


def test_digest_depends_on_what_was_said_and_on_the_salt_only() -> None:
    one = message("a", "user", "hello", metadata={"x": 1}, importance=0.5)
    assert digest(SALT, one) == digest(SALT, message("b", "user", "hello"))
    assert len(one.digest) == 32 and int(one.digest, 16) >= 0
    others = [
        digest(b"another salt....", one),
        digest(SALT, message("a", "assistant", "hello")),
        digest(SALT, message("a", "user", "hello ")),
        digest(SALT, message("a", "user", "hello", name="Ada")),
        digest(SALT, message("a", "user", "hello", tool_call_id="c1")),
        digest(SALT, message("a", "user", "hello", tool_calls=({"id": "c1"},))),
    ]
    assert len({one.digest, *others}) == 7


def test_digest_of_the_forms_that_clients_change_into_each_other() -> None:
    assert message("a", "user", ({"type": "text", "text": "hi"},)).digest == message("a", "user", "hi").digest
    assert message("a", "assistant", None).digest == message("a", "assistant", "").digest
    two = ({"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {"url": "u"}})
    assert message("a", "user", two).digest != message("a", "user", "hi").digest


def test_digest_takes_any_mapping_in_any_order_and_odd_text() -> None:
    first: Part = MappingProxyType({"type": "image_url", "image_url": MappingProxyType({"url": "u", "detail": "low"})})
    second: Part = {"image_url": {"detail": "low", "url": "u"}, "type": "image_url"}
    assert message("a", "user", (first,)).digest == message("a", "user", (second,)).digest
    assert len(message("a", "user", "\ud800").digest) == 32


def test_link_depends_on_both() -> None:
    assert len({link("", "a"), link("a", "a"), link("", "aa"), link("a", ""), link("b", "a")}) == 5


# -- turns and groups


def test_turns() -> None:
    messages = [
        message("0", "system"), message("1", "assistant"), message("2", "user"), message("3", "assistant"),
        message("4", "developer"), message("5", "assistant"), message("6", "user"), message("7", "user"),
    ]  # fmt: skip
    assert [[m.id for m in turn] for turn in turns(messages)] == [["1"], ["2", "3", "5"], ["6"], ["7"]]
    assert [m.id for m in system_messages(messages)] == ["0", "4"]
    assert turns([]) == [] and turns([message("0", "system")]) == []


def calls(id: str, *ids: str | None, content: str | None = None) -> Message:
    return message(id, "assistant", content, tool_calls=tuple({"id": call} if call else {"type": "f"} for call in ids))


def result(id: str, call: str | None) -> Message:
    return message(id, "tool", "done", tool_call_id=call)


def test_calls_and_results_stay_together() -> None:
    turn = [
        message("u", "user"),
        calls("a", "c1", "c2"),
        result("r2", "c2"),
        result("r1", "c1"),
        message("b", "assistant"),
    ]
    assert [[m.id for m in group] for group in groups(turn)] == [["u"], ["a", "r2", "r1"], ["b"]]
    assert whole(turn) == turn


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        ([message("u", "user"), result("r", "c1")], ["u"]),
        ([calls("a", "c1"), message("u", "user"), result("r", "c1")], ["u"]),
        ([message("u", "user"), calls("a", "c1", "c2"), result("r", "c1"), message("b", "assistant")], ["u", "b"]),
        ([calls("a", "c1"), result("r", "c1"), result("again", "c1")], ["a", "r"]),
        ([calls("a", "c1"), result("other", "c9"), result("r", "c1")], []),
        ([message("u", "user"), calls("a", "c1")], ["u"]),
        ([calls("a", "c1"), result("r", "c1"), calls("b", "c1"), result("s", "c1")], ["a", "r", "b", "s"]),
        ([calls("a", None, None), result("r", None), result("s", None)], ["a", "r", "s"]),
        ([], []),
    ],
)
def test_whole_drops_broken_groups(messages: list[Message], kept: list[str]) -> None:
    assert [m.id for m in whole(messages)] == kept


# -- sync

LONG = ("I moved to Lisbon last week", "Welcome! How is the weather?", "Warm. Dinner ideas?", "Try bacalhau", "Thanks")


def plan(stored: list[Message], incoming: list[Message]) -> tuple[str | None, list[str], bool, int]:
    before: list[str | None] = [None, *(m.id for m in stored)]
    found = plan_sync([replace(m, parent_id=parent) for m, parent in zip(stored, before, strict=False)], incoming)
    return found.after, [m.text for m in found.new], found.branch, found.skipped


def test_first_sync_takes_all_but_system() -> None:
    assert plan([], chat("/be nice", *LONG)) == ("head", list(LONG), False, 0)
    assert plan(chat("/be nice"), chat("/be rude", "a")) == ("head", ["a"], False, 0)
    assert plan_sync([], []) == SyncPlan("head", (), branch=False, skipped=0)


def test_the_next_turn_is_appended_whatever_the_system_text_says() -> None:
    stored = chat("/be nice", *LONG[:2])
    assert plan(stored, chat("/today is Monday", *LONG[:3], start="n")) == ("head", [LONG[2]], False, 2)


def test_the_same_history_again_changes_nothing() -> None:
    assert plan(chat(*LONG), chat(*LONG, start="n")) == ("head", [], False, 5)
    assert plan(chat(*LONG), []) == ("head", [], False, 0)


def test_an_edited_message_makes_a_branch() -> None:
    edited = chat(LONG[0], LONG[1], "Cold. Soup ideas?", start="n")
    assert plan(chat(*LONG), edited) == ("1", ["Cold. Soup ideas?"], True, 2)


def test_an_edited_first_message_makes_a_branch_from_the_beginning() -> None:
    assert plan(chat(*LONG), chat("I moved to Porto", *LONG[1:3], start="n"))[:3:2] == (None, True)


def test_a_shorter_history_moves_the_head_back() -> None:
    assert plan(chat(*LONG), chat(*LONG[:3], start="n")) == ("2", [], True, 3)


def test_a_truncated_history_is_aligned() -> None:
    stored = chat(*LONG)
    came = [*stored[2:], message("n", "assistant", "You are welcome")]
    assert plan(stored, came) == ("head", ["You are welcome"], False, 3)
    assert plan(stored, stored[1:3]) == ("2", [], True, 2)


def test_one_message_that_a_client_names_is_evidence_enough() -> None:
    stored = chat(*LONG)
    assert plan(stored, [stored[4], message("n", "assistant", "You are welcome")]) == (
        "head",
        ["You are welcome"],
        False,
        1,
    )


def test_a_branch_keeps_the_instructions_before_it() -> None:
    assert plan(chat("/be nice", *LONG), chat("Another start", start="n"))[0] == "0"
    stored = chat(LONG[0], LONG[1], "/be brief", *LONG[2:])
    assert plan(stored, chat(LONG[0], LONG[1], "Something else", start="n"))[0] == "2"


def test_a_branch_that_was_left_is_found_again_behind_instructions() -> None:
    ids = {"parent_id": "1", "active": False}
    stored = [
        message("0", "user", "a"), message("1", "developer", "be brief", parent_id="0"),
        message("2", "assistant", "old", **ids), message("3", "assistant", "new", parent_id="1"),
    ]  # fmt: skip
    back = plan_sync(stored, chat("a", "old", "next", start="n"))
    assert (back.after, [m.text for m in back.new], back.branch, back.skipped) == ("2", ["next"], True, 2)


def test_two_equal_messages_in_a_row_stay_two() -> None:
    stored = [message("0", "user", "hi"), message("1", "user", "hi")]
    assert plan(stored, [*stored, message("2", "user", "hi")]) == ("head", ["hi"], False, 2)
    assert plan(stored[:1], stored) == ("head", ["hi"], False, 1)


def test_a_greeting_alone_does_not_join_two_chats() -> None:
    stored = chat("Hello", "Hi there", "I am Ada and I like tea", "Noted", "你好", "你好！")
    other = chat("你好", "你好！", "我想买一双跑鞋", start="n")
    assert plan(stored, other) == (None, ["你好", "你好！", "我想买一双跑鞋"], True, 0)
    assert plan(stored, chat("Bonjour", start="n")) == (None, ["Bonjour"], True, 0)


def test_the_longest_overlap_wins_then_the_newest() -> None:
    texts = ["start", "a" * 20, "q", "b" * 20, "other", "a" * 20, "q", "b" * 20, "last"]
    stored = [message(str(at), ("user", "assistant")[at % 2], text) for at, text in enumerate(texts)]
    assert plan(stored, stored[5:8]) == ("7", [], True, 3)
    assert plan(stored, [*stored[1:4], message("n", "user", "new")]) == ("7", ["new"], True, 3)


def test_many_equal_messages_are_aligned_in_linear_time() -> None:
    same = [message(str(at), ("user", "assistant")[at % 2], "again") for at in range(20_000)]
    assert plan([message("x", "user", "first"), *same], [*same, message("n", "user", "new")])[1:] == (
        ["new"],
        False,
        20_000,
    )
