"""The SQLite file: opening, migrating, driver errors made into ours, and the bytes after an erasure."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from jiyi.errors import InvalidInput, NotFound, StoreBusy, StoreCorrupt, StoreError, StoreTooNew

APPLICATION_ID = 0x4A495949  # "JIYI"
MIGRATIONS = ("sqlite.sql", "checkpoints.sql", "generation.sql", "derivation.sql", "records.sql", "links.sql")
"""One script for each schema version, from 1; a released one never changes."""

_CACHE_KIB = 8_192  # page cache of one connection
_MERGED = 500  # pages of the full-text index rewritten in one transaction
_NOT_OURS = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_HELD = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_CLOSED_TO_US = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}

_log = logging.getLogger("jiyi.stores")


# -- errors ----------------------------------------------------------------------------------------------------------


def wrap(error: Exception, path: Path) -> Exception:
    """The error that a caller gets for one that the driver raised; ours pass through."""
    if isinstance(error, UnicodeEncodeError):
        return InvalidInput("text", "half a character (a lone surrogate) cannot be stored; replace it")
    if isinstance(error, (OverflowError, sqlite3.DataError)):
        return InvalidInput("value", f"too large for SQLite ({error}); at most 1 GB of text and 64-bit numbers")
    if not isinstance(error, sqlite3.Error):
        return error
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _HELD:
        return StoreBusy(
            f"{path} is locked by another program; nothing was changed. Close that program or let it finish its "
            "transaction, then try again, or open with a longer timeout"
        )
    if code in _NOT_OURS:
        return StoreCorrupt(
            f"{path} is not a database or is damaged ({error}). Restore a backup (jiyi restore), or give another path"
        )
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"no room left for {path}; nothing was changed. Free space on that disk, then try again")
    if code in _CLOSED_TO_US:
        return StoreError(
            f"{path} cannot be opened for writing ({error}); nothing was changed. Make the file and its directory "
            "exist and be writable"
        )
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(f"reading or writing {path} failed ({error}); nothing was changed. Check the disk")
    return StoreError(f"{path}: {error}")


@contextmanager
def wrapped(path: Path) -> Generator[None]:
    """Lets no driver error out."""
    try:
        yield
    except Exception as error:
        ours = wrap(error, path)
        if ours is error:
            raise
        raise ours from error


# -- opening ---------------------------------------------------------------------------------------------------------


def connect(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection with the settings that every one of ours has; transactions are written out."""
    db = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False, cached_statements=256)
    try:
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA secure_delete = ON")
        db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    except BaseException:
        db.close()
        raise
    return db


def prepare(path: Path, timeout: float) -> sqlite3.Connection:
    """Opens a file, makes or migrates the schema, and returns the connection.

    Raises:
        StoreCorrupt: not a database, or another program's.
        StoreTooNew: its schema is newer than this code.
        StoreBusy: another program holds it for longer than ``timeout``.
    """
    with wrapped(path):
        db = connect(path, timeout)
        try:
            db.execute("BEGIN")
            _recognise(db, path)
            db.execute("COMMIT")
            _retry(lambda: db.execute("PRAGMA journal_mode = WAL").fetchone(), timeout)
            _migrate(db, path)
        except BaseException:
            db.close()
            raise
        return db


