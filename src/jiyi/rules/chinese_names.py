"""Names, aliases and relations in Chinese clauses, without a model.

Each stretch is read in three steps: where names stand (``chinese_spotting``), the stretch with its names as single
signs (``chinese_lines``), and what the signs say of one another (``chinese_relations``).  What one stretch makes sure
to be a name is one in all of the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jiyi.rules.chinese_bodies import is_place, organisation_in, weak_organisations
from jiyi.rules.chinese_drugs import taken
from jiyi.rules.chinese_lines import OTHER, SURE, THIRD, USER, WEAK, Line, line_of
from jiyi.rules.chinese_name_words import HAN, ROLE
from jiyi.rules.chinese_no_names import COMMON, GENERIC
from jiyi.rules.chinese_persons import nameable, person_like
from jiyi.rules.chinese_relations import Said, besides, ties, traits
from jiyi.rules.chinese_spotting import spotted
from jiyi.rules.found import Link, Name, Same, Span, Stretch

_FORMS = 64  # names of one message that are looked for in all of it
_BREAK = re.compile(
    r"[,;()—\n]+(?!(?:名字叫|名叫|叫做?|名为|笔名|艺名|化名|简称|又叫|又名|也叫|别名|英文名|全名))"
    r"|[，；]"
)
_BRACKET = re.compile(r"\(([^()]{1,60})\)")
_TELLS = re.compile("(?:说|讲|表示|认为|觉得|称|透露|听说|据说|传言|告诉.{0,6}|问|猜|以为|希望|建议|说是)$")


def chinese_names(stretches: Sequence[Stretch]) -> Iterator[Name | Same | Link]:
    """What the stretches of a message with Chinese in them say of named things."""
    seen = [spotted(stretch) for stretch in stretches]
    known: dict[str, Name] = {}
    for stretch, names in zip(stretches, seen, strict=True):
        _learn(known, stretch, names)
    for stretch, names in zip(stretches, seen, strict=True):
        names += _again(stretch, names, known)
        found = list(_read(stretch, sorted(names, key=lambda name: name.start)))
        _learn(known, stretch, [one for one in found if isinstance(one, Name)])
        yield from found


def _learn(known: dict[str, Name], stretch: Stretch, names: Iterable[Name]) -> None:
    for name in names:
        said = stretch.low[name.start : name.end]
        if len(said) > 1 and not name.user and len(known) < _FORMS:
            known.setdefault(said, name)


def _again(stretch: Stretch, names: Sequence[Name], known: dict[str, Name]) -> list[Name]:
    """Other places where a name stands that something else makes sure."""
    forms = [form for form in known if not form.isascii() and form not in COMMON]
    if not forms:
        return []
    found: list[Name] = []
    for match in re.finditer(
        "|".join(sorted(map(re.escape, forms), key=len, reverse=True)), stretch.low[: stretch.end]
    ):
        start, end = match.span()
        if start >= stretch.start and all(end <= one.start or one.end <= start for one in names):
            found.append(Name(start, end, known[match[0]].type))
    return found


def _read(stretch: Stretch, sure: Sequence[Name]) -> Iterator[Said]:
    line = line_of(stretch, sure, list(weak_organisations(stretch)))
    yield from sure
    yield from taken(stretch, sure)
    line, found = _beside(line)
    yield from found
    yield from _our_company(stretch, line)
    topic = owner = None
    silent = False
    people: dict[str, Name] = {}
    for clause, inside in _clauses(line):
        bare = _without_roles(clause)
        said: list[Said] = []
        if not silent:
            before = inside or topic or owner
            if clause.signs[:1] == THIRD:
                before = next(iter(people.values())) if len(people) == 1 else None
            said = list(_said(clause, bare, before, of=not inside and topic is None))
            yield from said
        silent = bool(_TELLS.search(clause.signs))
        if inside is None:
            topic, owner = _goes_on(bare, topic if said else None, owner if said else None)
        ends = [end for one in said if isinstance(one, Link) for end in (one.head, one.tail)]
        ends += [topic] if topic else []
        people |= {stretch.low[end.start : end.end]: end for end in ends if end.type == "person"}


def _without_roles(clause: Line) -> Line:
    """Without the words of 我弟弟 in 我弟弟小明, so that the clause begins with the name."""
    roles = [name.role for name in clause.names.values() if name.role[1] == name.start and name.start]
    return clause.without(
        (at, at + 1) for at, span in enumerate(clause.spans) if any(a <= span[0] and span[1] <= b for a, b in roles)
    )


def _clauses(line: Line) -> Iterator[tuple[Line, Name | None]]:
    """The clauses of a line, those in brackets with the name before that they speak of."""
    holes: list[Span] = []
    for found in _BRACKET.finditer(line.signs):
        before = line.names.get(found.start() - 1)
        if before:
            yield line.part(*found.span(1)), before
        holes.append(found.span())
    rest = line.without(holes)
    start = 0
    for found in _BREAK.finditer(rest.signs):
        if found.start() > start:
            yield rest.part(start, found.start()), None
        start = found.end()
    yield rest.part(start, len(rest.signs)), None


def _said(clause: Line, bare: Line, before: Name | None, *, of: bool) -> Iterator[Said]:
    """What a clause says; where it names nobody itself, of the one that the clause before was about.

    Args:
        clause, bare: with and without the roles of its names.
        before: whom it goes on with.
        of: only with what belongs to it (the backend of).
    """
    found = list(_names_too([*ties(clause), *(ties(bare) if bare.signs != clause.signs else ())]))
    signs = bare.signs
    if not found and before is not None:
        if signs[:1] == THIRD:
            found = list(_names_too(ties(bare.part(1, len(signs)).after(before))))
        elif signs[:1] not in (SURE, WEAK, USER, OTHER, ""):
            found = list(_names_too(ties(bare.after(before), nouns=of)))
    yield from found
    if not any(isinstance(one, Link | Same) and not _of_user(one) for one in found):
        yield from traits(bare)


def _of_user(one: Said) -> bool:
    """Whether it relates somebody to the user: 我的邻居王强是木匠 says more of them."""
    return isinstance(one, Link) and (one.head.user or one.tail.user)


def _names_too(found: Iterable[Said]) -> Iterator[Said]:
    """With the names of relations: those that nothing else marks are names in the rest of the message too."""
    for one in found:
        yield one
        if isinstance(one, Link):
            yield from (name for name in (one.head, one.tail) if not name.user)


_SUBJECT = re.compile(
    f"^(?:那|而|但是?|所以|因为|而且|不过|然后)*(?P<name>[{SURE}{WEAK}{USER}])(?P<of>的)?(?!{ROLE}|[、和与跟及家])"
)


def _goes_on(clause: Line, topic: Name | None, owner: Name | None) -> tuple[Name | None, Name | None]:
    """Whom a clause is about, and of what it tells something: what the clause behind the comma may go on with."""
    found = _SUBJECT.match(clause.signs)
    if found is None:
        return topic, owner
    name = clause.names.get(found.start("name"))
    if not found["of"]:
        return name, None
    return None, name if name and not name.user and name.type not in ("person", "") else None


_LABEL = "(?:简称|英文名|又名|也叫|又叫|即|下称|以下简称|英文简称|缩写|别名|原名|曾用名|全名|全称|英文|中文名)"
_SAME = re.compile(f"(?P<a>[{SURE}{WEAK}])\\((?P<label>{_LABEL}(?:是|为|叫|:)?)?(?P<b>[{SURE}{WEAK}])\\)")
_CALLED = re.compile(f"{USER}(?:叫做?|名叫|就?是|的名字[是叫])(?P<b>{SURE})(?=$|[,;。!(])")
_SAME_AS = re.compile(f"^(?P<a>{SURE})就是(?P<b>{SURE})(?=$|[,;。!])")
_CALL_ME = re.compile(
    f"(?:(?:{OTHER}|朋友们?|同学们?|同事们?|可以|请|就|都|以后)(?:都|就)?|^)(?:叫|喊|称呼){USER}"
    f"(?P<b>{SURE}|(?![别去来不快回帮先再多少做把给怎起注等早晚出])[{HAN}]{{2,4}}?)(?=就好|就行"
    "|就可以|即可|好了|吧|$|[,;。!])"
)


def _beside(line: Line) -> tuple[Line, list[Said]]:
    """Other names and descriptions right beside a name, and the line without them."""
    found: list[Said] = []
    holes: list[Span] = []
    for match in _SAME.finditer(line.signs):
        first, second = line.names.get(match.start("a")), line.names.get(match.start("b"))
        if first and second and (match["label"] or _one_thing(first, second)):
            kind = first.type or second.type
            found.append(Same(first._replace(type=kind), second._replace(type=second.type or kind)))
            holes.append((match.end("a"), match.end()))
    for name, hole in besides(line):
        found.append(name)
        holes.append(hole)
    found += _of_the_user(line)
    return line.without(holes), found


def _one_thing(first: Name, second: Name) -> bool:
    """Whether a name in brackets is the other's: not the place of a company, nor the company of a person."""
    return "place" not in (first.type, second.type) and (first.type == second.type or not second.type or not first.type)


