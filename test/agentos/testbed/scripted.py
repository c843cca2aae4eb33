"""A model that follows a script instead of asking a provider.

It is stateless: its next turn is the number of assistant messages since the last user message. Each agent
has a script of its own; a user message that is a JSON array replaces it for that run, e.g.

    [[{"name": "delete_user_data", "arguments": {"user_id": "U-100"}}], "All done."]

where an array is a turn of tool calls, a string is a final answer, and {"error": "text"} makes the model fail. A call
may bring "raw" instead of "arguments": the argument text exactly as a model would send it, broken or not.

{"again": {"subject": "Hi"}} does what the refusal of the last call says: it makes that call again with the arguments
that are proposed there, and with these. If it is told not to call again, it ends with what it was told.
"""

import json
from typing import Any, AsyncIterator, Iterator, List
from uuid import uuid4

from agno.models.base import Model
from agno.models.message import MessageMetrics
from agno.models.response import ModelResponse


class ScriptedModel(Model):
    """Answers from a script instead of a provider; see the top of this file."""

    def __init__(self, script: List[Any]) -> None:
        super().__init__(id="scripted-model", name="scripted", provider="scripted")
        self.script = script

    def _next(self, messages: List[Any]) -> ModelResponse:
        users = [i for i, message in enumerate(messages) if message.role == "user"]
        since_user = messages[users[-1] :] if users else messages
        turn = sum(1 for message in since_user if message.role == "assistant")
        script = self._script_of(since_user[0].content if users else None)
        step = script[turn] if turn < len(script) else "Done."
        if isinstance(step, dict) and "again" in step:
            step = asked_again(since_user, step["again"])
        usage = MessageMetrics()
        if isinstance(step, str):
            return ModelResponse(role="assistant", content=step, response_usage=usage)
        if isinstance(step, dict):
            raise RuntimeError(step["error"])
        calls = [
            {
                "id": f"call_{uuid4().hex[:16]}",
                "type": "function",
                "function": {"name": call["name"], "arguments": call.get("raw") or json.dumps(call.get("arguments", {}))},
            }
            for call in step
        ]
        return ModelResponse(role="assistant", content=None, tool_calls=calls, response_usage=usage)

    def _script_of(self, prompt: Any) -> List[Any]:
        if isinstance(prompt, str) and prompt.startswith("["):
            try:
                return json.JSONDecoder().raw_decode(prompt)[0]  # AgentOS may add words of its own
            except ValueError:
                return self.script
        return self.script

    def invoke(self, messages: List[Any], *args: Any, **kwargs: Any) -> ModelResponse:
        return self._next(messages)

    async def ainvoke(self, messages: List[Any], *args: Any, **kwargs: Any) -> ModelResponse:
        return self._next(messages)

    def invoke_stream(self, messages: List[Any], *args: Any, **kwargs: Any) -> Iterator[ModelResponse]:
        yield self._next(messages)

    async def ainvoke_stream(self, messages: List[Any], *args: Any, **kwargs: Any) -> AsyncIterator[ModelResponse]:
        yield self._next(messages)

    def _parse_provider_response(self, response: Any, **kwargs: Any) -> ModelResponse:
        return response

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return response


def asked_again(messages: List[Any], others: dict) -> Any:
    """What a model that does as it is told makes of the refusal of its last call."""
    told = str(next((message.content for message in reversed(messages) if message.role == "tool"), ""))
    start = told.find("{")
    if start < 0 or "Do not call it again" in told:
        return f"Not approved: {told}"
    said = json.JSONDecoder().raw_decode(told[start:])[0]
    made = next(message.tool_calls for message in reversed(messages) if message.tool_calls)[-1]["function"]
    return [call(made["name"], **{**json.loads(made["arguments"]), **said.get("proposed", {}), **others})]


def call(name: str, /, **arguments: Any) -> dict:
    return {"name": name, "arguments": arguments}
