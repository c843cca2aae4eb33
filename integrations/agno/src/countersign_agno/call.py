"""A call as a gate sees it, its digest, and what agno makes of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .canonical import hash_of


@dataclass(frozen=True)
class Call:
    """Who makes which call in which run, and what the tool is called with. A team's own call has no agent."""

    run: str
    call: str
    agent: str | None
    team: str | None
    tool: str

    def digest(self, args: Mapping[str, Any]) -> str:
        """What a receipt names the call by (docs/receipts.md of Countersign). Raises `NotCanonical`."""
        who = {"run": self.run, "call": self.call, "agent": self.agent, "team": self.team, "tool": self.tool}
        return hash_of({**who, "args": hash_of(dict(args))})

    def key(self, installation: str) -> str:
        """What the call is marked by: never by receipt or decision, since two of them may cover one call."""
        return hash_of([installation, self.run, self.call])


def execution_in(requirement: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of a requirement that says what runs."""
    execution = requirement.get("tool_execution")
    return execution if isinstance(execution, dict) else requirement


def is_done(execution: Mapping[str, Any]) -> bool:
    """True for a call that has a result or an error."""
    return execution.get("result") is not None or execution.get("tool_call_error") not in (None, False)


def approved_arguments(row: Mapping[str, Any], requirement: Mapping[str, Any]) -> dict[str, Any]:
    """What the tool is called with if nobody changes it: the arguments, and over them what was filled in."""
    execution = execution_in(requirement)
    args = execution.get("tool_args")
    filled = _filled(row, requirement) if _pause_type(execution, row) == "user_input" else {}
    return {**(args if isinstance(args, dict) else {}), **filled}


def _filled(row: Mapping[str, Any], requirement: Mapping[str, Any]) -> dict[str, Any]:
    data = row.get("resolution_data")
    values = data.get("values") if isinstance(data, dict) else None
    given = values if isinstance(values, dict) else {}
    schema = requirement.get("user_input_schema")
    if schema is None:
        schema = execution_in(requirement).get("user_input_schema")
    fields = [one for one in schema if isinstance(one, dict)] if isinstance(schema, list) else []
    named = [(one["name"], one.get("value")) for one in fields if isinstance(one.get("name"), str)]
    return {name: given.get(name, value) for name, value in named}


def _pause_type(execution: Mapping[str, Any], row: Mapping[str, Any]) -> Any:
    if execution.get("requires_user_input") is True:
        return "user_input"
    if execution.get("external_execution_required") is True:
        return "external_execution"
    return "confirmation" if execution.get("requires_confirmation") is True else row.get("pause_type")


_WORDS: Mapping[str, bool | None] = {"none": None, "null": None, "true": True, "false": False}


def as_agno_reads(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as agno hands them on: texts such as `None` and `true` become the values that they name."""
    return {name: _read(value) for name, value in args.items()}


def _read(value: Any) -> Any:
    word = value.strip().lower() if isinstance(value, str) else None
    return _WORDS.get(word, value) if word is not None else value
