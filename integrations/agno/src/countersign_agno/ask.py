"""A door for programs without agno: ask people at Countersign's own service, wait, check the receipt, run once."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .call import Call, execution_in
from .canonical import NotCanonical, canonical, parse
from .ended import EndedList
from .marks import open_marks
from .permit import Approved, current, permit_by_rows
from .refused import Refused
from .rows import Named
from .settings import Settings, load

Result = TypeVar("Result")

_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Ask:
    """A call that people are asked for. `more`: what else `POST /approvals` takes, such as `user_id` or `context`."""

    tool: str
    args: Mapping[str, Any]
    agent: str
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Service:
    """Countersign's service: its address, and a credential that holds `approvals:create` and `approvals:read`."""

    url: str
    token: str
    wait_s: float = 24 * 3_600
    poll_s: float = 1.0

    def __post_init__(self) -> None:
        if self.token.strip().lower().split(maxsplit=1)[:1] == ["bearer"]:
            raise Refused("the service's token begins with the word Bearer: give the token alone")


def ask(call: Ask, run: Callable[..., Result], *, service: Service, settings: Settings | None = None) -> Result:
    """Asks for the call, waits until it is decided, and runs it with the approved arguments, once.

    `settings`: the gate's file; by default the one that COUNTERSIGN_GATE names. Raises `Refused` if people reject it,
    if nobody decides in time, or if the receipt does not cover it; `run` can read its approval by `approved()`.
    """
    pinned = settings or load()
    marks = open_marks(pinned.marks)
    found = _approval(call, service, pinned)
    if pinned.ended_list is not None:
        EndedList(pinned.ended_list).check(found.receipt.decision, pinned)
    if not marks.set(found.call.key(pinned.installation), found.receipt.decision):
        raise Refused("this very call began before; an approved call runs once, so ask for a new one")
    token = current.set(found)
    try:
        return run(**found.args)
    finally:
        current.reset(token)


def _approval(call: Ask, service: Service, settings: Settings) -> Approved:
    row = _decided(_created(call, service), service)
    requirement = _only_requirement(row)
    made = Call(str(row.get("run_id")), str(execution_in(requirement).get("tool_call_id")), call.agent, None, call.tool)
    now = int(time.time() * 1000)
    return permit_by_rows(made, call.args, [Named(row, requirement)], settings, now, read=dict)


def _created(call: Ask, service: Service) -> str:
    try:
        canonical(dict(call.args))
        body = json.dumps({**call.more, "tool_name": call.tool, "tool_args": dict(call.args), "agent_id": call.agent})
    except (NotCanonical, TypeError, ValueError) as error:
        raise Refused(f"the arguments cannot be asked for exactly: {error}") from None
    row = _sent(service, "POST", "/approvals", body)
    return str(row.get("id"))


def _decided(approval: str, service: Service) -> Mapping[str, Any]:
    end = time.monotonic() + service.wait_s
    while _sent(service, "GET", f"/approvals/{approval}/status").get("status") == "pending":
        if time.monotonic() > end:
            raise Refused(f"nobody decided approval {approval} in time")
        time.sleep(service.poll_s)
    return _sent(service, "GET", f"/approvals/{approval}")


def _only_requirement(row: Mapping[str, Any]) -> Mapping[str, Any]:
    requirements = row.get("requirements")
    if isinstance(requirements, list) and len(requirements) == 1 and isinstance(requirements[0], dict):
        return requirements[0]
    raise Refused("the service did not make an approval of one call")


def _sent(service: Service, method: str, path: str, body: str | None = None) -> Mapping[str, Any]:
    headers = {"authorization": f"Bearer {service.token}", "content-type": "application/json"}
    data = None if body is None else body.encode()
    request = urllib.request.Request(service.url.rstrip("/") + path, data, headers, method=method)
    what = f"{method} {path} of {service.url}"
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:
            said = parse(answer.read().decode())
    except urllib.error.HTTPError as error:
        if method == "POST" and error.code in (404, 405):
            raise Refused(
                f"{service.url} takes no POST /approvals, which only Countersign's own service does; "
                "start one with: countersign service"
            ) from None
        raise Refused(f"{what} answered {error.code}: {_detail(error)}") from None
    except (OSError, ValueError) as error:
        raise Refused(f"{what} did not answer as it should ({type(error).__name__})") from None
    if not isinstance(said, dict):
        raise Refused(f"{what} did not answer as it should")
    return said


def _detail(error: urllib.error.HTTPError) -> str:
    return error.read(300).decode(errors="replace")
