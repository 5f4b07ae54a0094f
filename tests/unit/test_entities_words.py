"""What a model makes of words that do not say it: aliases of what stands side by side, relations that somebody only tells."""

from __future__ import annotations

import pytest

from jiyi.mentions import Mentioned
from jiyi.prompts.entities import Told
from jiyi.strategies.entities_gate import let_in
from jiyi.testing.strategy import conversation
from jiyi.types import Message


def read(said: str, head: str, relation: str, tail: str) -> Mentioned:
    """What is let in of one item, which quotes the whole message."""
    (message,) = conversation(Message("", "s", "user", said))
    return let_in(Told(number=1, quote=said.rstrip(".。"), head=head, relation=relation, tail=tail), {1: message})


@pytest.mark.parametrize(
    ("said", "one", "other"),
    [
        ("Meridian Grid Authority (MGA) runs it.", "Meridian Grid Authority", "MGA"),
        ("Meridian Grid Authority, or MGA, runs it.", "Meridian Grid Authority", "MGA"),
        ("MGA stands for Meridian Grid Authority.", "MGA", "Meridian Grid Authority"),
        ("We call Meridian Grid Authority MGA.", "Meridian Grid Authority", "MGA"),
        ("Robert, whom everybody calls Bob, left.", "Robert", "Bob"),
        ("Robert is called Bob.", "Robert", "Bob"),
        ("Bob Miller's nickname is Bobby.", "Bob Miller", "Bobby"),
        ("Ann and Beth are the same person.", "Ann", "Beth"),
        ("Starling (short for Starling Platform) is ours.", "Starling", "Starling Platform"),
        ("My name is Lin Wei and I work.", "user", "Lin Wei"),
        ("Friends call me Wei.", "user", "Wei"),
        ("大家都叫我小林。", "user", "小林"),
        ("我是林薇，在北京。", "user", "林薇"),
        ("蓝湾物流（以下简称蓝湾）开会。", "蓝湾物流", "蓝湾"),
        ("蓝湾就是蓝湾物流。", "蓝湾", "蓝湾物流"),
        ("我们管蓝湾物流叫蓝湾。", "蓝湾物流", "蓝湾"),
        ("MGA是Meridian Grid Authority的缩写。", "MGA", "Meridian Grid Authority"),
        ("小林和林薇是同一个人。", "小林", "林薇"),
    ],
)
def test_two_names_of_one_thing(said: str, one: str, other: str) -> None:
    (alias,) = read(said, one, "also_called", other).aliases
    assert set(alias.names) == {one, other}


@pytest.mark.parametrize(
    ("said", "one", "other"),
    [
        ("Tom called Bob.", "Tom", "Bob"),
        ("Tom (from Acme) called Bob.", "Tom", "Bob"),
        ("Tom (Bob's brother) left.", "Tom", "Bob"),
        ("Our CEO, Ann, called Beth.", "Ann", "Beth"),
        ("Ann or Beth will come.", "Ann", "Beth"),
        ("RX-2217 (or was it RX-2219) broke.", "RX-2217", "RX-2219"),
        ("MGA and MGB are two companies, also called utilities.", "MGA", "MGB"),
        ("A company named Acme bought Kestrel.", "Acme", "Kestrel"),
        ("I am going with Beth to Rome.", "user", "Beth"),
        ("I'm with Beth.", "user", "Beth"),
        ("I'm Beth's teacher.", "user", "Beth"),
        ("I called Beth yesterday.", "user", "Beth"),
        ("My dog is called Rex.", "user", "Rex"),
        ("我是小王的老师。", "user", "小王"),
        ("我叫小王来吃饭。", "user", "小王"),
        ("我姐姐叫小美。", "user", "小美"),
        ("我的狗叫旺财。", "user", "旺财"),
        ("我是北京人。", "user", "北京"),
        ("王芳叫李明过来。", "王芳", "李明"),
        ("蓝湾物流（灰雀机器人的母公司）。", "蓝湾物流", "灰雀机器人"),
    ],
)
def test_two_names_side_by_side_are_two(said: str, one: str, other: str) -> None:
    assert read(said, one, "also_called", other).aliases == ()


