"""Which rows of agno's database name a call, and what they must say together."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

from agno.db.sqlite import AsyncSqliteDb, SqliteDb

from countersign_agno.call import Call
from countersign_agno.permit import permit_by_receipt, permit_by_rows
from countersign_agno.refused import Refused
from countersign_agno.rows import Asked, aread, read
from countersign_agno.settings import Key, Settings

from .signing import DAY_MS, Signer, claims_of, digest_of

MEMBER = Call("run-member", "call-1", "member-1", None, "drop")
OWN = {"run": "run-member", "call": "call-1", "agent": "member-1", "team": None, "tool": "drop"}
ARGS = {"table": "orders"}


def requirement(call: str = "call-1", run: str | None = None, **execution: Any) -> dict[str, Any]:
    said = {"tool_call_id": call, "tool_name": "drop", "tool_args": ARGS, "requires_confirmation": True}
    return {"tool_execution": {**said, **execution}, **({} if run is None else {"member_run_id": run})}


def row(name: str, run: str, *requirements: dict[str, Any], **more: Any) -> dict[str, Any]:
    base = {"id": name, "run_id": run, "team_id": None, "source_type": "agent", "status": "approved"}
    return {**base, "created_at": int(time.time()), "requirements": list(requirements), **more}


class Database:
    """Rows as agno's databases give them: filtered, page by page, the newest first."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        self.rows = rows
        self.asked: list[dict[str, Any]] = []

    def get_approvals(self, *, limit: int, page: int, **query: Any) -> tuple[list[dict[str, Any]], int]:
        self.asked.append({**query, "page": page})
        found = [one for one in self.rows if all(one[name] == value for name, value in query.items())]
        return found[limit * (page - 1) : limit * page], len(found)


class RowsThatNameACall(unittest.TestCase):
    def names(self, *rows: dict[str, Any], team: str | None = "team-1") -> list[str]:
        return [one.row["id"] for one in read([Database(*rows)], Asked(MEMBER, team, None))]

    def test_are_those_of_its_run_that_name_it(self) -> None:
        others = row("other", "run-member", requirement("call-2")), row("none", "run-member")

        self.assertEqual(self.names(row("own", "run-member", requirement()), *others), ["own"])

    def test_are_for_a_member_those_of_its_team_that_name_its_run(self) -> None:
        of_team = {"team_id": "team-1", "source_type": "team"}
        second = row("second", "run-team", requirement(run="run-member"), **of_team)
        elsewhere = row("elsewhere", "run-team", requirement(run="run-other"), **of_team)

        self.assertEqual(self.names(second, elsewhere), ["second"])
        self.assertEqual(self.names(second, elsewhere, team=None), [])

    def test_are_looked_for_page_by_page_as_far_back_as_a_receipt_lives(self) -> None:
        of_team = {"team_id": "team-1", "source_type": "team"}
        fresh = [row(f"r{at}", "run-team", **of_team) for at in range(150)]
        old = [row(f"o{at}", "run-team", **of_team, created_at=1) for at in range(500)]
        database = Database(*fresh, *old, row("found", "run-team", requirement(run="run-member"), **of_team))

        self.assertEqual(read([database], Asked(MEMBER, "team-1", None)), [])
        self.assertEqual([one["page"] for one in database.asked], [1, 1, 2])

    def test_of_several_databases_count_together_each_row_once(self) -> None:
        own = row("own", "run-member", requirement())

        self.assertEqual(len(read([Database(own), Database(own)], Asked(MEMBER, None, "s"))), 1)

    def test_of_a_database_that_fails_or_keeps_none_let_nothing_run(self) -> None:
        class Failing:
            def get_approvals(self, **_: Any) -> Any:
                raise self.error

            error: Exception = OSError("away")

        with self.assertRaisesRegex(Refused, r"cannot be read \(OSError\); try again"):
            read([Failing()], Asked(MEMBER, None, "s"))
        Failing.error = NotImplementedError()
        with self.assertRaisesRegex(Refused, "keeps no approvals; use SQLite or Postgres"):
            read([Failing()], Asked(MEMBER, None, "s"))


