"""NumPy and numkong when they are installed; imported at the first use, because that takes longer than opening."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any


@cache
def numpy() -> Any:
    """The NumPy module, None when it is not installed."""
    return _module("numpy")


@cache
def numkong() -> Any:
    """The numkong module (integer products with SIMD), None when it is not installed."""
    return _module("numkong")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
