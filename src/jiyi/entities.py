"""Records of entities: what one holds, how it is read, and what people's word makes of it.  Pure.

A record of the kind ``entity`` stands for one person, organisation, project…  ``links`` are its names (``form_of``),
``sources`` the clauses that name it, ``text`` says who it is, in the language in which that was said.  ``data`` has

* ``name``: the fullest proper name, as it was written, or ``user``; ``aliases``: its other names;
* ``value``: the name, with the role or type of a namesake behind it;
* ``type``: ``mentions.TYPES`` or another word, "" when nobody said; ``role``: what tells it from namesakes;
* ``traits``: attribute, or "" for a description -> the words for it, those said last;
* ``said``: the places that name it (``Named``): the first, the newest, and all that tell something new;
* ``count``: messages among them; ``by``: who found the newest, ``rules`` or ``model``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from jiyi.mentions import ONESELF, USER
from jiyi.sayings import Saying, kept, read
from jiyi.text import fingerprint, flat, language
from jiyi.types import JSON, Record, Source

ENTITY = "entity"
"""The kind of the records."""
RULES, MODEL = "entities:rules", "entities"
"""Names of the two steps that make entities and relations."""

_NEWEST, _NEWEST_OF_USER = 24, 6  # mentions kept beside those that tell something new
MOST_PLACES = 1 + _NEWEST
"""Places that an entity keeps at least, where it has so many: a record with fewer knows them all."""
_EDGES = " \t\n\"'“”‘’「」『』《》〈〉*_`.,，。、:：;；!！?？()（）[]【】"
_KINDS = {
    "person": "人物", "organisation": "组织", "project": "项目", "technology": "技术", "product": "产品",
    "place": "地点", "animal": "动物", "work": "作品", "language": "语言",
}  # fmt: skip
_LEAST, _EACH, _MOST = 0.3, 0.05, 0.9  # importance: of one message, of each further one, at most


@dataclass(frozen=True, slots=True)
class Named:
    """A place in a message that names an entity.

    Attributes:
        saying: the clause, and when it was said.
        start, end: the characters [start, end) of the message's text that are the name, or a word such as "I".
        name: as it is written there, or ``USER``.
        type, role, traits: as of a ``Mention``.
        also: other names that the same message states it has.
    """

    saying: Saying
    start: int
    end: int
    name: str
    type: str = ""
    role: str = ""
    traits: Mapping[str, str] = field(default_factory=dict[str, str])
    also: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        """What names are compared by."""
        return form_of(self.name)


def form_of(name: str) -> str:
    """A name as it is compared: NFKC, small letters, without an article, quotes and marks around it."""
    form = flat(name).strip(_EDGES)
    form = form.removesuffix("'s")
    return form.removeprefix("the ") or form


def asked_form(name: str) -> str:
    """A name that is asked for, as it is compared: "me" and 我 are ``USER``."""
    form = form_of(name)
    return USER if form in ONESELF else form


# -- reading


def named_of(record: Record) -> list[Named]:
    """The places that name an entity, oldest first."""
    found: list[Named] = []
    for saying, entry in read(record.data.get("said"), record.sources):
        start, end, traits, also = (entry.get(name) for name in ("start", "end", "traits", "also"))
        found.append(
            Named(
                saying,
                start if isinstance(start, int) else 0,
                end if isinstance(end, int) else 0,
                str(entry.get("name", "")),
                str(entry.get("type", "")),
                str(entry.get("role", "")),
                {key: str(words) for key, words in traits.items()} if isinstance(traits, Mapping) else {},
                tuple(map(str, also)) if isinstance(also, Sequence) and not isinstance(also, str) else (),
            )
        )
    return found


def name_of(record: Record) -> str:
    """The name that an entity is shown by; ``USER`` for a user whose name nobody knows."""
    return str(record.data.get("name", ""))


def names_of(record: Record) -> tuple[str, ...]:
    """All its names as they were written, the one it is shown by first."""
    aliases = record.data.get("aliases")
    return (name_of(record), *(map(str, aliases) if isinstance(aliases, list) else ()))


def type_of(record: Record) -> str:
    """What it is; "" when nobody said."""
    return str(record.data.get("type", ""))


def role_of(record: Record) -> str:
    """What tells it from namesakes; "" when nothing does."""
    return str(record.data.get("role", ""))


def is_user(record: Record) -> bool:
    """Whether it is the user."""
    return USER in record.links


def shown_names(entities: Iterable[Record]) -> dict[str, str]:
    """Form of a name -> what the one entity that goes by it is called now; names of namesakes are left out."""
    found: dict[str, set[str]] = {}
    for record in entities:
        for form in record.links:
            found.setdefault(form, set()).add(str(record.data.get("value") or name_of(record)))
    return {form: next(iter(names)) for form, names in found.items() if len(names) == 1 and names != {USER}}


def traits_of(record: Record) -> dict[str, tuple[str, Source]]:
    """Attribute, "" for a description -> the words for it and the clause that has them; the newest of each."""
    return _traits(named_of(record))


def messages_of(record: Record) -> dict[str, tuple[str, ...]]:
    """Id of each message that names it -> the forms of the names that it uses."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for one in named_of(record):
        found[one.saying.message][one.form] = None
    return {message: tuple(forms) for message, forms in found.items()}


