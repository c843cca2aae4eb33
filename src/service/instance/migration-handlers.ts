// POST /databases/…/migrate: reports and runs the steps that make the tables of the service's own database (4.3).
import { z } from "zod"
import { databaseId } from "../components/component-handlers.ts"
import type { HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { migrate } from "../storage/database.ts"
import { readQuery } from "../wire/read-request.ts"
import { answer, refuse, type ServiceReply } from "../wire/reply.ts"

/** The query of both routes: the version to end at; there is no way back to an older one. */
export const migrateQuery = z.object({ target_version: z.string().optional() })

/** Handlers of both routes. At a start all steps have run: then they have nothing to do, and say so. */
export function migrationHandlers(parts: ServiceParts): Handlers {
  return {
    "POST /databases/all/migrate": (request) => run(parts, request, "All databases"),
    "POST /databases/*/migrate": (request) => {
      const [id = ""] = request.ids
      if (id !== databaseId) return refuse(404, `No database found with id '${id}'`)
      return run(parts, request, "Database")
    },
  }
}

function run(parts: ServiceParts, { context }: HandlerRequest, what: string): ServiceReply {
  const checked = readQuery(migrateQuery, context)
  if (!checked.ok) return checked.reply
  const { from, to } = migrate(parts.database)
  const { target_version: target } = checked.value
  if (target !== undefined && target !== String(to)) {
    return refuse(400, `target_version ${target}: this database is at version ${to}, and there is no other to go to`)
  }
  const message = `${what} migrated successfully to ${target === undefined ? "latest version" : `version ${to}`}`
  return answer({ message, from_version: from, to_version: to, steps: to - from })
}
