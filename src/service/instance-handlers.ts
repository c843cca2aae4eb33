// GET /health and GET /info: what anybody may know.
import type { Handlers } from "./handler.ts"
import type { Parts } from "./parts.ts"
import { answer } from "./reply.ts"

/** Handlers of the public routes. `/info` promises that a rejected call never runs, of whatever kind. */
export function instanceHandlers({ script, settings }: Parts): Handlers {
  const info = {
    service: "countersign",
    version: "2.7.2",
    auth_mode: settings.authMode,
    enforces_rejection: true,
    user_isolation: false,
    agent_count: script.agents.length,
    team_count: 0,
    workflow_count: 0,
  }
  const health = { status: "ok", instantiated_at: new Date(settings.startedAt).toISOString() }
  return {
    "GET /info": () => answer(info),
    "GET /health": () => answer(health),
  }
}
