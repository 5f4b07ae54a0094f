"""``about``: what is known about a user, with sources, in the user's language."""

from __future__ import annotations

from collections.abc import Mapping

import click

from jiyi.about import About, Group
from jiyi.cli.app import State, opened, run, shared
from jiyi.cli.indexing import brought_up
from jiyi.cli.output import clean, console, hung, short, write_json
from jiyi.cli.records import short_id, told, whose
from jiyi.cli.values import record_json
from jiyi.commands import PERSON
from jiyi.text import mostly
from jiyi.types import Message, Record

_HEADS: Mapping[str, Mapping[Group, str]] = {
    "en": {
        "always": "Always kept in mind",
        "person": "The person",
        "people": "Family, friends, animals",
        "tastes": "Tastes and habits",
        "plans": "Plans, tasks, events",
        "things": "Things and numbers",
        "other": "Other",
        "entities": "People and things that have a name",
        "relations": "How they are related",
        "topics": "Topics",
        "notes": "Notes",
        "summaries": "Summaries",
        "snapshots": "Snapshot",
    },
    "zh": {
        "always": "始终记着",
        "person": "个人情况",
        "people": "家人、朋友、宠物",
        "tastes": "喜好与习惯",
        "plans": "计划、待办、事件",
        "things": "物品与数字",
        "other": "其他",
        "entities": "提到的人和事物",
        "relations": "它们之间的关系",
        "topics": "主题",
        "notes": "笔记",
        "summaries": "摘要",
        "snapshots": "快照",
    },
}
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "What is known about {user}",
        "nothing": "Nothing is known about {user} yet.",
        "said": "said {when}{where}",
        "corrected": "corrected {when}",
        "where": ", {session}",
        "statement": ", stated",
        "unknown": "at an unknown time",
        "quote": ': "{quote}"',
        "pinned": "pinned",
        "conflict": "contradicted",
        "unverified": "unverified",
        "more": "… and {count} more; `jiyi records` lists them",
        "change": "To correct something: jiyi records edit ID TEXT, pin ID, rm ID",
    },
    "zh": {
        "title": "关于{user}，记得这些",
        "nothing": "还没有记住关于{user}的事。",
        "said": "{when}说过{where}",
        "corrected": "{when}更正",
        "where": "，会话{session}",
        "statement": "，单独陈述",
        "unknown": "时间不详",
        "quote": "：“{quote}”",
        "pinned": "已钉住",
        "conflict": "有矛盾",
        "unverified": "未核实",
        "more": "……另有 {count} 条，见 `jiyi records`",
        "change": "如需更正：jiyi records edit ID 新说法、pin ID、rm ID",
    },
}
_SOURCES = 3  # of a record, the newest
_SHOWN = 20  # records of a group


@click.command()
@click.argument("user", required=False)
@shared
@click.pass_obj
def about(state: State, user: str | None) -> None:
    """Answer "what do you know about me?": what is known about USER, in groups, with where it was said."""

    async def work() -> tuple[str, About]:
        async with opened(state, embedder=None) as memory:
            await brought_up(memory)
            name = await whose(memory, user)
            return name, await memory.about(name)

    name, found = run(work())
    if state.json:
        write_json(about_json(found))
    else:
        show_about(name, found)


def about_json(found: About) -> dict[str, object]:
    """Group -> its records."""
    return {section.group: [record_json(record) for record in section.records] for section in found.sections}


def show_about(user: str, found: About) -> None:
    """Prints what is known, in the language of most of it."""
    from rich.text import Text

    spoken = mostly(record.text for record in found.records)
    words, out = _WORDS[spoken], console()
    if not found.records:
        out.print(clean(f"{words['nothing']} {_WORDS['zh']['nothing']}".format(user=user)))
        return
    out.print(Text(clean(words["title"].format(user=user)), style="bold"))
    for section in found.sections:
        out.print(Text(f"\n{_HEADS[spoken][section.group]}", style="bold"))
        for record in section.records[:_SHOWN]:
            said_so = clean(told(record, found.names)) + _marked(record, words)
            out.print(Text(hung(f"  {short_id(record.id):8}  ", said_so, out.width)), soft_wrap=True)
            for line in _sources(record, found.messages, words)[:_SOURCES]:
                out.print(Text(hung(" " * 12, clean(line), out.width), style="dim"), soft_wrap=True)
        if (more := len(section.records) - _SHOWN) > 0:
            out.print(Text(f"  {words['more'].format(count=more)}", style="dim"))
    out.print(Text(f"\n{words['change']}", style="dim"))


def _marked(record: Record, words: Mapping[str, str]) -> str:
    status = record.data.get("status")
    found = ["pinned"] if record.pinned else []
    found += [status] if isinstance(status, str) and status in words else []
    return f"  [{', '.join(words[name] for name in found)}]" if found else ""


def _sources(record: Record, messages: Mapping[str, Message], words: Mapping[str, str]) -> list[str]:
    """Where it was said: the newest first."""
    lines: list[str] = []
    shown = told(record)
    for source in record.sources if record.kind != "snapshot" else ():
        message = messages.get(source.message_id)
        if message is None:
            continue
        when = f"{message.created_at:%Y-%m-%d}" if message.created_at else words["unknown"]
        if message.kind == "command" and record.data.get("by") == PERSON:
            lines.append(words["corrected"].format(when=when))
            continue
        where = words["where"].format(session=message.session_id) if message.session_id else words["statement"]
        quote = short(source.quote or message.text, 80)
        line = words["said"].format(when=when, where=where)
        lines.append(line + (words["quote"].format(quote=quote) if quote != shown else ""))
    return lines[::-1]
