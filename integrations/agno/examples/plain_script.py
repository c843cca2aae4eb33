"""A program without any framework that asks people before it pays.

Set COUNTERSIGN_GATE (the file of `countersign keys export`), COUNTERSIGN_SERVICE and COUNTERSIGN_TOKEN, and run

    python plain_script.py 12.5 carol
"""

import os
import sys

from countersign_agno import Refused, approved
from countersign_agno.ask import Ask, Service, ask

service = Service(os.environ["COUNTERSIGN_SERVICE"], os.environ["COUNTERSIGN_TOKEN"], poll_s=0.2)


def pay(amount: float, to: str) -> str:
    approval = approved()
    return f"paid {amount} to {to}, approved by {', '.join(approval.approvers if approval else ())}"


try:
    call = Ask("pay", {"amount": float(sys.argv[1]), "to": sys.argv[2]}, agent="billing-script")
    print(ask(call, pay, service=service))
except Refused as refused:
    sys.exit(str(refused))
