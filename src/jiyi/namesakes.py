"""Who is who: which of the places that name something name the same thing.  Pure.

Names are the same that are written alike but for case and width (``form_of``), or of which a message states that they
are one thing's.  Nothing else joins two: neither a likeness of spelling nor one of meaning.  One name may be that of
several: roles or types that exclude each other ("my brother Tom", "Tom from accounting") part them.  What follows does
not depend on the order in which the places are given.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from jiyi.entities import Named, entity_id, form_of
from jiyi.mentions import USER
from jiyi.text import flat

_GROUPS = (
    "boyfriend girlfriend fiance fiancee fiancé fiancée husband wife partner spouse 男朋友 女朋友 男友 女友 未婚夫 "
    "未婚妻 丈夫 妻子 老公 老婆 爱人 对象 先生 太太",
    "colleague coworker co-worker teammate boss manager supervisor lead 同事 老板 上司 经理 领导 主管 搭档",
    "brother 哥哥 弟弟 兄弟 哥 弟",
    "sister 姐姐 妹妹 姐妹 姐 妹",
    "mother mum mom mama 妈妈 母亲 妈 老妈",
    "father dad papa 爸爸 父亲 爸 老爸",
    "child son kid 孩子 儿子",
    "friend buddy pal mate bestie 朋友 好友 闺蜜 哥们",
    "doctor gp physician dentist surgeon therapist 医生 大夫 牙医",
)
"""Words of which two in one line may be said of the same person."""
_GROUP = {word: number for number, line in enumerate(_GROUPS) for word in line.split()}
_EMPTY = "my our the a an of his her their your in who is 我 我们 他 她 你 那个 这个"
_SAYS_NOTHING = frozenset(word for word in _EMPTY.split(" "))
_UNIT = re.compile(r"\bfrom\b|[部组科处室司]$")
"""A role that says where somebody works: two that do must say the same."""
_WORK = 1  # the group that goes with any of these
_LATIN = re.compile(r"[a-z0-9\u00c0-\u024f]+(?:[-'][a-z0-9\u00c0-\u024f]+)*")
_HAN = re.compile("[\u3400-\u9fff]+")
_PERSON, _PLACE, _THING, _ANY, _UNKNOWN = "person", "place", "thing", "any", ""
_CLASSES = {
    "person": _PERSON, "place": _PLACE, "project": _THING, "technology": _THING, "product": _THING, "": _UNKNOWN
}  # fmt: skip
"""What cannot be both; an organisation, or anything else, may be a place or a thing, and is no person."""
_ME = "user"  # the role of a name that the user goes by


@dataclass(frozen=True, slots=True)
class One:
    """One entity: all the places that name it.

    Attributes:
        id: of its record.
        sense: role or type that tells it from a namesake that was named first; "" otherwise.
    """

    id: str
    sense: str
    named: tuple[Named, ...]


def told_apart(named: Iterable[Named]) -> list[One]:
    """The entities that these places name, those named first before others."""
    places = sorted({_same_place(one): one for one in named}.values(), key=_order)
    groups = _Groups(len(places))
    by_form = defaultdict[str, list[int]](list)
    for number, one in enumerate(places):
        by_form[one.form].append(number)
    senses: dict[int, str] = {}
    for numbers in by_form.values():
        first, *others = _senses(places, numbers)
        groups.join(first[1])
        for sense, members in others:
            groups.join(members)
            senses |= dict.fromkeys(members, sense)
    _join_aliases(places, groups)
    found: list[One] = []
    for members in groups.all():
        first = members[0]
        sense = senses.get(first, "")
        form = USER if any(places[one].form == USER for one in members) else places[first].form
        sense = "" if form == USER else sense
        found.append(One(entity_id(form, sense), sense, tuple(places[one] for one in members)))
    return found


def _same_place(one: Named) -> Hashable:
    return one.saying.message, one.start, one.form


def _order(one: Named) -> tuple[object, ...]:
    return (*one.saying.order, one.start, one.form, one.role)


class _Groups:
    """Numbers in groups that can be joined, each in ascending order."""

    def __init__(self, count: int) -> None:
        self._over = list(range(count))

    def _top(self, one: int) -> int:
        while self._over[one] != one:
            self._over[one] = self._over[self._over[one]]
            one = self._over[one]
        return one

    def join(self, members: Sequence[int]) -> None:
        """Puts these, and all that are in a group with one of them, into one group."""
        tops = sorted({self._top(one) for one in members})
        for top in tops[1:]:
            self._over[top] = tops[0]

    def all(self) -> list[list[int]]:
        """The groups, by their first member."""
        found = defaultdict[int, list[int]](list)
        for one in range(len(self._over)):
            found[self._top(one)].append(one)
        return [found[top] for top in sorted(found)]


def _join_aliases(places: Sequence[Named], groups: _Groups) -> None:
    """Joins what one message says are two names of one thing."""
    there = defaultdict[tuple[str, str], list[int]](list)
    for number, one in enumerate(places):
        there[one.saying.message, one.form].append(number)
    for number, one in enumerate(places):
        for also in one.also:
            for other in there.get((one.saying.message, form_of(also)), ())[:1]:
                groups.join([number, other])


# -- one name, several who have it


def _senses(places: Sequence[Named], numbers: Sequence[int]) -> list[tuple[str, list[int]]]:
    """Those who have one name, as (sense, places): who was named first comes first."""
    if places[numbers[0]].form == USER:
        return [("", list(numbers))]
    roles = {number: _role_of(places[number]) for number in numbers}
    classes = {number: _class_of(places[number]) for number in numbers}
    clusters: list[list[int]] = []
    with_role = [number for number in numbers if roles[number]]
    joined = _Groups(len(with_role))
    for a, one in enumerate(with_role):
        for b in range(a):
            other = with_role[b]
            if _may_be(roles[one], roles[other]) and _agree(classes[one], classes[other]):
                joined.join([a, b])
    clusters = [[with_role[one] for one in group] for group in joined.all()]
    for stage in ((_PERSON, _PLACE, _THING), (_ANY,), (_UNKNOWN,)):
        _assign(places, clusters, [n for n in numbers if not roles[n] and classes[n] in stage], classes)
    clusters = sorted((sorted(cluster) for cluster in clusters), key=lambda cluster: cluster[0])
    return _told(places, clusters)


def _assign(
    places: Sequence[Named], clusters: list[list[int]], numbers: Sequence[int], classes: Mapping[int, str]
) -> None:
    """Puts places that do not say which one they mean to the one that was meant last."""
    anchors = [list(cluster) for cluster in clusters]
    for number in numbers:
        fitting = [
            place
            for place, cluster in enumerate(clusters)
            if all(_agree(classes[number], classes[other]) for other in cluster)
        ]
        if not fitting:
            clusters.append([number])
            anchors.append([])
        elif len(fitting) == 1:
            clusters[fitting[0]].append(number)
        else:
            named = [place for place in fitting if anchors[place]] or fitting
            clusters[min(named, key=lambda place: _distance(places, anchors[place], number))].append(number)


def _distance(places: Sequence[Named], anchors: Sequence[int], number: int) -> tuple[int, int]:
    """How far from a place the last one before it is that surely means somebody: in its session, then anywhere; then
    the first one after it.
    """
    before = [other for other in anchors if other < number]
    here = [other for other in before if places[other].saying.session_id == places[number].saying.session_id]
    if here:
        return 0, number - here[-1]
    if before:
        return 1, number - before[-1]
    return 2, min((other - number for other in anchors), default=len(places))


def _told(places: Sequence[Named], clusters: Iterable[list[int]]) -> list[tuple[str, list[int]]]:
    """Each with what tells it from the one named first: the first role that was said, else what it is."""
    found: list[tuple[str, list[int]]] = []
    for cluster in clusters:
        role = next((places[one].role for one in cluster if places[one].role), "")
        type_ = next((places[one].type for one in cluster if places[one].type), "")
        sense = " ".join(role.split()) or type_
        used = {other for other, _ in found}
        found.append((sense if sense not in used else f"{sense}, {type_}, {len(found)}", cluster))
    return found


def _role_of(one: Named) -> frozenset[str]:
    """The words of a role that tell something; a name of the user's own is nobody else's."""
    if any(form_of(also) == USER for also in one.also):
        return frozenset((_ME,))
    return _words(one.role)


def _words(role: str) -> frozenset[str]:
    """English: the words, without those that say nothing.  Chinese: what stands behind the last 的."""
    low = flat(role)
    words = set(_LATIN.findall(low))
    for run in _HAN.findall(low):
        bare = run.strip("的").rpartition("的")[2]
        words.add(bare.removeprefix("我们").removeprefix("我") or bare)
    return frozenset(words - _SAYS_NOTHING)


def _may_be(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two roles may be those of one person: a word in common, or words of one group."""
    if _ME in one or _ME in other:
        return one == other
    units = [any(_UNIT.search(word) for word in words) for words in (one, other)]
    if all(units):
        return bool((one & other) - {"from"})
    if one & other or any(a.endswith(b) or b.endswith(a) for a in one for b in other if not (a + b).isascii()):
        return True
    groups = [{_GROUP[word] for word in words if word in _GROUP} for words in (one, other)]
    return bool(groups[0] & groups[1]) or any(units[a] and _WORK in groups[1 - a] for a in (0, 1))


def _class_of(one: Named) -> str:
    return _CLASSES.get(one.type, _ANY)


def _agree(one: str, other: str) -> bool:
    """Whether something may be both."""
    if _UNKNOWN in (one, other) or one == other:
        return True
    return _ANY in (one, other) and _PERSON not in (one, other)
