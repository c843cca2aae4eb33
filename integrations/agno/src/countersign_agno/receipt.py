"""Receipts, version 2: whether one was signed by a pinned key, is an approval of ours, and is still good."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.hashes import SHA256

from . import canonical
from .refused import Refused
from .settings import Key, Settings

SKEW_MS = 60_000
LONGEST_LIFE_MS = 7 * 24 * 3_600_000

_APPROVAL = "countersign-approval+jws"
_SANDBOX = "countersign-sandbox-approval+jws"
_REJECTION = "countersign-rejection+jws"


@dataclass(frozen=True)
class Receipt:
    """A receipt that holds: an approval that is still good. Whether it covers a call is asked of `covers`."""

    text: str
    kid: str
    claims: Mapping[str, Any] = field(repr=False)

    @property
    def decision(self) -> str:
        return str(self.claims["decision"])

    @property
    def approval(self) -> str:
        return str(self.claims["approval"])

    @property
    def approvers(self) -> tuple[str, ...]:
        """The subjects of those who approved, usually their addresses."""
        return tuple(vote["subject"] for vote in self.claims["votes"])

    def covers(self, digest: str) -> bool:
        return digest in self.claims["calls"]


def verify(text: str, settings: Settings, now_ms: int) -> Receipt:
    """The receipt, if it is an approval that holds now. Raises `Refused`, with a sentence that says what is wrong."""
    claims, key = signed_claims(text, settings, _check_type)
    if claims.get("version") != 2:
        raise Refused(f"its receipt is of version {claims.get('version')!r}, which this gate does not know; update it")
    _check_origin(claims, settings)
    _check_time(claims, key, now_ms)
    return Receipt(text, key.kid, claims)


def signed_claims(
    text: str, settings: Settings, check_type: Callable[[Any, Settings], None]
) -> tuple[dict[str, Any], Key]:
    """What a compact JWS says, and the pinned key that vouches for it. Raises `Refused`, as `check_type` does."""
    head, payload, signature = _parts(text)
    header = _header(head)
    check_type(header.get("typ"), settings)
    key = settings.keys.get(str(header.get("kid")))
    if key is None:
        raise Refused("its receipt is signed by a key that this gate does not pin; write the gate's file anew")
    if header.get("alg") != key.algorithm or not _holds(key, f"{head}.{payload}".encode(), signature):
        raise Refused("the signature of its receipt does not hold")
    return _claims(payload), key


def _parts(text: str) -> tuple[str, str, bytes]:
    parts = text.split(".")
    if len(parts) != 3 or not all(re.fullmatch(r"[A-Za-z0-9_-]+", part) for part in parts):
        raise Refused("what stands in place of its receipt is none")
    return parts[0], parts[1], _bytes(parts[2])


def _bytes(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise Refused("what stands in place of its receipt is none") from None


def _header(head: str) -> dict[str, Any]:
    try:
        header = json.loads(_bytes(head))
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise Refused("what stands in place of its receipt is none")
    return header


def _check_type(kind: Any, settings: Settings) -> None:
    if kind == _REJECTION:
        raise Refused("the call was rejected")
    if kind not in (_APPROVAL, _SANDBOX):
        raise Refused("what stands in place of its receipt is none that this gate knows")
    if kind == _SANDBOX and not settings.sandbox:
        raise Refused("it was approved in a sandbox, where nobody really decides")
    if kind == _APPROVAL and settings.sandbox:
        raise Refused("this gate stands in a sandbox and takes no real receipt; give its tool a file without sandbox")


def _holds(key: Key, signed: bytes, signature: bytes) -> bool:
    try:
        if key.algorithm == "EdDSA":
            ed25519.Ed25519PublicKey.from_public_bytes(_bytes(key.x)).verify(signature, signed)
            return True
        if len(signature) != 64:
            return False
        x, y, r, s = (_number(part) for part in (_bytes(key.x), _bytes(key.y or ""), signature[:32], signature[32:]))
        public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        public.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(SHA256()))
        return True
    except (InvalidSignature, ValueError):
        return False


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _claims(payload: str) -> dict[str, Any]:
    try:
        claims = canonical.parse(_bytes(payload).decode())
    except ValueError:
        claims = None
    if not isinstance(claims, dict):
        raise Refused("what its receipt says is no JSON")
    return claims


def _check_origin(claims: Mapping[str, Any], settings: Settings) -> None:
    calls, votes = claims.get("calls"), claims.get("votes")
    texts = all(type(claims.get(name)) is str for name in ("approval", "decision", "instance"))
    lists = type(calls) is list and all(type(one) is str for one in calls) and type(votes) is list
    moments = all(type(claims.get(name)) is int for name in ("at", "expires"))
    if claims.get("verdict") != "approve" or claims.get("sandbox") is not settings.sandbox:
        raise Refused("its receipt says something else than its type")
    if not (texts and lists and moments):
        raise Refused("its receipt says something that this gate does not know")
    if claims.get("installation") != settings.installation:
        raise Refused(
            f"it was approved at another installation than {settings.installation!r}, which the gate's file names"
        )
    if settings.instance not in (None, claims["instance"]):
        raise Refused(f"it was approved for another instance than {settings.instance!r}, which the gate's file names")


def _check_time(claims: Mapping[str, Any], key: Key, now_ms: int) -> None:
    at, expires = claims["at"], claims["expires"]
    if not key.in_force(at):
        raise Refused("its receipt was signed when its key was not in force, as the gate's file says")
    if at > now_ms + SKEW_MS:
        raise Refused("its receipt comes from the future; set this host's clock")
    if not 0 < expires - at <= LONGEST_LIFE_MS:
        raise Refused("its receipt says that it is good for longer than any may be")
    if now_ms > expires + SKEW_MS:
        raise Refused("its approval has expired; ask for a new one")
