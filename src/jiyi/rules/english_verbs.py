"""English verbs beside "be" and "have", and what they say."""

from __future__ import annotations

import re

from jiyi.rules.english_states import BE_SAYS, HAVE_SAYS
from jiyi.rules.english_values import Verb, behind
from jiyi.rules.english_words import EVER, NUMBERS, PETS

_N = rf"(?:\d{{1,3}}|(?:{NUMBERS})(?:[- ](?:{NUMBERS}))?)"
_ANIMALS = PETS.replace(" ", "|")
_SCHOOL = r"school|university|college|academy|kindergarten|primary|elementary|high|grammar|nursery|institute|prep"
_ANY = behind("")
_THING = behind(
    r"(?!to\b|it\b|that\b|this\b|you\b|your\b|how\b|what\b|when\b|where\b|why\b|if\b|them\b|about\b|a "
    r"lot\b|me\b|him\b|her\b(?! \w)|us\b|not\b|more than\b|no idea\b)"
)
_DOING = behind(
    r"(?!it\b|that\b|this\b|you\b|your\b|how\b|what\b|when\b|where\b|why\b|if\b|not\b|them\b|the idea\b|to "
    r"(?:know|ask|hear|see|thank|learn more|get|have|find|help|book)\b|me\b|us\b)(?:to )?"
)

