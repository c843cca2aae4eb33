"""Calls an agent by a2a-sdk 0.3: reads one call a line, and prints a line for each: what the client saw, or its error."""

import asyncio
import json
import sys
from typing import Any

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, Task, TaskIdParams, TaskQueryParams, TextPart


def text_of(parts: list[Part]) -> str:
    return "".join(part.root.text for part in parts if isinstance(part.root, TextPart))


def task_of(task: Task) -> dict[str, Any]:
    said = task.status.message
    return {
        "id": task.id,
        "context": task.context_id,
        "state": task.status.state.value,
        "said": "" if said is None else text_of(said.parts),
        "artifacts": [text_of(artifact.parts) for artifact in task.artifacts or []],
    }


def event_of(update: Any) -> str:
    if update is None:
        return "task"
    if update.kind == "artifact-update":
        return f"artifact {text_of(update.artifact.parts)}"
    return f"status {update.status.state.value}{' final' if update.final else ''}"


async def carry_out(client: Any, call: dict[str, Any]) -> dict[str, Any]:
    if call["do"] == "get":
        return {"task": task_of(await client.get_task(TaskQueryParams(id=call["task"])))}
    if call["do"] == "cancel":
        return {"task": task_of(await client.cancel_task(TaskIdParams(id=call["task"])))}
    part = Part(root=TextPart(text=call["text"]))
    ids = {"task_id": call.get("task"), "context_id": call.get("context")}
    message = Message(role=Role.user, message_id="m-1", parts=[part], **ids)
    saw: list[str] = []
    last: Any = None
    async for last, update in client.send_message(message):
        saw.append(event_of(update))
    return {"saw": saw, "task": task_of(last)}


async def main() -> None:
    for line in sys.stdin:
        call = json.loads(line)
        async with httpx.AsyncClient(headers={"authorization": f"Bearer {call['token']}"}) as http:
            config = ClientConfig(streaming=call["do"] == "stream", polling=call["do"] == "poll", httpx_client=http)
            try:
                client = await ClientFactory.connect(call["agent"], client_config=config)
                answer = await carry_out(client, call)
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


asyncio.run(main())