# -- making


def entity(
    record_id: str, named: Iterable[Named], *, strategy: str, version: str, sense: str = "", name: str = ""
) -> Record:
    """The record of an entity that these places name.

    Args:
        record_id: its id.
        named: at least one, in any order; more than are kept are left out.
        strategy, version: of the record.
        sense: role or type that tells it from a namesake that was named first; "" otherwise.
        name: what it is shown by; "" for the fullest name.
    """
    bare = Record(record_id, ENTITY, "", strategy, version, ())
    return _filled(bare, named, name, sense)


def entity_id(form: str, sense: str = "") -> str:
    """The id of the entity whose first name has this form."""
    return f"{ENTITY}:{fingerprint(ENTITY, form, sense)}"


def joined(into: Record, other: Record) -> Record:
    """An entity that is two of them: the first one's id and name, all names and evidence of both."""
    named = {(one.saying.message, one.start, one.form): one for one in (*named_of(other), *named_of(into))}
    return _filled(into, named.values(), name_of(into), more=(*names_of(into), *names_of(other)))


def parted(record: Record, message_ids: Collection[str], name: str = "") -> tuple[Record, Record]:
    """An entity without what these messages say of it, and what they say as an entity of its own.

    Either has no ``sources`` where nothing is left for it.  The id of the new one follows from the record's and from
    the messages.

    Args:
        record: what is parted.
        message_ids: messages that mean the other one.
        name: what the new one is shown by; "" for the fullest name that these messages use.
    """
    named = named_of(record)
    theirs = [one for one in named if one.saying.message in message_ids]
    rest = [one for one in named if one.saying.message not in message_ids]
    there = "\n".join(sorted({one.saying.message for one in theirs}))
    bare = Record(entity_id(record.id, there), ENTITY, "", record.strategy, record.version, ())
    mine = {form_of(one) for one in (*(n.name for n in rest), *(also for n in rest for also in n.also))}
    kept_name = name_of(record) if form_of(name_of(record)) in mine else ""
    return _filled(record, rest, kept_name), _filled(bare, theirs, name)


def renamed(record: Record, name: str) -> Record:
    """An entity that is shown by another name; the old one stays among its names."""
    return _filled(record, named_of(record), name, more=names_of(record))


def _filled(record: Record, named: Iterable[Named], name: str, sense: str = "", more: Sequence[str] = ()) -> Record:
    """The record with everything that follows from the places that name it; a text that a person wrote stays."""
    there = sorted(named, key=_order)
    said = _kept(there) if there else []
    if not said:
        return replace(record, sources=(), links=(), data={**record.data, "said": [], "count": 0})
    names = _names(said, more)
    first = name or names[0]
    others = [one for one in names if form_of(one) != form_of(first) and one != USER]
    type_ = "person" if any(one.form == USER for one in said) else _type(said)
    role, traits = _role(said), _traits(said)
    sense = sense or str(record.data.get("sense", ""))
    count = len({one.saying.message for one in said})
    words = {attribute: words for attribute, (words, _) in traits.items()}
    data: dict[str, JSON] = {
        **record.data,
        "name": first,
        "value": f"{first} ({sense})" if sense else first,
        "aliases": others,
        "type": type_,
        "role": role,
        "traits": words,
        "said": [_entry(one) for one in said],
        "count": count,
        "by": said[-1].saying.maker,
    }
    if sense:
        data["sense"] = sense
    if made := said[-1].saying.made:
        data["made"] = made
    forms = dict.fromkeys(form_of(one) for one in (first, *names))
    return replace(
        record,
        text=record.text if "corrected" in data else _text(said, first, others, type_, role, words),
        sources=tuple(dict.fromkeys(one.saying.source for one in said)),
        importance=round(min(_MOST, _LEAST + _EACH * (count - 1)), 4),
        recorded_at=min((t for one in said if (t := one.saying.recorded_at)), default=None),
        said_at=min((one.saying.at for one in said if one.saying.dated), default=None),
        links=tuple(form for form in forms if form),
        data=data,
    )


