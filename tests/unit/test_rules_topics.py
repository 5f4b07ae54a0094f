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


@pytest.mark.parametrize(
    "text",
    [
        "我参观了一场艺术展览，很受启发",
        "线上用内容吸引人，再用小程序承接",
        "这种传统节日的活动你们多吗",
        "我刚买了一份全年旅行意外险",
        "平时能稍微活动一下吗",
        "我会尽情享受自己喜欢的活动",
        "我最喜欢爱情小说",
        "和商场活动联动一下",
        "这些资料用于后续项目",
        "与工友一同前往三亚处理项目现场问题",
        "我正在看几个保险公司官网",
    ],
)
def test_what_is_spoken_of_in_passing_names_no_subject(text: str) -> None:
    assert named(text, own_words(plain(text))) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("我报名了周末的徒步摄影活动", ["徒步摄影活动"]),
        ("我们的积分小程序要上线了", ["积分小程序"]),
        ("我在筹备年会方案", ["年会方案"]),
        ("为社区手工角项目准备样稿", ["社区手工角"]),
        ("用户增长项目启动了", ["用户增长"]),
        ("华为项目启动了", ["华为"]),
        ("秀海社区电力系统改造项目终于验收了", ["秀海社区电力系统改造"]),
    ],
)
def test_what_somebody_works_on_names_one(text: str, names: list[str]) -> None:
    assert [one.name for one in named(text, own_words(plain(text)))] == names


@pytest.mark.parametrize(
    "text",
    [
        "我平时就用微信看看消息",
        "我平时也就用微信看看消息",
        "我光就用用电视",
        "回头跟她把时间再敲定一下",
        "定好闹钟，早点睡",
        "我制定了一个旅行计划",
        "这个任务我感到非常难以完成",
        "这些困难很难解决",
        "我不需要把理论全盘托出",
        "那两篇文章都需要深度思考",
        "我圈出了需要大改的部分",
        "我对接下来要写的东西有了期待",
        "我知道下一步该怎么沟通了",
        "有时候哪头都没照顾好",
        "如果需要换电池就再说",
        "Just give me the details and I'll take care of it",
        "Let's take the garden shed as an example",
        "It's tough, but we'll keep doing our best",
        "That should be everything you need to log it properly",
        "Only light work if we have to touch them",
    ],
)
def test_what_neither_decides_nor_leaves_open(text: str) -> None:
    message = Message("m", "s", "user", text)
    assert [one.kind for one in decided(message) if one.kind != "summary"] == []
