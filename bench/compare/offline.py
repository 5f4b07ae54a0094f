"""No telemetry and no network for anything that is measured."""

from __future__ import annotations

import os
import socket
from pathlib import Path

SWITCHES = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",
    "OTEL_SDK_DISABLED": "true",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "HF_HUB_OFFLINE": "1",
}
"""Documented switches of the packages that are compared and of those they bring along."""


def environment(home: Path) -> dict[str, str]:
    """The environment of a measuring process; what a package keeps of its own goes to ``home``."""
    slow = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")  # an old kernel would slow NumPy down, for everybody
    kept = {name: value for name, value in os.environ.items() if name not in slow and not name.startswith("JIYI_")}
    return {**kept, **SWITCHES, "MEM0_DIR": str(home / "mem0-home")}


def forbid_network() -> None:
    """From now on every connection that is not local to the process fails, loudly."""

    def refused(self: socket.socket, address: object) -> None:
        raise RuntimeError(f"something tried to reach {address}; nothing here may use the network")

    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, refused)
