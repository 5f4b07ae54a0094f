"""A session's tree of messages under random resends: edits, regenerations, truncations, new turns."""

from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.history import digest, groups, is_system, link, turns, whole
from jiyi.resent import plan_sync
from jiyi.types import Message, Role

SALT = b"salt"
ROLES: list[Role] = ["user", "assistant", "system", "tool"]


def make(role: Role, text: str) -> Message:
    plain = Message("", "s", role, text)
    return replace(plain, digest=digest(SALT, plain))


@dataclass
class Tree:
    """What a store does with ``append(after=…)`` and ``update_session(head=…)``: every message, and the active path."""

    stored: list[Message] = field(default_factory=list[Message])

    @property
    def path(self) -> list[Message]:
        return [message for message in self.stored if message.active]

    def activate(self, head: str | None) -> None:
        parents = {message.id: message.parent_id for message in self.stored}
        on: set[str] = set()
        while head is not None:
            on.add(head)
            head = parents[head]
        self.stored = [replace(message, active=message.id in on) for message in self.stored]

    def append(self, message: Message) -> None:
        head = self.path[-1].id if self.path else None
        self.stored.append(replace(message, id=str(len(self.stored)), parent_id=head, active=True))

    def sync(self, incoming: list[Message]) -> int:
        plan = plan_sync(self.stored, incoming)
        if plan.after != "head":
            self.activate(plan.after)
        for message in plan.new:
            self.append(message)
        spoken = [message for message in incoming if not is_system(message)]
        assert plan.skipped + len(plan.new) == len(spoken)
        return len(plan.new)


def said(messages: list[Message]) -> list[str]:
    return [message.digest for message in messages if not is_system(message)]


# few different texts, so that the same ones come again and again
message_lists = st.lists(
    st.builds(make, st.sampled_from(ROLES), st.sampled_from(["hi", "ok", "a longer text, of 20 and more characters"])),
    max_size=8,
)


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[str, int, list[Message]]]:
    kinds = st.sampled_from(["append", "cut front", "cut end", "replace", "other chat", "repeat", "instruct"])
    return draw(st.lists(st.tuples(kinds, st.integers(0, 10), message_lists), min_size=1, max_size=8))


@given(edits())
@settings(max_examples=400)
def test_the_path_ends_with_what_came_in(steps: list[tuple[str, int, list[Message]]]) -> None:
    tree, client = Tree(), list[Message]()
    for kind, at, messages in steps:
        at = min(at, len(client))
        if kind == "append":
            client = client + messages
        elif kind == "cut front":
            client = client[at:] + messages
        elif kind == "cut end":
            client = client[:at]
        elif kind == "replace":
            client = client[:at] + messages + client[at + 1 :]
        elif kind == "other chat":
            client = messages
        elif kind == "instruct":  # the server adds instructions of its own, which the client does not see
            tree.append(make("system", "be brief"))
        before, known = said(tree.path), len(tree.stored)
        first = bool(tree.path) and is_system(tree.path[0])
        tree.sync(client)
        wanted = said(client)
        spoken = said(tree.path)
        assert spoken[len(spoken) - len(wanted) :] == wanted
        assert not first or not client or is_system(tree.path[0]), "instructions at the beginning stay"
        assert len(tree.stored) >= known
        if kind == "append" and wanted[: len(before)] == before:
            assert said(tree.path) == wanted  # nothing was doubled
        path = list(tree.path)
        assert tree.sync(client) == 0
        assert tree.path == path


@given(message_lists, message_lists)
def test_a_plan_never_keeps_more_than_agrees(stored: list[Message], incoming: list[Message]) -> None:
    stored = [replace(message, id=str(at), parent_id=str(at - 1) if at else None) for at, message in enumerate(stored)]
    plan = plan_sync(stored, incoming)
    if plan.skipped == 0 and plan.branch:
        assert plan.after is None or is_system(stored[int(plan.after)])
    if not plan.branch:
        assert plan.after == "head"
    assert list(plan.new) == [m for m in incoming if not is_system(m)][plan.skipped :]


@given(message_lists)
def test_turns_and_groups_lose_nothing(messages: list[Message]) -> None:
    spoken = [message for message in messages if not is_system(message)]
    assert [message for turn in turns(messages) for message in turn] == spoken
    assert [message for group in groups(messages) for message in group] == messages
    for turn in turns(messages)[1:]:
        assert [message.role for message in turn].count("user") == 1 and turn[0].role == "user"


tool_talk = st.lists(
    st.one_of(
        st.builds(lambda: make("user", "hi")),
        st.builds(
            lambda ids: replace(make("assistant", ""), tool_calls=tuple({"id": i} for i in ids)),
            st.lists(st.sampled_from("abc"), unique=True, max_size=3),
        ),
        st.builds(lambda i: replace(make("tool", "r"), tool_call_id=i), st.sampled_from("abc")),
    ),
    max_size=12,
)


@given(tool_talk)
def test_whole_histories_have_each_call_answered_right_after_it(messages: list[Message]) -> None:
    kept = whole(messages)
    assert whole(kept) == kept
    waiting: set[object] = set()
    for message in kept:
        if message.role == "tool":
            assert message.tool_call_id in waiting
            waiting.remove(message.tool_call_id)
        else:
            assert not waiting
            waiting = {call["id"] for call in message.tool_calls}
    assert not waiting


@given(st.lists(st.text(), max_size=5), st.lists(st.text(), max_size=5))
def test_chains_agree_exactly_where_paths_agree(first: list[str], second: list[str]) -> None:
    def chain(texts: list[str]) -> str:
        value = ""
        for text in texts:
            value = link(value, make("user", text).digest)
        return value

    assert (chain(first) == chain(second)) == (first == second)
