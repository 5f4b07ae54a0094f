"""One daemon thread that runs an event loop for all memories of the process, for code that does not await.

So this works inside notebooks and running loops, and a script that forgets ``close()`` still exits.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from jiyi import inline
from jiyi.errors import JiyiError

T = TypeVar("T")

_starting = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def _running_loop() -> asyncio.AbstractEventLoop:
    """The loop of all memories; its thread ends with the process."""
    global _loop, _thread
    with _starting:
        if _loop is None:
            loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=loop.run_forever, name="jiyi", daemon=True)
            _thread.start()
            _loop = loop
        return _loop


def _start_anew() -> None:
    """A forked child has its parent's loop but not its thread, and perhaps a lock that the parent held."""
    global _starting, _loop, _thread
    _starting, _loop, _thread = threading.Lock(), None, None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)


def run(work: Coroutine[Any, Any, T], *, here: bool = False) -> T:
    """Runs a coroutine on the loop's thread; an interrupt cancels it there before it is passed on.

    Args:
        work: the coroutine.
        here: on the calling thread instead: it adds to a store that needs no loop for that.
    """
    if threading.current_thread() is _thread:
        work.close()
        raise JiyiError(
            "this runs inside the memory (a callback, strategy or embedder), where a call that waits for the memory "
            "would never return; use AsyncMemory there, or call it afterwards"
        )
    if here:
        return inline.run(work)
    inline.check_free(work)
    future = asyncio.run_coroutine_threadsafe(work, _running_loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def elsewhere(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine on the loop's thread, for who awaits on another loop; cancelled there when it is given up here.

    A ``Memory`` may so be used from any loop on any thread: frameworks call both ways, and from wherever they are.
    """
    loop = _running_loop()
    if asyncio.get_running_loop() is loop:
        return await work
    inline.check_free(work)
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))
