"""Coroutines that run where they are called: adding a message waits for the disk and for nothing else.

The sync facade hands its work to an event loop on another thread, and that costs two changes of thread, as much as the
commit itself.  A coroutine that never gives way does not need the loop.  What would wait asks ``here``, and then waits
on the spot, as its caller does anyway; on an event loop the same coroutine leaves the loop free.
"""

from __future__ import annotations

import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from jiyi.errors import JiyiError

T = TypeVar("T")

_thread = threading.local()


def here() -> bool:
    """Whether what runs now was started by ``run`` on this thread, so that it may, and must, wait on the spot."""
    return getattr(_thread, "busy", False)


def check_free(work: Coroutine[Any, Any, object]) -> None:
    """Refuses work of what interrupted this thread in the middle of ``run``.

    Raises:
        JiyiError: says so.
    """
    if here():
        work.close()
        raise JiyiError(
            "this thread is in the middle of adding a message, and was interrupted by a signal handler or finalizer "
            "that uses the memory; note there what is to be done, and do it afterwards"
        )


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that never gives way to an event loop, on the calling thread."""
    check_free(work)
    _thread.busy = True
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    finally:
        _thread.busy = False
    work.close()
    raise RuntimeError(f"{work.__qualname__} waited for an event loop, and there is none here")
