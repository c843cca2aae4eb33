// What is told about all memories, and the merging of those that say the same.
import type { DatabaseSync } from "node:sqlite"
import { collectionHandlers, rowView } from "../collections/collection-handlers.ts"
import type { HandlerRequest, Handlers, ServiceParts } from "../handler.ts"
import type { SqlCondition } from "../resources/conditions.ts"
import { memories, type memoryRow, optimizeBody, statsQuery, topicsQuery } from "../resources/memories.ts"
import type { RowOf } from "../resources/resource.ts"
import { integerOf, textOf } from "../storage/columns.ts"
import { transact } from "../storage/database.ts"
import { deleteRows, selectRows, toWhere, updateRow } from "../storage/resource-store.ts"
import { readJson, readQuery } from "../wire/read-request.ts"
import { answer, meta, refuse, type ServiceReply } from "../wire/reply.ts"
import { wireTime } from "../wire/wire-time.ts"

type Memory = RowOf<typeof memoryRow>

/** Handlers of the memories. Who is not admin, under user isolation, works with their own. */
export function memoryHandlers(parts: ServiceParts): Handlers {
  return {
    ...collectionHandlers(parts, memories),
    "GET /memory_topics": (request) => topics(parts, request),
    "GET /user_memory_stats": (request) => stats(parts, request),
    "POST /optimize-memories": (request) => optimize(parts, request),
  }
}

function topics({ database }: ServiceParts, { context, standing }: HandlerRequest): ServiceReply {
  const checked = readQuery(topicsQuery, context)
  if (!checked.ok) return checked.reply
  const { where, values } = toWhere(ofUser(standing.owner ?? checked.value.user_id))
  const rows = database
    .prepare(`SELECT DISTINCT topic.value AS topic FROM memories, json_each(topics) AS topic ${where} ORDER BY 1`)
    .all(...values)
  return answer(rows.map((row) => textOf(row, "topic")))
}

function stats({ database, clock }: ServiceParts, { context, standing }: HandlerRequest): ServiceReply {
  const checked = readQuery(statsQuery, context)
  if (!checked.ok) return checked.reply
  const { limit, page, user_id: user } = checked.value
  const begun = clock()
  const conditions = ofUser(standing.owner ?? user)
  const data = statsPage(database, conditions, { limit, offset: Math.max(page - 1, 0) * limit })
  const { where, values } = toWhere(conditions)
  const count = database.prepare(`SELECT count(DISTINCT user_id) AS n FROM memories ${where}`).get(...values)
  const total = count === undefined ? 0 : integerOf(count, "n")
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
    .all(...values, limit, Math.min(offset, Number.MAX_SAFE_INTEGER))
    .map((row) => ({
      user_id: textOf(row, "user_id"),
      total_memories: integerOf(row, "n"),
      last_memory_updated_at: wireTime(integerOf(row, "last")),
    }))
}

async function optimize(parts: ServiceParts, { context, standing }: HandlerRequest): Promise<ServiceReply> {
  const checked = await readJson(optimizeBody, context, parts.settings)
  if (!checked.ok) return checked.reply
  const { user_id: named, model, apply } = checked.value
  if (typeof model === "string") {
    return refuse(400, `Model ${model} cannot be used here: memories that say the same are merged without a model`)
  }
  const user = standing.owner ?? named
  return transact(parts.database, () => {
    const before = selectRows(parts.database, memories, ofUser(user))
    if (before.length === 0) return refuse(404, `No memories found for user ${user}`)
    const after = mergeDuplicates(before)
    if (apply) keep(parts, before, after)
    return answer(optimized(before, after))
  })
}

/** Writes what merging left: the topics that came together, and that the others are gone. */
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

/** A quarter of the characters, as the real service counts without a tokenizer. */
function estimateTokens(all: readonly Memory[]): number {
  return all.reduce((sum, { memory }) => sum + Math.floor(Array.from(memory).length / 4), 0)
}

function ofUser(user: string | undefined): readonly SqlCondition[] {
  return user === undefined ? [] : [{ sql: "user_id = ?", values: [user] }]
}

/**
 * Merges memories that say the same, without a model: nothing is summed up or made up. Gives one memory for each text,
 * in the order in which the texts first came. Texts are the same if they differ only in case, spaces and the
 * punctuation at their end. The newest of them stays, with the topics of all.
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
