"""English phrases that say something wherever they stand in a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.english_values import cut
from jiyi.rules.english_words import NUMBERS, PETS
from jiyi.rules.found import Clause, Found

_TRIGGER = re.compile(
    r"name|call me|birthday|favou?rite|allergic|allerg|give|killed|makes? me|for me|remind|remember"
    r"|forget|never|don't|do not|always|make sure"
    r"|avoid|budget|spend|cost|pa(?:y|id)|rent|price|afford|salary|\d|[$€£¥]|deadline|due|expire|runs? "
    r"out|appointment|@|address|employer|no more|"
    r"decided|going with|go with|major|blood type|size|dogs?\b|cats?\b|code|password"
)
_NAME = re.compile(
    r"\b(?:my|our) (?:full |first |last |nick|real |user|family )?name(?:'s| is) (?:actually "
    r"|now )?(?:not [\w ]{1,30}?,? but )?(?!not\b)|\bi go by "
)
_CALL = re.compile(
    r"(?:^|\b(?:please|just|can|everyone|everybody|people|friends|they|all) (?:\w+ )?)(?:you can "
    r")?call me "
)
_NO_NAME = re.compile(
    r"(?:back|later|when|at|on|tomorrow|today|tonight|if|before|after|an?|the|crazy|in|as|by|asap|any"
    r"|every|names?|old|lazy|stupid|once|now"
    r"|again|anytime|whatever|for|about|this|next|it|out|up|and|or|please|names)\b"
)
_BIRTHDAY = re.compile(r"\b(?:my|(?P<who>\w+)'s) birthday(?:'s| is|:)(?: on)? (?P<v>[^,;]+)")
_FAVOURITE = re.compile(
    r"\b(?:my|our) (?:all[- ]time )?favou?rite (?:[\w'-]+ ){0,4}?(?:is|are|has always been|was always) "
    r"(?!not)"
)
_ALLERGIC = re.compile(r"^\W*(?:\w+ )?allergic to |\b(?:my )?allerg(?:y|ies)(?: is| are|:) (?:to )?")
_HARMS = re.compile(
    r"^(?P<v>(?!i\b|he\b|she\b|they\b|you\b|that\b|this\b|it\b)[\w' -]{2,40}?) (?:always |really |just "
    r")?(?:gives? me (?:an? )?(?:\w+ )?(?:rash|hives|cramps|headaches?|migraines?|stomach ?aches?"
    r"|heartburn|bloating|reaction|itch\w*)|makes? me (?:sick|sneeze|itch\w*|ill|throw up|break out"
    r"|nauseous)|(?:nearly|almost) killed me|don't agree with me|doesn't agree with me)"
)
_NOT_FOR_ME = re.compile(r"^(?:please )?no (?:more )?(?P<v>[\w' -]{2,40}?) for me\b")
_PET = re.compile(rf"^(?:with )?(?P<v>(?:an?|\d+|{NUMBERS}) (?:\w+ )?(?:{PETS.replace(' ', '|')}))(?: at home)?$")
_REMIND = re.compile(
    r"\b(?:remind me (?:again )?(?:to|about|of|that|on|at|in|tomorrow|tonight|next|every|before"
    r"|when)\b(?! (?:what|who|where|how|which))|don't let me forget(?: to| about| that)?"
    r"|(?:please )?(?:remember|don't forget|do not forget) to|(?:i )?(?:must|should|need to"
    r"|have to) (?:not forget|remember) to?)\s+(?P<v>\S.*)"
)
_RULE = re.compile(
    r"^(?:please |from now on,? |in (?:the )?future,? |and |but )*(?P<v>(?:never|always|do not ever"
    r"|don't ever|under no circumstances|make sure|be sure|avoid)"
    r"\b(?! (?:mind|worries|problem|longer|one|idea|way|thanks|thank|need|rush|doubt|matter|offense"
    r"|been|had|seen|knew|thought|heard|hurts|wonder|hurry|better)\b) \S.*)"
    r"|^(?:please |from now on,? |in (?:the )?future,? )*(?P<w>(?:don't|do not) (?:call|ring|text|mail"
    r"|email|use|send|ship|put|add|mention|contact|include|tell|share|give|leave|schedule|book|"
    r"suggest|recommend|ask|write|speak|knock|park|wake|disturb|let|serve|cook|order|buy|remind|show"
    r"|pass|open|touch|post|publish|deploy|push|deliver|feed)\b.*)"
)
_MONEY = re.compile(
    r"(?P<v>[$€£¥￥]\s?\d[\d,.]*\d?(?:\s?(?:k|m|million|thousand|billion))?\b"
    r"|\b\d[\d,.]*\d?k?\s?(?:dollars?|euros?|pounds?|yuan|rmb|usd|eur|gbp|cny|bucks|quid|cents)\b"
    r"|\b\d[\d,.]*\s?(?:€|£|\$))"
)
_SUM = re.compile(
    r"\b(?:budget|spend(?:ing)?|costs?|pay(?:ing)?|paid|rent|price|afford|salary|earn|salary|deposit"
    r"|fee|putting aside|saved?|saving)\b[^,;]{0,40}?(?<![\w.])(?P<v>\d[\d,.]*\d|\d)(?!\w|[.:]\d| "
    r"?(?:am|pm|%|years|people|days|hours|minutes|weeks|months))"
)
_LIMIT = re.compile(
    r"\b(?:budget|spend|afford|at most|up to|no more than|more than|max(?:imum)?|not more|under|below"
    r"|limit)\b"
)
_DEADLINE = re.compile(
    r"\b(?:deadline|due|expires?|runs? out|must be (?:in|done|submitted|sent)|no later than|valid "
    r"until|hand(?:ed)? in by|needs? to be (?:done|in|submitted|ready))\b"
)
_WHEN = re.compile(
    r"\b(?:on|by|in|until|at|for|before|is|:)? ?(?:(?:next|this|the) )?(?:(?:mon|tues|wednes|thurs|fri"
    r"|satur|sun)day|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|tomorrow|tonight|today|week|month|\d{1,2}(?:st|nd|rd|th)\b|(?<=at )\d|noon"
    r"|midnight|the (?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth))"
)
_MEETING = re.compile(
    r"\b(?:appointment|meeting|interview|exam|flight|train|concert|dentist|doctor|surgery|operation"
    r"|reservation|booking|wedding|party|class|lesson|check-?up|delivery|van|viewing|presentation|bus"
    r"|ferry|tickets?|plumber|movers)\b"
)
_LABEL = (
    r"numbers?|codes?|password|passcode|pin|combination|plate|address|e-?mail|phone|cell|mobile"
    r"|account|locker|order|invoice|parcel|package|tracking|booking|reference|confirmation|id|room"
    r"|seat|gate"
    r"|wi-?fi|serial|model|flat|apartment|unit|space|slot|membership|policy|passport|zip|postcode"
    r"|postal|iban|ticket|case|platform|desk|extension|username|handle|flight|blood type|shoe size"
    r"|size"
)
_ID = re.compile(
    rf"\b(?:my|our|the|at|is|in) (?:[\w'-]+ ){{0,4}}?\b(?:{_LABEL})\b[^,;]{{0,40}}?(?:\s(?:is|are|was|="
    r"|has|number|no\.?|#)|:)\s*(?:number |called |the number |no\.? |now )?(?P<v>[#\w][\w@.:/#+-]*(?: "
    r"(?:negative|positive|[\d-]+))*)"
)
_CODE = re.compile(
    r"(?<![\w.@/-])(?P<v>[a-z]{1,5}-?\d{3,}[\w-]*|[a-z]+-\d{2,}[\w-]*|\+?\d[\d -]{7,}\d"
    r"|[\w.+-]+@[\w-]+\.[\w.-]*\w|#\d{2,})(?![\w@])"
)
_ADDRESS = re.compile(r"\b(?:my|our) (?:[\w-]+ ){0,3}?address(?:'s| is|:)(?: now)? (?P<v>(?![^,;]*@)[^,;]+)")
_ROOM = re.compile(
    r"\b(?:locker|room|space|gate|platform|seat|flat|apartment|order|invoice|row|bus|tram|line|desk"
    r"|slot|bay|unit|size)(?: number| no\.?| a)? (?P<v>#?\d[\w-]*)"
)
_FORGET = re.compile(
    r"^(?:please |you can |just )*(?:forget|delete|erase|disregard|ignore|scratch|remove)\b(?: (?:that"
    r"|what i (?:said|told you) about|about|the (?:fact|thing) that|everything about|fact that|it when "
    r"i said)|(?= (?:my|our|i|i'm|we)\b))\s+(?!to\b|it\b|me\b)(?P<v>\S.*)"
)
_FORGOTTEN = {
    "home": ("address", "home"), "employer": ("job", "employer", "company", "work"), "name": ("name", "nickname"),
    "identifier": ("number", "phone", "email", "code", "password"), "birthday": ("birthday",), "budget": ("budget",),
    "allergy": ("allergy",), "pet": ("dog", "cat", "pet"), "plan": ("plan", "trip"), "appointment": ("appointment",),
}  # fmt: skip
_LABELS = re.compile(
    r"(?:my |the |our )?(?:old |former |previous |home |phone |e-?mail |first |last )*(\w+)(?: at| of| "
    r"is| was| with|:|,)? (?=\S)|$",
    re.I,
)
_DECIDED = re.compile(
    r"\b(?:i've|we've|i|we|i'm|we're|let's|we'll|i'll) (?:(?:finally |all )?(?:decided|agreed"
    r"|settled on|went with|chose|picked|opted for)"
    r"|(?:(?<=let's )|(?<=we'll )|(?<=i'll )|(?<=i'm )|(?<=we're ))go(?:ing)? "
    r"with)\s+(?P<v>(?!your\b|it\b|that\b|you\b)\S.*)"
)
_EMPLOYER = re.compile(
    r"\bmy (?:new |current )?(?:employer|company|workplace)(?:'s| is)(?: now| called)? (?!an?\b|the\b"
    r"|not\b|in\b|going|very|so|really|based|planning)"
)


def phrases(clause: Clause) -> Iterator[Found]:
    """What set phrases of a clause say."""
    low, start, end = clause.low, clause.start, clause.end
    if not _TRIGGER.search(low, start, end):
        return
    piece = low[start:end]
    if forgotten := _FORGET.match(piece):
        value = cut(clause, start + forgotten.start("v"), lists=True)
        label = _LABELS.match(value)
        kind = next((kind for kind, words in _FORGOTTEN.items() if label and label[1].lower() in words), "")
        yield Found(kind, value[label.end() :] if label and kind else value, ends=True)
        return
    yield from _names(clause, piece)
    yield from _orders(clause, piece)
    if (
        any(map(str.isdigit, piece))
        or "password" in piece
        or "@" in piece
        or "wifi" in piece
        or "blood" in piece
        or "address" in piece
    ):
        yield from _numbers(clause, piece)
    if _WHEN.search(piece):
        if _DEADLINE.search(piece):
            yield Found("deadline", clause.said(start, end))
        elif (meeting := _MEETING.search(piece)) and _WHEN.search(piece, meeting.end()):
            yield Found("appointment", clause.said(start + meeting.start(), end))


def _names(clause: Clause, piece: str) -> Iterator[Found]:
    start = clause.start
    for pattern in (_NAME, _CALL):
        if (found := pattern.search(piece)) and not _NO_NAME.match(piece, found.end()):
            value = cut(clause, start + found.end())
            if value and len(value.split()) <= 4:
                yield Found("name", value)
                break
    if found := _BIRTHDAY.search(piece):
        yield Found("birthday", clause.said(start + found.start("v"), start + found.end("v")), found["who"] or "user")
    for attribute, pattern in (("likes", _FAVOURITE), ("allergy", _ALLERGIC), ("employer", _EMPLOYER)):
        if found := pattern.search(piece):
            yield Found(attribute, cut(clause, start + found.end(), lists=attribute != "employer"))
    if found := _HARMS.match(piece):
        yield Found("allergy", cut(clause, start, end=start + found.end("v")))
    elif found := _NOT_FOR_ME.match(piece):
        value = clause.said(start + found.start("v"), start + found.end("v"))
        allergic = "allerg" in clause.low[clause.end : clause.end + 24]
        yield Found("allergy", value) if allergic else Found("diet", value, negated=True)
    elif found := _PET.match(piece):
        yield Found("pet", cut(clause, start + found.start("v"), end=start + found.end("v")))


def _orders(clause: Clause, piece: str) -> Iterator[Found]:
    start = clause.start
    if found := _REMIND.search(piece):
        yield Found("task", clause.said(start + found.start("v"), clause.end), importance=0.9)
    elif clause.first and (found := _RULE.match(piece)):
        group = "v" if found["v"] else "w"
        if not _NOT_FOR_ME.match(piece):
            yield Found("rule", clause.said(start + found.start(group), clause.end))
    if found := _DECIDED.search(piece):
        yield Found("decision", clause.said(start + found.start("v"), clause.end))


def _numbers(clause: Clause, piece: str) -> Iterator[Found]:
    start = clause.start
    money = _MONEY.search(piece) or _SUM.search(piece)
    if money:
        kind = "budget" if _LIMIT.search(piece) else "amount"
        yield Found(kind, clause.said(start + money.start("v"), start + money.end("v")))
        return
    if found := _ADDRESS.search(piece):
        yield Found("home", clause.said(start + found.start("v"), start + found.end("v")))
        return
    for pattern in (_CODE, _ROOM, _ID):
        if found := pattern.search(piece):
            value = clause.said(start + found.start("v"), start + found.end("v"))
            if (
                pattern is not _ID
                or any(map(str.isdigit, value))
                or "password" in piece
                or "wifi" in piece
                or "blood" in piece
            ):
                yield Found("identifier", value)
                return
