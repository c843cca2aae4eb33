"""Marks of calls that began: set before the body runs, in a store that all hosts share, so that each runs once."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import Any, Protocol

from .receipt import LONGEST_LIFE_MS
from .refused import Refused

# Longer than a receipt lives, with its skew and a clock that was set.
_KEEP_MS = LONGEST_LIFE_MS + 2 * 24 * 3_600_000


class Marks(Protocol):
    """A store of marks."""

    def set(self, key: str, decision: str) -> bool:
        """Marks a call. False if it was marked before. Raises `Refused` if the store cannot be reached."""
        ...


def open_marks(place: str) -> Marks:
    """The store at a path or a `redis://` (`rediss://`, `unix://`) URL. Opens nothing yet."""
    if "://" not in place:
        return SqliteMarks(place)
    if place.startswith(("redis://", "rediss://", "unix://")):
        return RedisMarks(place)
    raise Refused(f"the gate's marks are to be a file or a redis:// address, not {place.split('://')[0]}://")


class SqliteMarks:
    """Marks in a SQLite file, for tools that all run on one host."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._purged = 0.0

    def set(self, key: str, decision: str) -> bool:
        now = int(time.time() * 1000)
        try:
            with closing(sqlite3.connect(self._path, timeout=10, isolation_level=None)) as database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = FULL")
                database.execute("CREATE TABLE IF NOT EXISTS marks (key TEXT PRIMARY KEY, decision TEXT, at INTEGER)")
                self._purge(database, now)
                added = database.execute("INSERT OR IGNORE INTO marks VALUES (?, ?, ?)", (key, decision, now))
                return added.rowcount == 1
        except sqlite3.Error as error:
            raise Refused(
                f"the marks of calls that ran, {self._path}, cannot be written ({error}); mend that"
            ) from None

    def _purge(self, database: sqlite3.Connection, now: int) -> None:
        if time.monotonic() - self._purged < 3_600 and self._purged:
            return
        database.execute("DELETE FROM marks WHERE at < ?", (now - _KEEP_MS,))
        self._purged = time.monotonic()


class RedisMarks:
    """Marks in a Redis that all hosts share; needs the extra `[redis]`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: Any = None

    def set(self, key: str, decision: str) -> bool:
        try:
            return self._connected().set(f"countersign:gate:{key}", decision, nx=True, px=_KEEP_MS) is True
        except Refused:
            raise
        except Exception as error:  # whatever is wrong there: without a mark nothing runs
            name = type(error).__name__
            raise Refused(f"the Redis with the marks of calls that ran does not answer ({name}); mend that") from None

    def _connected(self) -> Any:
        if self._client is None:
            try:
                import redis
            except ImportError:
                raise Refused("marks in Redis need the package redis; install countersign-agno[redis]") from None
            # Never repeated: a repetition would find the mark that it set itself, and the call would never run.
            self._client = redis.Redis.from_url(self._url, socket_timeout=5, socket_connect_timeout=5, retry=None)
        return self._client
