"""Periods in a time zone, and how well a time fits them."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from jiyi.errors import InvalidInput
from jiyi.periods import fits, fitting, periods
from tests.periods import NOW

DAY = timedelta(days=1)


def test_days_begin_where_the_speaker_is() -> None:
    shanghai = timezone(timedelta(hours=8))
    evening = datetime(2026, 5, 20, 20, tzinfo=UTC)  # already the 21st there
    (period,) = periods("今天", evening.astimezone(shanghai))
    assert period.start == datetime(2026, 5, 21, tzinfo=shanghai) == datetime(2026, 5, 20, 16, tzinfo=UTC)


@pytest.mark.parametrize(("day", "hours"), [("2026-03-08", 23), ("2026-11-01", 25), ("2026-07-01", 24)])
def test_a_day_has_as_many_hours_as_the_zone_gives_it(day: str, hours: int) -> None:
    now = datetime.fromisoformat(day + "T12:00").replace(tzinfo=ZoneInfo("America/New_York"))
    (period,) = periods("today", now)
    assert period.start and period.end
    assert period.end.astimezone(UTC) - period.start.astimezone(UTC) == timedelta(hours=hours)
    assert (period.start.hour, period.end.hour) == (0, 0)


def test_a_day_that_begins_after_midnight_begins_there() -> None:
    """In Santiago the clocks went from 00:00 to 01:00 on that day."""
    now = datetime(2024, 9, 8, 12, tzinfo=ZoneInfo("America/Santiago"))
    (period,) = periods("today", now)
    assert period.start and period.start.astimezone(UTC) == datetime(2024, 9, 8, 4, tzinfo=UTC)


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        periods("yesterday", datetime(2026, 5, 20))


@pytest.mark.parametrize(
    ("now", "text"), [(datetime.min, "yesterday 上周 last year 大前年"), (datetime.max, "明年 next week")]
)
def test_what_lies_outside_of_the_calendar_is_no_period(now: datetime, text: str) -> None:
    assert periods(text, now.replace(tzinfo=UTC)) == ()


def test_offsets_are_those_of_the_text_as_it_was_given() -> None:
    text = "İstanbul’da，我２０２３年５月和昨天 and LAST WEEK"
    assert [text[p.begin : p.stop] for p in periods(text, NOW)] == ["２０２３年５月", "昨天", "LAST WEEK"]
    assert [p.quote for p in periods(text, NOW)] == ["２０２３年５月", "昨天", "LAST WEEK"]


# -- fitting ---------------------------------------------------------------------------------------------------------


def test_inside_fits_best_and_beside_less_and_less() -> None:
    (may,) = periods("in May 2023", NOW)
    end = datetime(2023, 6, 1, tzinfo=UTC)
    assert fits(may, datetime(2023, 5, 1, tzinfo=UTC)) == fits(may, end - DAY) == 1.0
    assert 0.4 < fits(may, end + DAY) < 0.5
    assert fits(may, end + 2 * DAY) < fits(may, end + DAY)
    assert fits(may, end + 20 * DAY) == 0.0
    assert fits(may, datetime(2023, 4, 1, tzinfo=UTC)) == fits(may, datetime(2022, 5, 10, tzinfo=UTC)) == 0.0


def test_what_happened_on_a_day_may_be_told_the_day_after() -> None:
    (day,) = periods("5月8日", NOW)
    told, planned = datetime(2026, 5, 9, 9, tzinfo=UTC), datetime(2026, 5, 7, 9, tzinfo=UTC)
    assert fits(day, told) > fits(day, planned) > 0.0
    assert fits(day, datetime(2026, 5, 20, tzinfo=UTC)) == 0.0


def test_without_a_year_the_latest_fits_best_and_earlier_ones_too() -> None:
    fit = fitting(periods("what did we do in May?", NOW), NOW)
    assert fit is not None
    years = [fit(datetime(year, 5, 10, tzinfo=UTC)) for year in (2026, 2025, 2020)]
    assert years[0] == 1.0 and years[1] == years[2] and 0.5 < years[1] < 1.0
    assert fit(datetime(2025, 9, 1, tzinfo=UTC)) == 0.0


def test_a_day_without_a_year_fits_the_same_day_of_other_years_only() -> None:
    (day,) = periods("on 29 February", NOW)
    assert fits(day, datetime(2020, 2, 29, 12, tzinfo=UTC)) == 0.7
    (day,) = periods("on 8 March", NOW)
    assert [fits(day, datetime(2023, 3, d, 12, tzinfo=UTC)) >= 0.7 for d in (7, 8, 9)] == [False, True, False]


def test_open_sides() -> None:
    since = fitting(periods("since June 2023", NOW), NOW)
    before = fitting(periods("2023年6月以前", NOW), NOW)
    assert since and before
    early, late = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
    assert (since(early), since(late)) == (0.0, 1.0)
    assert (before(early), before(late)) == (1.0, 0.0)


def test_two_periods_fit_both() -> None:
    fit = fitting(periods("8月底和9月初", NOW), NOW)
    assert fit
    assert fit(datetime(2025, 8, 25, tzinfo=UTC)) == fit(datetime(2025, 9, 5, tzinfo=UTC)) == 1.0


@pytest.mark.parametrize("text", ["2025年8月提到的‘上周’在菜市场", "as she said last week on 20 August 2025, recently"])
def test_beside_a_date_words_that_count_from_now_are_left_out(text: str) -> None:
    fit = fitting(periods(text, NOW), NOW)
    assert fit
    assert fit(datetime(2025, 8, 20, 12, tzinfo=UTC)) == 1.0
    assert fit(NOW - 7 * DAY) == 0.0


@pytest.mark.parametrize("text", ["今天怎么样", "what now, this week?", "我最近怎么样", "next Friday we meet", "hello"])
def test_what_is_not_over_asks_for_no_time(text: str) -> None:
    assert fitting(periods(text, NOW), NOW) is None


def test_yesterday_is_over_at_midnight_and_the_past_month_never() -> None:
    midnight = NOW.replace(hour=0, minute=0)
    assert fitting(periods("what about yesterday?", midnight), midnight)
    assert fitting(periods("most recently", midnight), midnight) is None


def test_since_yesterday_asks_for_a_time() -> None:
    fit = fitting(periods("what did we decide since yesterday?", NOW), NOW)
    assert fit and (fit(NOW), fit(NOW - 9 * DAY)) == (1.0, 0.0)


@pytest.mark.parametrize("text", ["我上周说了什么", "what did I say last week?"])
def test_what_is_over_does(text: str) -> None:
    fit = fitting(periods(text, NOW), NOW)
    assert fit and fit(NOW - 7 * DAY) == 1.0 and fit(NOW - 30 * DAY) == 0.0


def test_the_same_day_said_ten_thousand_times_costs_as_much_as_said_once() -> None:
    fit = fitting(periods("May 5 " * 10_000, NOW), NOW)
    assert fit is not None
    began = time.perf_counter()
    for day in range(1_000):
        fit(NOW - timedelta(days=day))
    assert time.perf_counter() - began < 1.0
