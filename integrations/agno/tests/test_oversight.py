"""Receipts of approvals for somebody who is away, or by breaking glass: they count, unless they were changed."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from .test_gate import Gated

STAND_IN = {
    "person": "T1:U9",
    "subject": "rita@example.com",
    "verb": "approve",
    "at": 0,
    "surface": "card",
    "rules": ["all"],
    "for": ["T1:U1"],
}


def changed(receipt: str, change: Callable[[dict[str, Any]], Any]) -> str:
    """The receipt with something else in it, under the signature that it had."""
    head, payload, signature = receipt.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    change(claims)
    said = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    return f"{head}.{said}.{signature}"


class Oversight(Gated):
    def test_an_approval_for_somebody_who_is_away_runs_and_says_for_whom(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0], votes=[STAND_IN])

        self.go_on(run, self.own(run))

        self.assertEqual(self.ran, [{"user_id": "U-1", "hard": False}])
        seen = self.seen[0]
        assert seen is not None
        self.assertEqual(seen.approvers, ("rita@example.com",))
        self.assertEqual(seen.receipt.claims["votes"][0]["for"], ["T1:U1"])

    def test_an_approval_by_breaking_glass_runs_and_says_so(self) -> None:
        run = self.paused()
        self.approve(self.rows()[0], glass=True)

        self.go_on(run, self.own(run))

        self.assertEqual(len(self.ran), 1)
        seen = self.seen[0]
        assert seen is not None
        self.assertIs(seen.receipt.claims["glass"], True)

    def test_nobody_changes_for_whom_it_was_or_hides_broken_glass(self) -> None:
        glass = {"glass": True}
        forged: list[tuple[str, dict[str, Any], Callable[[dict[str, Any]], Any]]] = [
            ("for another", {"votes": [STAND_IN]}, lambda claims: claims["votes"][0].update({"for": ["T1:U2"]})),
            ("for nobody", {"votes": [STAND_IN]}, lambda claims: claims["votes"][0].pop("for")),
            ("as if for somebody", {}, lambda claims: claims["votes"][0].update({"for": ["T1:U2"]})),
            ("glass hidden", glass, lambda claims: claims.pop("glass")),
            ("glass unsaid", glass, lambda claims: claims.update({"glass": False})),
            ("glass made up", {}, lambda claims: claims.update(glass)),
        ]
        for name, claims, change in forged:
            with self.subTest(name):
                run = self.paused()
                row = self.rows()[-1]
                self.resolve(row, changed(self.approve(row, **claims), change))

                ended = self.go_on(run, self.own(run))

                self.refused(ended, "the signature of its receipt does not hold")
