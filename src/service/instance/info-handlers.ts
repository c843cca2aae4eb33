// GET /health and GET /info: what anybody may know.
import { z } from "zod"
import type { Script } from "../components/script.ts"
import { routesOf, type ServiceRoute } from "../route.ts"
import { namedLooseObject, namedObject } from "../wire/named-model.ts"
import { answer } from "../wire/reply.ts"

/** The version of the interface (specification 9.1). */
export const interfaceVersion = "2.7.2"

/** The name of this instance in `/info` and `/config`. */
export const instanceId = "countersign-service"

/** What anybody may know. `/info` promises that a rejected call of any kind never runs. */
export const infoRoutes: readonly ServiceRoute[] = [
  routesOf("Health")("GET /health", "public", {
    id: "health_check",
    summary: "Health",
    forAnybody: true,
    reply: namedObject("Health", {
      status: z.string(),
      instantiated_at: z.iso.datetime(),
      background_failures: z.int().optional(),
    }),
    handler: ({ settings, later }) => {
      const health = { status: "ok", instantiated_at: new Date(settings.startedAt).toISOString() }
      const failures = later.failures()
      return answer(failures === 0 ? health : { ...health, background_failures: failures })
    },
  }),
  routesOf("Core")("GET /info", "public", {
    id: "get_info",
    summary: "What this instance is",
    forAnybody: true,
    reply: namedLooseObject("Info", {
      version: z.string(),
      auth_mode: z.string(),
      enforces_rejection: z.boolean(),
      user_isolation: z.boolean(),
    }),
    handler: ({ settings, script }) =>
      answer({
        os_id: instanceId,
        name: "Countersign's Agent Platform Service",
        os_version: interfaceVersion,
        service: "countersign",
        version: interfaceVersion,
        auth_mode: settings.authMode,
        enforces_rejection: true,
        user_isolation: settings.userIsolation,
        mcp: { enabled: false, path: null, oauth: null },
        ...componentCounts(script),
      }),
  }),
]

function componentCounts({ agents, teams, workflows }: Script): Readonly<Record<string, number>> {
  return { agent_count: agents.length, team_count: teams.length, workflow_count: workflows.length }
}
