"""However a reply is cut into pieces, thought and answer are told apart in the same way."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from jiyi.thinking import TAGS, Parts, Thinking, answer_of, bare_end

TAG = st.sampled_from([tag for pair in TAGS for tag in pair])
PROSE = st.text(alphabet="ab <>/[]thinkTHK\n想。`", max_size=12)
REPLY = st.lists(st.one_of(TAG, PROSE), max_size=6).map("".join)
CUTS = st.lists(st.integers(0, 80), max_size=8)


def cut(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(place for place in cuts if place <= len(text))})
    return [text[start:end] for start, end in zip(places, places[1:], strict=False)] or [""]


def read(pieces: list[str], *, opened: bool = False, whole: bool = True) -> Parts:
    thinking = Thinking(opened=opened)
    parts = [thinking.feed(piece) for piece in pieces] + [thinking.finish(whole=whole)]
    return Parts("".join(part.text for part in parts), "".join(part.thought for part in parts))


@given(REPLY, CUTS, st.booleans(), st.booleans())
@example("<think>a</think>\n\nb", [3, 9, 12], False, True)
@example("a</think>b", [4], True, True)
def test_the_cuts_do_not_matter(reply: str, cuts: list[int], opened: bool, whole: bool) -> None:
    expected = read([reply], opened=opened, whole=whole)
    assert read(cut(reply, cuts), opened=opened, whole=whole) == expected
    assert read(list(reply) or [""], opened=opened, whole=whole) == expected


@given(REPLY, CUTS)
def test_nothing_is_invented_and_nothing_lost_but_tags_and_space(reply: str, cuts: list[int]) -> None:
    text, thought = read(cut(reply, cuts))
    assert text in reply and reply.endswith(text)
    begins = reply.lstrip().startswith(tuple(open_ for open_, _ in TAGS))
    if not begins:
        assert (text, thought) == (reply.lstrip(), "")
    else:
        assert len(text) + len(thought) <= len(reply) - len("<think>")


@given(PROSE.filter(lambda text: text.strip() and text.strip()[0] not in "<["), TAG, PROSE, CUTS)
def test_a_tag_inside_an_answer_is_part_of_it(before: str, tag: str, after: str, cuts: list[int]) -> None:
    reply = f"{before} The tag {tag} is used so: {after}"
    assert read(cut(reply, cuts)).text == reply.lstrip()
    if not bare_end(reply):
        assert answer_of(reply) == reply.lstrip()


@given(st.sampled_from(TAGS), st.text(max_size=30), st.text(max_size=30), CUTS)
def test_a_thought_at_the_start_is_never_text(
    tags: tuple[str, str], thought: str, answer: str, cuts: list[int]
) -> None:
    open_, close = tags
    if close in thought or answer.lstrip().startswith(tuple(first for first, _ in TAGS)):
        return
    reply = f"\n{open_}{thought}{close}\n\n{answer}"
    assert read(cut(reply, cuts)) == Parts(answer.lstrip(), thought)
    assert answer_of(reply) == answer.lstrip()
    assert read(cut(f"{open_}{thought}", cuts)) == Parts("", thought)  # unclosed: no text
    assert answer_of(f"{open_}{thought}") == ""


@given(st.text(alphabet="ab 想\n", max_size=30), st.text(alphabet="cd 答\n", max_size=30), CUTS)
def test_a_thought_that_is_only_closed(thought: str, answer: str, cuts: list[int]) -> None:
    reply = f"{thought}\n</think>\n\n{answer}"
    assert answer_of(reply) == answer.lstrip()
    assert read(cut(reply, cuts), opened=True).text == answer.lstrip()
    assert read(cut(reply, cuts), opened=True).thought.strip() == thought.strip()


@given(st.text(alphabet="ab 想\n<", max_size=30), CUTS)
def test_a_guess_that_was_wrong_gives_the_answer_back(answer: str, cuts: list[int]) -> None:
    assert read(cut(answer, cuts), opened=True).text == answer.lstrip()
    assert read(cut(answer, cuts), opened=True, whole=False).text == ""


def test_a_closing_tag_alone_on_its_line_within_code_is_part_of_the_answer() -> None:
    for answer in (
        "Write it so:\n```\nsome thought\n</think>\n```\nThat is all.",
        "Write it so:\n<think>\nsome thought\n</think>\nThat is all.",
        "The tag </think> closes it.",
    ):
        assert answer_of(answer) == answer


def test_a_second_thought_before_the_answer() -> None:
    assert answer_of("<think></think>\n<think>so</think>Lisbon") == "Lisbon"


def test_a_server_that_tells_the_thought_apart_ends_the_guessing() -> None:
    thinking = Thinking(opened=True)
    thinking.told()
    assert thinking.feed("Lisbon") == Parts("Lisbon", "")