def _of_the_user(line: Line) -> Iterator[Said]:
    for match in _CALLED.finditer(line.signs):
        me, name = line.names.get(match.start()), line.names.get(match.start("b"))
        if me and name and name.type in ("person", ""):
            yield Same(me, name._replace(type="person"))
    for match in _CALL_ME.finditer(line.signs):
        at = match.start("b")
        me, name = line.names.get(at - 1), line.names.get(at)
        span = line.span(at, match.end("b"))
        if me and name is None and nameable(match["b"]) and span[1] - span[0] == len(match["b"]):
            name = Name(*span)
        if me and name and name.type in ("person", ""):
            yield Same(me, name._replace(type="person"))
    for match in _SAME_AS.finditer(line.signs):
        first, second = line.names.get(0), line.names.get(match.start("b"))
        if first and second and _one_thing(first, second):
            yield Same(first, second)


_OUR_COMPANY = re.compile(
    f"(?:^|(?<=[,;。!])){OTHER}(?:的?名字)?(?:就?是|叫做?|名叫)(?P<b>[{SURE}{WEAK}])(?=$|[,;。!(])"
)
_OURS = re.compile("(?P<us>[我咱]们?)的?(?:公司|单位|司)")


def _our_company(stretch: Stretch, line: Line) -> Iterator[Said]:
    """Where the user works: 我们公司叫云帆仪器."""
    for match in _OUR_COMPANY.finditer(line.signs):
        start, end = line.spans[match.start()]
        ours, name = _OURS.fullmatch(stretch.low, start, end), line.names.get(match.start("b"))
        if ours and name and name.type in ("organisation", ""):
            company = name._replace(type="organisation")
            yield company
            yield Link(Name(*ours.span("us"), user=True), "works_at", company, "公司")


