"""One profile for all properties."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("shared", deadline=None)  # a machine with other work to do is no failure
settings.load_profile("shared")
