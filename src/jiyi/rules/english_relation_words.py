"""English words that relate two names: verbs between them, and nouns ("the backend of", "my boss")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from jiyi.rules.english_proper_words import several
from jiyi.rules.english_words import PETS
from jiyi.rules.english_words import RELATIONS as PEOPLE


class Says(NamedTuple):
    """What stands between two names.

    Attributes:
        words: what ``relation_of`` knows.
        passive: it needs a form of "be" before it, or a comma.
        state: it holds for a while: in the past ("was", "had") it says nothing of now.
        head, tail: types that fit, with blanks between them; "" for any, ``?`` among them for one that nobody knows.
        begins: it holds from the time that the clause names.
        ends: it says by itself that something is over.
    """

    words: str
    passive: bool = False
    state: bool = False
    head: str = ""
    tail: str = ""
    begins: bool = False
    ends: bool = False


_MAKES = "project organisation product technology"
_BY = "person organisation user ?"
_SAYS: tuple[tuple[Says, str], ...] = (
    (
        Says("works at", state=True, head=_BY, tail="organisation ?", begins=True),
        "work at; works at; work for; works for; teaches at; teach at",
    ),
    (
        Says("works at", passive=True, state=True, head=_BY, tail="organisation ?", begins=True),
        "working at; working for; employed by; employed at; hired by; interning at",
    ),
    (Says("works at", head=_BY, tail="organisation", begins=True), "joined; started at; started working at"),
    (
        Says("works at", tail="organisation", ends=True),
        "left; quit; resigned from; retired from; was fired by; got fired by",
    ),
    (Says("works at", tail="organisation ?", ends=True), "stopped working at; stopped working for; quit working at"),
    (Says("works on", tail="project"), "joined"),
    (
        Says("report to", state=True, head=_BY, tail="person user ?", begins=True),
        "report to; reports to; answers to; answer to; report directly to; reports directly to",
    ),
    (Says("report to", passive=True, state=True, tail="person user ?"), "reporting to"),
    (
        Says("uses", state=True, head="organisation project product technology ?", tail="technology"),
        "runs on; run on; relies on; runs; run",
    ),
    (
        Says("leads", state=True, head=_BY, tail="person organisation project product place ?", begins=True),
        "lead; leads; head; heads; run; runs; directs; direct; manage; manages; head up; heads up",
    ),
    (Says("leads", passive=True, state=True, head=_BY), "in charge of; leading; heading; running; managing"),
    (Says("led by", passive=True, state=True, tail=_BY), "led by; headed by; run by; managed by; directed by"),
    (Says("studies at", state=True, head="person user ?", tail="organisation ?"), "study at; studies at"),
    (Says("studies at", passive=True, state=True, tail="organisation ?"), "studying at; enrolled at; enrolled in"),
    (Says("studies at", head="person user ?", tail="organisation ?"), "graduated from"),
    (Says("lives in", state=True, head="person user ?", tail="place ?", begins=True), "live in; lives in; resides in"),
    (Says("lives in", passive=True, state=True, head="person user ?", tail="place ?", begins=True), "living in"),
    (Says("lives in", head="person user ?", tail="place ?", begins=True), "moved to; relocated to; moved back to"),
    (Says("from", state=True, head="person user ?", tail="place ?"), "comes from; come from"),
    (Says("from", passive=True, state=True, head="person user ?", tail="place ?"), "from; originally from"),
    (Says("from", passive=True, head="person user ?", tail="place ?"), "born in"),
    (Says("lives in", passive=True, state=True, head="person user", tail="place ?"), "based in"),
    (Says("located in", passive=True, state=True, tail="place ?"), "located in; based in; headquartered in"),
    (Says("married to", passive=True, state=True, head=_BY, tail="person user ?"), "married to; engaged to"),
    (Says("married to", head="person user ?", tail="person ?", begins=True), "married; got married to; got engaged to"),
    (
        Says("friends with", passive=True, state=True, tail="person user ?"),
        "friends with; good friends with; best friends with; close friends with",
    ),
    (Says("works with", state=True, head="person user ?", tail="person user ?"), "work with; works with"),
    (Says("works with", passive=True, state=True, head="person user ?", tail="person user"), "working with"),
    (
        Says("pen name", head="person user ?", tail="person ?"),
        "write under pen name; writes under pen name; wrote under pen name; publishes under pen name; writes as; "
        "publishes as; published under pen name; publish under pen name; published as; write as; wrote as; "
        "use pen name; uses pen name; used pen name; adopted pen name; has pen name; goes by pen name; "
        "write under name; writes under name; publishes under name; published under name; wrote under name; "
        "writes under pseudonym; publishes under pseudonym; wrote under pseudonym; uses pseudonym; published under "
        "pseudonym; performs as; performs under stage name; performs under name; uses stage name; has stage name; "
        "took pen name; chose pen name; took stage name; writes books as; writes novels as; writes books under pen "
        "name; writes novels under pen name; writes novels under name; writes fiction under pen name; writes stories "
        "under pen name; writes his novels as; writes her novels as; blogs as; blogs under pen name; pen name is",
    ),
    (
        Says("pen name", passive=True),
        "writing as; writing under pen name; known by pen name; known under pen name; known as writer; known by stage "
        "name; publishing as; publishing under pen name; performing as; writing under name; pen name; stage name; "
        "pseudonym; writing under pseudonym; known under stage name",
    ),
    (
        Says("created", head=_BY),
        "founded; co-founded; cofounded; created; developed; invented; launched; maintains; established; built; wrote; "
        "designed; authored; co-created; programmed; open-sourced",
    ),
    (Says("created", head=_BY, tail=_MAKES), "started; made; set up; writes; develops; builds; kicked off; began"),
    (Says("created", passive=True, head=_BY, tail=_MAKES), "developing; building; creating; maintaining; writing"),
    (
        Says("created by", passive=True, tail=_BY),
        "founded by; created by; started by; built by; written by; authored by; developed by; designed by; invented "
        "by; made by; launched by; maintained by; co-founded by; set up by",
    ),
    (Says("works on", state=True, head=_BY, tail="project ?"), "work on; works on; contributes to; contribute to"),
    (Says("works on", passive=True, state=True, head=_BY, tail="project ?"), "working on"),
    (Says("belongs to", state=True, tail="organisation ?"), "belongs to"),
    (Says("part of", passive=True, state=True, tail="organisation project product technology place ?"), "part of"),
    (Says("owner", passive=True, state=True), "owned by"),
    (Says("has subsidiary", state=True), "has subsidiary; owns subsidiary; have subsidiary"),
    (
        Says("acquired", head="organisation ?", tail="organisation project product technology ?"),
        "acquired; acquires; took over; has acquired",
    ),
    (Says("acquired", head="organisation", tail="organisation"), "bought; purchased; buys; merged with"),
    (
        Says("acquired by", passive=True, tail="organisation ?"),
        "acquired by; bought by; taken over by; purchased by; snapped up by",
    ),
    (Says("invested in", tail="organisation project product ?"), "invested in; invests in"),
    (Says("funded by", passive=True), "funded by; backed by"),
    (Says("supplies", state=True, head="organisation ?"), "supplies; supply; delivers to; sells to"),
    (Says("supplied by", passive=True), "supplied by"),
    (Says("buys from", state=True, head="organisation ?"), "buys from; orders from"),
    (
        Says("partners with", head="organisation ?", tail="organisation ?"),
        "partners with; partnered with; cooperates with; collaborates with; teamed up with",
    ),
    (Says("competes with", state=True), "competes with; compete with; competes against"),
    (Says("uses", state=True, head="organisation project product technology person user ?"), "uses; use"),
    (
        Says("uses", passive=True, tail="technology"),
        "written in; built with; built on; built in; implemented in; coded in; programmed in; powered by; based on; "
        "running on; made with; using; built using; developed in; developed with; written using; written with; "
        "built on top of; rewritten in; implemented with",
    ),
    (
        Says("uses", passive=True, state=True, tail="technology"),  # with "no longer"
        "written in; built with; built on; implemented in; coded in; programmed in; powered by; based on; running on",
    ),
    (Says("uses", tail="technology", begins=True), "switched to; migrated to; moved to; started using; adopted"),
    (Says("uses", ends=True), "stopped using; quit using; switched from; migrated from; moved away from; dropped"),
    (
        Says("depends on", state=True, head="organisation project product technology ?"),
        "depends on; depend on; requires",
    ),
    (Says("replaces", head="organisation project product technology ?"), "replaced; replaces; supersedes; superseded"),
    (Says("replaced by", passive=True), "replaced by; superseded by"),
    (Says("owns", state=True, tail="organisation project product technology animal place ?"), "owns; own"),
    (Says("treats patient", state=True, head="person ?", tail="person user"), "treats; is treating"),
    (
        Says("prescribed", head="person ?", tail="product ?"),
        "prescribed; prescribed me; prescribes; put me on; prescribes me",
    ),
    (Says("takes", state=True, head="person user ?", tail="product"), "take; takes"),
    (Says("takes", passive=True, state=True, head="person user ?", tail="product"), "on; taking"),
    (Says("takes", head="person user ?", tail="product", ends=True), "stopped taking; quit taking; came off"),
    (Says("takes", passive=True, head="person user ?", tail="product", ends=True), "off"),
    (Says("takes", head="person user ?", tail="product", begins=True), "started taking; began taking"),
    (Says("insures", state=True), "insures"),
    (Says("insured with", passive=True, state=True), "insured with; insured by"),
    (Says("approved", head="organisation person ?"), "approved; approves; signed off on; signed off"),
    (Says("approved by", passive=True), "approved by"),
    (Says("employs", head="organisation", tail="person ?", begins=True), "hired; employs; recruited"),
    (Says("named after", passive=True), "named after"),
)

VERBS: Mapping[str, tuple[Says, ...]] = {
    phrase: tuple(says for says, text in _SAYS if phrase in map(str.strip, text.split(";")))
    for _, phrases in _SAYS
    for phrase in map(str.strip, phrases.split(";"))
}
"""Words between two names, without "the", adverbs and forms of "be" -> what they say."""

PERFECT: Mapping[str, str] = {
    "worked at": "works at", "worked for": "works for", "lived in": "lives in", "led": "leads", "run": "runs",
    "used": "uses", "owned": "owns", "worked with": "works with", "worked on": "works on", "headed": "heads",
}  # fmt: skip
"""What lasts behind "has" and "have", and is over without."""

SINGULAR = {word for word in PEOPLE if word not in ("team", "group", "family", "parents", "kids", "children", "twins")}

_NOUNS = {
    "boss": "boss manager supervisor line-manager",
    "doctor is": "doctor gp physician cardiologist pediatrician paediatrician psychiatrist surgeon dermatologist",
    "backend": "backend back-end",
    "frontend": "frontend front-end",
    "database": "database db",
    "created by": "founder co-founder cofounder creator author maintainer inventor developer designer",
    "led by": "ceo cto cfo coo head director president leader lead chair chairman chairwoman chairperson principal",
    "owner": "owner",
    "employer": "employer",
    "insured with": "insurer",
    "supplier": "supplier vendor",
    "has customer": "customer client",
    "competitor": "competitor rival",
    "subsidiary": "subsidiary",
    "subsidiary of": "parent-company",
    "investor": "investor backer",
    "uses": "language framework stack",
    "pen name": "pen-name pseudonym stage-name nom-de-plume",
    "pet": f"pet {PETS}",
    "friend": "friend",
    "colleague": "colleague coworker co-worker teammate",
    "has member": "member",
    "partner": "wife husband spouse girlfriend boyfriend fiance fiancé fiancee fiancée",
    "child": "son daughter child kid baby",
    "parent": "parent",
    "mother": "mother mom mum mommy mummy",
    "father": "father dad daddy",
    "brother": "brother",
    "sister": "sister",
    "relative": (
        "niece nephew uncle aunt cousin grandmother grandfather grandma grandpa granny grandson granddaughter "
        "mother-in-law father-in-law sister-in-law brother-in-law stepmother stepfather stepson stepdaughter godson "
        "goddaughter"
    ),
}
NOUNS: Mapping[str, str] = {noun: words for words, nouns in _NOUNS.items() for noun in nouns.split()}
"""Noun N of "A's N is B" -> what ``relation_of`` knows, read from A to B.  Others keep their own word."""

PEOPLE_NOUNS = SINGULAR.union(
    several("mentor roommate flatmate neighbour neighbor landlord landlady teacher tutor coach intern stepbrother"),
    several("editor publicist agent architect plumber electrician gardener photographer physiotherapist psychologist"),
    several("translator adviser advisor notary optician midwife illustrator co-author investor"),
    several("half-brother half-sister stepsister twin boss manager best-friend"),
    several(_NOUNS["relative"]),
    several(_NOUNS["doctor is"]),
)
"""Who somebody is to somebody: "my neighbour Tom"."""