def _entry(one: Named) -> JSON:
    entry = kept(one.saying)
    entry |= {"start": one.start, "end": one.end, "name": one.name}
    entry |= {name: value for name, value in (("type", one.type), ("role", one.role)) if value}
    if one.traits:
        entry["traits"] = dict(one.traits)
    if one.also:
        entry["also"] = list(one.also)
    return entry


def _order(one: Named) -> tuple[object, ...]:
    return (*one.saying.order, one.start, one.form)


def _kept(said: Sequence[Named]) -> list[Named]:
    """The first, the newest, and the first and the newest of all that tell the same."""
    newest = _NEWEST_OF_USER if any(one.form == USER for one in said) else _NEWEST
    tells: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, one in enumerate(said):
        signs = [("type", one.type), ("role", one.role), *(("also", form_of(also), one.form) for also in one.also)]
        signs += [("trait", attribute, flat(words)) for attribute, words in one.traits.items()]
        for sign in signs if one.form != USER or one.also else ():
            if sign[1] or sign[0] == "trait":
                tells[sign].append(place)
    chosen = {0, *range(max(0, len(said) - newest), len(said))}
    for places in tells.values():
        chosen.update((places[0], places[-1]))
    return [said[place] for place in sorted(chosen)]


def _names(said: Sequence[Named], more: Sequence[str]) -> list[str]:
    """A writing of each name, the longest name first; what several places have, and in capitals, goes first."""
    writings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in said:
        writings[one.form][one.name] += 1
    for name in more:
        writings[form_of(name)][name] += 0
    best = {
        form: max(found, key=lambda name: (name != name.lower(), flat(name) == name.lower(), found[name]))
        for form, found in writings.items()
    }
    return [best[form] for form in sorted(best, key=lambda form: (form == USER, -len(form)))]


def _type(said: Sequence[Named]) -> str:
    """What most say; a model's word counts before a rule's, and of equals the later."""
    votes: dict[str, list[int]] = {}
    for place, one in enumerate(said):
        if one.type:
            vote = votes.setdefault(one.type, [0, 0, 0])
            vote[0] += one.saying.maker == "model"
            vote[1], vote[2] = vote[1] + 1, place
    return max(votes, key=lambda type_: votes[type_], default="")


def _role(said: Sequence[Named]) -> str:
    return next((one.role for one in reversed(said) if one.role), "")


def _traits(said: Sequence[Named]) -> dict[str, tuple[str, Source]]:
    return {attribute: (words, one.saying.source) for one in said for attribute, words in one.traits.items()}


def _text(
    said: Sequence[Named], name: str, others: Sequence[str], type_: str, role: str, traits: Mapping[str, str]
) -> str:
    """Who it is in one line."""
    told = next((one for one in reversed(said) if one.traits), said[0])
    chinese = language(told.saying.source.quote or "") == "zh"
    if name == USER:
        name = "用户" if chinese else "the user"
    tells = [role] if role and role not in traits.values() else []
    tells += [f"{attribute}: {words}" if attribute else words for attribute, words in traits.items()]
    if chinese:
        kind = f"（{_KINDS.get(type_, type_)}）" if type_ else ""
        also = f"，又名{'、'.join(others)}" if others else ""
        return f"{name}{kind}{also}{'：' if tells else ''}{'；'.join(tells)}"
    kind = f" ({type_})" if type_ else ""
    also = f", also called {', '.join(others)}" if others else ""
    return f"{name}{kind}{also}{': ' if tells else ''}{'; '.join(tells)}"
