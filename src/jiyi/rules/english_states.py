"""What is said with "be" and "have"."""

from __future__ import annotations

import re

from jiyi.rules.english_values import Verb, behind
from jiyi.rules.english_words import CONDITIONS, DIETS, ILLNESSES, NUMBERS, OCCUPATIONS, PETS, RELATIONS

_N = rf"(?:\d{{1,3}}|(?:{NUMBERS})(?:[- ](?:{NUMBERS}))?)"
_JOBS = "|".join(sorted(map(re.escape, OCCUPATIONS), key=len, reverse=True))
_KIN = "|".join(
    sorted((word for word, kind in RELATIONS.items() if kind in ("family", "partner")), key=len, reverse=True)
)
_OTHERS = "|".join(sorted((word for word, kind in RELATIONS.items() if kind == "friend"), key=len, reverse=True))
_ANIMALS = PETS.replace(" ", "|")
_SCHOOL = r"school|university|college|academy|kindergarten|primary|elementary|high|grammar|nursery|institute|prep"
_MEETING = (
    r"appointment|meeting|interview|exam|flight|reservation|booking|call|lesson|class|check-?up|surgery|operation|date"
    r"|concert|wedding|party|presentation|tickets?|viewing|session"
)

BE_SAYS = (
    Verb("allergy", behind(r"(?:\w+ )?(?:allergic|intolerant) to\s+"), lists=True),
    Verb("name", behind(r"(?:called|named|known as)\s+")),
    Verb(
        "name",
        re.compile(
            r"\s+(?:an? (?:\w+ )?(?:man|woman|guy|lady) (?:called|named) )?(?P<v>(?:dr|mr|mrs|ms|miss"
            r"|prof(?:essor)?)\.? [\w'-]+(?: [\w'-]+)?)"
        ),
    ),
    Verb("name", re.compile(r"\s+an? (?:\w+ )?(?:man|woman|guy|lady) (?:called|named) (?P<v>[\w'-]+(?: [\w'-]+)?)")),
    Verb(
        "age",
        re.compile(
            rf"\s+(?:turning )?(?P<v>{_N})(?=\s+years? old|\s+yrs|\s+y/?o|\s*$|\s*[,.;!]|\s+(?:now|and|this "
            r"year|today|next)\b)"
        ),
    ),
    Verb(
        "birthday",
        re.compile(
            r"\s+born (?:on|in)\s+(?P<v>(?=[^,;]*\d|january|february|march|april|may|june|july|august"
            r"|september|october|november|december).+)"
        ),
    ),
    Verb("origin", behind(r"(?:born(?: and raised)? (?:in|at)|raised in|originally from|from)\s+")),
    Verb(
        "school",
        re.compile(
            r"\s+in (?:my |the )?(?P<v>\w+ grade|grade \w+|year \d+|(?:first|second|third|fourth|fifth|final"
            r"|last|junior|senior|sophomore|freshman) year(?: of [\w ]+)?|(?:high|middle|primary|elementary"
            r"|grad|graduate|medical|law) school|kindergarten|college|university)\b"
        ),
    ),
    Verb(
        "school",
        re.compile(
            r"\s+an? (?P<v>(?:[\w.'-]+ ){0,4}(?:students?|freshman|sophomore|undergrad\w*|pupil|(?:phd"
            r"|master'?s) (?:student|candidate)|first[- ]grader|\w+ grader)\b(?: (?:at|in|of) [^,;]+)?)"
        ),
    ),
    Verb("diet", re.compile(rf"\s+(?:an? )?(?:\w+ )?(?P<v>{DIETS})\b")),
    Verb("health", re.compile(rf"\s+(?:an? )?(?:type \w+ |\w+ )?(?P<v>{CONDITIONS})\b")),
    Verb(
        "health",
        re.compile(
            r"\s+diagnosed with\s+|\s+(?:recovering|suffering) from\s+|\s+on (?=medication|antibiotics|insulin"
            r"|blood thinners|metformin|statins)"
        ),
    ),
    Verb("partner", behind(r"(?:married|engaged) to\s+"), begins=True),
    Verb(
        "family",
        re.compile(
            r"\s+(?P<v>married|single|divorced|engaged|widowed|an only child|expecting\b[^,;]*)\b(?! "
            r"with| by)"
        ),
    ),
    Verb(
        "job",
        re.compile(
            rf"\s+(?:an?|the) (?P<v>(?:[\w'&/-]+ ){{0,4}}?(?:{_JOBS})\b(?! (?:myself|fan|lover)\b)(?: (?:at|for"
            r"|of|in) [^,;]+)?)"
        ),
    ),
    Verb("job", behind(r"(?:in charge of|responsible for|head of)\s+")),
    Verb("dislikes", behind(r"(?:afraid|scared|terrified|frightened|sick|tired) of\s+"), lists=True),
    Verb(
        "likes",
        behind(
            r"(?:\w+ )?(?:fond of|crazy about|mad about|into|keen on|passionate about|an? (?:\w+ ){0,2}fan of"
            r"|obsessed with|interested in|addicted to)\s+"
        ),
        "dislikes",
        lists=True,
    ),
    Verb("skill", behind(r"(?:good at|great at|fluent in)\s+"), lists=True),
    Verb("goal", behind(r"(?:saving(?: up)? for|training for|aiming (?:for|to)|hoping to)\s+")),
    Verb("home", behind(r"(?:based|living|located) (?:in|at|near)\s+")),
)