# -- the user's own facts --------------------------------------------------------------------------------------------

_TRIM = re.compile(r"^(?:在|叫|是|了|名叫)+|(?:做|当|担任|上班|工作|读|念|附近|那边|这边|里|的).*$")
_VAGUE = re.compile(
    r"^(?:一|两|几|这|那|某|哪|我|你|他|她|它|自己|家里?$|同|不|别|另|新|老家|附近|隔壁|很|小|大(?!理"
    r"|连|同|庆|兴)|国企|外企|私企|外地|国外|乡下)|[^\w·&.\s-]"
)


def chinese_name_in(text: str, span: Span, attribute: str) -> Span | None:
    """The name in the value of a fact with this attribute; None where the value names nothing (一家小公司)."""
    start, end = span
    said = text[start:end]
    trimmed = _TRIM.sub("", said)
    if not trimmed or _VAGUE.search(trimmed) or trimmed in COMMON or trimmed in GENERIC:
        return None
    start += said.find(trimmed)
    end = start + len(trimmed)
    if attribute in ("home", "origin"):
        led = attribute == "home" and re.search("(?:住在|搬到|搬去|定居在?|家在)了?$", text[max(0, start - 5) : start])
        return (start, end) if is_place(trimmed, led=bool(led)) else None
    if attribute in ("employer", "school"):
        return organisation_in(text, (start, end)) if attribute == "employer" or _SCHOOL.search(trimmed) else None
    if attribute == "name":
        if re.search("[它他她]|[取起]名", text[max(0, start - 10) : start]):
            return None
        return (start, end) if person_like(trimmed) or (len(trimmed) <= 4 and nameable(trimmed)) else None
    return (start, end) if attribute == "partner" and person_like(trimmed) else None


_SCHOOL = re.compile("[大中小]学$|学院$|学校$|幼儿园$|高中$|一中$|^[a-z .]+$", re.IGNORECASE)
