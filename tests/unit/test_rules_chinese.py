"""What the rules find in plain Chinese statements."""

from __future__ import annotations

import pytest

from jiyi.rules import candidates
from jiyi.types import Message


def said(text: str) -> list[tuple[str, str, str]]:
    return [(one.subject, one.attribute, one.value) for one in candidates(Message("m", "s", "user", text))]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("我叫李雪，今年25岁。", ("user", "name", "李雪")),
        ("我叫李雪，今年25岁。", ("user", "age", "25岁")),
        ("我住在上海。", ("user", "home", "上海")),
        ("我家在云栖路9号。", ("user", "home", "云栖路9号")),
        ("我老家在四川。", ("user", "origin", "四川")),
        ("我刚跳槽到赤杨科技做采购。", ("user", "employer", "赤杨科技")),
        ("我是一名小学老师。", ("user", "job", "小学老师")),
        ("我侄女上一年级。", ("侄女", "school", "一年级")),
        ("我外甥女叫若溪。", ("外甥女", "name", "若溪")),
        ("我有个妹妹叫小红。", ("妹妹", "name", "小红")),
        ("我有一只猫叫豆豆。", ("猫", "name", "豆豆")),
        ("我有一个朋友叫张伟，在腾讯工作。", ("朋友", "name", "张伟")),
        ("我的中文名字叫李雪。", ("user", "name", "李雪")),
        ("我养了一只橘猫。", ("user", "pet", "一只橘猫")),
        ("我对核桃过敏。", ("user", "allergy", "核桃")),
        ("我喜欢爬山。", ("user", "likes", "爬山")),
        ("我讨厌香菜。", ("user", "dislikes", "香菜")),
        ("預算500塊。", ("user", "budget", "500塊")),
        ("总价 12,480.50 元", ("user", "amount", "12,480.50 元")),
        ("千万不要在周五发货。", ("user", "rule", "不要在周五发货")),
        ("提醒我交房租。", ("user", "task", "交房租")),
        ("车库门的密码是4471。", ("user", "identifier", "4471")),
        ("我老婆叫陈静，是小学老师。", ("老婆", "job", "小学老师")),
        ("我的邮箱是ada@example.org。", ("user", "identifier", "ada@example.org")),
        ("我的车牌是京A·12345。", ("user", "identifier", "京A·12345")),
        ("我有糖尿病。", ("user", "health", "糖尿病")),
        ("我有三个孩子。", ("user", "family", "三个孩子")),
        ("我儿子今年5岁。", ("儿子", "age", "5岁")),
        ("我老公对花粉过敏。", ("老公", "allergy", "花粉")),
        ("我会说日语。", ("user", "skill", "日语")),
        ("我打算五月去日本旅游。", ("user", "plan", "五月去日本旅游")),
        ("别忘了给花浇水。", ("user", "task", "给花浇水")),
        ("买电脑的预算是八千元左右。", ("user", "budget", "八千元")),
        ("我月薪一万二。", ("user", "amount", "一万二")),
        ("我决定买蓝色的那个。", ("user", "decision", "买蓝色的那个")),
        ("请一直用中文回答我。", ("user", "rule", "一直用中文回答我")),
        ("我上个月从北京搬到了上海。", ("user", "home", "上海")),
        ("我最喜欢的颜色是绿色。", ("user", "likes", "绿色")),
        ("我每天早上都喝拿铁。", ("user", "habit", "拿铁")),
        ("我不愛吃香菜。", ("user", "dislikes", "香菜")),
        ("我生日是3月5日。", ("user", "birthday", "3月5日")),
        ("我2012年毕业于清华大学。", ("user", "school", "清华大学")),
        ("那就去莫干山吧，我订了民宿。", ("user", "decision", "去莫干山")),
    ],
)  # fmt: skip
def test_a_plain_statement_is_found(text: str, fact: tuple[str, str, str]) -> None:
    assert fact in said(text)


@pytest.mark.parametrize("text", ["我叫了外卖。", "他叫我别去。", "我叫车回家了。", "别人都叫我去。"])
def test_what_looks_like_a_name_is_none(text: str) -> None:
    assert not [fact for fact in said(text) if fact[1] == "name"]


@pytest.mark.parametrize(
    "text", ["我有个妹妹叫小红。", "我养了一只猫叫豆豆。", "我记得他叫张伟。", "我们班主任叫李梅。"]
)
def test_the_name_of_somebody_else_is_not_the_users(text: str) -> None:
    assert not [fact for fact in said(text) if fact[:2] == ("user", "name")]


@pytest.mark.parametrize("text", ["我忍不住哭了。", "我爸住院了。", "我记住了。", "他站住了。"])
def test_what_looks_like_a_home_is_none(text: str) -> None:
    assert not [fact for fact in said(text) if fact[1] == "home"]


@pytest.mark.parametrize("text", ["备用钥匙挂在排水管后面。", "我不会游泳。", "我把手机落在大剧院的寄存处了。"])
def test_a_plain_statement_that_fits_no_attribute_is_kept_word_for_word(text: str) -> None:
    (one,) = candidates(Message("m", "s", "user", text))
    assert (one.attribute, one.value, one.text) == ("", "", text.rstrip("。"))
    assert one.importance <= 0.5


@pytest.mark.parametrize(
    "text", ["酒瓶保存完好，非常喜欢，已加入我的个人藏品库。", "Bart没能参加项目，但是报名了志愿者。", "我加入了群聊。"]
)
def test_joining_a_collection_is_no_job(text: str) -> None:
    found = candidates(Message("m", "s", "user", text))
    assert not {one.attribute for one in found} & {"employer", "job"}
