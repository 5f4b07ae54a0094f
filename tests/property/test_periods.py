"""Whatever the text: periods quote it, begin before they end, stand in order, and cost no more than its length."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi.periods import fits, fitting, periods, reading
from jiyi.periods.chinese import chinese
from jiyi.periods.english import english
from tests.periods import NOW

WORDS = [
    "8 May 2023",
    "may",
    "March",
    "in",
    "on",
    "the",
    "last",
    "week",
    "before",
    "after",
    "since",
    "two weeks",
    "ago",
    "Friday",
    "1st",
    "3",
    "to",
    "-",
    "and",
    "between",
    "early",
    "of",
    "Q3",
    "2023",
    "2022-05-08",
    "summer",
    "yesterday",
    "morning",
    "Christmas",
    "a few",
    "months",
    "back",
    "from now",
    "the week before last",
    "ten",
    "end of",
    "next year",
    "2023年",
    "5月",
    "８日",
    "三",
    "月",
    "日",
    "上",
    "周",
    "个",
    "前",
    "后",
    "底",
    "初",
    "昨天",
    "晚上",
    "上周五",
    "去年",
    "国庆",
    "到",
    "至",
    "的",
    "两周",
    "半年",
    "最近",
    "几天",
    "年",
    "号",
    "第二周",
    "那周",
    "以前",
    "，",
]
texts = st.text(max_size=80) | st.lists(st.sampled_from(WORDS), max_size=14).flatmap(
    lambda words: st.sampled_from(["", " "]).map(lambda gap: gap.join(words))
)
moments = st.datetimes(timezones=st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours))))


@settings(max_examples=400, deadline=None)
@given(texts, moments)
def test_periods_of_any_text(text: str, now: datetime) -> None:
    found = periods(text, now)
    stop = 0
    for period in found:
        assert stop <= period.begin < period.stop <= len(text)
        stop = period.stop
        assert period.quote == text[period.begin : period.stop]
        assert period.start or period.end
        if period.start and period.end:
            assert period.start < period.end
        for moment in (period.start, period.end):
            assert moment is None or moment.tzinfo is now.tzinfo
        if period.recurs and period.start:
            assert period.start <= now


@settings(max_examples=400, deadline=None)
@given(texts, moments)
def test_what_is_passed_over_at_first_sight_has_no_periods(text: str, now: datetime) -> None:
    plain = reading.plain(text)
    local = now.replace(tzinfo=None)
    assert reading._ENGLISH.search(plain) or not english(text, plain, local)
    assert text.isascii() or reading._CHINESE.search(plain) or not chinese(plain, local)


@settings(max_examples=200, deadline=None)
@given(
    texts,
    st.datetimes(datetime(1975, 1, 1), datetime(2060, 1, 1)),
    st.datetimes(datetime(1975, 1, 1), datetime(2060, 1, 1)),
)
def test_fits_are_between_0_and_1(text: str, asked: datetime, said: datetime) -> None:
    now, said_at = asked.replace(tzinfo=NOW.tzinfo), said.replace(tzinfo=NOW.tzinfo)
    found = periods(text, now)
    fit = fitting(found, now)
    assert fit is None or 0.0 <= fit(said_at) <= 1.0
    for period in found:
        if period.start and period.end:
            assert fits(period, period.start) == 1.0
            assert fits(period, period.end) < 1.0 or period.recurs


@given(
    st.integers(2000, 2049).flatmap(lambda year: st.dates(datetime(year, 1, 1).date(), datetime(year, 12, 31).date()))
)
def test_every_day_is_read_the_same_in_every_form(day: datetime) -> None:
    months = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
    month = months[day.month - 1]
    forms = (
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day}th of {month[:3] if day.month != 5 else month} {day.year}",
        f"{day:%Y-%m-%d}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.year}/{day.month}/{day.day}",
    )
    starts = {tuple(period.start and period.start.date() for period in periods(form, NOW)) for form in forms}
    assert starts == {(day,)}


@pytest.mark.parametrize(
    "piece",
    [
        "a ",
        "may ",
        "1-",
        "2023",
        "the last ",
        "early ",
        "周",
        "上",
        "月1",
        "前",
        "一",
        "2023年",
        "第",
        "的",
        " ",
        "\n",
        "1 to ",
    ],
)
def test_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    def took(count: int) -> float:
        text, best = piece * count, float("inf")
        for _ in range(3):
            begin = time.process_time()
            periods(text, NOW)
            best = min(best, time.process_time() - begin)
        return best

    assert took(8_000) < 30 * max(took(1_000), 0.0005)