VERBS: dict[str, tuple[Verb, ...]] = {
    "be": BE_SAYS,
    "call": (),
    "turn": (Verb("age", re.compile(rf"\s+(?P<v>{_N})\b(?! (?:minutes|pages|degrees|times))")),),
    "live": (
        Verb("home", behind(r"(?:alone |together )?(?:in|at|on|near|by)\s+"), begins=True),
        Verb("family", behind(r"(?=with\s|alone)")),
    ),
    "move": (
        Verb(
            "home",
            behind(
                r"(?:back |out |away |over |house |home |recently )?(?:from (?P<x>[\w' -]{1,40}?) )?(?:to|into|in "
                r"to)\s+(?!an? |the next|my )"
            ),
            begins=True,
        ),
    ),
    "moving": (Verb("plan", re.compile(r"\s+(?P<v>(?:to|into|out|in|from|house|back)\b.*)")),),
    "grow up": (Verb("origin", behind(r"up (?:in|on|near)\s+")),),
    "come": (Verb("origin", behind(r"(?:originally )?from\s+(?!work|the (?:store|gym|office))")),),
    "work": (
        Verb(
            "employer",
            behind(
                r"(?:(?:full|part)[- ]time |remotely |nights |shifts |as (?:an? )?[\w -]{1,40}? )?(?:at"
                r"|for)\s+(?!an?\b|my current|home|night|least|now|the moment|hours|myself|years|\d|a while)"
            ),
            begins=True,
            more=True,
        ),
        Verb(
            "job",
            behind(
                r"(?:(?:full|part)[- ]time |remotely )?(?:(?:at|for|in)\s+[^,;]{1,60}?\s+)?as\s+(?:an?\s+)?(?!a "
                r"result|well|usual|hard|if)"
            ),
        ),
        Verb(
            "job",
            behind(
                r"(?:in|with)\s+(?=[a-z]+(?: [a-z]+)?\s*(?:$|[,.;]|and\b|at\b))(?!order|the (?:morning|evening)"
                r"|this|that|it\b|peace|silence|my|me|him|her|them|you)"
            ),
        ),
        Verb(
            "habit",
            re.compile(
                r"\s+(?P<v>(?:nights?|late|shifts?|early|remotely|from home|weekends|part[- ]time|full[- "
                r"]time)\b.*)"
            ),
        ),
    ),
    "start": (
        Verb(
            "employer",
            behind(
                r"(?:(?:an?|my|the) (?:new )?(?:job|position|role|internship) |work(?:ing)? |over )?(?:as [\w "
                r"-]{1,40} )?(?:at|with)\s+(?!\d|noon|the (?:beginning|end|bottom|top)|an?\b|least|all|that|this"
                r"|home)"
            ),
            begins=True,
            more=True,
        ),
        Verb(
            "job",
            behind(
                r"(?:(?:an?|my|the) (?:new )?(?:job|position|role|internship) |work(?:ing)? )?(?:at [^,;]{1,60}? "
                r")?as\s+(?:an?\s+)?"
            ),
            begins=True,
        ),
        Verb(
            "habit",
            re.compile(
                r"\s+(?P<v>(?:learning|taking|doing|playing|going|practi[sc]ing|running|swimming|eating|drinking"
                r"|training|studying|using|having|seeing)\b.*)"
            ),
            begins=True,
        ),
    ),
    "join": (Verb("employer", re.compile(r"\s+(?P<v>[^,;]{1,50}?) as (?:an? )?"), begins=True),),
    "leave": (
        Verb("employer", behind(r"(?:my (?:job|position|role)(?: as [\w ]+)? (?:at|with) |work at )"), stops=True),
        Verb("job", re.compile(r"\s+my (?P<v>job|position)\b"), stops=True),
    ),
    "quit": (
        Verb("employer", behind(r"(?:(?:my|the) (?:job|position|role) (?:at|with) |working (?:at|for) )"), stops=True),
        Verb("job", re.compile(r"\s+(?:my|the) (?P<v>[\w ]*?job)\b|\s+(?:being|working as) (?:an? )?"), stops=True),
        Verb("employer", re.compile(r"\s+working (?:at|for) "), stops=True),
        Verb("home", behind(r"living in\s+"), stops=True),
        Verb("likes", behind(r"(?:liking|loving|enjoying)\s+"), stops=True),
        Verb(
            "habit",
            behind(r"(?:eating|drinking|having|consuming|taking)\s+(?!my\b|off\b|up\b|care\b)"),
            stops=True,
            lists=True,
        ),
        Verb(
            "habit",
            re.compile(
                r"\s+(?P<v>(?:doing |going to |using |playing |with )?(?!up\b|it\b|that\b|at\b|by\b|for\b|being\b"
                r"|to\b|the\b|me\b|him\b|her\b|on\b)[\w'-]+(?: [\w'-]+)*)"
            ),
            stops=True,
        ),
    ),
    "lived": (Verb("home", behind(r"(?:in|at|on)\s+(?P<v>[^,;]+?) (?:since|for|all my life)\b.*"), begins=True),),
    "worked": (Verb("employer", behind(r"(?:at|for)\s+(?P<v>[^,;]+?) since\b.*"), begins=True),),
    "adopt": (Verb("pet", re.compile(rf"\s+(?P<v>(?:an? |{_N} )(?:\w+ ){{0,2}}?(?:{_ANIMALS})\b.*)")),),
    "drive": (Verb("owns", re.compile(r"\s+(?P<v>an? \S.*)"), importance=0.5),),
    "give": (Verb("habit", behind(r"up\s+(?!on\b|hope|my\b|the\b|to\b)"), stops=True),),
    "study": (
        Verb("school", behind(r"(?:[\w ]{1,40} )?at\s+(?!night|home|the (?:library|cafe|moment)|\d)")),
        Verb(
            "school",
            re.compile(
                r"\s+(?:for (?:an?|my) )?(?P<v>(?!an?\b|the\b|and\b|or\b|hard|abroad|a lot|in\b|up\b|for\b|late|every"
                r"|with|at\b|together"
                r"|more|better|here|there|about)[\w &-]+)"
            ),
        ),
        Verb("school", behind(r"in\s+")),
    ),
    "major": (Verb("school", behind(r"in\s+")),),
    "graduate": (Verb("school", re.compile(r"\s+(?P<v>(?:from|in|with|at)\b.*)")),),
    "learn": (
        Verb(
            "skill",
            re.compile(
                r"\s+(?:(?:how )?to\s+)?(?P<v>(?!a lot|better|best|by\b|fast|about|that|the hard|more|from"
                r"|so much|something|how\b|what"
                r"|of\b)\S.*)"
            ),
            lists=True,
        ),
    ),
    "speak": (
        Verb(
            "skill",
            re.compile(
                r"\s+(?P<v>(?:fluent |native |some |a little |a bit of |good |only |both )?(?:english|chinese"
                r"|mandarin|cantonese|spanish|french|german|italian|japanese|korean|portuguese|russian|arabic"
                r"|hindi|dutch|polish|turkish|swedish|norwegian|danish|finnish|greek|thai|vietnamese)\b.*)"
            ),
            lists=True,
        ),
    ),
    "go": (
        Verb("school", re.compile(rf"\s+to\s+(?P<v>(?:[\w'.-]+ ){{0,4}}(?:{_SCHOOL})\b(?: (?:school|of [\w ]+))?)")),
        Verb("habit", re.compile(rf"\s+(?P<v>.*\b{EVER}\b.*)")),
        Verb("name", behind(r"by (?=[a-z]+\s*$)")),
    ),
    "going": (
        Verb("habit", re.compile(r"\s+(?P<v>to the \w+ every .*)")),
        Verb(
            "plan",
            re.compile(
                r"\s+(?P<v>(?:to|on|away|back|home|skiing|camping|hiking)\b(?! (?:be okay|be fine|say|ask|tell you"
                r"|try to|do my best)).*)"
            ),
        ),
    ),
    "plan": (
        Verb("plan", behind(r"(?:to|on|for)\s+(?=.)(?!it\b|that\b)"), lists=True),
        Verb("plan", re.compile(r"\s+(?P<v>(?:an?|my|our|the) .*)")),
    ),
    "intend": (Verb("plan", behind(r"to\s+"), lists=True),),
    "like": (Verb("likes", _DOING, "dislikes", lists=True),),
    "want": (
        Verb(
            "goal",
            re.compile(
                r"\s+to\s+(?P<v>(?!know|ask|hear|see if|thank|talk|spend|chat|discuss|make sure|understand|say|tell"
                r"|share|check|clarify|get your|cancel|be sure|confirm|apologi|find out|help|express|explore"
                r"|emphasi|focus on|learn more|see\b|pause|get (?:this|it|through)|be\b|stop|adjust|forget|use\b|try\b"
                r"|keep|do (?:this|it|that)|start by|go over|review|continue|move on)\S.*)"
            ),
            mine=True,
            importance=0.55,
        ),
    ),
    "prefer": (Verb("likes", _DOING, "dislikes", lists=True),),
    "hate": (Verb("dislikes", _DOING, "", lists=True),),
    "stand": (
        Verb(
            "likes",
            behind(r"(?!up\b|on\b|in\b|by\b|for\b|out\b|at\b|with\b|it\b|that\b|this\b)"),
            "dislikes",
            lists=True,
        ),
    ),
    "have": HAVE_SAYS,
    "own": (Verb("owns", _THING),),
    "keep": (Verb("pet", re.compile(rf"\s+(?P<v>(?:\w+ ){{0,3}}?(?:{_ANIMALS})\b)")),),
    "buy": (Verb("owns", _THING, importance=0.55),),
    "sell": (Verb("owns", _THING, stops=True),),
    "lose": (
        Verb(
            "owns",
            re.compile(r"\s+(?P<v>my (?:wallet|phone|keys?|passport|car|laptop|bag|bike|job|card|ring|watch)\b)"),
            stops=True,
        ),
    ),
    "eat": (Verb("habit", _THING, "diet", lists=True),),
    "touch": (
        Verb(
            "habit",
            re.compile(r"\s+(?P<v>alcohol|meat|pork|beef|coffee|sugar|dairy|gluten|seafood|fish|caffeine|\w+)\b"),
            "diet",
        ),
    ),
    "smoke": (Verb("habit", re.compile(r"(?P<v>).*")),),
    "take": (
        Verb(
            "health",
            re.compile(
                r"\s+(?P<v>.*\b(?:tablets?|pills?|medicine|medication|insulin|mg|antibiotics|drops|statins?"
                r"|metformin|aspirin|ibuprofen|vitamins?|supplements?|inhaler|injections?)\b.*)"
            ),
        ),
        Verb("habit", re.compile(rf"\s+(?P<v>.*(?:\b{EVER}\b|lessons|classes).*)")),
    ),
    "suffer": (Verb("health", behind(r"from\s+"), lists=True),),
    "diagnose": (Verb("health", behind(r"with\s+")),),
    "do": (Verb("habit", re.compile(rf"\s+(?P<v>.*\b{EVER}\b.*)")),),
    "usual": (Verb("habit", re.compile(rf"\s+(?P<v>.*\b{EVER}\b.*)")),),
    "play": (
        Verb(
            "skill",
            re.compile(
                r"\s+(?P<v>(?:the )?(?:piano|guitar|violin|cello|flute|drums|oboe|clarinet|trumpet|saxophone|harp"
                r"|bass|ukulele|chess|go|tennis|football|soccer|basketball|badminton|volleyball|hockey|golf|squash"
                r"|cricket|rugby|table tennis|ping pong)\b.*)"
            ),
        ),
        Verb("habit", re.compile(rf"\s+(?P<v>.*\b{EVER}\b.*)")),
    ),
    "decide": (Verb("decision", re.compile(r"\s+(?P<v>(?:to|on|against|not to|that|for)\s.*)"), lists=True),),
    "choose": (Verb("decision", _THING, lists=True),),
    "book": (Verb("appointment", behind(r"(?=(?:an?|the|my|our|two|three|four|\d)\b)"), lists=True),),
    "promise": (Verb("task", re.compile(r"\s+(?:(?:him|her|them|my \w+|\w+) )?to\s+(?P<v>.*)")),),
    "need": (
        Verb(
            "task",
            re.compile(
                r"\s+to\s+(?P<v>(?!know|ask|understand|vent|talk|hear|be\b|find|figure|get (?:some|this|it"
                r"|through)|see\b|focus|survive|fill|stick|clear|keep|do (?:this|it|that)|make|try|make "
                r"sure"
                r"|think)\S.*)"
            ),
            mine=True,
        ),
    ),
    "weigh": (Verb("amount", re.compile(r"\s+(?P<v>\d[\d.,]*.*)")),),
    "earn": (Verb("amount", re.compile(r"\s+(?P<v>.*\d.*)")),),
    "support": (Verb("likes", re.compile(r"\s+(?P<v>[\w' -]+)")),),
    "marry": (Verb("partner", _THING),),
    "switch": (Verb("habit", re.compile(r"\s+(?:over )?(?:from (?P<x>[^,;]{1,40}?) )?to\s+(?P<v>.*)"), begins=True),),
    "get": (
        Verb(
            "employer",
            re.compile(
                r"\s+(?:hired|employed) (?:by|at) (?P<v>.*)|\s+an? (?:new )?(?:job|position|internship) (?:at"
                r"|with) (?P<w>.*)"
            ),
            begins=True,
        ),
        Verb("family", re.compile(r"\s+(?P<v>(?:married|divorced|engaged)\b.*)")),
        Verb("pet", re.compile(rf"\s+(?P<v>an? (?:\w+ ){{0,2}}?(?:{_ANIMALS})\b.*)")),
        Verb("owns", re.compile(r"\s+(?P<v>an? new \S.*)")),
        Verb("habit", re.compile(rf"\s+(?P<v>up\b.*\b{EVER}\b.*)")),
    ),
}
