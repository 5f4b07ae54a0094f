"""Relations and roles that English nouns state: "my brother Tom", "Starling's backend is", "the head of"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jiyi.rules.english_links import SAID_BY, follows, is_subject, more_names
from jiyi.rules.english_proper_words import KINDS, several
from jiyi.rules.english_relation_words import NOUNS, PEOPLE_NOUNS
from jiyi.rules.english_words import OCCUPATIONS, PETS
from jiyi.rules.found import Link, Name, Stretch

_PETS = frozenset(PETS.split())
_PLURALS = {f"{noun}s": noun for noun in PEOPLE_NOUNS | _PETS} | {"wives": "wife", "puppies": "puppy"}
_PEOPLE = "|".join(sorted(map(re.escape, PEOPLE_NOUNS | _PETS | set(_PLURALS)), key=len, reverse=True))
_OURS = _PETS | several("son daughter child kid baby doctor gp landlord landlady neighbour neighbor nanny vet")
_OVER = several("former ex previous old")
_MY = re.compile(
    rf"\b(?P<my>my|our|i have an?|i have one)\s(?P<adj>(?:[a-z-]+\s){{0,2}}?)(?P<noun>{_PEOPLE})"
    r"(?:(?P<is>\s(?:is|are)\s(?:now\s|still\s|also\s)?(?P<no>not\s|no longer\s)?(?:called\s|named\s)?"
    r"|'s\s(?:(?:full|first|last)\s)?name\sis\s|:\s)|,?\s(?:called\s|named\s)?)[\"']?$"
)
_PEN = re.compile(r"\bmy (?:pen[ -]name|stage[ -]name|pseudonym)(?: is| was|,)? (?:now )?[\"']?$")
_ENDS = r"(?=$|[.,;:!?)\u2014]|\s(?:and|but|who|from|for|since|so|because|now|too|there|here|anymore)\b)"
_IS_MY = re.compile(
    r"(?P<how>\s(?:is|was|isn't)|'s|,|\s\()\s?(?P<no>(?<=n't )|not |no longer )?(?:still |now |also |actually )?"
    rf"(?P<my>my|our)\s(?P<adj>(?:[a-z-]+\s){{0,2}}?)(?P<noun>{_PEOPLE})\b(?!'|-){_ENDS}"
)
_COMPANY = re.compile(
    r"\b(?:my|our) (?:own )?(?:company|firm|employer|start-?up|workplace)"
    r"(?:'s name)?(?: is(?: now)?)?(?: (?:called|named))? [\"']?$"
)
_NOUN = r"(?P<noun>(?:pen |stage |back |front |parent |nom de )?[a-z-]+)"
_NOW = r"(?:(?:now|still|currently|also|both) )?"
_THE = r"(?:(?:the|an?|our) (?:(?P<kind>[a-z-]+) )?)?[\"']?"
_NOT_NOUN = r"(?!is\b|are\b|was\b|in\b|at\b|of\b|to\b)"
_OWNS = re.compile(
    rf"(?: project| app)?(?:'s?|(?=\s(?:backend|frontend|database)\b))\s(?P<adj>(?:{_NOT_NOUN}[a-z-]+\s){{0,2}}?)"
    rf"{_NOUN}"
    rf"(?:(?P<is>\s(?:is|are)\s(?P<no>not\s|no longer\s)?{_NOW}(?:called\s|named\s)?{_THE})"
    r"|,?\s(?:called\s|named\s)?|:\s)[\"']?"
)
_OF = re.compile(rf"\bthe (?P<adj>(?:[a-z-]+ ){{0,2}}?){_NOUN} (?:of|for|behind) (?:the )?$")
_IS = re.compile(rf" (?:is|are) (?P<no>not |no longer )?{_NOW}(?:called |named )?{_THE}")
_IS_OF = re.compile(
    rf"(?P<how> (?:is|are|am)|'s|'m|'re|,|, who is| \()\s?(?P<no>not |no longer )?{_NOW}"
    rf"(?:(?P<the>the|an?|one of the) )?(?P<adj>(?:(?!of|for|at)[a-z-]+ ){{0,3}}?){_NOUN}"
    rf"(?: and (?:the )?(?P<two>[a-z-]+))? (?P<of>of|for|at|behind|to|with) {_THE}"
)
_UNDER = re.compile(r"(?:^|\W)under (?:the|his|her|their) (?:pen name|stage name|pseudonym) [\"']?$")
_WRITES_UNDER = re.compile(
    r" (?:also |now |still |usually |often |mostly )?"
    r"(?:writes?|wrote|publish(?:es|ed)?|blogs?|blogged|performs?|performed|sings?|paints?|records?|recorded)"
    r"(?: (?:of|for|and|the|an?|my|his|her|their|some|most|all|[a-z-]+)){0,5}? under (?:the|an?|my|his|her|their) "
    r"(?:pen[ -]name|stage[ -]name|pseudonym|nom de plume)(?: of)? [\"']?"
)
_IS_THEIR = re.compile(rf"(?P<how> (?:is|'s)|,) (?P<no>not |no longer )?{_NOW}")
_THEIRS = re.compile(rf"'s? (?P<adj>(?:[a-z-]+ ){{0,2}}?){_NOUN}{_ENDS}")
_BOTH_ARE = re.compile(
    r" are (?:(?:now|both|also|still|good|best|close|old) )*(married|engaged|friends|colleagues|coworkers|siblings"
    r"|brothers|sisters|cousins|competitors|rivals|business partners)"
    r"(?=$|[.,;:!?]| (?:and|but|since|now|to each other))"
)
_TOGETHER = {
    "married": "partner", "engaged": "partner", "friends": "friend", "colleagues": "colleague", "siblings": "brother",
    "coworkers": "colleague", "brothers": "brother", "sisters": "sister", "cousins": "cousin",
    "competitors": "competitor", "rivals": "competitor", "business partners": "partners with",
}  # fmt: skip
_VAGUE = several(
    "one way part kind sort lot bit best worst idea name birthday favorite favourite reason point thing fan age number "
    "job goal plan problem issue response answer first last next same rest top end middle day time place email address "
    "phone choice option member type result case turn copy version friend pick only"
)
_PLACES = several("at for with")


def ties(stretch: Stretch, ends: Sequence[Name]) -> Iterator[Name | Link]:
    """What nouns say of the names of a stretch; ``ends`` in order, words for the user among them."""
    for place, name in enumerate(ends):
        if not name.user:
            yield from _mine(stretch, ends, place)
        if place + 1 < len(ends) and ends[place + 1].start - name.end <= 90 and not ends[place + 1].user:
            for link in _pair(stretch, name, ends[place + 1]):
                yield link
                if link.tail == ends[place + 1] and not link.negated:
                    for more in more_names(stretch, ends, place + 1):
                        yield link._replace(tail=more)


# -- the user's people ------------------------------------------------------------------------------------------------


def _mine(stretch: Stretch, ends: Sequence[Name], place: int) -> Iterator[Name | Link]:
    """As in "my boss Anna", "my boss is Anna", "Anna is my boss", "Anna, my boss,"."""
    low, name = stretch.low, ends[place]
    left = name.role[0] if any(name.role) and name.role[0] < name.start else name.start
    base = max(stretch.start, left - 70)
    before = low[base:left]
    told = bool(SAID_BY.search(low, stretch.start, left))
    if not told and (pen := _PEN.search(before)) and follows(stretch, name):
        yield Link(_me(base + pen.start(), 2), "pen name", name)
    elif not told and (own := _COMPANY.search(before)) and follows(stretch, name):
        yield Link(
            _me(base + own.start(), own[0].index(" ")), "works at", name._replace(type=name.type or "organisation")
        )
    elif found := _MY.search(before):
        if found["is"] and (told or not follows(stretch, name)):
            return
        yield from _is_mine(stretch, ends, place, found, base)
    elif (found := _IS_MY.match(low, name.end, stretch.end)) and (
        found["how"] in (",", " (") or is_subject(stretch, name)
    ):
        if found["how"] == " was" or (told and found["how"] not in (",", " (")):
            return
        yield from _is_mine(stretch, ends, place, found, 0)


def _is_mine(
    stretch: Stretch, ends: Sequence[Name], place: int, found: re.Match[str], base: int
) -> Iterator[Name | Link]:
    name = ends[place]
    noun = _PLURALS.get(found["noun"], found["noun"])
    no = found["no"] if found["no"] != "" else "not "
    type_ = "animal" if noun in _PETS else "person"
    group = [name, *more_names(stretch, ends, place, group=True)] if found["noun"] in _PLURALS else [name]
    has = found["my"].startswith("i ")
    role = (base + found.start("noun" if has else "my"), base + found.end("noun"))
    over = no == "no longer " or any(word in _OVER for word in found["adj"].split())
    for one in group:
        typed = one._replace(type=one.type or type_)
        if not no:
            typed = typed._replace(role=typed.role if any(typed.role) else role)
            yield typed
        if found["my"] != "our" or noun in _OURS:
            me = _me(base + found.start("my"), 1 if has else len(found["my"]))
            words = NOUNS.get(noun, noun)
            if noun in _PETS or noun in PEOPLE_NOUNS:
                yield Link(me, words, typed, noun, no == "not ", over, undated=not _says_so(found))


def _says_so(found: re.Match[str]) -> bool:
    """Whether "is" stands between the two, so that the times of the clause are those of this."""
    groups = found.groupdict()
    return bool(groups.get("is")) or groups.get("how") in (" is", "'s", " isn't")


def _me(start: int, length: int) -> Name:
    return Name(start, start + length, user=True)


# -- nouns between two names ------------------------------------------------------------------------------------------


def _pair(stretch: Stretch, one: Name, other: Name) -> Iterator[Link]:
    """What a noun says of two names that follow one another."""
    low, apart = stretch.low, (one.end, other.start)
    if SAID_BY.search(low, stretch.start, one.start):
        return
    if not one.user and (found := _OWNS.fullmatch(low, *apart)):
        yield from _owned(stretch, one, other, found)
    if low[slice(*apart)] in (", ", '", ') and _UNDER.search(low[max(stretch.start, one.start - 40) : one.start]):
        yield Link(other, "pen name", one, "pen name")
        return
    if _WRITES_UNDER.fullmatch(low, *apart) and is_subject(stretch, one):  # "I write crime novels under the pen name"
        yield Link(one, "pen name", other, "pen name")
        return
    if low[slice(*apart)] == " and " and (both := _BOTH_ARE.match(low, other.end, stretch.end)):
        if is_subject(stretch, one):
            yield Link(one, _TOGETHER[both[1]], other, both[1])
        return
    if not follows(stretch, other):
        yield from _theirs(stretch, one, other)
        return
    before = low[max(stretch.start, one.start - 60) : one.start]
    if (found := _IS.fullmatch(low, *apart)) and (of := _OF.search(before)):
        yield from _says(one, of["noun"], other, found, generic=True)
    found = _IS_OF.fullmatch(low, *apart)
    if found and (found["how"] in (",", ", who is", " (") or is_subject(stretch, one)):
        yield from _of(one, other, found)


def _theirs(stretch: Stretch, one: Name, other: Name) -> Iterator[Link]:
    """As in "Tom is Anna's boss" and "Tom, Anna's boss,"."""
    found = _IS_THEIR.fullmatch(stretch.low, one.end, other.start)
    theirs = _THEIRS.match(stretch.low, other.end, stretch.end) if found else None
    if found and theirs and is_subject(stretch, one) and (found["how"] != "," or theirs["noun"] in NOUNS):
        yield from _says(other, theirs["noun"], one, found, generic=found["how"] != ",")


def _owned(stretch: Stretch, one: Name, other: Name, found: re.Match[str]) -> Iterator[Link]:
    """As in "Anna's boss is Tom", "Anna's brother Tom"."""
    noun = found["noun"]
    known = noun.replace(" ", "-") in NOUNS or noun in PEOPLE_NOUNS
    if found["is"]:
        if is_subject(stretch, one) and follows(stretch, other):
            yield from _says(one, noun, other, found, generic=True)
    elif known and not low_verb(noun):
        yield from _says(one, noun, other, None, generic=False)


def low_verb(noun: str) -> bool:
    """Whether it is rather a verb: "Anna's leading Starling"."""
    return noun.endswith("ing") or noun in ("lead", "head")


def _of(one: Name, other: Name, found: re.Match[str]) -> Iterator[Link]:
    """As in "Anna is the head of Starling", "Tom is a nurse at Mercy Hospital"."""
    if one.user and found["how"] not in ("'m", " am"):
        return
    for noun in (found["noun"], found["two"]):
        if not noun:
            continue
        leads = NOUNS.get(noun.replace(" ", "-")) == "led by"
        if found["of"] in _PLACES and noun in OCCUPATIONS and not leads and NOUNS.get(noun) != "created by":
            if found["the"] and other.type in ("organisation", ""):
                no = found["no"]
                yield Link(one, "works at", other, found["noun"], no == "not ", no == "no longer ")
        elif leads or found["of"] in ("of", "for", "behind"):
            yield from _says(other, noun, one, found, generic=found["of"] == "of" and found["the"] == "the")
        elif noun in ("competitor", "rival") and found["of"] == "to":
            yield from _says(other, noun, one, found, generic=False)


def _says(owner: Name, noun: str, other: Name, found: re.Match[str] | None, *, generic: bool) -> Iterator[Link]:
    """The owner's noun is the other one."""
    plain = noun.replace(" ", "-")
    singular = _PLURALS.get(plain, plain)
    words = NOUNS.get(singular) or (noun if singular in PEOPLE_NOUNS else "")
    if singular == "partner" and owner.type in ("organisation", "project"):
        words = "partners with"
    if singular == "part":
        return
    if not words and generic and noun not in _VAGUE and not noun.endswith(("ing", "ed", "est")) and noun not in KINDS:
        words = noun
    if not words:
        return
    no = found["no"] if found else None
    if words in ("brother", "sister", "mother", "father", "relative", "partner", "child", "boss") and not other.type:
        other = other._replace(type="person")
    if words == "pet" and not other.type:
        other = other._replace(type="animal")
    kind = found.groupdict().get("kind") if found else None
    if kind and not other.type and kind in KINDS:
        other = other._replace(type=KINDS[kind])
    undated = not (found and (_says_so(found) or "how" not in found.groupdict()))
    yield Link(owner, words, other, noun, no == "not ", no == "no longer ", undated=undated)
