"""The gate around real tools of agno: the approved call runs, once, and no other."""

from __future__ import annotations

import asyncio
import threading
import unittest
from collections.abc import AsyncIterator, Iterator
from copy import deepcopy
from typing import Any

from agno.approval import approval
from agno.db.sqlite import AsyncSqliteDb
from agno.tools import Toolkit, tool
from agno.tools.function import Function

from countersign_agno import Approved, Gate, approved

from .signing import Signer
from .world import World


class Gated(World):
    """A gated tool that deletes somebody's data."""

    def setUp(self) -> None:
        super().setUp()
        self.seen: list[Approved | None] = []
        self.tool = self.deleting_tool(self.gate)
        self.deleting = self.agent(self.tool, ("delete_user_data", {"user_id": "U-1"}))

    def deleting_tool(self, gate: Gate) -> Any:
        @gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        def delete_user_data(user_id: str, hard: bool = False) -> str:
            """Delete a user's data."""
            self.ran.append({"user_id": user_id, "hard": hard})
            self.seen.append(approved())
            return f"deleted {user_id}"

        return delete_user_data

    def paused(self, agent: Any = None) -> Any:
        run = (agent or self.deleting).run("Please.", session_id="s")
        self.assertEqual(str(run.status), "RunStatus.paused")
        return run

    def go_on(self, run: Any, tools: Any) -> Any:
        """Continues a run with these calls."""
        return self.deleting.continue_run(run_response=self.with_tools(run, tools), session_id="s")

    def own(self, run: Any, **changes: Any) -> list[Any]:
        """Tools as an attacker sends them: confirmed by themselves."""
        tools = deepcopy(run.tools)
        for one in tools:
            one.confirmed = True
            for name, value in changes.items():
                setattr(one, name, value)
        return tools  # type: ignore[no-any-return]


class TheHonestCall(Gated):
    def test_an_approved_call_runs_and_may_read_who_approved_it(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0])

        ended = self.go_on(run, self.own(run))

        self.assertEqual(self.ran, [{"user_id": "U-1", "hard": False}])
        self.assertEqual(self.result_of(ended), "deleted U-1")
        seen = self.seen[0]
        assert seen is not None
        self.assertEqual((seen.approvers, seen.reason, seen.values), (("bob@example.com",), "looks good", {}))
        self.assertEqual(seen.idempotency_key, f"{seen.receipt.decision}:{run.tools[0].tool_call_id}")
        self.assertIsNone(approved())

    def test_the_model_sees_the_tool_as_without_a_gate(self) -> None:
        @approval
        @tool(requires_confirmation=True)
        def delete_user_data(user_id: str, hard: bool = False) -> str:
            """Delete a user's data."""
            return ""

        delete_user_data.process_entrypoint()  # as agno does for each run
        self.assertEqual(self.tool.to_dict(), delete_user_data.to_dict())

    def test_an_approved_call_runs_in_an_event_loop_and_in_a_stream(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0])

        async def go_on() -> list[Any]:
            own = self.with_tools(run, self.own(run))
            events = self.deleting.acontinue_run(run_response=own, session_id="s", stream=True, stream_events=True)
            return [one async for one in events]

        self.assertIn("ToolCallCompleted", [one.event for one in asyncio.run(go_on())])
        self.assertEqual(len(self.ran), 1)

    def test_each_key_of_the_file_counts_and_p256_too(self) -> None:
        other = Signer("ES256")
        self.write_file(keys=[self.signer.public, other.public])
        run = self.paused()
        self.approve(self.rows()[0], signer=other)

        self.go_on(run, self.own(run))

        self.assertEqual(len(self.ran), 1)


