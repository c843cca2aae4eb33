"""The list of ended and stopped decisions: what it names does not run; one that cannot be had holds nothing up."""

from __future__ import annotations

import logging
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar
from unittest import mock

from agno.approval import approval
from agno.tools import tool

from countersign_agno import ended

from .signing import Signer
from .world import World


class Served(BaseHTTPRequestHandler):
    """A Countersign that serves a list; `answer` is its status and text."""

    answer: ClassVar[tuple[int, str]] = (200, "")
    asked: ClassVar[int] = 0

    def do_GET(self) -> None:
        Served.asked += 1
        status, text = Served.answer
        self.send_response(status)
        if status == 302:
            self.send_header("location", text)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        pass


class EndedDecisions(World):
    def setUp(self) -> None:
        super().setUp()
        server = HTTPServer(("127.0.0.1", 0), Served)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/.well-known/countersign-ended"
        self.write_file(ended_list=self.url)
        logging.getLogger("countersign_agno").setLevel(logging.CRITICAL)
        self.addCleanup(logging.getLogger("countersign_agno").setLevel, logging.NOTSET)
        Served.asked = 0

        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        def pay(amount: int) -> str:
            self.ran.append({"amount": amount})
            return "paid"

        self.tool = pay

    def list_of(self, *decisions: str, purpose: str = "ended", signer: Signer | None = None, **changes: Any) -> str:
        iat = int(time.time())
        said = {"version": 1, "installation": "test", "sandbox": False, "iat": iat, "exp": iat + 300}
        return (signer or self.signer).sign({**said, "ended": list(decisions), **changes}, purpose)

    def continued(self, decision: str) -> Any:
        """A run whose call was approved by this decision, continued."""
        agent = self.agent(self.tool, ("pay", {"amount": 5}))
        run = agent.run("Do it.")
        self.approve(self.rows()[-1], decision=decision)
        run.tools[0].confirmed = True
        return agent.continue_run(run_response=run)

    def test_a_decision_that_ended_does_not_run_though_the_row_holds_its_receipt(self) -> None:
        Served.answer = (200, self.list_of("d-1"))

        self.refused(self.continued("d-1"), "it was approved, but the platform did not take that decision")

    def test_another_decision_runs_and_the_list_is_asked_for_once_in_a_while(self) -> None:
        Served.answer = (200, self.list_of("d-1"))

        self.continued("d-2")
        self.continued("d-3")

        self.assertEqual(len(self.ran), 2)
        self.assertEqual(Served.asked, 1)

    def test_a_list_that_is_of_no_use_holds_nothing_up(self) -> None:
        now = int(time.time())
        answers: list[tuple[int, str]] = [
            (503, "away"),
            (302, self.url + "?elsewhere"),
            (200, "a.b.c"),
            (200, self.list_of("d", signer=Signer())),
            (200, self.list_of("d", purpose="sandbox-ended")),
            (200, self.list_of("d", purpose="approval")),
            (200, self.list_of("d", installation="another")),
            (200, self.list_of("d", sandbox=True)),
            (200, self.list_of("d", version=2)),
            (200, self.list_of("d", exp=now - 61, iat=now - 361)),
            (200, self.list_of("d", iat=now + 120)),
            (200, self.list_of("d", ended=[["d"]])),
            (200, "x" * 2_000_001),
        ]
        for at, answer in enumerate(answers):
            with self.subTest(at), mock.patch.object(ended, "REFRESH_S", -1.0):
                Served.answer = answer
                self.continued("d")
                self.assertEqual(len(self.ran), at + 1)

    def test_what_was_named_once_stays_refused_while_the_list_is_away_or_an_older_one_comes(self) -> None:
        with mock.patch.object(ended, "REFRESH_S", -1.0):
            older = self.list_of(iat=int(time.time()) - 100)
            Served.answer = (200, self.list_of("d-1"))
            self.continued("d-1")
            for answer in [(503, "away"), (200, older)]:
                Served.answer = answer
                self.continued("d-1")
        self.assertEqual(self.ran, [])
        self.assertEqual(Served.asked, 3)

    def test_a_decision_that_a_stop_covers_does_not_run_before_the_end_of_the_stop(self) -> None:
        with mock.patch.object(ended, "REFRESH_S", -1.0):
            Served.answer = (200, self.list_of("d-0", "stopped", "d-1"))
            self.refused(self.continued("d-1"), "it was approved, but it is stopped now")
            self.refused(self.continued("d-0"), "it was approved, but the platform did not take that decision")
            self.continued("d-2")
            Served.answer = (200, self.list_of("d-0"))
            self.continued("d-1")
        self.assertEqual(len(self.ran), 2)

    def test_a_gate_before_an_async_tool_asks_too(self) -> None:
        import asyncio

        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        async def pay(amount: int) -> str:
            self.ran.append({"amount": amount})
            return "paid"

        Served.answer = (200, self.list_of("d-1"))

        async def go() -> Any:
            agent = self.agent(pay, ("pay", {"amount": 5}))
            run = await agent.arun("Do it.")
            self.approve(self.rows()[-1], decision="d-1")
            assert run.tools
            run.tools[0].confirmed = True
            return await agent.acontinue_run(run_response=run)

        self.refused(asyncio.run(go()), "it was approved, but the platform did not take that decision")
