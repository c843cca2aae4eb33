"""A graph of LangGraph that stops at an interrupt before it pays, and goes on when people approved in Slack.

Set COUNTERSIGN_GATE (the file of `countersign keys export`), COUNTERSIGN_SERVICE and COUNTERSIGN_TOKEN, and run

    python langgraph_interrupt.py 12.5 carol
"""

import os
import sys
from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from countersign_agno import Refused, approved
from countersign_agno.ask import Ask, Service, ask


class Payment(TypedDict, total=False):
    amount: float
    to: str
    said: str


def pay(state: Payment) -> Payment:
    interrupt({"tool": "pay", "args": {"amount": state["amount"], "to": state["to"]}})
    # Whoever resumes the graph by other means than ask() gets here without an approval.
    approval = approved()
    if approval is None:
        raise Refused("nobody approved this payment")
    amount, to = approval.args["amount"], approval.args["to"]
    return {"said": f"paid {amount} to {to}, approved by {', '.join(approval.approvers)}"}


def built() -> Any:
    graph = StateGraph(Payment)
    graph.add_node("pay", pay)
    graph.add_edge(START, "pay")
    graph.add_edge("pay", END)
    return graph.compile(checkpointer=InMemorySaver())


def main(amount: float, to: str) -> str:
    graph, thread = built(), {"configurable": {"thread_id": "payment"}}
    stopped = graph.invoke({"amount": amount, "to": to}, thread)
    (pause,) = stopped["__interrupt__"]
    call = Ask(pause.value["tool"], pause.value["args"], agent="billing-graph")
    service = Service(os.environ["COUNTERSIGN_SERVICE"], os.environ["COUNTERSIGN_TOKEN"], poll_s=0.2)
    ended = ask(call, lambda **args: graph.invoke(Command(resume=args), thread), service=service)
    return str(ended["said"])


if __name__ == "__main__":
    try:
        print(main(float(sys.argv[1]), sys.argv[2]))
    except Refused as refused:
        sys.exit(str(refused))
