// Tells what was said in a run so far, in the order in which a model reads it. Pure.
import { type EngineRun, isOpen } from "./run.ts"
import type { ToolExecution } from "./tool-execution.ts"

/**
 * One message. A message of the model may carry calls. Each call that was carried out or refused has a message that
 * answers it.
 */
export type Utterance =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly calls: readonly ToolExecution[] }
  | { readonly role: "tool"; readonly content: string; readonly call: ToolExecution }

/** The messages so far. A call that waits has no answer yet. A refused call is answered by the note of its refusal. */
export function conversationOf(run: EngineRun): readonly Utterance[] {
  const { message, answer, turns, tools, instructions, said } = run.state
  const messages: Utterance[] = instructions === null ? [] : [{ role: "system", content: instructions }]
  messages.push({ role: "user", content: message })
  let at = 0
  for (const [index, turn] of turns.entries()) {
    const calls = Array.isArray(turn) ? tools.slice(at, at + turn.length) : []
    if (calls.length === 0) break
    at += calls.length
    messages.push({ role: "assistant", content: said[index] || null, calls })
    for (const one of calls.filter((call) => !isOpen(call)).map(answerOf)) messages.push(one)
  }
  if (run.status === "COMPLETED") messages.push({ role: "assistant", content: answer, calls: [] })
  return messages
}

function answerOf(call: ToolExecution): Utterance {
  return { role: "tool", content: call.result ?? call.confirmation_note ?? "", call }
}
