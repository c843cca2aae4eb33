// The approvals endpoints of 4.1 and 4.2: list, count, view, status, resolve, delete.
import { z } from "zod"
import type { Handler, HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import { approvalText } from "../storage/approval-row.ts"
import {
  countApprovals,
  deleteApproval,
  expireDue,
  findApproval,
  listApprovals,
  type Resolution,
  resolveApproval,
} from "../storage/approval-store.ts"
import { integerOrNull, textOf, textOrNull } from "../storage/columns.ts"
import { writeExact } from "../wire/exact-json.ts"
import { boundedText, freeFormObject, queryInteger } from "../wire/fields.ts"
import { readJson, readQuery } from "../wire/read-request.ts"
import { answer, answerText, meta, noContent, refuse, type ServiceReply } from "../wire/reply.ts"

const text = z.string().optional()

/** `GET /approvals`; the free-text filters are compared exactly. */
export const listQuery = z.object({
  status: z.enum(["pending", "approved", "rejected", "expired", "cancelled"]).optional(),
  approval_type: z.enum(["required", "audit"]).optional(),
  source_type: text,
  pause_type: text,
  agent_id: text,
  team_id: text,
  workflow_id: text,
  user_id: text,
  schedule_id: text,
  run_id: text,
  limit: queryInteger(100, 1, 1000),
  page: queryInteger(1, 1),
})

/** `GET /approvals/count`. */
export const countQuery = z.object({ user_id: text })

/** `ApprovalResolve` (specification 4.1). */
export const resolveBody = z.object({
  status: z.string().regex(/^(approved|rejected)$/),
  resolved_by: boundedText(255).nullish(),
  resolution_data: freeFormObject.nullish(),
})

/** Of an approval that nobody knows. */
const approvalNotFound: ServiceReply = refuse(404, "Approval not found")

/**
 * Handlers of the approvals endpoints. Whoever holds the scope sees and decides all of them (specification 5.3); only
 * under user isolation are lists and counts those of `standing.owner`. Overdue approvals expire before anything is
 * read.
 */
export function approvalHandlers(parts: ServiceParts): Handlers {
  const { database } = parts
  const fresh =
    (handler: Handler): Handler =>
    (request) => {
      expireDue(database, Math.floor(parts.clock() / 1000))
      return handler(request)
    }
  return {
    "GET /approvals": fresh((request) => list(parts, request)),
    "GET /approvals/count": fresh((request) => count(parts, request)),
    "GET /approvals/*": fresh(({ ids: [id = ""] }) => {
      const row = findApproval(database, id)
      return row === null ? approvalNotFound : answerText(approvalText(row))
    }),
    "GET /approvals/*/status": fresh(({ ids: [id = ""] }) => status(parts, id)),
    "POST /approvals/*/resolve": (request) => resolve(parts, request),
    "DELETE /approvals/*": ({ ids: [id = ""] }) => (deleteApproval(database, id) ? noContent : approvalNotFound),
  }
}

function list({ database, clock }: ServiceParts, { context, standing }: HandlerRequest): ServiceReply {
  const checked = readQuery(listQuery, context)
  if (!checked.ok) return checked.reply
  const { limit, page, ...rest } = checked.value
  const filters = toFilters(rest, standing.owner)
  const begun = clock()
  const total = countApprovals(database, filters)
  const rows = listApprovals(database, filters, limit, page)
  return answerText(`{"data":[${rows.join(",")}],"meta":${writeExact(meta(page, limit, total, clock() - begun))}}`)
}

function count({ database }: ServiceParts, { context, standing }: HandlerRequest): ServiceReply {
  const checked = readQuery(countQuery, context)
  if (!checked.ok) return checked.reply
  const filters = toFilters(checked.value, standing.owner)
  return answer({ count: countApprovals(database, { status: "pending", ...filters }) })
}

function status({ database }: ServiceParts, id: string): ServiceReply {
  const row = findApproval(database, id)
  if (row === null) return approvalNotFound
  return answer({
    approval_id: id,
    status: textOf(row, "status"),
    run_id: textOf(row, "run_id"),
    resolved_at: integerOrNull(row, "resolved_at"),
    resolved_by: textOrNull(row, "resolved_by"),
  })
}

async function resolve(parts: ServiceParts, request: HandlerRequest): Promise<ServiceReply> {
  const checked = await readJson(resolveBody, request.context, parts.settings)
  if (!checked.ok) return checked.reply
  expireDue(parts.database, Math.floor(parts.clock() / 1000))
  const outcome = resolveApproval(parts.database, toResolution(parts, request, checked.value))
  switch (outcome.kind) {
    case "resolved":
      return answerText(approvalText(outcome.row))
    case "already":
      return refuse(409, `Approval is already '${outcome.status}' and cannot be resolved`)
    case "unknown":
      return approvalNotFound
  }
}

function toResolution(parts: ServiceParts, request: HandlerRequest, body: z.output<typeof resolveBody>): Resolution {
  const [id = ""] = request.ids
  const { subject } = request.standing.caller
  const attested = parts.settings.resolvedByFromSubject ? subject : null
  const data = body.resolution_data ?? null
  return {
    id,
    status: body.status === "approved" ? "approved" : "rejected",
    resolvedBy: attested ?? body.resolved_by ?? null,
    resolutionData: data === null ? null : writeExact(data),
    resolvedAt: Math.floor(parts.clock() / 1000),
  }
}

/** The given filters; an owner replaces the user that was asked for. */
function toFilters(query: Readonly<Record<string, string | undefined>>, owner: string | null): Record<string, string> {
  const narrowed = owner === null ? query : { ...query, user_id: owner }
  return Object.fromEntries(
    Object.entries(narrowed).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** `quietly`, as 2.x: lists are 200 and empty. `openly`, as 3.1: lists are 500. Single approvals are 404 either way. */
export type OutOfSight = "quietly" | "openly"

/** The handlers. While `away` says how approvals are out of sight, it answers with those for that. Null: in sight. */
export function whileInSight(handlers: Handlers, away: () => OutOfSight | null): Handlers {
  const blind: Handlers = {
    "GET /approvals": () =>
      away() === "openly"
        ? refuse(500, "Internal server error (OperationalError)")
        : answerText(`{"data":[],"meta":${writeExact(meta(1, 100, 0, 0))}}`),
    "GET /approvals/count": () => answer({ count: 0 }),
    "GET /approvals/*": () => approvalNotFound,
    "GET /approvals/*/status": () => approvalNotFound,
    "POST /approvals/*/resolve": () => approvalNotFound,
    "DELETE /approvals/*": () => refuse(500, "Failed to delete approval"),
  }
  const either = Object.entries(handlers).map(([pattern, handler]): [string, Handlers[string]] => {
    const other = blind[pattern]
    return [pattern, other === undefined ? handler : (request) => (away() === null ? handler : other)(request)]
  })
  return Object.fromEntries(either)
}
