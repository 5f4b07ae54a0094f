"""In which direction a sentence states a relation."""

from __future__ import annotations

import pytest

from jiyi.strategies.entities_direction import says, turned

SENTENCES = [
    ("Norr", " bought ", "Kestrel", "", "acquired", False),
    ("Kestrel", " was bought by ", "Norr", " last year", "acquired", True),
    ("Kestrel", " has been acquired by the ", "Norr Group", "", "acquired", True),
    ("蓝湾物流", "收购了", "灰雀机器人", "", "acquired", False),
    ("灰雀机器人", "去年被", "蓝湾物流", "收购", "acquired", True),
    ("乌鹭科技", "有一家子公司，叫", "白鲸软件", "", "subsidiary_of", True),
    ("白鲸软件", "是", "乌鹭科技", "的子公司", "subsidiary_of", False),
    ("Beluga", " is a subsidiary of ", "Heron", "", "subsidiary_of", False),
    ("Heron", " has a subsidiary, ", "Beluga", "", "subsidiary_of", True),
    ("I", " report to the ", "head of logistics", "", "reports_to", False),
    ("Ann", " manages ", "Bob", "", "reports_to", True),
    ("Ann", "'s boss is ", "Bob", "", "reports_to", False),
    ("Ann", " is ", "Bob", "'s boss", "reports_to", True),
    ("Bob", "'s father is ", "Tom", "", "parent_of", True),
    ("Tom", " is the father of ", "Bob", "", "parent_of", False),
    ("Tom", ", ", "Bob", "'s father", "parent_of", False),
    ("小明", "是", "王强", "的儿子", "parent_of", True),
    ("王强", "的儿子", "小明", "", "parent_of", False),
    ("Ann", " is the author of ", "Jiyi", "", "created", False),
    ("Jiyi", " was founded by ", "Ann", "", "created", True),
    ("Jiyi", "的作者是", "安娜", "", "created", True),
    ("Ann", " founded ", "Jiyi", "", "created", False),
    ("Rust", " is the backend of ", "Jiyi", "", "backend", True),
    ("Jiyi", "'s backend is ", "Rust", "", "backend", False),
    ("Jiyi", "的后端是", "Rust", "", "backend", False),
    ("海塔", "是", "夜莺", "项目的后端", "backend", True),
    ("Pylon", " is the ", "Nightjar", " project's backend", "backend", True),
    ("Lin", " writes under the name ", "Qiu", "", "pen_name", False),
    ("Qiu", " is the pen name of ", "Lin", "", "pen_name", True),
    ("秋山", "是", "林薇", "的笔名", "pen_name", True),
    ("林薇", "的笔名是", "秋山", "", "pen_name", False),
    ("陈默", "在", "蓝湾物流", "上班", "works_at", False),
    ("星雀", "是由", "墨鱼", "创建的", "created", True),
    ("蓝湾物流", "与", "乌鹭科技", "合作", "partners_with", False),
    ("白鲸软件", "已被", "海塔", "取代", "replaces", True),
    ("Ann", " met ", "Bob", "", "reports_to", None),
]  # fmt: skip


@pytest.mark.parametrize(("first", "between", "second", "after", "relation", "expected"), SENTENCES)
def test_directions(
    first: str, between: str, second: str, after: str, relation: str, expected: bool | None
) -> None:  # fmt: skip
    assert turned(relation, between, after) is expected
    if expected is not None:
        assert says(relation, f"{first}{between}{second}{after}")


def test_what_is_the_users() -> None:
    assert turned("reports_to", " is ", " boss", mine=True) is True
    assert turned("reports_to", "是", "的老板", mine=True) is True
    assert turned("backend", " is ", "", "the backend of ") is False


@pytest.mark.parametrize(
    ("relation", "sentence", "expected"),
    [
        ("acquired", "Norr likes Kestrel", False),
        ("acquired", "Norr is acquiring Kestrel", True),
        ("uses", "Jiyi is written in Rust", True),
        ("approved of", "Ann approved of the budget", True),
        ("sponsors", "Ann sponsored the budget", True),
        ("sponsors", "Ann saw the budget", False),
        ("赞助", "蓝湾赞助了比赛", True),
        ("赞助", "蓝湾参加了比赛", False),
        ("works_at", "陈默在蓝湾物流上班", True),
        ("works_at", "陈默上班的时候不在蓝湾", False),
    ],
)
def test_what_a_sentence_says(relation: str, sentence: str, expected: bool) -> None:
    assert says(relation, sentence) is expected
