"""What the gate adds to a call: the same approved calls of an agent, with the gate before its tool and without.

Run from the folder of the package, in an environment as for the tests:

    PYTHONPATH=src python -m bench.cost 300
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

from agno.approval import approval
from agno.tools import tool
from tests.world import World


class Cost(World):
    """A world that measures; no test of it runs."""

    def tools(self) -> dict[str, Any]:
        @self.gate.countersigned
        @approval
        @tool(requires_confirmation=True)
        def gated(amount: int) -> str:
            return f"paid {amount}"

        @approval
        @tool(requires_confirmation=True)
        def plain(amount: int) -> str:
            return f"paid {amount}"

        return {"gated": gated, "plain": plain}

    def measured(self, function: Any, name: str) -> float:
        """Continues one approved run; the time in ms."""
        agent = self.agent(function, (name, {"amount": 5}))
        run = agent.run("Do it.")
        self.approve(self.db.get_approvals(run_id=run.run_id)[0][0])
        assert run.tools
        run.tools[0].confirmed = True
        began = time.perf_counter()
        ended = agent.continue_run(run_response=run)
        took = (time.perf_counter() - began) * 1000
        assert self.result_of(ended) == "paid 5", self.result_of(ended)
        return took


def main(calls: int) -> None:
    world = Cost("setUp")
    world.setUp()
    try:
        times: dict[str, list[float]] = {"gated": [], "plain": []}
        tools = world.tools()
        for at in range(calls + 20):
            # In turn, so that a slow minute of the machine counts for both.
            for name in sorted(tools, reverse=at % 2 == 0):
                took = world.measured(tools[name], name)
                if at >= 20:
                    times[name].append(took)
        medians = {name: statistics.median(all_of_it) for name, all_of_it in times.items()}
        for name, median in medians.items():
            high = statistics.quantiles(times[name], n=20)[-1]
            print(f"{name}: median {median:.2f} ms, 95 of 100 within {high:.2f} ms ({calls} calls)")
        print(f"the gate adds {medians['gated'] - medians['plain']:.2f} ms")
    finally:
        world.doCleanups()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
