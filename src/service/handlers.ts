// Which handlers a service has: all of them, or, before another instance, those that it keeps for itself.
import type { Routes } from "../auth/match-route.ts"
import { forwardedA2a } from "./a2a/a2a-dispatch.ts"
import { a2aHandlers } from "./a2a/a2a-handlers.ts"
import { accountHandlers } from "./accounts/account-handlers.ts"
import { approvalHandlers } from "./approvals/approval-handlers.ts"
import { createApprovalHandlers } from "./approvals/create-approval-handler.ts"
import { componentHandlers } from "./components/component-handlers.ts"
import { ServiceError } from "./errors.ts"
import { isolated } from "./gate/user-isolation.ts"
import type { Handlers, ServiceParts } from "./handler.ts"
import { configHandlers } from "./instance/config-handlers.ts"
import { infoHandlers } from "./instance/info-handlers.ts"
import { openApiHandlers } from "./openapi/document.ts"
import { runHandlers } from "./runs/run-handlers.ts"
import { sessionHandlers } from "./sessions/session-handlers.ts"

/** What is kept where everything else goes on: the public routes that speak of this service, and its accounts. */
const kept: readonly string[] = ["GET /health", "GET /docs", "GET /openapi.json"]

/**
 * The handlers of a service whose upstream gets `forwards`. A2A requests are looked at even where they are not served
 * here. Throws `ServiceError` for a handler without a row in the route table: it would never be reached.
 */
export function serviceHandlers(parts: ServiceParts, routes: Routes, forwards: "unserved" | "all"): Handlers {
  const accounts = accountHandlers(parts)
  const all: Handlers = {
    ...infoHandlers(parts),
    ...openApiHandlers(parts),
    ...configHandlers(parts),
    ...approvalHandlers(parts),
    ...createApprovalHandlers(parts),
    ...componentHandlers(parts),
    ...runHandlers(parts),
    ...sessionHandlers(parts),
    ...accounts,
    ...a2aHandlers(parts),
  }
  const rows = new Set(routes.builtIn.map((route) => route.handler))
  const unlisted = Object.keys(all).find((pattern) => !rows.has(pattern))
  if (unlisted !== undefined) {
    throw new ServiceError("route_unserved", `handler ${unlisted} has no row in the route table`)
  }
  const onward = forwardedA2a(parts.settings)
  if (forwards === "unserved") return isolated(parts, { ...onward, ...all })
  const own = Object.entries(all).filter(([pattern]) => kept.includes(pattern))
  return { ...onward, ...Object.fromEntries(own), ...accounts }
}
