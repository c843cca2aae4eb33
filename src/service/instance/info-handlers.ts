// GET /health and GET /info: what anybody may know.
import type { Handlers, ServiceParts } from "../handler.ts"
import { answer } from "../wire/reply.ts"

/** The version of the interface (specification 9.1). */
export const interfaceVersion = "2.7.2"

/** What this instance is called in `/info` and `/config`. */
export const instanceId = "countersign-service"

/** Handlers of the public routes. `/info` promises that a rejected call of any kind never runs. */
export function infoHandlers({ script, settings }: ServiceParts): Handlers {
  const info = {
    os_id: instanceId,
    name: "Countersign's Agent Platform Service",
    os_version: interfaceVersion,
    service: "countersign",
    version: interfaceVersion,
    auth_mode: settings.authMode,
    enforces_rejection: true,
    user_isolation: settings.userIsolation,
    agent_count: script.agents.length,
    team_count: script.teams.length,
    workflow_count: script.workflows.length,
    mcp: { enabled: false, path: null, oauth: null },
  }
  const health = { status: "ok", instantiated_at: new Date(settings.startedAt).toISOString() }
  return {
    "GET /info": () => answer(info),
    "GET /health": () => answer(health),
  }
}
