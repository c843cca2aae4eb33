"""A gate at the tool itself: what runs is what was approved, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .call import Call
from .permit import Approved, approved
from .receipt import Receipt
from .refused import Refused

if TYPE_CHECKING:
    from .gate import Gate, countersigned

__version__ = "0.1.0"
__all__ = ["Approved", "Call", "Gate", "Receipt", "Refused", "approved", "countersigned"]


def __getattr__(name: str) -> Any:
    """The gate is loaded when it is asked for: what is beside it works without agno."""
    if name in ("Gate", "countersigned"):
        from . import gate

        return getattr(gate, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
