// The fields that a request to the read API may have. The OpenAPI document is made from the same schemas.
import { z } from "zod"
import { pastStatuses } from "../../domain/case/case.ts"
import { readFilter } from "../../domain/simulation/kept-filter.ts"
import type { CasePlace } from "../../flow/ports.ts"

/** How many items a page has by default, and at most. */
const usualLimit = 50
const maxLimit = 200

/** The states of a case. `waiting` is open or sending, `over` is settled or closed. */
const stateWords = ["open", "sending", "settled", "closed", "frozen", "waiting", "over"] as const

/** The groups of the order by state, the first one first. */
export const standings = ["waiting", "frozen", "approved", "rejected", "elsewhere", "gone"] as const

const limit = z
  .string()
  .regex(/^\d{1,3}$/, `must be a number from 1 to ${maxLimit}`)
  .transform(Number)
  .refine((count) => count >= 1 && count <= maxLimit, `must be a number from 1 to ${maxLimit}`)
  .default(usualLimit)
  .describe(`How many items the page has at most, from 1 to ${maxLimit}; ${usualLimit} unless told otherwise.`)

const after = z
  .string()
  .regex(/^\d{1,15}$/, "must be a number")
  .transform(Number)
  .default(0)

const words = (max: number) => z.string().min(1, "must not be empty").max(max, `must be at most ${max} characters`)

/** A moment as epoch ms. A day without a time begins or ends at midnight UTC. */
function momentField(edge: "begins" | "ends") {
  return z
    .string()
    .transform((text, context) => {
      const at = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN
      if (Number.isNaN(at)) context.addIssue("must be a day or a time such as 2026-11-21 or 2026-11-21T12:00:00Z")
      return edge === "ends" && text.length === 10 ? at + 86_399_999 : at
    })
    .optional()
}

const casesFields = z.strictObject({
  state: z
    .enum(stateWords, `must be one of ${stateWords.join(", ")}`)
    .optional()
    .describe("Where the case stands."),
  instance: words(63).optional().describe("Name of the instance."),
  outcome: z
    .enum(pastStatuses, `must be one of ${pastStatuses.join(", ")}`)
    .optional()
    .describe("How it ended: one that expired elsewhere is both elsewhere and expired."),
  team: words(200).optional().describe("Id of the team that the call is of; * and ? as for agent."),
  agent: words(200).optional().describe("Name of the agent; * and ? stand for any text and any character."),
  tool: words(200).optional().describe("Name of the tool; * and ? stand for any text and any character."),
  person: words(200).optional().describe("Who voted: a Slack user id, or a name as it stood on the vote."),
  since: momentField("begins").describe("First seen then or later: a day, or a time with its zone."),
  until: momentField("ends").describe("First seen then or earlier: a day, or a time with its zone."),
  when: words(2_000)
    .transform((text, context) => {
      const read = readFilter(text)
      if (read.ok) return read.filter
      context.addIssue(read.why)
      return z.NEVER
    })
    .optional()
    .describe("What has to hold for one of its calls, as in a rule's when: args.amount > 1000."),
  text: words(200).optional().describe("Words that the case holds: ids, names, reasons; capitals do not matter."),
  sort: z
    .enum(["state"], "must be state")
    .optional()
    .describe(`state: ordered by how the cases stand (${standings.join(", ")}), each group latest first.`),
  cursor: z
    .string()
    .transform((text, context) => {
      const place = readCursor(text)
      if (place === null) context.addIssue("must be a cursor that this API gave")
      return place
    })
    .optional()
    .describe("`next` of the page before."),
  limit,
})

/** The query of `GET /cases`. */
export const casesQuery = casesFields.refine(
  ({ since, until }) => since === undefined || until === undefined || since <= until,
  { path: ["until"], error: "must not be before the beginning of the range" },
)

/** Which cases are asked for. */
export type CasesQuery = z.output<typeof casesQuery>

/** The query of `GET /cases/{id}/entries`. */
export const entriesQuery = z.strictObject({
  after: after.describe("How many entries of the case to pass over: `next` of the page before."),
  limit,
})

/** The query of `GET /ledger`. */
export const ledgerQuery = z.strictObject({
  after: after.describe("The sequence number to begin after: `next` of the page before."),
  limit,
})

/** The query of routes that take no query. */
export const noQuery = z.strictObject({})

/** Where a page of cases ends: which group of `standings` it is in (0 unless sorted by state), and the last place. */
export interface CaseCursor extends CasePlace {
  readonly group: number
}

/** The text of a cursor. */
export function cursorOf({ group, openedAt, caseId }: CaseCursor): string {
  return Buffer.from(`${group}.${openedAt}.${caseId}`).toString("base64url")
}

/** The place that a cursor means, or null if the text is no cursor. */
export function readCursor(cursor: string): CaseCursor | null {
  const text = Buffer.from(cursor.slice(0, 100), "base64url").toString("latin1")
  const [, group = "0", openedAt, caseId] = /^(?:(\d)\.)?(\d{1,15})\.([0-9a-f]{20})$/.exec(text) ?? []
  if (openedAt === undefined || caseId === undefined) return null
  return { group: Number(group), openedAt: Number(openedAt), caseId }
}
