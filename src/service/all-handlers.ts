// Joins the handlers of all houses of the service.
// Under user isolation lists and counts narrow themselves to `standing.owner` (null: no narrowing); what names one approval or run is
// checked before its handler (gate/user-isolation.ts). The deprecated A2A routes are answered through a2a/dispatch-target.ts.
import { a2aHandlers } from "./a2a/a2a-handlers.ts"
import { accountHandlers } from "./accounts/account-handlers.ts"
import { approvalHandlers } from "./approvals/approval-handlers.ts"
import { createApprovalHandlers } from "./approvals/create-approval-handler.ts"
import { componentHandlers } from "./components/component-handlers.ts"
import type { Handlers } from "./handler.ts"
import { configHandlers } from "./instance/config-handlers.ts"
import { infoHandlers } from "./instance/info-handlers.ts"
import { openApiHandlers } from "./openapi/openapi-handlers.ts"
import type { Parts } from "./parts.ts"
import { runHandlers } from "./runs/run-handlers.ts"
import { sessionHandlers } from "./sessions/session-handlers.ts"

/** Every handler by the key of its row in the route table. */
export function allHandlers(parts: Parts): Handlers {
  return {
    ...infoHandlers(parts),
    ...openApiHandlers(parts),
    ...configHandlers(parts),
    ...approvalHandlers(parts),
    ...createApprovalHandlers(parts),
    ...componentHandlers(parts),
    ...runHandlers(parts),
    ...sessionHandlers(parts),
    ...accountHandlers(parts),
    ...a2aHandlers(parts),
  }
}
