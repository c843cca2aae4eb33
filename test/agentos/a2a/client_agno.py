"""Runs components by agno's remote classes over A2A: reads one call a line, and prints for each the run's content."""

import asyncio
import json
import sys
from typing import Any

from agno.agent.remote import RemoteAgent
from agno.team.remote import RemoteTeam
from agno.workflow.remote import RemoteWorkflow


def remote(call: dict[str, Any]) -> Any:
    family, name = call["agent"].split("/")[-2:]
    over = {"base_url": call["agent"], "protocol": "a2a"}
    if family == "agents":
        return RemoteAgent(agent_id=name, **over)
    return RemoteTeam(team_id=name, **over) if family == "teams" else RemoteWorkflow(workflow_id=name, **over)


async def carry_out(call: dict[str, Any]) -> dict[str, Any]:
    component, token = remote(call), call["token"]
    if call["do"] == "send":
        return {"content": (await component.arun(call["text"], auth_token=token)).content}
    saw: list[str] = []
    content = ""
    async for event in component.arun(call["text"], stream=True, auth_token=token):
        saw.append(event.event)
        content = getattr(event, "content", None) or content
    return {"saw": saw, "content": content}


async def main() -> None:
    for line in sys.stdin:
        try:
            answer = await carry_out(json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


asyncio.run(main())
