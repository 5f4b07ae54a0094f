"""Ctrl-C while the command line is still being loaded ends it with a line, not with a traceback.

Loading takes longer than much of what is done then, and ``jiyi.cli`` catches nothing before it is there itself; so this
is what the package imports first.  In other programs nothing happens.
"""

from __future__ import annotations

import sys
from pathlib import PurePath
from types import TracebackType

_NAMES = ("jiyi", "jiyi.exe", "jiyi-script.py")


def _is_command() -> bool:
    """Whether this process was started as ``jiyi`` or ``python -m jiyi``, whose ``argv`` is not whole yet."""
    if sys.argv[:1] == ["-m"]:
        return "-m" in sys.orig_argv[:-1] and sys.orig_argv[sys.orig_argv.index("-m") + 1] == "jiyi"
    return bool(sys.argv) and PurePath(sys.argv[0]).name in _NAMES


def _say(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write("jiyi: interrupted; nothing was done\n")
    else:
        sys.__excepthook__(kind, error, where)


if _is_command():
    sys.excepthook = _say
