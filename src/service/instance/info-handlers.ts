// GET /health and GET /info: what anybody may know.
import type { Script } from "../components/script.ts"
import type { Handlers, ServiceParts } from "../handler.ts"
import { answer } from "../wire/reply.ts"

/** The version of the interface (specification 9.1). */
export const interfaceVersion = "2.7.2"

/** What this instance is called in `/info` and `/config`. */
export const instanceId = "countersign-service"

/** Handlers of the public routes. `/info` promises that a rejected call never runs, of whatever kind. */
export function infoHandlers(parts: ServiceParts): Handlers {
  const { settings } = parts
  const info = {
    os_id: instanceId,
    name: "Countersign's Agent Platform Service",
    os_version: interfaceVersion,
    service: "countersign",
    version: interfaceVersion,
    auth_mode: settings.authMode,
    enforces_rejection: true,
    user_isolation: settings.userIsolation,
    mcp: { enabled: false, path: null, oauth: null },
  }
  const health = { status: "ok", instantiated_at: new Date(settings.startedAt).toISOString() }
  return {
    "GET /info": () => answer({ ...info, ...countsOf(parts.script) }),
    "GET /health": () => {
      const failures = parts.later.failures()
      return answer(failures === 0 ? health : { ...health, background_failures: failures })
    },
  }
}

function countsOf({ agents, teams, workflows }: Script): Readonly<Record<string, number>> {
  return { agent_count: agents.length, team_count: teams.length, workflow_count: workflows.length }
}
