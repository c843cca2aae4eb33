"""Ten thousand bodies of whoever may continue a run: not one runs what nobody approved."""

from __future__ import annotations

import random
import unittest
from typing import Any

from agno.approval import approval
from agno.run.base import RunContext
from agno.tools import tool
from agno.tools.function import Function, FunctionCall

from countersign_agno.call import as_agno_reads
from countersign_agno.canonical import NotCanonical, canonical

from .world import World

BODIES = 10_000
VALUES: list[Any] = [
    "orders",
    "Orders",
    "orders ",
    "",
    None,
    "none",
    True,
    "true",
    1,
    1.0,
    2**60,
    "1",
    [],
    ["orders"],
    {},
]


class TenThousandBodies(World):
    def test_none_runs_unless_it_is_what_was_approved(self) -> None:
        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        def drop(table: Any, count: Any = 1) -> str:
            """Drop a table."""
            self.ran.append({"table": table, "count": count})
            return "dropped"

        agent = self.agent(drop, ("drop", {"table": "orders", "count": 1}))
        run = agent.run("Please.", session_id="s")
        self.approve(self.rows()[0])
        honest = run.tools[0].tool_call_id
        chance = random.Random(25)
        functions: dict[str, Any] = {}

        def execute(run_id: Any, call_id: Any, args: dict[str, Any]) -> FunctionCall:
            function = functions.setdefault("drop", drop.model_copy(deep=True))
            function._agent = agent
            function._run_context = RunContext(run_id=run_id, session_id="s")
            call = FunctionCall.model_construct(function=function, arguments=args, call_id=call_id)
            call.execute()
            return call

        for _ in range(BODIES):
            names = chance.choice(
                [["table", "count"], ["table"], ["count"], ["table", "count", "hard"], ["table", "agent"], []]
            )
            args = {name: chance.choice(VALUES) for name in names}
            ids = chance.choice(
                [(run.run_id, honest)] * 4
                + [("other", honest), (run.run_id, "other"), (run.run_id, None), ("", honest)]
            )
            if ids == (run.run_id, honest) and self._is_approved(args):
                continue
            call = execute(*ids, args)
            self.assertEqual(self.ran, [], (ids, args))
            self.assertTrue(call.error, (ids, args))

        execute(run.run_id, honest, {"table": "orders", "count": 1.0})
        self.assertEqual(self.ran, [{"table": "orders", "count": 1}])

    def _is_approved(self, args: dict[str, Any]) -> bool:
        try:
            return canonical(args) == canonical(as_agno_reads({"table": "orders", "count": 1}))
        except NotCanonical:
            return False


class AnFcOfTheirOwn(World):
    def test_a_body_that_brings_an_fc_gets_nowhere(self) -> None:
        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        def drop(table: str) -> str:
            """Drop a table."""
            self.ran.append({"table": table})
            return "dropped"

        entry = drop.entrypoint
        assert entry is not None
        for fc in (None, {}, "x", {"function": {"name": "drop"}, "call_id": "1"}, Function(name="drop")):
            with self.subTest(fc), self.assertRaisesRegex(Exception, "countersign refused: the tool was called by"):
                entry(table="orders", fc=fc)
        with self.assertRaisesRegex(Exception, "countersign refused: the tool was called by"):
            entry("orders")
        self.assertEqual(self.ran, [])


if __name__ == "__main__":
    unittest.main()
