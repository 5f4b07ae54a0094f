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
        ("我养了一只橘猫。", ("user", "pet", "一只橘猫")),
        ("我对核桃过敏。", ("user", "allergy", "核桃")),
        ("我喜欢爬山。", ("user", "likes", "爬山")),
        ("我讨厌香菜。", ("user", "dislikes", "香菜")),
        ("預算500塊。", ("user", "budget", "500塊")),
        ("总价 12,480.50 元", ("user", "amount", "12,480.50 元")),
        ("千万不要在周五发货。", ("user", "rule", "不要在周五发货")),
        ("提醒我交房租。", ("user", "task", "交房租")),
        ("车库门的密码是4471。", ("user", "identifier", "4471")),
        ("那就去莫干山吧，我订了民宿。", ("user", "decision", "去莫干山")),
    ],
)  # fmt: skip
def test_a_plain_statement_is_found(text: str, fact: tuple[str, str, str]) -> None:
    assert fact in said(text)
