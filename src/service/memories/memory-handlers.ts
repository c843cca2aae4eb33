// The routes about all memories of a user, and merging memories that say the same.
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { collectionRoutes, rowView } from "../collections/collection-handlers.ts"
import type { ServiceParts } from "../handler.ts"
import { given, type SqlCondition } from "../resources/conditions.ts"
import {
  memories,
  memoriesOptimized,
  type memoryRow,
  memoryStats,
  optimizeBody,
  statsQuery,
  topicsQuery,
} from "../resources/memories.ts"
import type { RowOf } from "../resources/resource.ts"
import { routesOf, type ServiceRoute, type WithBody, type WithQuery } from "../route.ts"
import { countOf, integerOf, offsetOf, textOf } from "../storage/columns.ts"
import { transact } from "../storage/database.ts"
import { deleteRows, selectRows, toWhere, updateRow } from "../storage/resource-store.ts"
import { named } from "../wire/named-model.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answer, meta, refuse, type ServiceReply } from "../wire/reply.ts"
import { wireTime } from "../wire/wire-time.ts"

type Memory = RowOf<typeof memoryRow>

const route = routesOf(memories.tag)

/** The memories. Under user isolation, callers who are not admin see and change only their own. */
export const memoryRoutes: readonly ServiceRoute[] = [
  ...collectionRoutes(memories),
  route("GET /memory_topics", "memories:read", {
    id: "get_memory_topics",
    summary: "List memory topics",
    query: topicsQuery,
    reply: named("MemoryTopics", z.array(z.string())),
    handler: ({ database }, { query, standing }) => {
      const { where, values } = toWhere(given("user_id = ?", standing.owner ?? query.user_id))
      const rows = database
        .prepare(`SELECT DISTINCT topic.value AS topic FROM memories, json_each(topics) AS topic ${where} ORDER BY 1`)
        .all(...values)
      return answer(rows.map((row) => textOf(row, "topic")))
    },
  }),
  route("GET /user_memory_stats", "memories:read", {
    id: "get_user_memory_stats",
    summary: "View user memory stats",
    query: statsQuery,
    reply: memoryStats,
    handler: stats,
  }),
  route("POST /optimize-memories", "memories:write", {
    id: "optimize_memories",
    summary: "Merge memories of a user that say the same, without a model",
    body: jsonBody(optimizeBody),
    reply: memoriesOptimized,
    refusals: [400, 404],
    handler: optimize,
  }),
]

function stats({ database, clock }: ServiceParts, { query, standing }: WithQuery<typeof statsQuery>): ServiceReply {
  const { limit, page, user_id: user } = query
  const begun = clock()
  const conditions = given("user_id = ?", standing.owner ?? user)
  const data = statsPage(database, conditions, { limit, offset: offsetOf({ page, limit }) })
  const { where, values } = toWhere(conditions)
  const total = countOf(database.prepare(`SELECT count(DISTINCT user_id) AS n FROM memories ${where}`).get(...values))
  return answer({ data, meta: meta(page, limit, total, clock() - begun) })
}

function statsPage(
  database: DatabaseSync,
  conditions: readonly SqlCondition[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): readonly Record<string, unknown>[] {
  const { where, values } = toWhere(conditions)
  return database
    .prepare(
      `SELECT user_id, count(*) AS n, max(updated_at) AS last FROM memories ${where}
       GROUP BY user_id ORDER BY last DESC, user_id LIMIT ? OFFSET ?`,
    )
    .all(...values, limit, offset)
    .map((row) => ({
      user_id: textOf(row, "user_id"),
      total_memories: integerOf(row, "n"),
      last_memory_updated_at: wireTime(integerOf(row, "last")),
    }))
}

function optimize(parts: ServiceParts, { body, standing }: WithBody<typeof optimizeBody>): ServiceReply {
  const { user_id: wanted, model, apply } = body
  if (typeof model === "string") {
    return refuse(400, `Model ${model} cannot be used here: memories that say the same are merged without a model`)
  }
  const user = standing.owner ?? wanted
  return transact(parts.database, () => {
    const before = selectRows(parts.database, memories, given("user_id = ?", user))
    if (before.length === 0) return refuse(404, `No memories found for user ${user}`)
    const after = mergeDuplicates(before)
    if (apply) keep(parts, before, after)
    return answer(optimized(before, after))
  })
}

/** Writes the result of merging: sets the topics of the memories that stay, and deletes the others. */
function keep({ database }: ServiceParts, before: readonly Memory[], after: readonly Memory[]): void {
  for (const { memory_id: id, topics: merged } of after) updateRow(database, memories, id, { topics: merged })
  const kept = new Set(after.map(({ memory_id: id }) => id))
  const gone = before.map(({ memory_id: id }) => id).filter((id) => !kept.has(id))
  deleteRows(database, memories, [
    { sql: "memory_id IN (SELECT value FROM json_each(?))", values: [JSON.stringify(gone)] },
  ])
}

function optimized(before: readonly Memory[], after: readonly Memory[]): Record<string, unknown> {
  const [tokensBefore, tokensAfter] = [estimateTokens(before), estimateTokens(after)]
  const saved = tokensBefore - tokensAfter
  return {
    memories: after.map((memory) => rowView(memories, memory)),
    memories_before: before.length,
    memories_after: after.length,
    tokens_before: tokensBefore,
    tokens_after: tokensAfter,
    tokens_saved: saved,
    reduction_percentage: tokensBefore === 0 ? 0 : (saved / tokensBefore) * 100,
    method: "merged_duplicates",
  }
}

/** Estimates tokens as a quarter of the characters, as the real service does without a tokenizer. */
function estimateTokens(all: readonly Memory[]): number {
  return all.reduce((sum, { memory }) => sum + Math.floor(Array.from(memory).length / 4), 0)
}

/**
 * Merges memories that say the same, without a model: nothing is summarised or invented. Returns one memory for each
 * text, in the order in which the texts first came. Texts are the same if they differ only in case, spaces and
 * punctuation at the end. The newest memory stays, with the topics of all.
 */
function mergeDuplicates(all: readonly Memory[]): readonly Memory[] {
  const groups = Map.groupBy(all, ({ memory }) => plainText(memory))
  return [...groups.values()].flatMap((group) => {
    const newest = group.reduce<Memory | null>(
      (best, memory) => (best === null || memory.updated_at >= best.updated_at ? memory : best),
      null,
    )
    if (newest === null) return []
    return [{ ...newest, topics: [...new Set(group.flatMap(({ topics }) => topics ?? []))] }]
  })
}

function plainText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\s+/gu, " ")
    .replace(/[\s.!…]+$/u, "")
    .trim()
}
