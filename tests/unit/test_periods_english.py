"""English words of time: what they mean at a fixed moment, and what only looks like them."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.periods import read

DATES = [
    ("Lunch on 8 May 2023", "8 May 2023 | 2023-05-08..2023-05-09 day"),
    ("the 8th of May, 2023", "8th of May, 2023 | 2023-05-08..2023-05-09 day"),
    ("May 8th, 2023 was fun", "May 8th, 2023 | 2023-05-08..2023-05-09 day"),
    ("May 8 2023", "May 8 2023 | 2023-05-08..2023-05-09 day"),
    ("on December 1,2023 he left", "December 1,2023 | 2023-12-01..2023-12-02 day"),
    ("8-May-2023", "8-May-2023 | 2023-05-08..2023-05-09 day"),
    ("Sept. 12th, 2022", "Sept. 12th, 2022 | 2022-09-12..2022-09-13 day"),
    ("since 2023-05-08T10:00", "since 2023-05-08T10:00 | 2023-05-08.. day"),
    ("2023/5/8", "2023/5/8 | 2023-05-08..2023-05-09 day"),
    ("8.5.2023", "8.5.2023 | 2023-05-08..2023-05-09 day"),
    ("13/5/2023", "13/5/2023 | 2023-05-13..2023-05-14 day"),
    ("5/13/2023", "5/13/2023 | 2023-05-13..2023-05-14 day"),
    ("in 2023-05", "2023-05 | 2023-05-01..2023-06-01 month"),
    ("Monday, July 24, 2023", "July 24, 2023 | 2023-07-24..2023-07-25 day"),
    ("on Monday, July 24, 2023", "Monday, July 24, 2023 | 2023-07-24..2023-07-25 day"),
    ("in May 2023?", "May 2023 | 2023-05-01..2023-06-01 month"),
    ("in July", "July | 2025-07-01..2025-08-01 month every year"),
    ("in may", "may | 2026-05-01..2026-06-01 month every year"),
    ("on May 21", "May 21 | 2025-05-21..2025-05-22 day every year"),
    ("on May 20", "May 20 | 2026-05-20..2026-05-21 day every year"),
    ("on 29 February", "29 February | 2024-02-29..2024-03-01 day every year"),
    ("in 2022", "2022 | 2022-01-01..2023-01-01 year"),
    ("in the spring of 2021", "spring of 2021 | 2021-03-01..2021-06-01 season"),
    ("in winter 2022", "winter 2022 | 2022-12-01..2023-03-01 season"),
    ("Q3 2023", "Q3 2023 | 2023-07-01..2023-10-01 season"),
    ("in Q3", "Q3 | 2025-07-01..2025-10-01 season every year"),
    ("the third quarter of 2022", "the third quarter of 2022 | 2022-07-01..2022-10-01 season"),
    ("at Christmas 2022", "Christmas 2022 | 2022-12-25..2022-12-27 day"),
    ("on Thanksgiving 2023", "Thanksgiving 2023 | 2023-11-23..2023-11-24 day"),
    ("Easter 2024", "Easter 2024 | 2024-03-29..2024-04-02 week"),
    ("on New Year's Eve", "New Year's Eve | 2025-12-31..2026-01-01 day every year"),
    ("Lunar New Year 2024", "Lunar New Year 2024 | 2024-02-09..2024-02-17 week"),
]
PARTS = [
    ("early March", "early March | 2026-03-01..2026-03-11 week every year"),
    ("in mid-April 2023", "mid-April 2023 | 2023-04-11..2023-04-21 week"),
    ("late May", "late May | 2025-05-21..2025-06-01 week every year"),
    ("the beginning of November 2022", "the beginning of November 2022 | 2022-11-01..2022-11-11 week"),
    ("at the end of last year", "the end of last year | 2025-11-01..2026-01-01 season relative"),
    ("the second half of 2023", "the second half of 2023 | 2023-07-01..2024-01-01 season"),
    ("the first weekend of August 2023", "the first weekend of August 2023 | 2023-08-05..2023-08-07 day"),
    ("the last Friday of May 2023", "the last Friday of May 2023 | 2023-05-26..2023-05-27 day"),
    ("the second week of November", "the second week of November | 2025-11-08..2025-11-15 week every year"),
    ("the week of 8 May 2023", "the week of 8 May 2023 | 2023-05-08..2023-05-15 week"),
]
RELATIVE = [
    ("today", "today | 2026-05-20..2026-05-21 day relative"),
    ("yesterday evening", "yesterday evening | 2026-05-19T17:00..2026-05-20 part relative"),
    ("the day before yesterday", "the day before yesterday | 2026-05-18..2026-05-19 day relative"),
    ("last night", "last night | 2026-05-19T18:00..2026-05-20T06:00 part relative"),
    ("this morning", "this morning | 2026-05-20T05:00..2026-05-20T12:00 part relative"),
    ("last Tuesday's talk", "last Tuesday | 2026-05-19..2026-05-20 day relative"),
    ("last Wednesday", "last Wednesday | 2026-05-13..2026-05-14 day relative"),
    ("next Friday", "next Friday | 2026-05-29..2026-05-30 day relative"),
    ("this coming Friday", "this coming Friday | 2026-05-22..2026-05-23 day relative"),
    ("on Saturday", "Saturday | 2026-05-16..2026-05-17 day every week"),
    ("last week", "last week | 2026-05-11..2026-05-18 week relative"),
    ("the week before last", "the week before last | 2026-05-04..2026-05-11 week relative"),
    ("last weekend", "last weekend | 2026-05-16..2026-05-18 day relative"),
    ("over the weekend", "the weekend | 2026-05-16..2026-05-18 day every week"),
    ("last month", "last month | 2026-04-01..2026-05-01 month relative"),
    ("last quarter", "last quarter | 2026-01-01..2026-04-01 season relative"),
    ("last year", "last year | 2025-01-01..2026-01-01 year relative"),
    ("in the last year", "the last year | 2025-05-20..2026-05-20T10:30 year relative"),
    ("last summer", "last summer | 2025-06-01..2025-09-01 season relative"),
    ("last fall", "last fall | 2025-09-01..2025-12-01 season relative"),
    ("last May", "last May | 2025-05-01..2025-06-01 month relative"),
    ("last Christmas", "last Christmas | 2025-12-25..2025-12-27 day relative"),
    ("three days ago", "three days ago | 2026-05-17..2026-05-18 day relative"),
    ("two weeks ago", "two weeks ago | 2026-05-03..2026-05-10 week relative"),
    ("a couple of days ago", "a couple of days ago | 2026-05-17..2026-05-19 day relative"),
    ("a few weeks ago", "a few weeks ago | 2026-04-12..2026-05-10 week relative"),
    ("half a year ago", "half a year ago | 2025-11-05..2025-12-06 month relative"),
    ("a year ago", "a year ago | 2024-11-19..2025-11-19 year relative"),
    ("two hours ago", "two hours ago | 2026-05-20T07:30..2026-05-20T09:30 part relative"),
    ("over the past few months", "the past few months | 2025-12-20..2026-05-20T10:30 month relative"),
    ("the last 30 days", "the last 30 days | 2026-04-20..2026-05-20T10:30 day relative"),
    ("recently", "recently | 2026-04-20..2026-05-20T10:30 month relative"),
]
AROUND = [
    ("May of last year", "May of last year | 2025-05-01..2025-06-01 month relative"),
    ("last year in May", "last year in May | 2025-05-01..2025-06-01 month relative"),
    ("8 May two years ago", "8 May two years ago | 2024-05-08..2024-05-09 day relative"),
    ("last year's Christmas", "last year's Christmas | 2025-12-25..2025-12-27 day relative"),
    ("Easter last year", "Easter last year | 2025-04-18..2025-04-22 week relative"),
    ("in Q3 of last year", "Q3 of last year | 2025-07-01..2025-10-01 season relative"),
    ("last week on Tuesday", "last week on Tuesday | 2026-05-12..2026-05-13 day relative"),
    ("on Tuesday of last week", "Tuesday of last week | 2026-05-12..2026-05-13 day relative"),
    ("three weeks ago on Monday", "three weeks ago on Monday | 2026-04-27..2026-04-28 day relative"),
    ("two weeks before 8 May 2023", "two weeks before 8 May 2023 | 2023-04-21..2023-04-28 week"),
    ("the week before August 3, 2023", "the week before August 3, 2023 | 2023-07-27..2023-08-03 week"),
    ("the Monday before July 24, 2023", "the Monday before July 24, 2023 | 2023-07-17..2023-07-18 day"),
    ("last weekend before April 10, 2023", "last weekend before April 10, 2023 | 2023-04-08..2023-04-10 day"),
    ("over the weekend before 4th October, 2023", "the weekend before 4th October, 2023 | 2023-09-30..2023-10-02 day"),
    ("the Saturday after October 28, 2023", "the Saturday after October 28, 2023 | 2023-11-04..2023-11-05 day"),
    ("the day after Christmas 2022", "the day after Christmas 2022 | 2022-12-26..2022-12-27 day"),
    ("the night before 8 May 2023", "the night before 8 May 2023 | 2023-05-07T18:00..2023-05-08T06:00 part"),
    ("a month before May 8, 2023", "a month before May 8, 2023 | 2023-03-24..2023-04-24 month"),
    ("since June", "since June | 2025-06-01.. month"),
    ("before Christmas", "before Christmas | ..2025-12-25 day"),
    ("after 2020", "after 2020 | 2021-01-01.. year"),
    ("until the end of 2023", "until the end of 2023 | ..2024-01-01 season"),
    ("from May 2023 on", "from May 2023 on | 2023-05-01.. month"),
    ("between March and May", "between March and May | 2026-03-01..2026-06-01 month every year"),
    ("between March and May 2023", "between March and May 2023 | 2023-03-01..2023-06-01 month"),
    ("May 1-3, 2023", "May 1-3, 2023 | 2023-05-01..2023-05-04 day"),
    ("1-3 May 2023", "1-3 May 2023 | 2023-05-01..2023-05-04 day"),
    ("from May 1st to 3rd", "May 1st to 3rd | 2026-05-01..2026-05-04 day every year"),
    ("18 June to 2 July 2024", "18 June to 2 July 2024 | 2024-06-18..2024-07-03 day"),
    ("November to February", "November to February | 2025-11-01..2026-03-01 month every year"),
    ("from 2019 to 2022", "from 2019 to 2022 | 2019-01-01..2023-01-01 year"),
]


@pytest.mark.parametrize(("text", "expected"), DATES + PARTS + RELATIVE + AROUND)
def test_reads(text: str, expected: str) -> None:
    assert read(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "May I go?",
        "it may be 5 or may not",
        "I may 2023 times",
        "may 5 people come?",
        "May 5 of us come?",
        "march on!",
        "we march 5 km",
        "the march of time",
        "June said hello to April and August Wilson",
        "second thoughts, second one",
        "I sat in the sun",
        "Mark decided to marry Julie",
        "fall in love",
        "in the fall of Rome",
        "spring water and hot springs",
        "during the spring break",
        "it costs $2022 or 2022 €",
        "in 2022 words, since 2000 users",
        "2022",
        "version 2023.5.8, v2023.5, 10.5.2023.1",
        "call 138-2023-0508 or 555-2023",
        "order 2023-0512-77, id ab2023-05-08x",
        "5/8 of it, 1/2/2023",
        "room 12, iPhone 15, 8 people",
        "the 90s, the 1990s",
        "30 February 2023, 31 June, 2023-02-30, 29 Feb 2023",
        "13/13/2023, 2023-13-01",
        "every Tuesday, on Mondays, Monday to Friday",
        "Good Friday and Black Friday",
        "Wednesday Addams",
        "two weeks later, for three days, in two weeks",
        "the week before, the day after",
        "the last day of the trip, the last time",
        "last season, last name, next step, this project",
        "a long time ago, 11,700 years ago",
        "at 3 pm, May 3:30, 5 pm",
        "this may work",
        "the last evening of the trip",
        "summer is my favourite season",
        "a week from Friday",
        "Q3 of the exam",
        "the first quarter mile",
        "3 months old, 2 years of work",
        "",
        "a" * 1000,
    ],
)
def test_reads_nothing(text: str) -> None:
    assert read(text) == []


def test_reads_several_in_order() -> None:
    assert [row.partition(" | ")[0] for row in read("In May or June? Or on 3 July 2023, or last week")] == [
        "May",
        "June",
        "3 July 2023",
        "last week",
    ]


@pytest.mark.parametrize(
    ("now", "text", "expected"),
    [
        ("2026-01-01", "yesterday", "yesterday | 2025-12-31..2026-01-01 day relative"),
        ("2026-01-01", "last month", "last month | 2025-12-01..2026-01-01 month relative"),
        ("2026-01-01", "in January", "January | 2026-01-01..2026-02-01 month every year"),
        ("2026-01-01", "next month", "next month | 2026-02-01..2026-03-01 month relative"),
        ("2025-12-31", "next month", "next month | 2026-01-01..2026-02-01 month relative"),
        ("2025-12-31", "last winter", "last winter | 2024-12-01..2025-03-01 season relative"),
        ("2026-03-01", "last winter", "last winter | 2025-12-01..2026-03-01 season relative"),
        ("2024-02-29", "a year ago", "a year ago | 2022-08-30..2023-08-30 year relative"),
        ("2024-02-29", "on February 29", "February 29 | 2024-02-29..2024-03-01 day every year"),
        ("2024-03-31", "a month ago", "a month ago | 2024-02-14..2024-03-16 month relative"),
        ("2024-02-28", "tomorrow", "tomorrow | 2024-02-29..2024-03-01 day relative"),
        ("2026-05-17", "last weekend", "last weekend | 2026-05-09..2026-05-11 day relative"),
        ("2026-05-17", "this week", "this week | 2026-05-11..2026-05-18 week relative"),
        ("2026-05-18", "last Sunday", "last Sunday | 2026-05-17..2026-05-18 day relative"),
    ],
)
def test_at_the_edges_of_years_and_months(now: str, text: str, expected: str) -> None:
    assert read(text, datetime.fromisoformat(now + "T12:00+00:00")) == [expected]
