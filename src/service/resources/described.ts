// All described resources.
import { catalog, configs } from "./components.ts"
import { evalRuns } from "./eval-runs.ts"
import { knowledgeContent } from "./knowledge-content.ts"
import { learnings } from "./learnings.ts"
import { memories } from "./memories.ts"
import { metrics } from "./metrics.ts"
import type { Resource } from "./resource.ts"
import { scheduleRuns } from "./schedule-runs.ts"
import { schedules } from "./schedules.ts"
import { traces } from "./traces.ts"

/** Every resource whose routes are made from its description. */
export const described: readonly Resource[] = [
  memories,
  evalRuns,
  learnings,
  schedules,
  scheduleRuns,
  traces,
  metrics,
  knowledgeContent,
  catalog,
  configs,
]

/** The routes of a resource, by their keys in the route table. */
export function patternsOf({ path, others, ...resource }: Resource): readonly string[] {
  const own: readonly (readonly [string, unknown])[] = [
    [`GET ${path}`, resource.list],
    [`GET ${path}/*`, resource.read],
    [`POST ${path}`, resource.create],
    [`PATCH ${path}/*`, resource.update],
    [`DELETE ${path}/*`, resource.remove],
    [`DELETE ${path}`, resource.removeMany],
  ]
  return [...own.flatMap(([pattern, part]) => (part === undefined ? [] : [pattern])), ...Object.keys(others)]
}
