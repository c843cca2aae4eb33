"""One text for one JSON value (RFC 8785), byte for byte as Countersign writes it, and its SHA-256."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any


class NotCanonical(ValueError):
    """A value that has no canonical form, or that Python cannot hold exactly."""


@dataclass(frozen=True)
class WireNumber:
    """A number that neither a double nor an int of Python holds, as the text that it came as."""

    text: str


# int() and str() refuse longer ones, unless somebody allowed them.
_MAX_DIGITS = 4_000


def parse(text: str) -> Any:
    """Read JSON without losing a digit: a number is a float, an int, or a `WireNumber`."""

    def whole(digits: str) -> int | WireNumber:
        return int(digits) if len(digits) <= _MAX_DIGITS else WireNumber(digits)

    def other(number: str) -> float | WireNumber:
        value = float(number)
        return value if _is_finite(value) and _plain(number) == _plain(_double(value)) else WireNumber(number)

    def constant(name: str) -> None:
        raise NotCanonical(f"{name} is not JSON")

    try:
        return json.loads(text, parse_int=whole, parse_float=other, parse_constant=constant)
    except RecursionError:
        raise NotCanonical("JSON is nested too deeply") from None


def canonical(value: Any) -> str:
    """The canonical JSON of a value.

    Keys stand in the order of UTF-16, numbers as ECMAScript prints them. A number that a double does not hold is
    `{"$number":"<digits>"}`, and a key that begins with `$` gains one more. Half a character is written as its escape.
    Raises `NotCanonical` for what JSON does not have: NaN, bytes, tuples, keys that are no text, and the like.
    """
    try:
        return _written(value)
    except RecursionError:
        raise NotCanonical("the value is nested too deeply") from None


def hash_of(value: Any) -> str:
    """SHA-256 over the canonical JSON of a value, as 64 hex characters."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def _written(value: Any) -> str:
    kind = type(value)  # exactly: a bool is no number, and a subclass may say anything of itself
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is str:
        return _string(value)
    if kind is int:
        return _int(value)
    if kind is float:
        if not _is_finite(value):
            raise NotCanonical(f"{value} is not JSON")
        return _double(value)
    if kind is WireNumber:
        return _tagged(value.text)
    if kind is list:
        return "[" + ",".join(map(_written, value)) + "]"
    if kind is dict:
        return _object(value)
    raise NotCanonical(f"a value of type {kind.__name__} is not JSON")


def _object(value: dict[Any, Any]) -> str:
    for key in value:
        if type(key) is not str:
            raise NotCanonical(f"a key of type {type(key).__name__} is not JSON")
    members = [("$" + key if key.startswith("$") else key, member) for key, member in value.items()]
    members.sort(key=lambda one: one[0].encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{_string(key)}:{_written(member)}" for key, member in members) + "}"


def _tagged(text: str) -> str:
    return '{"$number":' + _string(text) + "}"


_HALVES = re.compile("[\ud800-\udfff]")


def _string(text: str) -> str:
    if not _HALVES.search(text):
        return json.dumps(text, ensure_ascii=False)
    # Two halves that were put together one by one are a pair on the wire.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(whole, ensure_ascii=False))


def _int(value: int) -> str:
    if value.bit_length() > 13_000:
        raise NotCanonical("a whole number of more than 4000 digits is not taken")
    text = str(value)
    if value.bit_length() <= 53:
        return text
    try:
        printed = _double(float(value))
    except OverflowError:
        return _tagged(text)
    return printed if _plain(printed) == _plain(text) else _tagged(text)


def _is_finite(value: float) -> bool:
    return value - value == 0


def _double(value: float) -> str:
    """A double as ECMAScript prints it."""
    text, power = _split(repr(value))
    if not text:
        return "0"
    point = len(text) + power
    if len(text) <= point <= 21:
        out = text + "0" * (point - len(text))
    elif 0 < point <= 21:
        out = text[:point] + "." + text[point:]
    elif -6 < point <= 0:
        out = "0." + "0" * -point + text
    else:
        out = text[0] + ("." + text[1:] if len(text) > 1 else "") + f"e{point - 1:+d}"
    return ("-" if value < 0 else "") + out


def _plain(number: str) -> str:
    """A decimal number as digits and power of ten, to compare two texts of it."""
    digits, power = _split(number)
    return f"{'-' if number.startswith('-') else ''}{digits}e{power}" if digits else "0"


def _split(number: str) -> tuple[str, int]:
    """The digits of a decimal number, without zeros at either end, and the power of ten of the last."""
    mantissa, _, exponent = number.lower().lstrip("-").partition("e")
    whole, _, part = mantissa.partition(".")
    if len(exponent) > _MAX_DIGITS:
        raise NotCanonical("a number with so long an exponent is not taken")
    digits = (whole + part).lstrip("0")
    kept = digits.rstrip("0")
    return kept, int(exponent or 0) - len(part) + len(digits) - len(kept)
