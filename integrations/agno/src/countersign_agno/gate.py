"""The gate: stands around a tool's entry point, and lets exactly the approved call through, once."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import logging
import os
import time
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from agno.agent import Agent
from agno.approval import approval
from agno.run.base import RunContext
from agno.team import Team
from agno.tools import Toolkit
from agno.tools.function import Function, FunctionCall, UserInputField

from . import rows
from .call import Call, as_agno_reads
from .ended import EndedList
from .marks import Marks, open_marks
from .permit import Approved, current, permit_by_receipt, permit_by_rows
from .refused import Refused
from .settings import ENV_FILE, Settings, load

log = logging.getLogger("countersign_agno")

Tool = TypeVar("Tool", Function, Toolkit)

#: Where the receipt of a call lies, if it is not read from agno's database.
ReceiptOf = Callable[[Call], "str | os.PathLike[str]"]


class Gate:
    """Lets calls through that were approved. One serves any number of tools.

    `file`: the file of keys; by default the one that COUNTERSIGN_GATE names. It is read anew when it changes. `marks`:
    where calls that ran are marked, in place of what the file says. `receipt_of`: gives the path of a call's receipt,
    if it does not stand in agno's database.
    """

    def __init__(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        marks: str | None = None,
        receipt_of: ReceiptOf | None = None,
    ) -> None:
        self._file = file
        self._marks = marks
        self._receipt_of = receipt_of
        self._read: tuple[object, Settings] | None = None
        self._stores: dict[str, Marks] = {}
        self._lists: dict[str, EndedList] = {}

    def countersigned(self, tool: Tool, *, tools: list[str] | None = None) -> Tool:
        """Puts the gate around a tool that `@tool` made, or around those of a toolkit.

        Of a toolkit: around `tools`, which then need an approval, or by default around all that need one. Raises
        `ValueError` for a tool that no gate can stand around.
        """
        self._warn_early()
        if isinstance(tool, Toolkit):
            self._gate_tools_of(tool, tools)
            return tool
        if isinstance(tool, Function):
            return self._function(tool)
        raise ValueError("countersign refused: @countersigned stands above @tool, or around a Toolkit")

    def _gate_tools_of(self, toolkit: Toolkit, names: list[str] | None) -> None:
        gated: set[str] = set()
        for functions in (toolkit.functions, toolkit.async_functions):
            for name, function in functions.items():
                if name in names if names is not None else function.approval_type == "required":
                    functions[name] = self._function(function if names is None else _needing_approval(function))
                    gated.add(name)
        missing = set(names or ()) - gated
        if missing or not gated:
            none = "has no tool with @approval; name some by tools="
            what = f"has no tool {min(missing)!r}" if missing else none
            raise ValueError(f"countersign refused: the toolkit {toolkit.name} {what}")

    def _function(self, function: Function) -> Function:
        if function.cache_results:
            raise ValueError(f"countersign refused: {function.name} caches results, which would skip its approval")
        if function.external_execution:
            raise ValueError(f"countersign refused: {function.name} runs outside the agent, where no gate can stand")
        if isinstance(function, GatedFunction):
            return function
        function.process_entrypoint()
        if function.entrypoint is None:
            raise ValueError(f"countersign refused: {function.name} has no entry point")
        made = GatedFunction.model_construct(**function.__dict__)
        made.entrypoint = _guarded(self, function.entrypoint)
        made.skip_entrypoint_processing = True
        return made

    def _warn_early(self) -> None:
        """What is wrong with the file is told at the start already; each call is refused for it all the same."""
        try:
            self.settings()
        except Refused as refused:
            log.warning("%s", refused)

    def settings(self) -> Settings:
        """What the file says now. Raises `Refused` if it is of no use."""
        path = Path(self._file or os.environ.get(ENV_FILE) or "")
        try:
            found = path.stat()
            state: object = (path, found.st_mtime_ns, found.st_size, found.st_ino)
        except OSError:
            state = None
        if self._read is None or state is None or self._read[0] != state:
            settings = load(self._file, self._marks)
            if settings.sandbox:
                log.warning("this gate takes approvals of a sandbox, where nobody really decides: sandbox in %s", path)
            self._read = (state, settings)
        return self._read[1]

    def admit(self, fc: object, arrived: Mapping[str, Any]) -> Approved:
        """The approval of a call, which is marked as begun. Raises `Refused`. For code outside an event loop."""
        asked, databases = _asked(fc)
        if self._receipt_of is not None:
            return self._by_receipt(asked.call, arrived)
        return self._by_rows(asked.call, arrived, rows.read(databases, asked))

    async def aadmit(self, fc: object, arrived: Mapping[str, Any]) -> Approved:
        """The same inside an event loop."""
        asked, databases = _asked(fc)
        if self._receipt_of is not None:
            return await asyncio.to_thread(self._by_receipt, asked.call, arrived)
        return await asyncio.to_thread(self._by_rows, asked.call, arrived, await rows.aread(databases, asked))

    def _by_rows(self, call: Call, arrived: Mapping[str, Any], named: list[rows.Named]) -> Approved:
        settings = self.settings()
        return self._once(permit_by_rows(call, arrived, named, settings, _now_ms()), settings)

    def _by_receipt(self, call: Call, arrived: Mapping[str, Any]) -> Approved:
        settings = self.settings()
        try:
            text = Path(self._receipt_of(call) if self._receipt_of else "").read_text(encoding="ascii")
        except (OSError, ValueError) as error:
            raise Refused(f"its receipt cannot be read ({type(error).__name__})") from None
        return self._once(permit_by_receipt(call, arrived, text, settings, _now_ms()), settings)

    def _once(self, found: Approved, settings: Settings) -> Approved:
        if settings.ended_list is not None:
            known = self._lists.setdefault(settings.ended_list, EndedList(settings.ended_list))
            known.check(found.receipt.decision, settings)
        store = self._stores.setdefault(settings.marks, open_marks(settings.marks))
        if not store.set(found.call.key(settings.installation), found.receipt.decision):
            raise Refused("this very call began before; an approved call runs once, so ask for a new one")
        return found


class GatedFunction(Function):
    """A tool with a gate. Its form is fresh in each run, as where agno processes the entry point itself."""

    def process_entrypoint(self, strict: bool = False) -> None:
        super().process_entrypoint(strict=strict)
        if self.user_input_schema is not None:
            self.user_input_schema = [
                UserInputField(name=one.name, field_type=one.field_type, description=one.description)
                for one in self.user_input_schema
            ]


def _needing_approval(function: Function) -> Function:
    # Its types know nothing of a Function, which it takes.
    mark: Callable[[Any], Any] = approval
    return typing.cast(Function, mark(function))


def _now_ms() -> int:
    return int(time.time() * 1000)


def _asked(fc: object) -> tuple[rows.Asked, list[Any]]:
    """Who makes the call, as agno says, and the databases that may hold its approval."""
    if not isinstance(fc, FunctionCall):
        raise Refused("the tool was called by something else than agno, so nobody can tell which call this is")
    function, context = fc.function, fc.function._run_context
    if function.cache_results:
        raise Refused(f"{function.name} caches results, which would skip its approval")
    agent, team = function._agent, function._team
    who, own_team = getattr(agent, "id", None), getattr(team, "id", None)
    if not isinstance(fc.call_id, str) or not fc.call_id or context is None or not context.run_id:
        raise Refused("agno gave the call no id, so nobody can tell which was approved")
    if not isinstance(who if agent is not None else own_team, str):
        raise Refused("agno does not say who makes the call")
    call = Call(context.run_id, fc.call_id, who, own_team if agent is None else None, function.name)
    found = [getattr(one, "db", None) for one in (agent, team) if one is not None]
    databases = [one for at, one in enumerate(found) if one is not None and not any(one is x for x in found[:at])]
    if not databases:
        raise Refused("the agent has no database, so there is no approval to read")
    return rows.Asked(call, own_team if agent is not None else None, context.session_id), databases


_IDENTITY = ("agent", "team", "run_context", "_agno_agent", "_agno_team", "_agno_run_context")
_MEDIA = ("images", "videos", "audios", "files")


def _guarded(gate: Gate, inner: Callable[..., Any]) -> Callable[..., Any]:
    """The entry point with the gate before it. It has the same parameters, and `fc`, by which agno says what it is."""
    plan = _Plan(inner)

    if inspect.isasyncgenfunction(inner):

        @functools.wraps(inner)
        async def entry(*args: Any, **kwargs: Any) -> Any:
            given = plan.split(args, kwargs)
            found = await gate.aadmit(kwargs.get("fc"), given.arguments)
            current.set(found)
            async for item in inner(*args, **as_agno_reads(found.args), **given.injected):
                yield item

    elif inspect.iscoroutinefunction(inner):

        @functools.wraps(inner)
        async def entry(*args: Any, **kwargs: Any) -> Any:
            given = plan.split(args, kwargs)
            found = await gate.aadmit(kwargs.get("fc"), given.arguments)
            token = current.set(found)
            try:
                return await inner(*args, **as_agno_reads(found.args), **given.injected)
            finally:
                current.reset(token)

    else:

        @functools.wraps(inner)
        def entry(*args: Any, **kwargs: Any) -> Any:
            given = plan.split(args, kwargs)
            found = gate.admit(kwargs.get("fc"), given.arguments)
            token = current.set(found)
            try:
                result = inner(*args, **as_agno_reads(found.args), **given.injected)
                return _driven(result, contextvars.copy_context()) if inspect.isgenerator(result) else result
            finally:
                current.reset(token)

    entry.__signature__ = plan.signature  # type: ignore[attr-defined]
    return entry


def _driven(generator: Iterator[Any], context: contextvars.Context) -> Iterator[Any]:
    """The items of a generator whose body can read its approval."""
    end = object()
    while (item := context.run(next, generator, end)) is not end:
        yield item


class _Given:
    def __init__(self, arguments: dict[str, Any], injected: dict[str, Any]) -> None:
        self.arguments = arguments
        self.injected = injected


class _Plan:
    """Which of a tool's parameters agno fills in itself."""

    def __init__(self, inner: Callable[..., Any]) -> None:
        own = inspect.signature(inner)
        self._names = set(own.parameters)
        self._bound = next(iter(own.parameters), None) == "self"
        self._typed = _typed(inner)
        extra = inspect.Parameter("fc", inspect.Parameter.KEYWORD_ONLY, default=None)
        last = list(own.parameters.values())
        catch_all = [one for one in last if one.kind is inspect.Parameter.VAR_KEYWORD]
        others = [one for one in last if one.kind is not inspect.Parameter.VAR_KEYWORD]
        self.signature = own if "fc" in self._names else own.replace(parameters=[*others, extra, *catch_all])

    def split(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Given:
        """What arrives, as what was asked for and what agno adds. Raises `Refused` for what claims to be agno's."""
        fc = kwargs.get("fc")
        if not isinstance(fc, FunctionCall) or len(args) != int(self._bound):
            raise Refused("the tool was called by something else than agno, so nobody can tell which call this is")
        held = _held(fc)
        given = _Given({}, {})
        for name, value in kwargs.items():
            place = given.injected if self._is_injected(name, value, held) else given.arguments
            place[name] = value
        if "fc" not in self._names:
            del given.injected["fc"]
        return given

    def _is_injected(self, name: str, value: Any, held: Mapping[str, Any]) -> bool:
        if name == "fc":
            return True
        if name in self._names and name in _IDENTITY:
            if value is not held[name]:
                raise Refused(f"the argument {name} is agno's own, and something else stands in its place")
            return True
        if name in self._names and name in _MEDIA:
            return value is held[name]
        return name in self._typed and (value is None or any(value is held[one] for one in _IDENTITY))


def _held(fc: FunctionCall) -> dict[str, Any]:
    function = fc.function
    whose = {"agent": function._agent, "team": function._team, "run_context": function._run_context}
    media = {name: getattr(function, f"_{name}", None) for name in _MEDIA}
    return {**whose, **{f"_agno_{name}": value for name, value in whose.items()}, **media}


def _typed(inner: Callable[..., Any]) -> set[str]:
    """Parameters that agno fills by their type, whatever their name."""
    try:
        hints = typing.get_type_hints(inspect.unwrap(inner))
    except Exception:  # a name that cannot be resolved: then agno does not resolve it either
        return set()
    return {name for name, hint in hints.items() if name != "return" and _is_framework(hint)}


def _is_framework(hint: Any) -> bool:
    return any(
        isinstance(one, type) and issubclass(one, (Agent, Team, RunContext)) for one in (hint, *typing.get_args(hint))
    )


#: A gate with the file that COUNTERSIGN_GATE names.
_usual = Gate()


def countersigned(tool: Tool, *, tools: list[str] | None = None) -> Tool:
    """`Gate.countersigned` of a gate with the file that COUNTERSIGN_GATE names."""
    return _usual.countersigned(tool, tools=tools)