class Attacks(Gated):
    def test_other_arguments_than_those_approved_do_not_run(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0])

        for args in ({"user_id": "U-2"}, {"user_id": "U-1", "hard": True}, {}, {"user_id": ["U-1"]}, {"user_id": 1}):
            with self.subTest(args):
                ended = self.go_on(run, self.own(run, tool_args=args))
                self.refused(ended, "its arguments are not those that were approved")
                run = self._again()

    def _again(self) -> Any:
        run = self.paused()
        self.approve(self.rows()[-1])
        return run

    def test_a_call_that_nobody_was_asked_for_does_not_run(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0])

        ended = self.go_on(run, self.own(run, tool_call_id="call_made_up"))

        self.refused(ended, "nobody was asked for this call")

    def test_a_call_without_id_does_not_run(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0])

        ended = self.go_on(run, self.own(run, tool_call_id=None))

        self.refused(ended, "agno gave the call no id")

    def test_pending_and_rejected_calls_do_not_run(self) -> None:
        run = self.paused()
        ended = self.go_on(run, self.own(run))
        self.refused(ended, "its approval is still pending")

        run = self.paused()
        self.resolve(self.rows()[-1], self.signer.sign({}, "rejection"), status="rejected")
        self.refused(self.go_on(run, self.own(run)), "the call was rejected")

    def test_the_row_may_say_approved_but_not_without_a_receipt_of_an_approval(self) -> None:
        cases: list[tuple[str, dict[str, Any], str]] = [
            ("rejection", {}, "the call was rejected"),
            ("checkpoint", {}, "what stands in place of its receipt is none that this gate knows"),
            ("sandbox-approval", {"sandbox": True}, "it was approved in a sandbox"),
            ("approval", {"sandbox": True}, "its receipt says something else than its type"),
            ("approval", {"verdict": "reject"}, "its receipt says something else than its type"),
            ("approval", {"version": 3}, "its receipt is of version 3"),
            ("approval", {"installation": "other"}, "it was approved at another installation than 'test'"),
            ("approval", {"approval": "other"}, "its receipt belongs to another approval"),
            ("approval", {"calls": []}, "its receipt is not about this call of delete_user_data"),
            ("approval", {"at": 1, "expires": 2}, "its approval has expired; ask for a new one"),
            ("approval", {"expires": 1 << 52}, "its receipt says that it is good for longer than any may be"),
            ("approval", {"at": 1 << 51, "expires": (1 << 51) + 1}, "its receipt comes from the future"),
        ]
        for purpose, changes, why in cases:
            with self.subTest(purpose=purpose, **changes):
                run = self.paused()
                self.approve(self.rows()[-1], purpose=purpose, **changes)
                self.refused(self.go_on(run, self.own(run)), why)

    def test_a_decision_outside_countersign_does_not_count(self) -> None:
        run = self.paused()
        self.resolve(self.rows()[0], None)

        self.refused(self.go_on(run, self.own(run)), "its approval holds no receipt")

    def test_a_receipt_of_another_key_or_with_a_changed_letter_does_not_hold(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0], signer=Signer())
        self.refused(self.go_on(run, self.own(run)), "its receipt is signed by a key that this gate does not pin")

        run = self.paused()
        stranger = Signer()
        stranger.kid = self.signer.kid
        self.approve(self.rows()[-1], signer=stranger)
        self.refused(self.go_on(run, self.own(run)), "the signature of its receipt does not hold")

    def test_a_key_counts_only_while_it_is_in_force(self) -> None:
        for window in ({"not_after": "2020-01-01T00:00:00Z"}, {"not_before": "2120-01-01T00:00:00Z"}):
            with self.subTest(window):
                self.write_file(keys=[{**self.signer.public, **window}])
                run = self.paused()
                self.approve(self.rows()[-1])
                self.refused(self.go_on(run, self.own(run)), "its receipt was signed when its key was not in force")

    def test_a_row_that_was_changed_in_the_database_does_not_run(self) -> None:
        run = self.paused()
        row = self.rows()[0]
        self.approve(row)
        changed = deepcopy(row["requirements"])
        changed[0]["tool_execution"]["tool_args"] = {"user_id": "U-2"}
        self.db.update_approval(row["id"], requirements=changed)

        self.refused(self.go_on(run, self.own(run, tool_args={"user_id": "U-2"})), "its receipt is not about this call")

    def test_a_receipt_of_another_call_does_not_run(self) -> None:
        first, second = self.paused(), self.paused()
        rows = self.rows()
        receipt = self.approve(rows[0])
        self.resolve(rows[1], receipt)

        self.refused(self.go_on(second, self.own(second)), "its receipt belongs to another approval")
        self.assertEqual(first.tools[0].tool_args, second.tools[0].tool_args)

    def test_a_row_that_names_a_call_twice_tells_nobody_which(self) -> None:
        run = self.paused()
        row = self.rows()[0]
        self.approve(row)
        self.db.update_approval(row["id"], requirements=row["requirements"] * 2)

        self.refused(self.go_on(run, self.own(run)), "its approval names two calls by the same id")

    def test_a_call_runs_once_however_often_its_run_is_continued(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0])
        tools = self.own(run)
        self.go_on(run, tools)

        again = self.go_on(run, self.own(run))

        self.assertEqual(len(self.ran), 1)
        self.assertIn("countersign refused: this very call began before", self.result_of(again))

    def test_a_call_runs_once_if_another_host_continues_it(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0])
        self.go_on(run, self.own(run))

        again = self.go_on_elsewhere(run, Gate(self.file))

        self.assertEqual(len(self.ran), 1)
        self.assertIn("countersign refused: this very call began before", self.result_of(again))

    def test_two_hosts_that_mark_in_a_file_each_run_a_call_once_each(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0])
        self.go_on(run, self.own(run))

        self.go_on_elsewhere(run, Gate(self.file, marks=str(self.folder / "other.db")))

        self.assertEqual(len(self.ran), 2)

    def go_on_elsewhere(self, run: Any, gate: Gate) -> Any:
        """Continues a run at another host, which has its own gate."""
        agent = self.agent(self.deleting_tool(gate), ("delete_user_data", {"user_id": "U-1"}))
        return agent.continue_run(run_response=self.with_tools(run, self.own(run)), session_id="s")

    def test_of_two_that_continue_at_once_one_runs_the_tool(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0])
        threads = [threading.Thread(target=lambda: self.go_on(run, self.own(run))) for _ in range(8)]

        for one in threads:
            one.start()
        for one in threads:
            one.join()

        self.assertEqual(len(self.ran), 1)


