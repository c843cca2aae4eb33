"""Whether a call may run: what was approved is what arrives, and it has not run before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from . import receipt
from .call import Call, approved_arguments, as_agno_reads, execution_in, is_done
from .canonical import NotCanonical, canonical
from .receipt import Receipt
from .refused import Refused
from .rows import Named, Row
from .settings import Settings


@dataclass(frozen=True)
class Approved:
    """What a tool's body may read of its approval, by `approved()`."""

    call: Call
    receipt: Receipt
    args: Mapping[str, Any]
    #: What was filled in; empty if nothing.
    values: Mapping[str, Any]
    #: What the last approver wrote, as the platform's record says; the receipt does not vouch for it.
    reason: str | None

    @property
    def approvers(self) -> tuple[str, ...]:
        return self.receipt.approvers

    @property
    def idempotency_key(self) -> str:
        """The same if the same call is ever tried again: for services that take such a key."""
        return f"{self.receipt.decision}:{self.call.call}"


current: ContextVar[Approved | None] = ContextVar("countersign_approved", default=None)


def approved() -> Approved | None:
    """The approval of the call that runs here; None where none does."""
    return current.get()


def permit_by_rows(
    call: Call,
    arrived: Mapping[str, Any],
    rows: list[Named],
    settings: Settings,
    now: int,
    *,
    read: Callable[[Mapping[str, Any]], dict[str, Any]] = as_agno_reads,
) -> Approved:
    """The approval of a call by the platform's rows. Raises `Refused` if one of them does not let it run.

    `read`: what becomes of the arguments between the row and the tool.
    """
    if not rows:
        raise Refused("nobody was asked for this call: no approval names it")
    open_rows = [one for one in rows if not is_done(execution_in(one.requirement))]
    for one in open_rows:
        if one.row.get("status") != "approved":
            raise Refused(_standing(one.row.get("status")))
    found = _first_that_holds(call, open_rows, settings, now)
    if not _is_same(read(found.args), arrived):
        raise Refused("its arguments are not those that were approved")
    return found


def permit_by_receipt(call: Call, arrived: Mapping[str, Any], text: str, settings: Settings, now: int) -> Approved:
    """The approval of a call by a receipt that was handed in. Raises `Refused`."""
    held = receipt.verify(text.strip(), settings, now)
    if not held.covers(_digest(call, arrived)):
        raise Refused("its receipt is for another call, or for other arguments")
    return Approved(call, held, dict(arrived), {}, None)


def _standing(status: Any) -> str:
    if status == "pending":
        return "its approval is still pending"
    return "the call was rejected" if status == "rejected" else f"its approval is {status!r}, not approved"


def _first_that_holds(call: Call, rows: list[Named], settings: Settings, now: int) -> Approved:
    refusals: list[Refused] = []
    for one in rows:
        try:
            return _held_by(call, one, settings, now)
        except Refused as refused:
            refusals.append(refused)
    raise refusals[0] if refusals else Refused("its approval says that it has run already")


def _held_by(call: Call, named: Named, settings: Settings, now: int) -> Approved:
    data = named.row.get("resolution_data")
    mark = data.get("countersign") if isinstance(data, dict) else None
    text = mark.get("receipt") if isinstance(mark, dict) else None
    if not isinstance(data, dict) or not isinstance(mark, dict) or not isinstance(text, str):
        raise Refused("its approval holds no receipt: it was decided outside Countersign")
    held = receipt.verify(text, settings, now)
    if held.approval != named.row.get("id"):
        raise Refused("its receipt belongs to another approval")
    args = approved_arguments(named.row, named.requirement)
    if not held.covers(_digest(call, args)):
        raise Refused(_not_covered(call, named.row))
    values, reason = data.get("values"), mark.get("reason")
    given = values if isinstance(values, dict) else {}
    return Approved(call, held, args, given, reason if isinstance(reason, str) else None)


def _not_covered(call: Call, row: Row) -> str:
    return f"its receipt is not about this call of {call.tool}, or approval {row.get('id')} was changed afterwards"


def _digest(call: Call, args: Mapping[str, Any]) -> str:
    try:
        return call.digest(args)
    except NotCanonical as error:
        raise Refused(f"its arguments cannot be compared exactly: {error}") from None


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    try:
        return canonical(dict(one)) == canonical(dict(other))
    except NotCanonical as error:
        raise Refused(f"its arguments cannot be compared exactly: {error}") from None
