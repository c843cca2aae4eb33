"""Reads from agno's own database which approvals name a call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any

from .call import Call, execution_in
from .receipt import LONGEST_LIFE_MS
from .refused import Refused

Row = Mapping[str, Any]

_PAGE = 100


@dataclass(frozen=True)
class Asked:
    """Which rows are looked for: those of a run, and for a team's member those of its team in its session too."""

    call: Call
    member_of: str | None
    session: str | None


@dataclass(frozen=True)
class Named:
    """A row that names the call, and its requirement that does."""

    row: Row
    requirement: Mapping[str, Any]


def read(databases: Iterable[Any], asked: Asked) -> list[Named]:
    """All rows that name the call. For code that runs in no event loop. Raises `Refused` if a database fails."""
    found: dict[str, Row] = {}
    for database in databases:
        if _is_async(database):
            with ThreadPoolExecutor(1) as apart:
                rows = apart.submit(asyncio.run, _read_apart(database, asked)).result()
        else:
            rows = _read_sync(database, asked)
        found.update({str(row.get("id")): row for row in rows})
    return _naming(found.values(), asked.call)


async def aread(databases: Iterable[Any], asked: Asked) -> list[Named]:
    """The same for code that runs in an event loop."""
    found: dict[str, Row] = {}
    for database in databases:
        if _is_async(database):
            rows = await _read_async(database, asked)
        else:
            rows = await asyncio.to_thread(_read_sync, database, asked)
        found.update({str(row.get("id")): row for row in rows})
    return _naming(found.values(), asked.call)


def _naming(rows: Iterable[Row], call: Call) -> list[Named]:
    found: list[Named] = []
    for row in rows:
        requirements = row.get("requirements")
        all_of_it = requirements if isinstance(requirements, list) else []
        here = [one for one in all_of_it if isinstance(one, dict) and _names(row, one, call)]
        if len(here) > 1:
            raise Refused("its approval names two calls by the same id, so nobody can tell which is meant")
        found += [Named(row, one) for one in here]
    return found


def _names(row: Row, requirement: Mapping[str, Any], call: Call) -> bool:
    run = requirement.get("member_run_id") or row.get("run_id")
    return run == call.run and execution_in(requirement).get("tool_call_id") == call.call


def _is_async(database: Any) -> bool:
    return iscoroutinefunction(getattr(database, "get_approvals", None))


def _queries(database: Any, asked: Asked) -> list[dict[str, Any]]:
    """What is looked for. agno's own reading knows no session: where we can't ask for it, all rows of a team come."""
    own = [{"run_id": asked.call.run}]
    if asked.member_of is None:
        return own
    within = {"session_id": asked.session} if asked.session and hasattr(database, "db_engine") else {}
    return [*own, {"team_id": asked.member_of, "source_type": "team", **within}]


def _oldest() -> float:
    """A row from before the longest life of a receipt holds none that is good, in epoch seconds."""
    return time.time() - LONGEST_LIFE_MS / 1000


def _is_last(rows: list[Row], query: Mapping[str, Any]) -> bool:
    """True if no page follows that matters."""
    if len(rows) < _PAGE:
        return True
    made = rows[-1].get("created_at")
    return "team_id" in query and isinstance(made, int) and made < _oldest()


def _read_sync(database: Any, asked: Asked) -> list[Row]:
    found: list[Row] = []
    for query in _queries(database, asked):
        if "session_id" in query:
            found += _fetched_sync(database.db_engine, _select(database, query))
            continue
        page, ended = 1, False
        while not ended:
            try:
                rows, _ = database.get_approvals(**query, limit=_PAGE, page=page)
            except Exception as error:  # whatever is wrong there: without the row nothing runs
                raise _unread(error) from None
            found += rows
            page, ended = page + 1, _is_last(rows, query)
    return found


async def _read_async(database: Any, asked: Asked) -> list[Row]:
    found: list[Row] = []
    for query in _queries(database, asked):
        if "session_id" in query:
            found += await _fetched(database.db_engine, [_select(database, query)])
            continue
        page, ended = 1, False
        while not ended:
            try:
                rows, _ = await database.get_approvals(**query, limit=_PAGE, page=page)
            except Exception as error:
                raise _unread(error) from None
            found += rows
            page, ended = page + 1, _is_last(rows, query)
    return found


def _unread(error: Exception) -> Refused:
    if isinstance(error, NotImplementedError):
        return Refused("agno's database keeps no approvals; use SQLite or Postgres")
    return Refused(f"agno's database, which holds its approval, cannot be read ({type(error).__name__}); try again")


async def _read_apart(database: Any, asked: Asked) -> list[Row]:
    """Through a connection of our own: the database's belong to a loop that does not run here."""
    engine = getattr(database, "db_engine", None)
    if engine is None:
        raise Refused("its approval lies in an asynchronous database, which this tool cannot read; make the tool async")
    from sqlalchemy.ext.asyncio import create_async_engine
    from sqlalchemy.pool import NullPool

    own = create_async_engine(engine.url, poolclass=NullPool)
    try:
        return await _fetched(own, [_select(database, query) for query in _queries(database, asked)])
    finally:
        await own.dispose()


async def _fetched(engine: Any, statements: list[Any]) -> list[Row]:
    try:
        async with engine.connect() as connection:
            return [dict(one._mapping) for each in statements for one in await connection.execute(each)]
    except Exception as error:
        raise _unread(error) from None


def _fetched_sync(engine: Any, statement: Any) -> list[Row]:
    try:
        with engine.connect() as connection:
            return [dict(one._mapping) for one in connection.execute(statement)]
    except Exception as error:
        raise _unread(error) from None


def _select(database: Any, query: Mapping[str, Any]) -> Any:
    """The rows that a query asks for; of a team only those that a good receipt may stand in."""
    from sqlalchemy import JSON, BigInteger, Column, MetaData, String, Table, select

    names = ("id", "run_id", "session_id", "team_id", "source_type", "pause_type", "status")
    values = [Column("requirements", JSON), Column("resolution_data", JSON), Column("created_at", BigInteger)]
    place = MetaData(schema=getattr(database, "db_schema", None))
    table = Table(database.approvals_table_name, place, *[Column(name, String) for name in names], *values)
    statement = select(table).where(*(table.c[name] == value for name, value in query.items()))
    return statement.where(table.c.created_at >= _oldest()) if "team_id" in query else statement
