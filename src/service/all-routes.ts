// All routes of the service, family by family.
import { accountRoutes } from "./accounts/account-handlers.ts"
import { approvalRoutes } from "./approvals/approval-handlers.ts"
import { createApprovalRoutes } from "./approvals/create-approval-handler.ts"
import type { ServiceRoute } from "./route.ts"

/** Every route, in the order of the specification's tables. */
export const serviceRoutes: readonly ServiceRoute[] = [...approvalRoutes, ...createApprovalRoutes, ...accountRoutes]
