"""Where names stand in a Chinese stretch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jiyi.rules.chinese_bodies import organisations, places
from jiyi.rules.chinese_drugs import drugs
from jiyi.rules.chinese_persons import authors, foreign, of_the_user, owners, pen_names, subjects, titled, with_role
from jiyi.rules.chinese_software import announced, software
from jiyi.rules.chinese_things import called, known_as, latin, projects, works
from jiyi.rules.found import Name, Stretch

_FINDERS: tuple[Callable[[Stretch], Iterator[Name]], ...] = (
    works,
    announced,
    projects,
    drugs,
    pen_names,
    known_as,
    foreign,
    of_the_user,
    with_role,
    called,
    owners,
    authors,
    titled,
    latin,
    organisations,
    places,
    software,
    subjects,
)
"""In the order in which they are asked: a name that another has taken before is left out."""


def spotted(stretch: Stretch) -> list[Name]:
    """The names of a stretch that something in it makes sure, in order, none over another."""
    found: list[Name] = []
    for finder in _FINDERS:
        for name in finder(stretch):
            if name.end > name.start and all(name.end <= one.start or one.end <= name.start for one in found):
                found.append(name)
    return sorted(found, key=lambda name: name.start)