def _recognise(db: sqlite3.Connection, path: Path) -> int:
    """The schema version; 0 for an empty file.  Inside a transaction: another process may be making the schema."""
    ours = db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if not ours:
        if version or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise StoreCorrupt(f"{path} is a database of another program; give another path")
        return 0
    if version > len(MIGRATIONS):
        raise StoreTooNew(
            f"{path} was made by a newer version of Jiyi (schema {version}, this one knows {len(MIGRATIONS)}); "
            "upgrade with: pip install --upgrade jiyi"
        )
    return version


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    if db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS):
        return
    from importlib.resources import files

    db.execute("BEGIN IMMEDIATE")
    try:
        for script in MIGRATIONS[_recognise(db, path) :]:  # none when another process was faster
            for statement in _statements(files("jiyi.stores").joinpath(script).read_text("utf-8")):
                db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """The statements one by one: ``executescript`` would commit what is open."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _retry(action: Callable[[], object], seconds: float) -> None:
    """Changing the journal mode does not wait for a lock by itself."""
    until = time.monotonic() + seconds
    while True:
        try:
            action()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _HELD or time.monotonic() > until:
                raise
            time.sleep(0.01)


# -- upkeep ----------------------------------------------------------------------------------------------------------


def merge_postings(db: sqlite3.Connection, *, first: bool) -> bool:
    """Rewrites a part of the full-text index without what was deleted, about two megabytes; False when all is done.

    A deleted term stays in the index's older parts until they are merged.  A negative size starts a merge of all
    parts; a step that changes less than two rows was the last one (the counts are those of the FTS5 documentation).
    """
    before = db.total_changes
    size = -_MERGED if first else _MERGED
    db.execute("INSERT INTO postings (postings, rank) VALUES ('merge', ?)", (size,))
    return db.total_changes - before >= 2


def truncate_log(db: sqlite3.Connection) -> bool:
    """Moves everything from the write-ahead log into the file and empties the log; False when a reader holds it."""
    usual = db.execute("PRAGMA busy_timeout").fetchone()[0]
    db.execute("PRAGMA busy_timeout = 20")
    try:
        return db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in _HELD:
            raise
        return False
    finally:
        db.execute(f"PRAGMA busy_timeout = {usual}")


def warn_log_held(path: Path) -> None:
    """Says that erased bytes are still in the log, and what ends that."""
    _log.warning(
        "%s: erased, and no query finds it any more, but another connection is reading, so the erased bytes are still "
        "in %s-wal; they go when that reader is done: at the next erasure or when this store is closed", path, path,
    )  # fmt: skip


def backup(path: Path, target: Path, timeout: float) -> None:
    """Copies the database while others use it: into a file beside ``target``, synced, then renamed over it.

    Raises:
        InvalidInput: ``target`` is the database itself, or one that is open.
    """
    target = target.absolute()
    if target.exists() and os.path.samefile(path, target):
        raise InvalidInput("target", "is the database itself; give another path")
    log = target.with_name(target.name + "-wal")
    if log.exists() and log.stat().st_size:
        raise InvalidInput("target", f"{target} is a database in use; give another path, or close it first")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with wrapped(target), closing(connect(path, timeout)) as source, closing(sqlite3.connect(part)) as copy:
            source.backup(copy)
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, target)
        _sync_directory(target.parent)
    except OSError as error:
        if isinstance(error, StoreBusy):
            raise
        raise StoreError(f"the backup {target} could not be written ({error}); what was there is unchanged") from error
    finally:
        for leftover in (part, part.with_name(part.name + "-journal"), part.with_name(part.name + "-wal")):
            leftover.unlink(missing_ok=True)


def restore(copy: Path, path: Path, timeout: float) -> None:
    """Puts a backup in the place of a database; what was there, if anything, is replaced when the copy is whole.

    Raises:
        NotFound: there is no such backup.
        StoreCorrupt: it is not a database of Jiyi.
        StoreTooNew: a newer version made it.
        InvalidInput: the database is open somewhere.
    """
    path = path.absolute()
    if not copy.is_file():
        raise NotFound(f"there is no backup {copy}")
    with wrapped(copy), closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as db:
        if _recognise(db, copy) == 0:
            raise StoreCorrupt(f"{copy} is an empty file, not a backup; give another path")
    if path.exists():
        try:  # the last one to close a sound database takes its log along; what a killed process left goes this way
            prepare(path, min(timeout, 1.0)).close()
        except StoreCorrupt:
            for leftover in ("-wal", "-shm"):
                path.with_name(path.name + leftover).unlink(missing_ok=True)
    if path.with_name(path.name + "-wal").exists():
        raise InvalidInput("url", f"{path} is in use; close every program that has it open, then restore again")
    backup(copy, path, timeout)


def copy(path: Path, target: Path, timeout: float) -> None:
    """Copies a database to a file that is not there yet, and changes nothing of it: not even its log is ended.

    Raises:
        NotFound: there is no such database.
        StoreCorrupt: it is not one of Jiyi.
        StoreTooNew: a newer version made it.
    """
    if not path.is_file():
        raise NotFound(f"there is no database {path.absolute()}; name another with --db or JIYI_DB")
    # a reader that may not write leaves an empty log behind where there was none
    mode = "ro" if path.with_name(path.name + "-wal").exists() else "rw"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    with wrapped(path), closing(sqlite3.connect(address, uri=True, timeout=timeout)) as db:
        db.execute("PRAGMA query_only = 1")
        if _recognise(db, path) == 0:
            raise StoreCorrupt(f"{path} is an empty file, not a database; give another path")
        with closing(sqlite3.connect(target)) as copied:
            db.backup(copied)


def _sync_directory(directory: Path) -> None:
    """Makes a rename durable, where directories can be opened."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
