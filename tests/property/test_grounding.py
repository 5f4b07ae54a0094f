"""Whatever value of a source is changed is caught; what stands in it word for word never is."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import assume, example, given
from hypothesis import strategies as st

from jiyi.grounding import clauses, locate, sentences, unsupported, values

EN = [
    "I want to spend {number} dollars on a gift for my niece.",
    "We need {number} boxes by {date}, and Anna pays {number} euros.",
    "My flight leaves on {date} at {time} from {city}.",
    "I don't eat pork, and I live in {city} with {name}.",
    "The code is {code}; call me at {time}.",
    "I never drink coffee after {time}.",
    "My sister {name} ran {number} km on {weekday}.",
    "The meeting on {weekday} costs {number} yuan per person.",
    "I work in {city} {number} days a week.",
    "About {number} percent of the team moved to {city} on {date}.",
]
ZH = [
    "我想给侄女买个{number}元的礼物。",
    "我们{date}之前要{number}件，运费{number}欧元。",
    "{date}{time}搬到{zh_city}。",
    "我不吃猪肉，住在{zh_city}。",
    "编号是{code}，{time}给我打电话。",
    "我从不在{time}以后喝咖啡。",
    "我姐{weekday}跑了{number}公里。",
    "{weekday}的会每人{number}块钱。",
    "女儿叫{zh_name}，今年{number}岁。",
    "百分之{number}的人搬到了{zh_city}。",
]
NUMBER = st.integers(2, 99_999).map(str)
DATES_EN = [
    f"{month} {day}, {year}" for month in ("March", "April", "October") for day in (3, 17, 30) for year in (2025, 2026)
]
DATES_ZH = [f"{year}年{month}月{day}日" for month in (3, 4, 10) for day in (3, 17, 30) for year in (2025, 2026)]
PARTS = {
    "number": NUMBER,
    "date": st.sampled_from(DATES_EN),
    "time": st.sampled_from(["8:15 am", "2 pm", "9:30 pm", "11 am"]),
    "city": st.sampled_from(["Lisbon", "Berlin", "Osaka", "Lima"]),
    "name": st.sampled_from(["Anna", "Maria", "Tom", "Rui"]),
    "code": st.sampled_from(["KX-20931-07", "KX-20931-08", "AB12", "A-7"]),
    "weekday": st.sampled_from(["Monday", "Thursday", "Friday", "Sunday"]),
    "zh_city": st.sampled_from(["杭州", "北京", "成都", "大理"]),
    "zh_name": st.sampled_from(["小雨", "小雪", "安安", "乐乐"]),
}  # fmt: skip
PARTS_ZH = PARTS | {
    "date": st.sampled_from(DATES_ZH),
    "time": st.sampled_from(["上午八点", "下午两点", "晚上九点半", "上午十一点"]),
    "weekday": st.sampled_from(["周一", "周四", "周五", "周日"]),
}
SLOT = re.compile(r"\{(\w+)\}")


@st.composite
def said(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """A sentence in pieces, the kinds of its values, and another value of each kind."""
    chinese = draw(st.booleans())
    parts = PARTS_ZH if chinese else PARTS
    template = draw(st.sampled_from(ZH if chinese else EN))
    pieces = SLOT.split(template)
    others = list(pieces)
    for at in range(1, len(pieces), 2):
        kind = pieces[at]
        pieces[at] = draw(parts[kind])
        others[at] = draw(parts[kind].filter(lambda other, same=pieces[at]: other != same))
    return pieces, others, SLOT.findall(template)


NOISE = st.sampled_from(
    [
        "",
        "Thanks! See you.",
        "好的，谢谢。",
        "What about the weather? ",
        "今天天气不错，对吧？",
        "I don't know yet. ",
        "我不知道。",
    ]
)


@given(said(), NOISE, NOISE)
def test_a_sentence_of_the_source_passes(
    sentence: tuple[list[str], list[str], list[str]], before: str, after: str
) -> None:
    text = "".join(sentence[0])
    source = f"{before}\n{text}\n{after}"
    assert unsupported(text, [source]) == ()
    assert unsupported(source, [source]) == ()
    assert locate(source, text) == (len(before) + 1, len(before) + 1 + len(text))


def _wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


@given(said(), st.sampled_from(["wide", "spaced", "upper", "quoted"]))
def test_its_width_and_spaces_do_not_matter(sentence: tuple[list[str], list[str], list[str]], how: str) -> None:
    text = "".join(sentence[0])
    forms = {
        "wide": _wide(text),
        "spaced": re.sub(r"(?<=[\u4e00-\u9fff])(?=[0-9A-Z])|(?<=[0-9A-Za-z]) (?=[a-z])", "  ", text),
        "upper": text.upper() if text.isascii() else text,
        "quoted": f"“{text}”",
    }
    changed = forms[how]
    span = locate(changed, text)
    assert span is not None and unicodedata.normalize("NFKC", changed[slice(*span)]).casefold().split()
    if how != "upper":  # all capitals are all names
        assert unsupported(changed, [text]) == ()
    assert unsupported(text, [changed]) == ()


@given(said(), st.data())
def test_a_changed_value_is_caught(sentence: tuple[list[str], list[str], list[str]], data: st.DataObject) -> None:
    pieces, others, kinds = sentence
    assume(kinds)
    at = data.draw(st.sampled_from(range(1, len(pieces), 2)))
    changed = [*pieces]
    changed[at] = others[at]
    assume(changed[at] not in pieces)  # two numbers that changed places
    found = unsupported("".join(changed), ["".join(pieces)])
    assert found, "".join(changed)


DENIED = [
    ("I don't eat pork", "I eat pork"),
    ("Never ship on Fridays", "Ship on Fridays"),
    ("She does not want the red one", "She wants the red one"),
    ("Nobody may enter the lab at night", "Everybody may enter the lab at night"),
    ("He cannot drive a car", "He can drive a car"),
    ("We deliver without packaging", "We deliver with packaging"),
    ("我不吃猪肉", "我吃猪肉"),
    ("不要在周五发货", "在周五发货"),
    ("我没有驾照", "我有驾照"),
    ("他从不喝酒", "他喝酒"),
    ("别给我打电话", "给我打电话"),
    ("这个订单不能取消发票", "这个订单能取消发票"),
    ("咖啡我不喝", "咖啡我喝"),
    ("请勿在夜里运行测试", "请在夜里运行测试"),
]
TALK = ["The weather is nice.", "My cat sleeps all day.", "昨天的电影真好看。", "我家的猫整天睡觉。", ""]


@given(st.sampled_from(DENIED), st.sampled_from(TALK), st.sampled_from(TALK))
def test_a_negation_that_comes_or_goes_is_caught(pair: tuple[str, str], before: str, after: str) -> None:
    denied, stated = pair
    assert unsupported(stated, [f"{before} {denied}. {after}"])
    assert unsupported(denied, [f"{before} {stated}. {after}"])
    assert unsupported(denied, [f"{before} {denied}. {after}"]) == ()
    assert unsupported(stated, [f"{before} {stated}. {after}"]) == ()


ANY = st.text(max_size=60) | st.text(alphabet="不没don't 0123456789.,元$%年月日点:-aAI我Ⅷ½㎡…\u3000\n", max_size=60)


@given(ANY)
@example("½…")
@example("㎡ 3")
@example("0GÀA")
@example("A0AÀA")
def test_any_text_is_grounded_in_itself(text: str) -> None:
    assert unsupported(text, [text]) == ()
    for value in values(text):
        assert 0 <= value.start < value.end <= len(text)
    for spans in (sentences(text), clauses(text)):
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))


@given(ANY, ANY)
def test_nothing_raises_and_words_are_the_derived_ones(derived: str, source: str) -> None:
    assert all(words in derived for words in unsupported(derived, [source]))


@given(ANY, st.data())
def test_a_part_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    assume(text)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    span = locate(text, text[start:end])
    if span is None:
        return
    assert 0 <= span[0] < span[1] <= len(text)
    assert locate(text[slice(*span)], text[start:end]) is not None
