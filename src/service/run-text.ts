// A run as the wire shows it.
import type { Run } from "./run.ts"

const pausedText = "I have tools to execute, but I need confirmation."

/** The JSON value of a run, with the keys of the real service that a scripted run has something for. */
export function runView(run: Run, agentName: string): Record<string, unknown> {
  return {
    run_id: run.id,
    agent_id: run.agentId,
    agent_name: agentName,
    session_id: run.sessionId,
    user_id: run.userId,
    content: run.status === "COMPLETED" ? run.state.answer : pausedText,
    content_type: "str",
    model: "scripted-model",
    model_provider: "scripted",
    session_state: {},
    created_at: Math.floor(run.createdAt / 1000),
    status: run.status,
    events: [],
    tools: run.state.tools,
    requirements: run.state.requirements,
    input: { input_content: run.state.message },
  }
}
