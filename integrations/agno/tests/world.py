"""What the tests of the gate start from: a scripted model, an agent over a fresh database, keys, and an approver."""

from __future__ import annotations

import json
import tempfile
import unittest
from collections.abc import AsyncIterator, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from uuid import uuid4

from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.base import Model
from agno.models.message import MessageMetrics
from agno.models.response import ModelResponse

from countersign_agno import Gate

from .signing import Signer, claims_of, digest_of


class ScriptedModel(Model):
    """Makes the calls of one turn, then says that it is done."""

    def __init__(self, *turns: list[tuple[str, dict[str, Any]]]) -> None:
        super().__init__(id="scripted", name="scripted", provider="scripted")
        self.turns = turns

    def _next(self, messages: list[Any]) -> ModelResponse:
        users = [at for at, message in enumerate(messages) if message.role == "user"]
        turn = sum(1 for message in messages[users[-1] :] if message.role == "assistant")
        usage = MessageMetrics()
        if turn >= len(self.turns):
            return ModelResponse(role="assistant", content="Done.", response_usage=usage)  # type: ignore[call-arg]
        calls = [
            {
                "id": f"call_{uuid4().hex[:16]}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(args)},
            }
            for name, args in self.turns[turn]
        ]
        return ModelResponse(role="assistant", tool_calls=calls, response_usage=usage)  # type: ignore[call-arg]

    def invoke(self, messages: list[Any], *_: Any, **__: Any) -> ModelResponse:  # type: ignore[override]
        return self._next(messages)

    async def ainvoke(self, messages: list[Any], *_: Any, **__: Any) -> ModelResponse:  # type: ignore[override]
        return self._next(messages)

    def invoke_stream(self, messages: list[Any], *_: Any, **__: Any) -> Iterator[ModelResponse]:  # type: ignore[override]
        yield self._next(messages)

    async def ainvoke_stream(  # type: ignore[override]
        self, messages: list[Any], *_: Any, **__: Any
    ) -> AsyncIterator[ModelResponse]:
        yield self._next(messages)

    def _parse_provider_response(self, response: Any, **_: Any) -> ModelResponse:
        return response  # type: ignore[no-any-return]

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return response  # type: ignore[no-any-return]


class World(unittest.TestCase):
    """A folder with a database, a file of keys and marks, and a gate; all of it anew for each test."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.signer = Signer()
        self.db = SqliteDb(db_file=str(self.folder / "agno.db"))
        self.file = self.folder / "gate.json"
        self.write_file()
        self.gate = Gate(self.file)
        self.ran: list[dict[str, Any]] = []

    def write_file(self, **changes: Any) -> None:
        said = {"version": 1, "installation": "test", "keys": [self.signer.public], "marks": "marks.db", **changes}
        self.file.write_text(json.dumps(said), encoding="utf-8")

    def agent(self, tool: Any, *calls: tuple[str, dict[str, Any]], **more: Any) -> Agent:
        return Agent(id="agent-1", model=ScriptedModel(list(calls)), tools=[tool], db=self.db, telemetry=False, **more)

    def rows(self) -> list[dict[str, Any]]:
        """The approvals, the oldest first."""
        return list(reversed(self.db.get_approvals()[0]))

    def calls_in(self, row: dict[str, Any], values: dict[str, Any] | None = None) -> list[str]:
        """The digests of a row's calls."""
        found = []
        for requirement in row["requirements"]:
            execution = requirement["tool_execution"]
            fields = execution["user_input_schema"] or []
            filled = {one["name"]: {**{one["name"]: one["value"]}, **(values or {})}[one["name"]] for one in fields}
            agent = requirement.get("member_agent_id") or row["agent_id"]
            who = {
                "run": requirement.get("member_run_id") or row["run_id"],
                "call": execution["tool_call_id"],
                "agent": agent,
                "team": None if agent else row["team_id"],
                "tool": execution["tool_name"],
            }
            found.append(digest_of(who, {**(execution["tool_args"] or {}), **filled}))
        return found

    def approve(
        self,
        row: dict[str, Any],
        values: dict[str, Any] | None = None,
        *,
        purpose: str = "approval",
        status: str = "approved",
        signer: Signer | None = None,
        **changes: Any,
    ) -> str:
        """Resolves a row as Countersign does; `changes` are of the receipt's claims."""
        receipt = (signer or self.signer).sign(claims_of(row, self.calls_in(row, values), **changes), purpose)
        self.resolve(row, receipt, values, status=status)
        return receipt

    def resolve(
        self, row: dict[str, Any], receipt: str | None, values: dict[str, Any] | None = None, status: str = "approved"
    ) -> None:
        mark = {"decision_id": "d", "reason": "looks good", **({} if receipt is None else {"receipt": receipt})}
        data = {**({} if values is None else {"values": values}), "countersign": mark}
        self.db.update_approval(row["id"], status=status, resolved_by="bob@example.com", resolution_data=data)

    def with_tools(self, run: Any, tools: Any) -> Any:
        """A paused run with calls of one's own in place of its, as whoever may continue it sends them."""
        own = deepcopy(run)
        own.tools = tools
        return own

    def result_of(self, run: Any) -> str:
        """What the model got as the last tool's result."""
        tools = [one for one in run.tools if one.tool_name not in ("delegate_task_to_member",)]
        return str(tools[-1].result)

    def refused(self, run: Any, why: str) -> None:
        """No tool ran, and the model was told why."""
        self.assertEqual(self.ran, [])
        self.assertTrue(run.tools[-1].tool_call_error, run.tools[-1])
        self.assertIn(f"countersign refused: {why}", self.result_of(run))
