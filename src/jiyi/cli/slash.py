"""What a line that begins with a slash does in a chat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from jiyi.cli.about import about_json, show_about
from jiyi.cli.chatting import Chat
from jiyi.cli.output import console, counted, say, short, show_bar, show_table, when, write_json
from jiyi.cli.recall import show_context, show_hits
from jiyi.cli.records import one_of, short_id
from jiyi.cli.values import hit_json
from jiyi.context import Context
from jiyi.errors import InvalidInput
from jiyi.history import turns
from jiyi.types import Erased, Item, Message

Action = Callable[[Chat, str], Awaitable[None]]


_BACK = "on the record again; what was said meanwhile is gone"


class Leave(Exception):
    """The person wants to go."""


async def obey(chat: Chat, line: str) -> bool:
    """Does what a line asks for; False when it ends the chat.

    Raises:
        InvalidInput: no such command, or a wrong argument.
    """
    name, _, rest = line[1:].partition(" ")
    name = ALIASES.get(name, name)
    if name not in COMMANDS:
        raise InvalidInput(f"/{name}", "there is no such command; /help lists them. To say it, put a space before it")
    try:
        await COMMANDS[name][0](chat, rest.strip())
    except Leave:
        return False
    return True


# -- seeing ---------------------------------------------------------------------------------------------------------


async def _help(chat: Chat, rest: str) -> None:
    if chat.json:
        write_json({name: about for name, (_, about) in COMMANDS.items()}, indent=None)
        return
    names = {target: alias for alias, target in ALIASES.items() if not alias.isascii()}
    rows = [[f"/{name}", f"/{names[name]}" if name in names else "", about] for name, (_, about) in COMMANDS.items()]
    show_table(["command", "中文", "what it does"], rows, whole=["command", "中文"])


async def _why(chat: Chat, rest: str) -> None:
    if rest not in ("", "full"):
        raise InvalidInput("/why", "takes nothing, or `full` for the messages as they were sent")
    found = chat.context or await chat.session.context(max_tokens=chat.max_tokens, allow_partial=True)
    if chat.json:
        write_json(found.to_dict(), indent=None)
    elif rest == "full":
        show_context(found, explain=True)
    else:
        show_sources(found)


def show_sources(found: Context) -> None:
    """Prints where each part of a context was said."""
    rows: list[list[str]] = []
    for block in found.blocks:
        for item in block.items:
            rows += _rows(block.strategy, item, why=block.place == "memory")
    if not rows:
        console().print("nothing: neither this session nor the memory has anything to show")
        return
    show_bar(found)
    show_table(["part", "when", "who", "session", "message", "text"], rows, whole=["when", "who"])
    left = sum(entry.count for entry in found.dropped)
    console().print(f"{left:,} messages left out; `/why full` says which and why" if left else "nothing was left out")


def _rows(strategy: str, item: Item, *, why: bool) -> list[list[str]]:
    # what a relevance is made of is for `/why full`
    reason = f"  <- {item.why.partition(' (')[0]}" if why and item.why else ""
    return [
        [strategy, when(message.created_at), message.name or message.role, _place(message), message.id,
         _words(message) + ("  <- said next to it" if message.id in item.neighbours else reason)]
        for message in item.messages
    ]  # fmt: skip


def _words(message: Message) -> str:
    return (
        short(message.text) if message.seq or message.role != "system" else "(what the model is told, from no session)"
    )


def _place(message: Message) -> str:
    """Where a message stands; the answering prompt stands nowhere."""
    return message.session_id or (f"({message.kind})" if message.seq else "")


async def _search(chat: Chat, rest: str) -> None:
    hits = await chat.memory.search(_given("/search", rest, "a question"), user_id=chat.user)
    if chat.json:
        write_json([hit_json(hit) for hit in hits], indent=None)
    elif hits:
        show_hits(hits, False)
    else:
        console().print("nothing found above the relevance floor")


async def _sessions(chat: Chat, rest: str) -> None:
    found = await chat.memory.sessions(user_id=chat.user)
    if chat.json:
        write_json([{"id": info.id, "messages": info.messages, "title": info.title} for info in found], indent=None)
        return
    rows = [[info.id, f"{info.messages:,}", when(info.updated_at), short(info.title)] for info in found]
    show_table(["session", "messages", "updated", "title"], rows, right=["messages"], whole=["updated"])


# -- changing what is remembered ------------------------------------------------------------------------------------


async def _remember(chat: Chat, rest: str) -> None:
    message = await chat.memory.remember(_given("/remember", rest, "what to remember"), user_id=chat.user)
    say(f"remembered as {message.id}")


async def _forget(chat: Chat, rest: str) -> None:
    words = rest.split()
    if words == ["last"]:
        newest = turns(await chat.session.messages())[-1:]
        ids = [message.id for turn in newest for message in turn]
        if not ids:
            raise InvalidInput("/forget", "nothing was said in this session yet")
        what, where = "the last turn", {"message_ids": ids}
    elif words == ["session"]:
        what, where = f"session {chat.session.id}", {"session_id": chat.session.id}
    elif words == ["everything"]:
        what, where = f"everything of {chat.user}", {}
    elif words:
        what, where = counted(len(words), "message"), {"message_ids": words}
    else:
        raise InvalidInput("/forget", "say what: `last`, `session`, `everything`, or ids as /why and /search show them")
    if chat.session.off_record and words[0] in ("last", "session"):
        raise InvalidInput("/forget", "this is off the record: nothing of it is stored")
    if not await _sure(chat, f"Erase {what} for good? [y/N] "):
        say("nothing was erased")
        return
    erased = await chat.memory.forget(user_id=chat.user, **where)  # pyright: ignore[reportArgumentType]
    chat.context = None
    chat.lines.forget()
    if erased == Erased():
        say("there was nothing of it; nothing was erased")
        return
    say(f"erased {counted(erased.messages, 'message')}")
    if words[0] in ("session", "everything"):
        _go(chat, None)


async def _sure(chat: Chat, question: str) -> bool:
    """Whether the person says yes; Ctrl-C and Ctrl-D say no, and end nothing else."""
    try:
        return (await chat.lines.read(question)).strip().lower() in ("y", "yes", "是")
    except (KeyboardInterrupt, EOFError):
        return False


async def _about(chat: Chat, rest: str) -> None:
    found = await chat.memory.about(chat.user)
    if chat.json:
        write_json(about_json(found), indent=None)
    else:
        show_about(chat.user, found)


async def _wrong(chat: Chat, rest: str) -> None:
    given, _, text = _given("/wrong", rest, "the id of a record, as /about shows it,").partition(" ")
    name = await one_of(chat.memory, chat.user, given)
    if text.strip():
        record = await chat.memory.correct(name, text.strip(), user_id=chat.user)
        say(f"{short_id(record.id)} says now: {short(record.text)}")
    else:
        await chat.memory.delete(name, user_id=chat.user)
        say("deleted; it stays away until the same is said again")
    chat.context = None


async def _pin(chat: Chat, rest: str) -> None:
    name = await one_of(chat.memory, chat.user, _given("/pin", rest, "the id of a record, as /about shows it,"))
    pinned = not (await chat.memory.record(name, user_id=chat.user)).pinned
    record = await chat.memory.pin(name, user_id=chat.user, pinned=pinned)
    say(f"{short_id(record.id)} {'is pinned: it stands in every prompt' if pinned else 'is not pinned any more'}")


async def _off(chat: Chat, rest: str) -> None:
    if chat.kept is not None:
        chat.session, chat.kept, chat.context = chat.kept, None, None
        say(_BACK)
        return
    chat.kept = chat.session
    chat.session, chat.context = chat.memory.session(user_id=chat.user, off_record=True), None
    say("off the record: the memory is read, nothing is stored. /off again goes back")


# -- changing where we are ------------------------------------------------------------------------------------------


async def _recipe(chat: Chat, rest: str) -> None:
    if rest:
        await chat.memory.use_recipe(rest)
        chat.recipe = rest
    say(f"recipe: {chat.recipe}")


async def _user(chat: Chat, rest: str) -> None:
    if rest:
        chat.memory.scope(rest)
        chat.user = rest
        _go(chat, None)
    say(f"user {chat.user}, session {chat.session.id}")


async def _session(chat: Chat, rest: str) -> None:
    if rest:
        _go(chat, None if rest == "new" else rest)
    info = await chat.session.info()
    say(f"session {chat.session.id}, {info.messages if info else 0:,} messages")


def _go(chat: Chat, session_id: str | None) -> None:
    if chat.kept is not None:
        say(_BACK)
    chat.session, chat.kept, chat.context = chat.memory.session(session_id, user_id=chat.user), None, None


async def _retry(chat: Chat, rest: str) -> None:
    await chat.answer(None)


async def _quit(chat: Chat, rest: str) -> None:
    raise Leave


def _given(command: str, rest: str, what: str) -> str:
    if not rest:
        raise InvalidInput(command, f"needs {what} behind it")
    return rest


COMMANDS: dict[str, tuple[Action, str]] = {
    "why": (_why, "where the last answer's context was said; `/why full` shows it as it was sent"),
    "search": (_search, "QUESTION: find what was said"),
    "remember": (_remember, "TEXT: store a statement"),
    "forget": (_forget, "last | session | everything | ID…: erase for good"),
    "about": (_about, "what is known about you, with sources"),
    "wrong": (_wrong, "ID [TEXT]: have a record say TEXT from now on, or be gone"),
    "pin": (_pin, "ID: have a record stand in every prompt, or no longer"),
    "off": (_off, "go off the record, or back on it"),
    "retry": (_retry, "ask for the last answer again, when it broke off or failed"),
    "recipe": (_recipe, "[NAME]: how contexts are composed"),
    "session": (_session, "[ID | new]: go to another session"),
    "sessions": (_sessions, "list your sessions"),
    "user": (_user, "[ID]: be somebody else, in a new session"),
    "help": (_help, "this list"),
    "quit": (_quit, "end the chat"),
}
"""Name -> what it does and how it is explained."""

ALIASES = {
    "为什么": "why",
    "搜索": "search",
    "记住": "remember",
    "忘记": "forget",
    "关于我": "about",
    "不对": "wrong",
    "钉住": "pin",
    "不记录": "off",
    "重试": "retry",
    "配方": "recipe",
    "会话": "session",
    "会话列表": "sessions",
    "用户": "user",
    "帮助": "help",
    "退出": "quit",
    "exit": "quit",
}
