"""Calls an agent by a2a-sdk 1: reads one call a line, and prints a line for each: what the client saw, or its error."""

import asyncio
import json
import sys
from typing import Any

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers import get_artifact_text, get_message_text
from a2a.types import CancelTaskRequest, GetTaskRequest, Message, Part, Role, SendMessageRequest, TaskState


def state_of(status: Any) -> str:
    return TaskState.Name(status.state).removeprefix("TASK_STATE_").replace("_", "-").lower()


def task_of(task: Any) -> dict[str, Any]:
    return {
        "id": task.id,
        "context": task.context_id,
        "state": state_of(task.status),
        "said": get_message_text(task.status.message),
        "artifacts": [get_artifact_text(artifact, "") for artifact in task.artifacts],
    }


def take_in(task: dict[str, Any], event: Any) -> str:
    """What came, once the task is as it says: this SDK leaves that to whoever reads the stream."""
    if event.HasField("task"):
        task.update(task_of(event.task))
        return "task"
    if event.HasField("artifact_update"):
        update = event.artifact_update
        text = get_artifact_text(update.artifact, "")
        if update.append:
            task["artifacts"][-1] += text
        else:
            task["artifacts"].append(text)
        return f"artifact {text}"
    if event.HasField("status_update"):
        status = event.status_update.status
        task.update(state=state_of(status), said=get_message_text(status.message))
        return f"status {task['state']}"
    return "message"


async def carry_out(client: Any, call: dict[str, Any]) -> dict[str, Any]:
    if call["do"] == "get":
        return {"task": task_of(await client.get_task(GetTaskRequest(id=call["task"])))}
    if call["do"] == "cancel":
        return {"task": task_of(await client.cancel_task(CancelTaskRequest(id=call["task"])))}
    ids = {"task_id": call.get("task"), "context_id": call.get("context")}
    message = Message(role=Role.ROLE_USER, message_id="m-1", parts=[Part(text=call["text"])], **ids)
    task: dict[str, Any] = {}
    saw = [take_in(task, event) async for event in client.send_message(SendMessageRequest(message=message))]
    return {"saw": saw, "task": task}


async def main() -> None:
    for line in sys.stdin:
        call = json.loads(line)
        async with httpx.AsyncClient(headers={"authorization": f"Bearer {call['token']}"}) as http:
            config = ClientConfig(streaming=call["do"] == "stream", polling=call["do"] == "poll", httpx_client=http)
            try:
                answer = await carry_out(await create_client(call["agent"], config), call)
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


asyncio.run(main())