@pytest.mark.parametrize(
    ("said", "head", "relation", "tail"),
    [
        ('My boss said: "Norr acquired Kestrel".', "Norr", "acquired", "Kestrel"),
        ("My boss thinks that Ann works at Alder.", "Ann", "works_at", "Alder"),
        ("Ann told me that Bob works at Alder.", "Ann", "works_at", "Alder"),
        ("Ann told me that Bob works at Alder.", "Bob", "works_at", "Alder"),
        ("I heard that Ann works at Alder.", "Ann", "works_at", "Alder"),
        ("According to Bob, Ann works at Alder.", "Ann", "works_at", "Alder"),
        ("It is not true that Ann works at Alder.", "Ann", "works_at", "Alder"),
        ("I doubt that Ann works at Alder.", "Ann", "works_at", "Alder"),
        ("In the movie Ann works at Alder.", "Ann", "works_at", "Alder"),
        ("Ann wants to work at Alder.", "Ann", "works_at", "Alder"),
        ("Norr tried to buy Kestrel.", "Norr", "acquired", "Kestrel"),
        ("Norr denied that it acquired Kestrel.", "Norr", "acquired", "Kestrel"),
        ("Norr nearly acquired Kestrel.", "Norr", "acquired", "Kestrel"),
        ("Norr will acquire Kestrel.", "Norr", "acquired", "Kestrel"),
        ("Ann's wife Bea works at Alder.", "Ann", "works_at", "Alder"),
        ("Ann works at Alder and Bob works at Birch.", "Ann", "works_at", "Birch"),
        ("Ann bought Norr's old truck.", "Ann", "acquired", "Norr"),
        ("老板说蓝湾物流收购了灰雀机器人。", "蓝湾物流", "acquired", "灰雀机器人"),
        ("老板说：“蓝湾物流收购了灰雀机器人”。", "蓝湾物流", "acquired", "灰雀机器人"),
        ("小说里蓝湾物流收购了灰雀机器人。", "蓝湾物流", "acquired", "灰雀机器人"),
        ("蓝湾物流打算收购灰雀机器人。", "蓝湾物流", "acquired", "灰雀机器人"),
        ("蓝湾物流差点收购了灰雀机器人。", "蓝湾物流", "acquired", "灰雀机器人"),
        ("蓝湾物流否认收购了灰雀机器人。", "蓝湾物流", "acquired", "灰雀机器人"),
        ("蓝湾物流收购了灰雀机器人的仓库。", "蓝湾物流", "acquired", "灰雀机器人"),
    ],
)
def test_what_is_only_told_wanted_or_said_of_another_is_no_relation(
    said: str, head: str, relation: str, tail: str
) -> None:
    assert read(said, head, relation, tail).edges == ()


@pytest.mark.parametrize(
    ("said", "head", "relation", "tail"),
    [
        ("I told you that Ann works at Alder.", "Ann", "works_at", "Alder"),
        ("As I said, Norr acquired Kestrel.", "Norr", "acquired", "Kestrel"),
        ("Ann, Bob and Eve founded Alder.", "Ann", "created", "Alder"),
        ("Ann works at Alder's Berlin office.", "Ann", "works_at", "Alder"),
        ("Ann's boss is Dan.", "Ann", "reports_to", "Dan"),
        ("Ann recommended Rust.", "Ann", "recommended", "Rust"),
        ("我跟你说过蓝湾物流收购了灰雀机器人。", "蓝湾物流", "acquired", "灰雀机器人"),
        ("夜莺的后端是用Rust写的。", "夜莺", "backend", "Rust"),
    ],
)
def test_the_users_own_words_stay(said: str, head: str, relation: str, tail: str) -> None:
    assert len(read(said, head, relation, tail).edges) == 1