HAVE_SAYS = (
    Verb(
        "task",
        re.compile(r"\s+(?:got )?to\s+(?P<v>(?!say|admit|ask|agree|know|laugh|confess|wonder|tell you)\S.*)"),
        mine=True,
    ),
    Verb("allergy", behind(r"(?:got )?an? (?:\w+ )?allergy to\s+"), lists=True),
    Verb("allergy", re.compile(r"\s+(?:got )?an? (?:severe |mild |bad |serious )?(?P<v>\w+(?: \w+)?) allergy\b")),
    Verb(
        "health",
        re.compile(rf"\s+(?:got )?(?:been diagnosed with )?(?:an? |the )?(?:\w+ ){{0,2}}?(?P<v>{ILLNESSES})\b"),
    ),
    Verb("budget", re.compile(r"\s+(?:got )?an? (?:\w+ ){0,3}?budget of (?P<v>[^,;]+)")),
    Verb("deadline", re.compile(r"\s+(?:got )?(?P<v>an? (?:\w+ ){0,3}?deadline\b.*)")),
    Verb(
        "appointment",
        re.compile(rf"\s+(?:got )?(?P<v>(?:an? |my |the |two |our )?(?:[\w'-]+ ){{0,3}}?(?:{_MEETING})\b.*)"),
    ),
    Verb(
        "pet",
        re.compile(
            rf"\s+(?:got )?(?P<v>(?:an? |{_N} |some |many )?(?:[\w'-]+ ){{0,3}}?(?:{_ANIMALS})\b(?: (?:and"
            rf"|called|named) (?:an? |{_N} )?[\w'-]+)*)"
        ),
    ),
    Verb(
        "family",
        re.compile(
            rf"\s+(?:got )?(?P<v>(?:an? |{_N} |no |many )?(?:[\w'-]+ ){{0,3}}?(?:{_KIN})\b(?:,? (?:and|called"
            r"|named) [\w '-]+)?)"
        ),
    ),
    Verb(
        "friend",
        re.compile(
            rf"\s+(?:got )?(?P<v>an? (?:[\w'-]+ ){{0,2}}?(?:{_OTHERS})\b(?: (?:called|named) [\w "
            r"'-]+)?)"
        ),
    ),
    Verb(
        "owns",
        re.compile(
            r"\s+(?:got )?(?P<v>(?!an? (?:question|problem|look|idea|request|feeling|headache|cold|chat|good"
            r"|great|nice|lot|bit|few|hard|long|bad|rough|busy|lovely|wonderful|fun|terrible|point|plan|dream"
            r"|chance|moment|minute|day|favor|favour|hunch|sense|way|big day|goal|couple of questions|better"
            r"|tough|sip|bite|laugh|thing|strong|deep|tendency|hard time)\b)(?:an? |two |three |four |five "
            r"|several |\d+ |some )(?:\S+).*)"
        ),
        importance=0.4,
    ),
)
