// The messages of a run, as the model saw them: the prompt, its calls, their answers, its last word.
import { conversationOf, type Utterance } from "../engine/conversation.ts"
import type { EngineRun } from "../engine/run.ts"
import type { ToolExecution } from "../engine/tool-execution.ts"
import { derivedId } from "../ids.ts"
import { writeExact } from "../wire/exact-json.ts"

/** The messages so far. */
export function messagesOf(run: EngineRun): readonly Record<string, unknown>[] {
  const created = Math.floor(run.createdAt / 1000)
  return conversationOf(run).map((message, index) => ({
    id: derivedId(run.id, index),
    from_history: false,
    stop_after_tool_call: false,
    created_at: created,
    ...shownMessage(message),
  }))
}

function shownMessage(message: Utterance): Record<string, unknown> {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.content }
    case "assistant": {
      const { role, content, calls } = message
      return {
        role,
        ...(content === null ? {} : { content }),
        ...(calls.length === 0 ? {} : { tool_calls: calls.map(toolCall) }),
      }
    }
    case "tool":
      return toolMessage(message.content, message.call)
  }
}

function toolCall(call: ToolExecution): Record<string, unknown> {
  const { tool_name: name, tool_args: args } = call
  return { id: call.tool_call_id, type: "function", function: { name, arguments: writeExact(args) } }
}

function toolMessage(content: string, call: ToolExecution): Record<string, unknown> {
  return {
    role: "tool",
    content,
    tool_call_id: call.tool_call_id,
    tool_name: call.tool_name,
    tool_args: call.tool_args,
    tool_call_error: call.tool_call_error,
  }
}
