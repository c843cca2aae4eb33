// Out of sight: the approvals endpoints as AgentOS answers them while its database is away (docs/agentos.md). Whoever tests a client asks for it.
import type { Handlers } from "../handler.ts"
import { writeExact } from "../wire/exact-json.ts"
import { meta } from "../wire/list-envelope.ts"
import { answer, answerText, refuse } from "../wire/reply.ts"
import { approvalNotFound } from "./approval-handlers.ts"

/** `quietly`, as 2.x: lists are 200 and empty. `openly`, as 3.1: lists are 500. Single approvals are 404 either way. */
export type OutOfSight = "quietly" | "openly"

/** The handlers, with those of approvals as they are while `away` says how they are out of sight; null: they are in sight. */
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