class OtherTools(World):
    def run_through(self, agent: Any, values: dict[str, Any] | None = None, **changes: Any) -> Any:
        run = agent.run("Please.", session_id="s")
        self.approve(self.rows()[-1], values)
        tools = deepcopy(run.tools)
        for one in tools:
            one.confirmed = True
            for field in one.user_input_schema or []:
                field.value = {**(values or {}), **changes}.get(field.name, field.value)
        return agent.continue_run(run_response=self.with_tools(run, tools), session_id="s")

    def paying(self) -> Function:
        @self.gate.countersigned
        @approval
        @tool(requires_user_input=True, user_input_fields=["recipient"])
        def send_money(amount: float, recipient: Any, note: str = "") -> str:
            """Send money."""
            self.ran.append({"amount": amount, "recipient": recipient, "note": note})
            seen = approved()
            return f"sent {dict(seen.values) if seen else None}"

        return send_money

    def test_a_form_runs_with_what_was_filled_in_and_no_other(self) -> None:
        agent = self.agent(self.paying(), ("send_money", {"amount": 50.0, "note": "lunch"}))

        ended = self.run_through(agent, {"recipient": "carol"})
        self.assertEqual(self.ran.pop(), {"amount": 50.0, "recipient": "carol", "note": "lunch"})
        self.assertEqual(self.result_of(ended), "sent {'recipient': 'carol'}")

        self.refused(self.run_through(agent, {"recipient": "carol"}, amount=5_000), "its arguments are not those")

    def test_words_that_agno_reads_as_values_run_as_without_a_gate(self) -> None:
        agent = self.agent(self.paying(), ("send_money", {"amount": 50.0, "note": "lunch"}))

        self.run_through(agent, {"recipient": "None"})

        self.assertEqual(self.ran, [{"amount": 50.0, "recipient": None, "note": "lunch"}])

    def test_what_was_filled_in_once_is_not_in_the_next_form(self) -> None:
        sending = self.paying()
        first = self.agent(sending, ("send_money", {"amount": 50.0, "note": "lunch"}))
        self.run_through(first, {"recipient": "carol"})
        second = self.agent(sending, ("send_money", {"amount": 1.0}))

        run = second.run("Please.", session_id="t")

        self.assertEqual(
            [(one.name, one.value) for one in run.tools[0].user_input_schema][1:], [("recipient", None), ("note", None)]
        )

    def test_async_tools_and_generators_have_a_gate_before_their_first_line(self) -> None:
        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        async def one(name: str) -> str:
            """An async tool."""
            self.ran.append({"one": name})
            return str(approved() is not None)

        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        def two(name: str) -> Iterator[str]:
            """A generator."""
            self.ran.append({"two": name})
            yield str(approved() is not None)

        async def go(agent: Any, approving: bool) -> Any:
            run = await agent.arun("Please.", session_id="s")
            if approving:
                self.approve(self.rows()[-1])
            tools = deepcopy(run.tools)
            tools[0].confirmed = True
            return await agent.acontinue_run(run_response=self.with_tools(run, tools), session_id="s")

        for made in (one, two):
            with self.subTest(made.name):
                agent = self.agent(made, (made.name, {"name": "x"}))
                self.refused(asyncio.run(go(agent, False)), "its approval is still pending")
                ended = asyncio.run(go(agent, True))
                self.assertEqual(self.ran.pop(), {made.name: "x"})
                self.assertEqual(self.result_of(ended), "True")

    def test_a_plain_async_generator_in_a_toolkit_has_a_gate(self) -> None:
        async def three(name: str) -> AsyncIterator[str]:
            """An async generator."""
            self.ran.append({"three": name})
            yield "3"

        kit = Toolkit(name="kit", async_tools=[(three, "three")], tools=[three])
        self.gate.countersigned(kit, tools=["three"])
        agent = self.agent(kit, ("three", {"name": "x"}))

        async def go(approving: bool) -> Any:
            run = await agent.arun("Please.", session_id="s")
            if approving:
                self.approve(self.rows()[-1])
            tools = deepcopy(run.tools)
            tools[0].confirmed = True
            return await agent.acontinue_run(run_response=self.with_tools(run, tools), session_id="s")

        try:
            asyncio.run(go(False))
        except Exception as error:
            self.assertIn("countersign refused", str(error))
        self.assertEqual(self.ran, [])
        asyncio.run(go(True))
        self.assertEqual(self.ran, [{"three": "x"}])

    def test_a_toolkit_has_a_gate_around_what_it_names(self) -> None:
        def drop(table: str) -> str:
            """Drop a table."""
            self.ran.append({"table": table})
            return "dropped"

        def look(table: str) -> str:
            """Look at a table."""
            return "looked"

        kit = self.gate.countersigned(Toolkit(name="kit", tools=[drop, look]), tools=["drop"])
        agent = self.agent(kit, ("drop", {"table": "orders"}))

        self.run_through(agent)

        self.assertEqual(self.ran, [{"table": "orders"}])
        self.assertIsNone(kit.functions["look"].approval_type)
        with self.assertRaisesRegex(ValueError, "the toolkit kit has no tool 'no'"):
            self.gate.countersigned(Toolkit(name="kit", tools=[look]), tools=["no"])
        with self.assertRaisesRegex(ValueError, "the toolkit kit has no tool with @approval"):
            self.gate.countersigned(Toolkit(name="kit", tools=[look]))

    def test_a_tool_whose_body_failed_is_not_run_again(self) -> None:
        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        def fail(name: str) -> str:
            """Fail."""
            self.ran.append({"name": name})
            raise RuntimeError("no disk")

        agent = self.agent(fail, ("fail", {"name": "x"}))

        ended = self.run_through(agent)

        self.assertIn("no disk", self.result_of(ended))
        self.assertEqual(len(self.ran), 1)

    def test_a_hook_that_calls_twice_or_with_something_else_gets_through_once_or_not(self) -> None:
        def twice(function_name: str, function_call: Any, arguments: dict[str, Any]) -> Any:
            first = function_call(**arguments)
            function_call(**arguments)
            return first

        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True, tool_hooks=[twice])
        def drop(table: str) -> str:
            """Drop a table."""
            self.ran.append({"table": table})
            return "dropped"

        ended = self.run_through(self.agent(drop, ("drop", {"table": "orders"})))

        self.assertEqual(self.ran, [{"table": "orders"}])
        self.assertIn("began before", self.result_of(ended))

    def test_an_asynchronous_database_is_read_too(self) -> None:
        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        def drop(table: str) -> str:
            """Drop a table, in a thread without an event loop."""
            self.ran.append({"table": table})
            return "dropped"

        database = AsyncSqliteDb(db_file=str(self.folder / "agno.db"))
        agent = self.agent(drop, ("drop", {"table": "orders"}))
        agent.db = database

        async def go() -> Any:
            run = await agent.arun("Please.", session_id="s")
            self.approve(self.rows()[-1])
            tools = deepcopy(run.tools)
            tools[0].confirmed = True
            return await agent.acontinue_run(run_response=self.with_tools(run, tools), session_id="s")

        ended = asyncio.run(go())

        self.assertEqual(self.ran, [{"table": "orders"}], self.result_of(ended))

    def test_tools_that_no_gate_can_stand_around_are_refused_at_once(self) -> None:
        @tool(cache_results=True)
        def cached(name: str) -> str:
            """Cached."""
            return name

        @tool(external_execution=True)
        def outside(name: str) -> str:
            """Outside."""
            return name

        for made, why in ((cached, "caches results"), (outside, "runs outside the agent")):
            with self.subTest(made.name), self.assertRaisesRegex(ValueError, f"countersign refused: .* {why}"):
                self.gate.countersigned(made)
        with self.assertRaisesRegex(ValueError, "@countersigned stands above @tool"):
            self.gate.countersigned(lambda: None)  # type: ignore[type-var]


if __name__ == "__main__":
    unittest.main()
