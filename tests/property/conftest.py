"""One profile for all properties: the same examples in every run, so that a run says something of the change it is for.

To look for others, set ``derandomize`` to False here and run a file some times.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("shared", deadline=None, derandomize=True)  # a machine with other work is no failure
settings.load_profile("shared")
