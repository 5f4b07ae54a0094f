"""What holds for names, aliases and relations in any Chinese text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.mentions import Mentioned
from jiyi.relation_types import RELATIONS
from jiyi.rules import mentioned
from jiyi.text import flat
from jiyi.types import Message
from tests.mentions import stand_in_their_message, tie_two_mentions

_PIECES = (
    "我 我们 他 陈默 林薇 墨鱼 小王 老张 阿强 王总 李师傅 安妮·迪拉德 蓝湾物流 灰雀机器人 星雀 项目 公司 集团 科技 大学 医院 宁波 市 路 FastAPI python "
    "RX-2217 ＭＧＡ MGA 《 》 “ ” 「 」 （ ） ( ) ， 。 ； ： 、 ？ 的 了 是 叫 名叫 在 被 由 把 和 跟 向 给 用 从 到 有 一家 这个 "
    "收购 创办 发起 负责 汇报 工作 上班 毕业于 住在 位于 后端 数据库 作者 创始人 笔名 简称 又叫 老板 弟弟 老婆 医生 猫 子公司 供应商 "
    "不再 没有 曾经 已经 去年 2021年 如果 可能 听说 吗 说 陳 默 收購 創辦 筆名 \ue000 \ue001 \ue002 \ue003 \ue004 \ufffc İ 🐱 \n"
)
PIECES = st.sampled_from(_PIECES.split(" "))
texts = st.one_of(st.lists(PIECES, max_size=30).map("".join), st.lists(PIECES, max_size=12).map(" ".join))
AT = datetime(2026, 3, 20, tzinfo=UTC)


def read(text: str) -> Mentioned:
    return mentioned(Message("m", "s", "user", text, created_at=AT))


@settings(max_examples=400)
@given(texts)
def test_every_mention_stands_in_its_message_and_none_over_another(text: str) -> None:
    found = read(text)
    stand_in_their_message(found, text)
    assert all(one.name.strip() == one.name for one in found.mentions)


@settings(max_examples=400)
@given(texts)
def test_every_end_has_a_mention_and_no_relation_leads_to_itself(text: str) -> None:
    found = read(text)
    tie_two_mentions(found, text)
    for edge in found.edges:
        assert flat(edge.head) and flat(edge.tail)
        assert edge.relation in RELATIONS


@given(texts)
def test_reading_twice_gives_the_same(text: str) -> None:
    assert read(text) == read(text)


@pytest.mark.parametrize(
    "piece",
    [
        "我叫",
        "陈默",
        "陈默是",
        "陈默和",
        "公司",
        "蓝湾物流收购了",
        "物流科技",
        "·",
        "安妮·",
        "《",
        "“项目",
        "项目",
        "的",
        "子公司",
        "小",
        "静静",
        "笔名",
        "a-",
        "MGA (",
        "Aa ",
        "在北京市",
        "路路",
        "（",
        "\ue000",
        "，",
        "星雀的后端是",
    ],
)
def test_a_megabyte_of_anything_is_read_in_the_time_of_its_ends(piece: str) -> None:
    sentence = piece * (390 // len(piece))
    for text in (piece * (1_000_000 // len(piece)), f"{sentence}。" * (1_000_000 // len(sentence))):
        read(text)
