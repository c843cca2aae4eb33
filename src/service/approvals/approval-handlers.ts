// The approvals endpoints of 4.1 and 4.2: list, count, view, status, resolve, delete.
import { z } from "zod"
import type { Handlers, ServiceParts } from "../handler.ts"
import { given } from "../resources/conditions.ts"
import { type CheckedRequest, routesOf, type ServiceRoute, type WithBody, type WithQuery } from "../route.ts"
import { approvalResponse, approvalText } from "../storage/approval-row.ts"
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
import { named, namedObject } from "../wire/named-model.ts"
import { pageOf } from "../wire/page-model.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answer, answerText, meta, noContent, refuse, type ServiceReply } from "../wire/reply.ts"

const text = z.string().optional()

/** The query of a list. Texts are compared exactly. */
const listQuery = z.object({
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

const countQuery = z.object({ user_id: text })

/** The body of a resolve (specification 4.1). */
const resolveBody = namedObject("ApprovalResolve", {
  status: z.string().regex(/^(approved|rejected)$/),
  resolved_by: boundedText(255).nullish(),
  resolution_data: freeFormObject.nullish(),
})

const statusReply = namedObject("ApprovalStatus", {
  approval_id: z.string(),
  status: z.string(),
  run_id: z.string(),
  resolved_at: z.int().nullable(),
  resolved_by: z.string().nullable(),
})

const approvalNotFound: ServiceReply = refuse(404, "Approval not found")

const route = routesOf("Approvals")

/**
 * The approvals endpoints. Whoever has the scope sees and decides all approvals (specification 5.3). Under user
 * isolation, lists and counts show only approvals of `standing.owner`. Only admins resolve and delete then: others get
 * 404, even for their own approvals. Overdue approvals expire before we read any.
 */
export const approvalRoutes: readonly ServiceRoute[] = [
  route("GET /approvals", "approvals:read", {
    id: "list_approvals_approvals_get",
    summary: "List approval requests",
    query: listQuery,
    reply: named("ApprovalList", pageOf(approvalResponse)),
    handler: showApprovals,
  }),
  route("GET /approvals/count", "approvals:read", {
    id: "get_approval_count_approvals_count_get",
    summary: "Count pending approval requests",
    query: countQuery,
    reply: namedObject("ApprovalCount", { count: z.int() }),
    handler: (parts, { query, standing }) => {
      expire(parts)
      const wanted = conditionsOf({ status: "pending", ...query }, standing.owner)
      return answer({ count: countApprovals(parts.database, wanted) })
    },
  }),
  route("GET /approvals/*", "approvals:read", {
    id: "get_approval_approvals__approval_id__get",
    summary: "View an approval request",
    reply: approvalResponse,
    guard: othersApproval,
    handler: (parts, { ids: [id = ""] }) => {
      expire(parts)
      const row = findApproval(parts.database, id)
      return row === null ? approvalNotFound : answerText(approvalText(row))
    },
  }),
  route("GET /approvals/*/status", "approvals:read", {
    id: "get_approval_status_approvals__approval_id__status_get",
    summary: "View approval status",
    reply: statusReply,
    guard: othersApproval,
    handler: approvalStatus,
  }),
  route("POST /approvals/*/resolve", "approvals:write", {
    id: "resolve_approval_approvals__approval_id__resolve_post",
    summary: "Resolve an approval",
    body: jsonBody(resolveBody),
    reply: approvalResponse,
    refusals: [409],
    guard: () => approvalNotFound,
    handler: resolve,
  }),
  route("DELETE /approvals/*", "approvals:delete", {
    id: "delete_approval_approvals__approval_id__delete",
    summary: "Delete an approval request",
    guard: () => approvalNotFound,
    handler: ({ database }, { ids: [id = ""] }) => (deleteApproval(database, id) ? noContent : approvalNotFound),
  }),
]

function expire({ database, clock }: ServiceParts): void {
  expireDue(database, Math.floor(clock() / 1000))
}

function othersApproval({ database }: ServiceParts, owner: string, [id = ""]: readonly string[]): ServiceReply | null {
  const row = findApproval(database, id)
  return row !== null && textOrNull(row, "user_id") === owner ? null : approvalNotFound
}

function showApprovals(parts: ServiceParts, { query, standing }: WithQuery<typeof listQuery>): ServiceReply {
  expire(parts)
  const { database, clock } = parts
  const { limit, page, ...rest } = query
  const conditions = conditionsOf(rest, standing.owner)
  const begun = clock()
  const total = countApprovals(database, conditions)
  const rows = listApprovals(database, conditions, limit, page)
  return answerText(`{"data":[${rows.join(",")}],"meta":${writeExact(meta(page, limit, total, clock() - begun))}}`)
}

function approvalStatus(parts: ServiceParts, { ids: [id = ""] }: CheckedRequest): ServiceReply {
  expire(parts)
  const row = findApproval(parts.database, id)
  if (row === null) return approvalNotFound
  return answer({
    approval_id: id,
    status: textOf(row, "status"),
    run_id: textOf(row, "run_id"),
    resolved_at: integerOrNull(row, "resolved_at"),
    resolved_by: textOrNull(row, "resolved_by"),
  })
}

type Resolving = WithBody<typeof resolveBody>

function resolve(parts: ServiceParts, request: Resolving): ServiceReply {
  expire(parts)
  const outcome = resolveApproval(parts.database, toResolution(parts, request))
  switch (outcome.kind) {
    case "resolved":
      return answerText(approvalText(outcome.row))
    case "already":
      return refuse(409, `Approval is already '${outcome.status}' and cannot be resolved`)
    case "unknown":
      return approvalNotFound
  }
}

function toResolution(parts: ServiceParts, { ids: [id = ""], standing, body }: Resolving): Resolution {
  const { subject } = standing.caller
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

/** The conditions of a query. If there is an owner, it replaces the user that the query names. */
function conditionsOf(query: Readonly<Record<string, string | undefined>>, owner: string | null) {
  const wanted = owner === null ? query : { ...query, user_id: owner }
  return Object.entries(wanted).flatMap(([name, value]) => given(`${name} = ?`, value))
}

/** `quietly`, as 2.x: lists are 200 and empty. `openly`, as 3.1: lists are 500. Single approvals are 404 in both. */
export type OutOfSight = "quietly" | "openly"

/** Wraps the handlers. While `away` returns a kind of absence, they hide approvals as that kind says. */
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
