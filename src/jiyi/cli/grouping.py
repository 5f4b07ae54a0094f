"""``records merge``, ``split``, ``rename``: people say what is one thing, and what it is called."""

from __future__ import annotations

import click

from jiyi.cli.app import State, shared
from jiyi.cli.records import WHOSE, named, one_of, ordered
from jiyi.engine import AsyncMemory
from jiyi.types import Record


@click.command()
@click.argument("given", metavar="ID")
@click.argument("into", metavar="INTO")
@WHOSE
@shared
@click.pass_obj
def merge(state: State, given: str, into: str, user: str | None) -> None:
    """Say that two entities, or two topics, are one: ID goes into INTO.  `jiyi records recover ID` takes that back."""

    async def order(memory: AsyncMemory, person: str) -> Record:
        ids = [await one_of(memory, person, one) for one in (given, into)]
        return await memory.merge(*ids, user_id=person)

    ordered(state, user, order)


@click.command()
@click.argument("given", metavar="ID")
@click.argument("messages", metavar="MESSAGE...", nargs=-1, required=True)
@click.option("--name", metavar="NAME", help="What the new one is called.")
@WHOSE
@shared
@click.pass_obj
def split(state: State, given: str, messages: tuple[str, ...], name: str | None, user: str | None) -> None:
    """Say that some messages mean another entity of the same name.  They make one of their own.

    `jiyi records show ID` lists the messages.  `jiyi records recover` with the new one's id takes that back.
    """

    async def order(memory: AsyncMemory, person: str) -> Record:
        record = await memory.record(await one_of(memory, person, given), user_id=person)
        there = [source.message_id for source in record.sources]
        ids = [named(one, there) for one in messages]
        return await memory.split(record.id, ids, user_id=person, name=name)

    ordered(state, user, order)


@click.command()
@click.argument("given", metavar="ID")
@click.argument("name", metavar="NAME")
@WHOSE
@shared
@click.pass_obj
def rename(state: State, given: str, name: str, user: str | None) -> None:
    """Say what an entity or topic is called.  It is still found by its other names."""

    async def order(memory: AsyncMemory, person: str) -> Record:
        return await memory.rename(await one_of(memory, person, given), name, user_id=person)

    ordered(state, user, order)
