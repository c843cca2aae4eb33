"""The signed list of decisions that ended or that a stop covers: used where Countersign can be reached."""

from __future__ import annotations

import logging
import threading
import time
import urllib.request
from http.client import HTTPException
from typing import Any

from .receipt import SKEW_MS, signed_claims
from .refused import Refused
from .settings import Settings

log = logging.getLogger("countersign_agno")

#: It is asked for again after so long, whether it could be reached or not.
REFRESH_S = 10.0
_TIMEOUT_S = 2.0
#: Countersign names 20,000 decisions at most.
_MOST_BYTES = 2_000_000
#: Stands before the decisions that a stop covers; those before it have ended.
_STOPPED = "stopped"


class EndedList:
    """The list at one address. It only ever adds to what a gate refuses: a newer list names all that has ended."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._asked: float | None = None
        self._iat = 0
        self._ended: frozenset[str] = frozenset()
        self._stopped: frozenset[str] = frozenset()

    def check(self, decision: str, settings: Settings) -> None:
        """Raises `Refused` if the decision ended or is stopped, as far as is known.

        A list that cannot be had holds nothing up.
        """
        with self._lock:
            if self._asked is None or time.monotonic() - self._asked > REFRESH_S:
                self._refresh(settings)
                self._asked = time.monotonic()
        if decision in self._ended:
            raise Refused("it was approved, but the platform did not take that decision; ask for a new one")
        if decision in self._stopped:
            raise Refused("it was approved, but it is stopped now; Countersign says by whom and why, and until when")

    def _refresh(self, settings: Settings) -> None:
        try:
            claims = _verified(_fetched(self._url), settings, int(time.time() * 1000))
        except Refused:
            log.warning("the list of ended decisions at %s was not signed by a key of this gate's file", self._url)
            return
        except (OSError, HTTPException, ValueError) as error:
            log.warning("the list of ended decisions at %s is of no use now: %s", self._url, error)
            return
        # A newest list names all whose receipts could still be taken; an older one is from before some of them ended.
        if claims["iat"] >= self._iat:
            named = claims["ended"]
            mark = named.index(_STOPPED) if _STOPPED in named else len(named)
            self._iat, self._ended, self._stopped = claims["iat"], frozenset(named[:mark]), frozenset(named[mark + 1 :])


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """The list is where the gate's file says, and nowhere else."""


def _fetched(url: str) -> str:
    end, read = time.monotonic() + _TIMEOUT_S, b""
    with urllib.request.build_opener(_NoRedirect).open(url, timeout=_TIMEOUT_S) as answer:
        while part := answer.read1(65_536):
            read += part
            if len(read) > _MOST_BYTES or time.monotonic() > end:
                raise ValueError("it is too long, or comes too slowly")
    return read.decode("ascii").strip()


def _verified(text: str, settings: Settings, now_ms: int) -> dict[str, Any]:
    claims, key = signed_claims(text, settings, _check_type)
    iat, exp, ended = claims.get("iat"), claims.get("exp"), claims.get("ended")
    if claims.get("version") != 1 or claims.get("sandbox") is not settings.sandbox:
        raise ValueError("it says something that this gate does not know")
    if (
        type(iat) is not int
        or type(exp) is not int
        or type(ended) is not list
        or any(type(x) is not str for x in ended)
    ):
        raise ValueError("it says something that this gate does not know")
    if claims.get("installation") != settings.installation:
        raise ValueError("it is another installation's")
    if not key.in_force(iat * 1000):
        raise ValueError("it was signed when its key was not in force")
    if iat * 1000 > now_ms + SKEW_MS or exp * 1000 < now_ms - SKEW_MS:
        raise ValueError("it is of another time")
    return claims


def _check_type(kind: Any, settings: Settings) -> None:
    if kind != f"countersign-{'sandbox-' if settings.sandbox else ''}ended+jws":
        raise ValueError(f"it is no such list: its type is {kind!r}")