class RowsOfATeam(unittest.TestCase):
    """In agno's own databases, which have an index of sessions."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.file = str(Path(folder.name) / "agno.db")
        self.db = SqliteDb(db_file=self.file)

    def team_row(self, name: str, session: str = "session-1", **more: Any) -> None:
        of_team = {"team_id": "team-1", "source_type": "team", "session_id": session, "pause_type": "confirmation"}
        self.db.create_approval(row(name, "run-team", requirement(run="run-member"), **{**of_team, **more}))

    def spoil(self, name: str) -> None:
        """Whoever reads this row fails."""
        with sqlite3.connect(self.file) as raw:
            raw.execute("UPDATE agno_approvals SET requirements = '{' WHERE id = ?", (name,))

    def names(self, database: Any) -> list[str]:
        return sorted(one.row["id"] for one in read([database], Asked(MEMBER, "team-1", "session-1")))

    def test_are_read_of_the_session_of_the_call_alone_as_far_back_as_a_receipt_lives(self) -> None:
        self.team_row("pending", status="pending")
        self.team_row("approved")
        self.team_row("elsewhere", "session-2")
        self.team_row("old", created_at=int(time.time()) - 8 * 86_400)
        for name in ("elsewhere", "old"):
            self.spoil(name)

        self.assertEqual(self.names(self.db), ["approved", "pending"])
        self.assertEqual(self.names(AsyncSqliteDb(db_file=self.file)), ["approved", "pending"])
        for database in (self.db, AsyncSqliteDb(db_file=self.file)):
            found = asyncio.run(aread([database], Asked(MEMBER, "team-1", "session-1")))
            self.assertEqual(sorted(one.row["id"] for one in found), ["approved", "pending"])

    def test_that_cannot_be_read_let_nothing_run(self) -> None:
        self.team_row("broken")
        self.spoil("broken")

        for database in (self.db, AsyncSqliteDb(db_file=self.file)):
            with self.assertRaisesRegex(Refused, r"cannot be read \(\w+\); try again"):
                self.names(database)


class WhatRowsMustSay(unittest.TestCase):
    def setUp(self) -> None:
        self.signer = Signer()
        public = self.signer.public
        key = Key(public["kid"], "EdDSA", public["x"], None, None, None)
        self.settings = Settings("test", None, False, {key.kid: key}, "marks.db")
        self.now = int(time.time() * 1000)

    def held(self, found: dict[str, Any], **changes: Any) -> dict[str, Any]:
        receipt = self.signer.sign(claims_of(found, [digest_of(OWN, ARGS)], **changes))
        return {**found, "resolution_data": {"countersign": {"receipt": receipt}}}

    def permit(self, *rows: dict[str, Any], call: Call = MEMBER) -> str:
        named = read([Database(*rows)], Asked(call, "team-1", "s"))
        return permit_by_rows(call, ARGS, named, self.settings, self.now).receipt.approval

    def test_one_that_holds_its_receipt_lets_it_run(self) -> None:
        self.assertEqual(self.permit(self.held(row("own", "run-member", requirement()))), "own")

    def test_each_row_that_names_it_must_be_approved(self) -> None:
        of_team = {"team_id": "team-1", "source_type": "team"}
        own = self.held(row("own", "run-member", requirement()))
        for status, why in (("pending", "still pending"), ("rejected", "was rejected"), ("expired", "is 'expired'")):
            other = row("team", "run-team", requirement(run="run-member"), **of_team, status=status)
            with self.subTest(status), self.assertRaisesRegex(Refused, why):
                self.permit(own, other)

    def test_a_row_about_a_later_call_that_names_it_as_done_changes_nothing(self) -> None:
        of_team = {"team_id": "team-1", "source_type": "team"}
        own = self.held(row("own", "run-member", requirement()))
        later = row("team", "run-team", requirement(run="run-member", result="dropped"), **of_team, status="pending")

        self.assertEqual(self.permit(own, later), "own")

    def test_one_of_two_approved_rows_has_to_hold_the_receipt(self) -> None:
        of_team = {"team_id": "team-1", "source_type": "team"}
        bare = row("own", "run-member", requirement())
        other = row("team", "run-team", requirement(run="run-member"), **of_team)

        self.assertEqual(self.permit(bare, self.held(other)), "team")
        with self.assertRaisesRegex(Refused, "holds no receipt"):
            self.permit(bare, other)

    def test_no_row_and_only_rows_that_say_it_is_done_let_nothing_run(self) -> None:
        with self.assertRaisesRegex(Refused, "nobody was asked for this call"):
            self.permit()
        with self.assertRaisesRegex(Refused, "it has run already"):
            self.permit(self.held(row("own", "run-member", requirement(result="dropped"))))

    def test_a_receipt_that_is_handed_in_covers_its_call_alone(self) -> None:
        text = self.signer.sign(claims_of({"id": "own"}, [digest_of(OWN, ARGS)]))

        found = permit_by_receipt(MEMBER, ARGS, text, self.settings, self.now)

        self.assertEqual(found.approvers, ("bob@example.com",))
        with self.assertRaisesRegex(Refused, "for another call, or for other arguments"):
            permit_by_receipt(MEMBER, {"table": "users"}, text, self.settings, self.now)
        with self.assertRaisesRegex(Refused, "has expired"):
            permit_by_receipt(MEMBER, ARGS, text, self.settings, self.now + DAY_MS + 120_000)


if __name__ == "__main__":
    unittest.main()
