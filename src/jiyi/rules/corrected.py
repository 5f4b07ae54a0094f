"""Sentences that put something right: "my budget isn't 700, it's 800", 预算不是700，是800."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jiyi.rules.found import Found

_LABELS = {
    "name": "name 名字",
    "budget": "budget 预算 預算",
    "birthday": "birthday 生日",
    "age": "age 年龄 年齡",
    "home": "address 地址 住地址 住址",
    "job": "job 职业",
    "employer": "employer 公司",
    "identifier": "number code password email e-mail 号 号码 电话 密码 邮箱",
}
_ATTRIBUTES = {label: attribute for attribute, labels in _LABELS.items() for label in labels.split()}
_ENGLISH = re.compile(
    r"(?:[^,;]{1,20}, )?(?:my|our|the) (?:(?:new|order|phone|account|door|e-?mail|home|first|last) )?"
    r"(?P<label>name|budget|birthday|age|address|job|employer|number|code|password|e-?mail)"
    r" (?:is not|isn't|was not|wasn't) (?P<a>(?:[^,;!?]|,(?=\d))+?)"
    r"(?:(?:,? but (?:rather )?|[,;] *(?:no,? )?(?:it's|it is|it was|rather|i meant) )"
    r"(?P<b>(?:[^,;!?]|,(?=\d))+?))?[.!]*$"
)
_CHINESE = re.compile(
    r"(?:[^，,]{1,10}[，,])?(?:我们?的?)?(?:订单|手机|快递|账|卡)?"
    r"(?P<label>名字|预算|預算|生日|年龄|年齡|住?地址|住址|职业|公司|号码?|电话|密码|邮箱)(?:并)?不是(?P<a>[^，,；;。！!？?]+)"
    r"(?:[，,；;]\s*(?:而|应该|其实)?是(?P<b>[^，,；;。！!？?]+))?[。！!]*$"
)


def corrected(text: str, low: str, start: int, end: int) -> Iterator[Found]:
    """What is not so, as an end, and what is instead; nothing for other sentences."""
    found = _ENGLISH.match(low, start, end) or _CHINESE.match(low, start, end)
    if found is None:
        return
    attribute = _ATTRIBUTES[found["label"]]
    yield Found(attribute, _said(text, found, "a"), ends=True)
    if found["b"]:
        yield Found(attribute, _said(text, found, "b"))


def _said(text: str, found: re.Match[str], name: str) -> str:
    return text[found.start(name) : found.end(name)].strip(" .")
