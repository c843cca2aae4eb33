// All routes of the service, family by family.
import { spokenRoutes } from "./a2a/a2a-handlers.ts"
import { accountRoutes } from "./accounts/account-handlers.ts"
import { approvalRoutes } from "./approvals/approval-handlers.ts"
import { createApprovalRoutes } from "./approvals/create-approval-handler.ts"
import { catalogRoutes } from "./catalog/catalog-handlers.ts"
import { ownComponentRoutes } from "./catalog/own-component-handlers.ts"
import { collectionRoutes } from "./collections/collection-handlers.ts"
import { componentRoutes } from "./components/component-handlers.ts"
import { evalRoutes } from "./eval-runs/eval-handlers.ts"
import { configRoutes } from "./instance/config-handlers.ts"
import { infoRoutes } from "./instance/info-handlers.ts"
import { knowledgeRoutes } from "./knowledge/knowledge-handlers.ts"
import { memoryRoutes } from "./memories/memory-handlers.ts"
import { metricsRoutes } from "./metrics/metrics-handlers.ts"
import { openApiRoutes } from "./openapi/document.ts"
import { learnings } from "./resources/learnings.ts"
import type { ServiceRoute } from "./route.ts"
import { runRoutes } from "./runs/run-handlers.ts"
import { scheduleRoutes } from "./schedules/schedule-handlers.ts"
import { sessionRoutes } from "./sessions/session-handlers.ts"
import { traceRoutes } from "./traces/trace-handlers.ts"

/** Every route, in the order of the specification's tables (4.1 to 4.4). */
export const serviceRoutes: readonly ServiceRoute[] = [
  ...infoRoutes,
  ...openApiRoutes(() => serviceRoutes),
  ...approvalRoutes,
  ...createApprovalRoutes,
  ...configRoutes,
  ...catalogRoutes,
  ...componentRoutes,
  ...ownComponentRoutes,
  ...runRoutes,
  ...sessionRoutes,
  ...memoryRoutes,
  ...collectionRoutes(learnings),
  ...knowledgeRoutes,
  ...metricsRoutes,
  ...evalRoutes,
  ...traceRoutes,
  ...accountRoutes,
  ...scheduleRoutes,
  ...spokenRoutes,
]
