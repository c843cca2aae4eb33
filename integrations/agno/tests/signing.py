"""Keys and receipts as Countersign makes them."""

from __future__ import annotations

import base64
import json
import time
from typing import Any
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.hashes import SHA256

from countersign_agno.canonical import canonical, hash_of

DAY_MS = 24 * 3_600_000


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Signer:
    """A key as Countersign has one, of either algorithm."""

    def __init__(self, algorithm: str = "EdDSA") -> None:
        self.algorithm = algorithm
        self.kid = uuid4().hex
        if algorithm == "EdDSA":
            self._ed = ed25519.Ed25519PrivateKey.generate()
            x = _b64(self._ed.public_key().public_bytes_raw())
            self.public: dict[str, Any] = {"kty": "OKP", "crv": "Ed25519", "x": x}
        else:
            self._ec = ec.generate_private_key(ec.SECP256R1())
            numbers = self._ec.public_key().public_numbers()
            x, y = (_b64(one.to_bytes(32, "big")) for one in (numbers.x, numbers.y))
            self.public = {"kty": "EC", "crv": "P-256", "x": x, "y": y}
        self.public = {**self.public, "kid": self.kid, "alg": algorithm, "use": "sig"}

    def sign(self, claims: dict[str, Any], purpose: str = "approval", **header: Any) -> str:
        said = {"alg": self.algorithm, "kid": self.kid, "typ": f"countersign-{purpose}+jws", **header}
        signed = f"{_b64(json.dumps(said).encode())}.{_b64(canonical(claims).encode())}"
        return f"{signed}.{_b64(self._signature(signed.encode()))}"

    def _signature(self, signed: bytes) -> bytes:
        if self.algorithm == "EdDSA":
            return self._ed.sign(signed)
        r, s = utils.decode_dss_signature(self._ec.sign(signed, ec.ECDSA(SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def digest_of(call: dict[str, Any], args: dict[str, Any]) -> str:
    """The digest of a call, as docs/receipts.md says it."""
    return hash_of({**call, "args": hash_of(args)})


def claims_of(row: dict[str, Any], digests: list[str], **changes: Any) -> dict[str, Any]:
    """What Countersign says of an approval."""
    at = int(time.time() * 1000)
    vote = {"person": "T1:U1", "subject": "bob@example.com", "verb": "approve", "at": at, "surface": "card"}
    claims = {
        "version": 2,
        "installation": "test",
        "instance": "main",
        "approval": row["id"],
        "revision": 1,
        "digest": "0" * 64,
        "decision": uuid4().hex,
        "verdict": "approve",
        "at": at,
        "votes": [{**vote, "rules": ["all"]}],
        "rules": [{"name": "all", "hash": "0" * 64, "quorum": 1}],
        "filled": None,
        "sandbox": False,
        "calls": digests,
        "expires": at + DAY_MS,
    }
    return {**claims, **changes}
