"""The door for other frameworks: asked at the service, waited for, checked, and run once."""

from __future__ import annotations

import json
import tempfile
import threading
import time
import unittest
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

from countersign_agno import Refused, approved
from countersign_agno.ask import Ask, Service, ask
from countersign_agno.settings import load

from .signing import Signer, claims_of, digest_of

CALL = Ask("pay", {"amount": 12.5, "to": "none"}, agent="script")


class FakeService(BaseHTTPRequestHandler):
    """Countersign's service, as far as it is asked; `decide` says what becomes of an approval."""

    rows: ClassVar[dict[str, dict[str, Any]]] = {}
    decide: ClassVar[Any] = None
    list: ClassVar[str] = ""
    looks = 0

    def do_POST(self) -> None:
        if self.decide is None:
            return self._answer(405, {"detail": "Method Not Allowed"})
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        execution = {"tool_call_id": f"call-{len(self.rows)}", "tool_name": body["tool_name"]}
        requirement = {"tool_execution": {**execution, "tool_args": body["tool_args"], "requires_confirmation": True}}
        row = {"id": f"a{len(self.rows)}", "run_id": "run-1", "status": "pending", "requirements": [requirement]}
        self.rows[row["id"]] = row
        return self._answer(201, row)

    def do_GET(self) -> None:
        if self.path == "/ended":
            return self._answer(200, self.list)
        row = self.rows[self.path.split("/")[2]]
        if self.path.endswith("/status"):
            FakeService.looks += 1
            if FakeService.looks % 2 == 0:
                FakeService.decide(row)
        return self._answer(200, row)

    def _answer(self, status: int, body: Any) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write((body if isinstance(body, str) else json.dumps(body)).encode())

    def log_message(self, *_: Any) -> None:
        pass


class Asking(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.signer = Signer()
        file = Path(folder.name) / "gate.json"
        said = {"version": 1, "installation": "test", "keys": [self.signer.public], "marks": "marks.db"}
        file.write_text(json.dumps(said), encoding="utf-8")
        self.settings = load(file)
        server = HTTPServer(("127.0.0.1", 0), FakeService)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.service = Service(f"http://127.0.0.1:{server.server_port}/", "token", wait_s=5, poll_s=0.01)
        FakeService.rows.clear()
        FakeService.decide = self.approve
        self.ran: list[Any] = []

    def approve(self, row: dict[str, Any], **changes: Any) -> None:
        execution = row["requirements"][0]["tool_execution"]
        who = {"run": "run-1", "call": execution["tool_call_id"], "agent": "script", "team": None, "tool": "pay"}
        receipt = self.signer.sign(claims_of(row, [digest_of(who, execution["tool_args"])], **changes))
        row.update(status="approved", resolution_data={"countersign": {"receipt": receipt}})

    def pay(self, amount: float, to: str) -> str:
        found = approved()
        self.ran.append((amount, to))
        return f"paid, by {found.approvers[0]}" if found else "paid"

    def ask(self, service: Service | None = None, call: Ask = CALL) -> str:
        return ask(call, self.pay, service=service or self.service, settings=self.settings)

    def test_what_is_approved_runs_as_it_was_asked_for(self) -> None:
        self.assertEqual(self.ask(), "paid, by bob@example.com")
        self.assertEqual(self.ran, [(12.5, "none")])
        self.assertIsNone(approved())

    def test_what_is_rejected_does_not_run(self) -> None:
        FakeService.decide = lambda row: row.update(status="rejected")

        with self.assertRaisesRegex(Refused, "^countersign refused: the call was rejected"):
            self.ask()
        self.assertEqual(self.ran, [])

    def test_other_arguments_than_those_asked_for_do_not_run(self) -> None:
        def change(row: dict[str, Any]) -> None:
            row["requirements"][0]["tool_execution"]["tool_args"]["amount"] = 99
            self.approve(row)

        FakeService.decide = change

        with self.assertRaisesRegex(Refused, "its arguments are not those that were approved"):
            self.ask()
        self.assertEqual(self.ran, [])

    def test_a_decision_that_ended_does_not_run(self) -> None:
        iat = int(time.time())
        said = {"version": 1, "installation": "test", "sandbox": False, "iat": iat, "exp": iat + 300}
        FakeService.list = self.signer.sign({**said, "ended": ["d-1"]}, "ended")
        self.settings = replace(self.settings, ended_list=f"{self.service.url}ended")
        FakeService.decide = lambda row: self.approve(row, decision="d-1")

        with self.assertRaisesRegex(Refused, "the platform did not take that decision"):
            self.ask()
        self.assertEqual(self.ran, [])

    def test_what_nobody_decides_in_time_does_not_run(self) -> None:
        FakeService.decide = lambda row: None

        with self.assertRaisesRegex(Refused, "nobody decided approval a0 in time"):
            self.ask(Service(self.service.url, "token", wait_s=0, poll_s=0.01))

    def test_a_platform_that_takes_no_requests_is_told_in_one_sentence(self) -> None:
        FakeService.decide = None

        with self.assertRaisesRegex(Refused, "takes no POST /approvals, which only Countersign's own service does"):
            self.ask()

    def test_a_service_that_is_away_a_header_as_token_and_arguments_that_are_no_json_are_refused(self) -> None:
        with self.assertRaisesRegex(Refused, r"did not answer as it should \(URLError\)"):
            self.ask(Service("http://127.0.0.1:1", "token"))
        with self.assertRaisesRegex(Refused, "begins with the word Bearer: give the token alone"):
            self.ask(Service(self.service.url, "Bearer token"))
        with self.assertRaisesRegex(Refused, "the arguments cannot be asked for exactly"):
            self.ask(call=Ask("pay", {"amount": float("nan"), "to": "x"}, agent="script"))


if __name__ == "__main__":
    unittest.main()
