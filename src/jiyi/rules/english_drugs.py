"""Medicines in small letters: what a doctor prescribes and people take, known by how their names end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.english_proper_words import several
from jiyi.rules.english_relation_words import NOUNS
from jiyi.rules.found import Name, Stretch

_ENDINGS = (
    "formin|gliptin|gliflozin|glutide|glitazone|gliclazide|glipizide|dipine|sartan|[aeiou]pril|olol|statin|prazole"
    "|conazole|nidazole|cillin|mycin|floxacin|cycline|profen|oxicam|fenac|oxetine|traline|talopram|azepam|azolam"
    "|lukast|tidine|xaban|grel|thiazide|semide|nisone|nisolone|cortisone|terol|triptan|pentin|gabalin|triptyline"
    "|thyroxine|ciclovir|tadine|tirizine|trexate|codone|xapine|idone|zepine|trigine"
)
_KNOWN = several(
    "aspirin insulin paracetamol acetaminophen ibuprofen warfarin digoxin naproxen heparin morphine codeine tramadol "
    "melatonin allopurinol colchicine clonidine diltiazem verapamil tamoxifen letrozole lithium tylenol advil ozempic "
    "prozac zoloft xanax lipitor eliquis xarelto humira wegovy mounjaro benadryl zyrtec claritin nurofen"
)  # fmt: skip
_WORD = re.compile(r"(?<![\w'-])[a-z]{5,20}(?![\w'-])")
_MEDICINE = re.compile(rf"[a-z]{{1,14}}(?:{_ENDINGS})")
_TAKES = r"(?:takes?|taking|prescribed|prescribes|on|off)"
_TAKEN = re.compile(rf"\b{_TAKES}\b")
_FAMILY = (
    "mother|mom|mum|father|dad|parents|wife|husband|partner|girlfriend|boyfriend|fianc\u00e9e?|fiancee?|brother|sister"
    "|son|daughter|grandmother|grandma|grandfather|grandpa|uncle|aunt|cousin|niece|nephew"
)
_DOCTORS = "|".join(sorted(word for word, says in NOUNS.items() if says == "doctor is"))
_WHO = re.compile(
    rf"(?P<a>my (?:{_FAMILY}))(?= (?:(?:now|also|still|currently|just) )?(?:takes?|no longer takes?|doesn't take"
    rf"|stopped taking|quit taking|came off|is (?:now |still |also |no longer )?(?:on|taking)) )"
    rf"|(?P<b>my (?:new )?(?:{_DOCTORS}))(?= (?:has )?(?:prescribed|prescribes|put me on) )"
)


def drugs(stretch: Stretch) -> Iterator[Name]:
    """The medicines of a stretch that somebody is said to take or to prescribe, and who has no other name there."""
    low, start, end = stretch.low, stretch.start, stretch.end
    if not _TAKEN.search(low, start, end):
        return
    found = [Name(*word.span(), "product") for word in _WORD.finditer(low, start, end) if is_drug(word[0])]
    yield from found
    who = _WHO.match(low, start, end) if found else None
    if who:
        yield Name(*who.span(), "person")


def is_drug(word: str) -> bool:
    """Whether a word in small letters is the name of a medicine."""
    return word in _KNOWN or _MEDICINE.fullmatch(word) is not None
