// The messages of a run, as the model saw them: the prompt, its calls, what they answered, its last word.
import { type EngineRun, isOpen } from "../engine/run.ts"
import type { ToolExecution } from "../engine/tool-execution.ts"
import { derivedId } from "../ids.ts"
import { writeExact } from "../wire/exact-json.ts"

/** The messages so far. A call that waits has no answer yet; a refused one has the note that refused it. */
export function messagesOf(run: EngineRun): readonly Record<string, unknown>[] {
  const { message, answer, turns, tools } = run.state
  const messages: Record<string, unknown>[] = [{ role: "user", content: message }]
  let at = 0
  for (const turn of turns) {
    const calls = Array.isArray(turn) ? tools.slice(at, at + turn.length) : []
    if (calls.length === 0) break
    at += calls.length
    messages.push({ role: "assistant", tool_calls: calls.map(toolCall) })
    messages.push(...calls.filter((call) => !isOpen(call)).map(toolMessage))
  }
  if (run.status === "COMPLETED") messages.push({ role: "assistant", content: answer })
  const created = Math.floor(run.createdAt / 1000)
  return messages.map((entry, index) => ({
    id: derivedId(run.id, index),
    from_history: false,
    stop_after_tool_call: false,
    created_at: created,
    ...entry,
  }))
}

function toolCall(call: ToolExecution): Record<string, unknown> {
  const { tool_name: name, tool_args: args } = call
  return { id: call.tool_call_id, type: "function", function: { name, arguments: writeExact(args) } }
}

function toolMessage(call: ToolExecution): Record<string, unknown> {
  return {
    role: "tool",
    content: call.result ?? call.confirmation_note ?? "",
    tool_call_id: call.tool_call_id,
    tool_name: call.tool_name,
    tool_args: call.tool_args,
    tool_call_error: call.tool_call_error,
  }
}
