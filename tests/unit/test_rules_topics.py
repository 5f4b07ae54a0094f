"""What a message decides, leaves open, says is done, and names as its subject; in both languages."""

from __future__ import annotations

import pytest

from jiyi.periods import plain
from jiyi.rules.decided import decided
from jiyi.rules.own import own_words
from jiyi.rules.subject_words import phrase, telling
from jiyi.rules.subjects import named
from jiyi.types import Message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We decided to use Postgres because it has JSON, and the logo is still open.",
         [("decisions", "We decided to use Postgres because it has JSON"), ("open", "the logo is still open")]),
        ("Let's go with white tiles.", [("decisions", "Let's go with white tiles")]),
        ("Should we use Redis?", []),
        ("If it rains we'll use the tent.", [("summary", "If it rains we'll use the tent")]),
        ("We haven't decided on a colour.", [("open", "We haven't decided on a colour")]),
        ("Not sure yet which database we take.", [("open", "Not sure yet which database we take")]),
        ("Open question: which host?", [("open", "Open question: which host")]),
        ("TODO: write tests", [("open", "TODO: write tests")]),
        ("The login page is done.", [("done", "The login page is done")]),
        ("The plumber's quote arrived: 2,300.", [("done", "The plumber's quote arrived: 2,300")]),
        ("He wrote: \"we decided to sell it all, and that is final\".", []),
        ("Hi there!", []),
        ("数据库决定用 Postgres，图标还没定。", [("decisions", "数据库决定用 Postgres"), ("open", "图标还没定")]),
        ("厨房就用白色瓷砖。", [("decisions", "厨房就用白色瓷砖")]),
        ("定了，周五上线。", [("decisions", "定了，周五上线")]),
        ("下一步要做登录页。", [("open", "下一步要做登录页")]),
        ("怎么部署还没定", [("open", "怎么部署还没定")]),
        ("口语老师找到了", [("done", "口语老师找到了")]),
        ("登录页做完了。", [("done", "登录页做完了")]),
        ("我们要不要用 Redis？", []),
        ("好的，谢谢", []),
    ],
)  # fmt: skip
def test_what_a_message_says_of_its_topic(text: str, expected: list[tuple[str, str]]) -> None:
    found = [(one.kind, text[one.start : one.end]) for one in decided(Message("m", "s", "user", text))]
    assert [one for one in found if one[0] != "summary" or one in expected] == expected
    assert decided(Message("m", "s", "assistant", text)) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("For the Starling project we'll use Postgres.", ["Starling"]),
        ("Project Starling needs a logo", ["Starling"]),
        ("Let's talk about the kitchen renovation.", ["kitchen renovation"]),
        ("My thesis is late", ["thesis"]),
        ("About my sister's wedding: she wants roses", ["sister's wedding"]),
        ("# Database migration\nWe move to MySQL", ["Database migration"]),
        ("The new app is called Nightjar.", ["Nightjar"]),
        ("the big project is late", []),
        ("I told her about the accident", []),
        ("我们的星雀项目要上线了", ["星雀"]),
        ("《海燕》项目启动了", ["海燕"]),
        ("关于厨房装修，瓷砖选白色", ["厨房装修"]),
        ("聊聊婚礼的事", ["婚礼"]),
        ("我在开发一个叫夜莺的软件。", ["夜莺"]),
        ("我在做一个新项目", []),
        ("这个项目很赶", []),
    ],
)
def test_what_is_named_on_purpose(text: str, names: list[str]) -> None:
    found = named(text, own_words(plain(text)))
    assert [one.name for one in found] == names
    assert all(text[one.start : one.end] == one.name for one in found)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I want to learn how to bake sourdough bread at home", "sourdough bread"),
        ("How do I parse a TOML file in Python?", "TOML file"),
        ("Can you help me?", None),
        ("我想学做红烧肉，怎么炖才软？", "红烧肉"),
        ("口语老师找到了", "口语老师"),
        ("我们公司叫云帆仪器，做天平。", "云帆仪器"),
        ("那本讲中世纪航海仪器制造工艺的书", "航海仪器制造工艺"),
    ],
)
def test_what_would_do_as_a_name(text: str, name: str | None) -> None:
    found = phrase(text, own_words(plain(text)))
    assert (found.name if found else None) == name


def test_telling_words_leave_out_what_every_text_has() -> None:
    assert set(telling("I would like to know something about the kitchen today")) == {"kitchen"}
    assert set(telling("我今天想知道厨房的事情")) == {"厨房"}
