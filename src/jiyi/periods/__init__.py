"""Periods of time that a text names, in Chinese and English, read against a moment and its time zone.  Pure."""

from jiyi.periods.fit import fits, fitting
from jiyi.periods.reading import Period, periods, plain

__all__ = ["Period", "fits", "fitting", "periods", "plain"]
