// A run as it travels (`docs/platform-facts.md` 5.7), and its translation into our words. Its calls stay as they are,
// for they may be sent back.
import { z } from "zod"
import type { Json, JsonObject } from "../domain/content/json.ts"
import type { Run } from "../domain/content/run.ts"
import { objects } from "./contract.ts"

/** How deep members' members are followed. */
const MOST_LEVELS = 10

const row = z.looseObject({
  run_id: z.string(),
  status: z.string(),
  user_id: z.string().nullish(),
  parent_run_id: z.string().nullish(),
  tools: objects.nullish(),
  requirements: objects.nullish(),
  member_responses: objects.nullish(),
})

/** Reads a run; the error says by field why it is none. */
export function readRun(body: Json): z.ZodSafeParseResult<Run> {
  return row.transform((read) => toRun(read, MOST_LEVELS)).safeParse(body)
}

function toRun(read: z.infer<typeof row>, levels: number): Run {
  const members = levels === 0 ? [] : (read.member_responses ?? []).flatMap((member) => memberRun(member, levels - 1))
  return {
    id: read.run_id,
    status: read.status,
    userId: read.user_id ?? null,
    parentId: read.parent_run_id || null,
    tools: read.tools ?? [],
    requirements: read.requirements ?? [],
    members,
  }
}

/** What a team says of a member's run tells nothing that decides; one of another shape is left out. */
function memberRun(member: JsonObject, levels: number): readonly Run[] {
  const read = row.safeParse(member)
  return read.success ? [toRun(read.data, levels)] : []
}

/** A run in its session's list: `GET /sessions/{id}/runs`. */
export const sessionRunRow = z.looseObject({
  run_id: z.string(),
  parent_run_id: z.string().nullish(),
  team_id: z.string().nullish(),
})

/** `GET /config`: where sessions are, if there are several databases. */
export const configRow = z.looseObject({ os_database: z.string() })
