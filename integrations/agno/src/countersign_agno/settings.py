"""The gate's file: whose receipts it takes, by which keys, and where calls that ran are marked."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .refused import Refused

ENV_FILE = "COUNTERSIGN_GATE"
ENV_MARKS = "COUNTERSIGN_MARKS"

_EXPORT = "write it anew with: countersign keys export"


@dataclass(frozen=True)
class Key:
    """A public key that is pinned. It vouches for what was signed between `not_before` and `not_after` (epoch ms)."""

    kid: str
    algorithm: str
    x: str
    y: str | None
    not_before: int | None
    not_after: int | None

    def in_force(self, at_ms: int) -> bool:
        """True if it vouches for what was signed then."""
        return (self.not_before is None or at_ms >= self.not_before) and (
            self.not_after is None or at_ms <= self.not_after
        )


@dataclass(frozen=True)
class Settings:
    """What a gate's file says. `instance` None: any of the installation. `marks`: a SQLite file or a `redis://` URL.

    `ended_list`: where Countersign serves the signed list of decisions that ended; None where it cannot be reached.
    """

    installation: str
    instance: str | None
    sandbox: bool
    keys: Mapping[str, Key]
    marks: str
    ended_list: str | None = None


def load(path: str | os.PathLike[str] | None = None, marks: str | None = None) -> Settings:
    """Read the file at `path`, by default the one that COUNTERSIGN_GATE names. Raises `Refused` if it is of no use."""
    file = path if path is not None else os.environ.get(ENV_FILE)
    if not file:
        raise Refused(f"this host names no file of keys; write one with: countersign keys export, and set {ENV_FILE}")
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"the gate's file {file} cannot be read ({type(error).__name__}); {_EXPORT}") from None
    return _settings_of(_object_in(text, file), Path(file), marks or os.environ.get(ENV_MARKS))


def _object_in(text: str, file: object) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except ValueError:
        raise Refused(f"the gate's file {file} is no JSON; {_EXPORT}") from None
    if not isinstance(said, dict):
        raise Refused(f"the gate's file {file} holds no object; {_EXPORT}")
    return said


def _settings_of(said: dict[str, Any], file: Path, marks: str | None) -> Settings:
    if said.get("version") != 1:
        raise Refused(f"the gate's file {file} is of version {said.get('version')!r}, which this gate does not know")
    unknown = said.keys() - {"version", "installation", "instance", "sandbox", "keys", "marks", "ended_list"}
    if unknown:
        raise Refused(f"the gate's file {file} says {sorted(unknown)[0]!r}, which this gate does not know")
    installation, instance, sandbox = said.get("installation"), said.get("instance"), said.get("sandbox", False)
    keys = said.get("keys")
    if not (isinstance(installation, str) and installation):
        raise Refused(f"the gate's file {file} names no installation; {_EXPORT}")
    if not (instance is None or isinstance(instance, str)) or not isinstance(sandbox, bool):
        raise Refused(f"in the gate's file {file} instance must be a name, and sandbox true or false")
    if not isinstance(keys, list) or not keys:
        raise Refused(f"the gate's file {file} holds no keys; {_EXPORT}")
    ended_list = said.get("ended_list")
    if not (ended_list is None or (isinstance(ended_list, str) and ended_list.startswith(("https://", "http://")))):
        raise Refused(f"in the gate's file {file} ended_list must be the address of Countersign's list; {_EXPORT}")
    pinned = {key.kid: key for key in (_key_of(key, file) for key in keys)}
    return Settings(installation, instance, sandbox, pinned, _marks_of(said, file, marks), ended_list)


def _marks_of(said: dict[str, Any], file: Path, marks: str | None) -> str:
    place = marks or said.get("marks")
    if not (isinstance(place, str) and place):
        raise Refused(
            f"nothing says where calls that ran are marked; give {file} a member marks, or set {ENV_MARKS}: "
            "a file for one host, a redis:// address for several"
        )
    return place if "://" in place else str(file.parent / place)


def _key_of(said: Any, file: Path) -> Key:
    kinds = {("OKP", "Ed25519"): "EdDSA", ("EC", "P-256"): "ES256"}
    kind = kinds.get((str(said.get("kty")), str(said.get("crv")))) if isinstance(said, dict) else None
    if kind is None or not all(isinstance(said.get(name), str) for name in ("kid", "x")):
        raise Refused(f"the gate's file {file} holds a key that is none of Ed25519 or P-256; {_EXPORT}")
    if "d" in said:
        raise Refused(f"the gate's file {file} holds a private key; take it out of there and make another one")
    y = said.get("y")
    if kind == "ES256" and not isinstance(y, str):
        raise Refused(f"the gate's file {file} holds a key without its y; {_EXPORT}")
    moments = [_moment(said.get(name), name, file) for name in ("not_before", "not_after")]
    return Key(said["kid"], kind, said["x"], y if kind == "ES256" else None, *moments)


def _moment(said: Any, name: str, file: Path) -> int | None:
    """Epoch ms of an ISO 8601 text with a zone."""
    if said is None:
        return None
    try:
        moment = datetime.fromisoformat(said.replace("Z", "+00:00"))
    except (AttributeError, ValueError):
        raise Refused(f"in the gate's file {file} {name} must be a moment such as 2026-11-25T00:00:00Z") from None
    if moment.tzinfo is None:
        raise Refused(f"in the gate's file {file} {name} must say its zone, such as the Z of 2026-11-25T00:00:00Z")
    return int(moment.astimezone(timezone.utc).timestamp() * 1000)
