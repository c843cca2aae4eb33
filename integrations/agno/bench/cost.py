"""What the gate adds to a call: the same approved calls of an agent, with the gate before its tool and without; and how
long it reads for the call of a team's member, beside many rows of that team.

Run from the folder of the package, in an environment as for the tests, with how many calls, and how many rows:

    PYTHONPATH=src python -m bench.cost 300 5000
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

from agno.approval import approval
from agno.tools import tool
from tests.world import World

from countersign_agno.call import Call
from countersign_agno.rows import Asked, read


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

    def team_rows(self, rows: int) -> None:
        """Rows of one team, an hour apart from none to seven days back; one of them is of the session `asked`."""
        now = int(time.time())
        execution = {"tool_call_id": "other", "tool_name": "pay", "tool_args": {"to": "A" * 200}}
        requirements = [{"member_run_id": "other", "tool_execution": execution}]
        of_team = {"team_id": "team-1", "source_type": "team", "pause_type": "confirmation", "status": "approved"}
        for at in range(rows):
            where = {"id": f"row-{at}", "run_id": f"run-{at}", "session_id": f"session-{at}" if at else "asked"}
            made = {"created_at": now - at % 168 * 3600, "requirements": requirements}
            self.db.create_approval({**of_team, **where, **made})

    def reading(self, session: str | None, times: int) -> float:
        """How long the rows of a member's call are read, in ms; without a session all rows of its team come."""
        call = Call("run-member", "call-1", "agent-1", None, "pay")
        took = []
        for _ in range(times):
            began = time.perf_counter()
            read([self.db], Asked(call, "team-1", session))
            took.append((time.perf_counter() - began) * 1000)
        return statistics.median(took)


def main(calls: int, rows: int) -> None:
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
        world.team_rows(rows)
        one, all_rows = world.reading("asked", 50), world.reading(None, 5)
        print(f"a member's call beside {rows} rows of its team: {one:.2f} ms; all of these rows: {all_rows:.2f} ms")
    finally:
        world.doCleanups()


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:3]]
    main(*given, *(300, 5000)[len(given) :])
