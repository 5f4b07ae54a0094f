"""Cases D06 to D09 as far as they concern what the rules find, each for its whole kind."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from jiyi.candidates import Candidate
from jiyi.rules import candidates
from jiyi.types import Message

SHANGHAI = timezone(timedelta(hours=8))
FRIDAY = datetime(2026, 3, 13, 10, 20, tzinfo=SHANGHAI)


def found(text: str, at: datetime | None = FRIDAY, role: str = "user") -> list[Candidate]:
    return candidates(Message("m", "s", role, text, created_at=at))  # type: ignore[arg-type]


# -- D06: what nobody said of themselves -----------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
@pytest.mark.parametrize(
    "text",
    [
        "可以去莫干山徒步，你应该很喜欢户外运动，也可以办一张健身卡。",
        "I live in Oslo and I'm allergic to nuts.",
        "我叫小助手。",
        "You like hiking.",
    ],
)
def test_what_others_say_is_nothing_of_the_user(role: str, text: str) -> None:
    assert found(text, role=role) == []


@pytest.mark.parametrize(
    "text",
    [
        # questions
        "周末有什么好玩的地方？", "我对花生过敏吗？", "你还记得我叫什么名字吗？", "我是不是住在上海？", "Do you know where I live?", "Am I allergic to nuts?",
        "Do I like coffee?", "What is my budget?", "Should I buy a dog?", "我喜欢什么？", "我家的狗叫什么名字", "Can I eat pork?", "我有几只猫？",
        # conditions and doubts
        "if I had a dog, I'd name him Rex.", "If I lived in Paris, I would eat croissants every day.", "如果我有一只猫，我会叫它小白。", "要是我住在北京就好了。",
        "假如我对海鲜过敏，该怎么办？", "I wish I had a cat.", "Maybe I have an allergy to nuts.", "我可能对花粉过敏。", "也许我会搬到上海。", "I might move to Oslo.",
        "I would like fish if it were fresh.", "Suppose I work at Acme.", "What if I'm allergic to bees?", "但愿我有一辆车。",
        # made up
        "Write a story in which I am a king.", "Pretend that I am a doctor.", "Imagine I live on Mars.", "写一个故事，我是一个国王，住在城堡里。", "假装我是一名医生。",
        "扮演我的老板，我叫小李。", "Let's play: my name is Conan and I live in a cave.", "写一首诗，我爱大海，我住在海边。",
        # jokes and irony
        "I love getting up at five /s", "我最爱加班了，开玩笑的。", "I eat babies for breakfast, just kidding.", "Yeah right, I love Mondays.",
        # requests, thanks, greetings
        "Hello!", "谢谢你！", "Tell me about Paris.", "帮我写一封邮件。", "推荐一本书。", "Good morning, how are you?", "嗯，我再想想。", "ok",
        # others' words
        '> I live in Oslo\n> and I have a dog', "```\nmy name is Bob\nI live in Rome\n```", 'She wrote: "I live in Rome and I have two dogs."', "他说：“我住在罗马，我有两只狗。”",
        "「我住在京都，我喜歡抹茶。」", "Translate this: I live in Berlin and I like beer.", "翻译下面这段话：我住在柏林，我喜欢啤酒。", "帮我润色：\n我叫王芳，我住在广州，我喜欢唱歌。",
        "Here is the email:\nDear Sir,\nI work at Acme and my phone is 555-12345.\nRegards", "Please proofread the following:\nMy name is John and I am from Texas.",
        "Earlier messages that may matter, quoted verbatim, with date and speaker:\n[2026-01-01 Thu]\n[user] I live in Oslo.",
        "以下是可能有用的过往消息，原文引用，附日期和说话人：\n[2026-01-01 周四]\n[用户] 我住在上海。",
    ],
)  # fmt: skip
def test_what_is_no_statement_gives_nothing(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("My boss says I am lazy.", "user"),
        ("My sister thinks I live in Rome.", "user"),
        ("My wife likes coffee.", "user"),
        ("我妈说我喜欢吃鱼。", "user"),
        ("我老婆喜欢喝茶。", "user"),
        ("My brother lives in Oslo.", "user"),
        ("我姐姐在华为公司工作。", "user"),
        ("我同事对花生过敏。", "user"),
        ("Bart在家里养了一只小乌龟。", "user"),
    ],
)
def test_of_others_no_attribute_is_the_users(text: str, forbidden: str) -> None:
    assert not [one for one in found(text) if one.subject == forbidden and one.attribute]


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("I live in Berlin, any tips for dinner?", "home"),
        ("我对花生过敏，这个能吃吗？", "allergy"),
        ("I have two cats. What should I feed them?", "pet"),
        ("我喜欢猫，你呢？", "likes"),
        ("My budget is 500 dollars, what can I get?", "budget"),
        ("I'm allergic to nuts, so if you suggest food, leave them out.", "allergy"),
    ],
)
def test_beside_a_question_a_statement_is_still_one(text: str, attribute: str) -> None:
    (one,) = [one for one in found(text) if one.attribute]
    assert one.attribute == attribute and "?" not in one.text and "？" not in one.text


def test_the_trip_that_the_user_decided_on() -> None:
    made = found("那就去莫干山吧，我订了民宿。")
    assert any(one.attribute == "decision" and "莫干山" in one.value for one in made)
    assert all(one.message.role == "user" and one.quote in one.message.text for one in made)


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("I don't eat pork.", "pork"), ("I never drink coffee.", "coffee"), ("I do not eat meat.", "meat"), ("I can't eat gluten.", "gluten"), ("No shellfish for me.", "shellfish"),
        ("我不吃猪肉。", "猪肉"), ("我不能喝牛奶。", "牛奶"), ("猪肉我一概不吃。", "猪肉"), ("我從來不喝酒。", "酒"), ("I don't touch alcohol.", "alcohol"),
        ("I don't have a car.", "car"), ("我没有养猫。", "猫"), ("I'm not allergic to cats.", "cats"), ("我对海鲜不过敏。", "海鲜"), ("I'm not a vegetarian.", "vegetarian"),
    ],
)  # fmt: skip
def test_a_denial_stays_one(text: str, denied: str) -> None:
    made = found(text)
    assert made
    for one in made:
        assert one.negated or not one.attribute
        assert one.text == text.rstrip("。.")


@pytest.mark.parametrize(
    "text", ["I don't like olives.", "I can't stand coriander.", "我不喜欢香菜。", "我不太爱喝咖啡。", "我不愛吃辣。"]
)
def test_what_is_not_liked_is_disliked(text: str) -> None:
    assert [one.attribute for one in found(text)] == ["dislikes"]


# -- D07: what changes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("我现在不喝拿铁了，改喝美式。", "habit", "拿铁"),
        ("我不再喝咖啡了。", "habit", "咖啡"),
        ("我已经不喝奶茶了。", "habit", "奶茶"),
        ("我戒了烟。", "habit", "烟"),
        ("I no longer work at Northwind, I started at Alder Labs on Monday.", "employer", "Northwind"),
        ("I don't work at Northwind anymore.", "employer", "Northwind"),
        ("I used to live in Oslo.", "home", "Oslo"),
        ("I no longer live in Oslo.", "home", "Oslo"),
        ("I stopped drinking coffee.", "habit", "coffee"),
        ("I no longer like sushi.", "likes", "sushi"),
        ("I sold my old car.", "owns", "old car"),
        ("我把旧车卖了。", "owns", "旧车"),
        ("我已经不在赤杨科技上班了。", "employer", "赤杨科技"),
        ("我从赤杨科技离职了。", "employer", "赤杨科技"),
        ("I quit my job at Northwind.", "employer", "Northwind"),
        ("I gave up sugar.", "habit", "sugar"),
    ],
)  # fmt: skip
def test_what_is_no_longer_so(text: str, attribute: str, value: str) -> None:
    assert (attribute, value) in [(one.attribute, one.value) for one in found(text) if one.ends]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("把我的旧地址云栖路9号忘掉吧。", "home", "云栖路9号"),
        ("请忘掉我的电话13800138000。", "identifier", "13800138000"),
        ("把我喜欢爬山这件事忘掉。", "", "喜欢爬山"),
        ("Forget my old address 12 Elm Street.", "home", "12 Elm Street"),
        ("Please forget that I like sushi.", "", "I like sushi"),
        ("刪掉我的生日3月5日。", "birthday", "3月5日"),
    ],
)
def test_what_is_to_be_forgotten_ends_and_says_nothing_new(text: str, attribute: str, value: str) -> None:
    (one,) = found(text)
    assert one.ends and (one.attribute, one.value) == (attribute, value)


@pytest.mark.parametrize(
    "text",
    ["别忘了买牛奶。", "我忘了带伞。", "Don't forget to buy milk.", "I forgot my umbrella.", "千万别忘记交房租。"],
)
def test_not_to_forget_is_no_end(text: str) -> None:
    assert not [one for one in found(text) if one.ends]


def test_the_new_job_holds_from_the_monday_before() -> None:
    made = found(
        "I no longer work at Northwind, I started at Alder Labs on Monday.", datetime(2026, 3, 20, 9, tzinfo=SHANGHAI)
    )
    (new,) = [one for one in made if not one.ends]
    assert (new.attribute, new.value) == ("employer", "Alder Labs")
    assert new.valid_from == datetime(2026, 3, 16, tzinfo=SHANGHAI) and new.event_from is None
    assert new.text == "I started at Alder Labs on Monday (2026-03-16)"


def test_the_new_drink_stands_in_its_own_words() -> None:
    (new,) = [one for one in found("我现在不喝拿铁了，改喝美式。") if not one.ends]
    assert new.value == "美式" and "拿铁" not in new.text and not new.negated


def test_both_languages_in_one_message() -> None:
    made = {(one.attribute, one.value) for one in found("I work at Northwind as a buyer. 我家在云栖路9号。")}
    assert made == {("employer", "Northwind"), ("job", "buyer"), ("home", "云栖路9号")}


# -- D08: the same thing in other words ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "attribute", "word"),
    [
        ("I have two cats and I'm allergic to shellfish.", "pet", "two cats"),
        ("As I said, two cats at home.", "pet", "two cats"),
        ("My 2 cats woke me up again.", "pet", "2 cats"),
        ("We've got two cats.", "pet", "two cats"),
        ("我有两只猫。", "pet", "两只猫"),
        ("我养了两只猫。", "pet", "两只猫"),
        ("我家的两只猫又把我吵醒了。", "pet", "两只猫"),
        ("I have two cats and I'm allergic to shellfish.", "allergy", "shellfish"),
        ("shellfish gives me a rash, I'm allergic", "allergy", "shellfish"),
        ("Remember: no shellfish for me, allergic.", "allergy", "shellfish"),
        ("I have a shellfish allergy.", "allergy", "shellfish"),
        ("I've got a severe allergy to shellfish.", "allergy", "shellfish"),
        ("I am severely allergic to shellfish.", "allergy", "shellfish"),
        ("我对贝类过敏。", "allergy", "贝类"),
        ("我對貝類嚴重過敏。", "allergy", "貝類"),
        ("我一吃贝类就起疹子。", "allergy", "贝类"),
        ("贝类一吃就拉肚子。", "allergy", "贝类"),
        ("记住，我贝类过敏。", "allergy", "贝类"),
        ("过敏原是贝类。", "allergy", "贝类"),
        ("My allergies are shellfish.", "allergy", "shellfish"),
    ],
)  # fmt: skip
def test_paraphrases_give_one_attribute_and_the_same_value(text: str, attribute: str, word: str) -> None:
    values = [one.value for one in found(text) if one.attribute == attribute]
    assert values == [word]


# -- D09: dates ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words", "day"),
    [
        ("昨天我把车送去保养了。", "昨天（2026-03-12）", "2026-03-12"),
        ("我下周三去取车。", "下周三（2026-03-18）", "2026-03-18"),
        ("大后天我妈妈过生日。", "大后天（2026-03-16）", "2026-03-16"),
        ("I'll call the bank next Wednesday.", "next Wednesday (2026-03-18)", "2026-03-18"),
        ("明天我要去面试。", "明天（2026-03-14）", "2026-03-14"),
        ("后天我要去深圳出差。", "后天（2026-03-15）", "2026-03-15"),
        ("我前天丢了钱包。", "前天（2026-03-11）", "2026-03-11"),
        ("我上周日跑了马拉松。", "上周日（2026-03-08）", "2026-03-08"),
        ("三天后我要交报告。", "三天后（2026-03-16）", "2026-03-16"),
        ("我要在20号之前交房租。", "20号（2026-03-20）", "2026-03-20"),
        ("我3月20日要去北京。", "3月20日（2026-03-20）", "2026-03-20"),
        ("3月1日我搬了家。", "3月1日（2026-03-01）", "2026-03-01"),
        ("I saw the dentist yesterday.", "yesterday (2026-03-12)", "2026-03-12"),
        ("I have to hand in my thesis tomorrow.", "tomorrow (2026-03-14)", "2026-03-14"),
        ("I must hand in my report in three days.", "in three days (2026-03-16)", "2026-03-16"),
        ("My flight leaves on the 20th.", "on the 20th (2026-03-20)", "2026-03-20"),
        ("I will visit my aunt on Tuesday.", "Tuesday (2026-03-17)", "2026-03-17"),
        ("I met my aunt on Tuesday.", "Tuesday (2026-03-10)", "2026-03-10"),
        ("Last Sunday I ran a marathon.", "Last Sunday (2026-03-08)", "2026-03-08"),
        ("我周二要去看牙医。", "周二（2026-03-17）", "2026-03-17"),
        ("我周二去看了牙医。", "周二（2026-03-10）", "2026-03-10"),
        ("我後天要去體檢。", "後天（2026-03-15）", "2026-03-15"),
    ],
)  # fmt: skip
def test_a_relative_date_has_its_day_beside(text: str, words: str, day: str) -> None:
    made = found(text)
    assert made
    for one in made:
        assert words in one.text
        assert one.event_from and str(one.event_from.date()) == day
        assert one.event_to and one.event_from < one.event_to


def test_each_clause_has_its_own_day() -> None:
    days = {str(one.event_from.date()) for one in found("昨天我把车送去保养了，下周三去取。") if one.event_from}
    assert days == {"2026-03-12", "2026-03-18"}


@pytest.mark.parametrize(
    "text",
    [
        "昨天我把车送去保养了。",
        "I'll call the bank next Wednesday.",
        "有一天我想去看极光。",
        "Tomorrow I have an exam.",
    ],
)
def test_without_a_time_no_date_is_known(text: str) -> None:
    made = found(text, None)
    assert made
    for one in made:
        assert (one.event_from, one.event_to, one.valid_from) == (None, None, None)
        assert "（" not in one.text and "(" not in one.text


@pytest.mark.parametrize(
    "text",
    [
        "有一天我想去看极光。",
        "Some day I want to see the aurora.",
        "最近我在学画画。",
        "I've been busy lately, I work at Acme.",
    ],
)
def test_what_names_no_day_has_none(text: str) -> None:
    for one in found(text):
        assert one.event_from is None and "2026" not in one.text
