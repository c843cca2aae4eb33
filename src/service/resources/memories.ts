// Memories: what agents should know about users (specification 4.3).
import { z } from "zod"
import { boundedText, queryInteger } from "../wire/fields.ts"
import { named, namedObject } from "../wire/named-model.ts"
import { pageOf } from "../wire/page-model.ts"
import { refuse } from "../wire/reply.ts"
import { contains, equals, hasAll } from "./conditions.ts"
import { creating, type Maker, removingMany, resourceOf, updating } from "./resource.ts"
import { timeField, wireModel } from "./row-columns.ts"

/** One memory. */
export const memoryRow = z.object({
  memory_id: z.string(),
  memory: z.string(),
  topics: z.array(z.string()).nullable(),
  agent_id: z.string().nullable(),
  team_id: z.string().nullable(),
  user_id: z.string(),
  updated_at: timeField("iso"),
  created_at: timeField("iso"),
})

const topics = z.array(z.string()).nullish()
const body = z.object({ memory: boundedText(5000, 1), user_id: z.string().nullish(), topics })
const changeBody = body.extend({})

/** `GET /memory_topics`. */
export const topicsQuery = z.object({ user_id: z.string().optional() })

/** `GET /user_memory_stats`. */
export const statsQuery = z.object({
  user_id: z.string().optional(),
  limit: queryInteger(20, 1, 1000),
  page: queryInteger(1, 0),
})

/** `POST /optimize-memories`. */
export const optimizeBody = namedObject("MemoriesOptimize", {
  user_id: z.string(),
  model: z.string().nullish(),
  apply: z.boolean().default(true),
})

const hidden = ["created_at"]

/** What `GET /user_memory_stats` shows. */
export const memoryStats = named(
  "MemoryStatsList",
  pageOf(
    z.object({
      user_id: z.string(),
      total_memories: z.int(),
      last_memory_updated_at: z.iso.datetime(),
    }),
  ),
)

/** The result of merging. Numbers of tokens are estimates: a quarter of the characters. */
export const memoriesOptimized = namedObject("MemoriesOptimized", {
  memories: z.array(wireModel(memoryRow, hidden)),
  memories_before: z.int(),
  memories_after: z.int(),
  tokens_before: z.int(),
  tokens_after: z.int(),
  tokens_saved: z.int(),
  reduction_percentage: z.number(),
  method: z.literal("merged_duplicates"),
})

/** The user that a request means: under user isolation the caller, else the user that the body names. */
function memoryUser(wish: { readonly user_id?: string | null | undefined }, maker: Maker): string | null {
  return maker.owner ?? wish.user_id ?? null
}

const idsBody = z.object({ memory_ids: z.array(z.string()).min(1), user_id: z.string().nullish() })
const creation = { id: "create_memory", summary: "Create a memory" }
const noUser = { ok: false, reply: refuse(400, "User ID is required") } as const

/** `/memories`, and the routes about all memories of a user. */
export const memories = resourceOf<typeof memoryRow>({
  name: "Memory",
  tag: "Memory",
  scopes: "memories",
  path: "/memories",
  table: "memories",
  row: memoryRow,
  key: "memory_id",
  hidden,
  owner: "user_id",
  indexes: [["user_id", "updated_at"], ["updated_at"]],
  notFound: (id) => `Memory with ID ${id} not found`,
  narrowing: { user_id: equals("user_id") },
  list: {
    id: "get_memories",
    summary: "List memories",
    filters: {
      user_id: equals("user_id"),
      agent_id: equals("agent_id"),
      team_id: equals("team_id"),
      topics: hasAll("topics"),
      search_content: contains("memory"),
    },
    limit: 20,
    sortBy: ["updated_at", "created_at", "memory_id", "memory", "user_id"],
  },
  read: { id: "get_memory", summary: "View a memory" },
  create: creating({ ...creation, status: 200, refusals: [400] }, body, (wish, maker) => {
    const user = memoryUser(wish, maker)
    if (user === null) return noUser
    const times = { updated_at: maker.now, created_at: maker.now }
    const row = { memory_id: maker.newId(), memory: wish.memory, topics: wish.topics ?? [], user_id: user, ...times }
    return { ok: true, value: { ...row, agent_id: null, team_id: null } }
  }),
  update: updating({ id: "update_memory", summary: "Update a memory" }, changeBody, (wish, row, maker) => {
    if ((memoryUser(wish, maker) ?? row.user_id) !== row.user_id) {
      return { ok: false, reply: refuse(404, `Memory with ID ${row.memory_id} not found`) }
    }
    return { ok: true, value: { memory: wish.memory, topics: wish.topics ?? row.topics, updated_at: maker.now } }
  }),
  remove: { id: "delete_memory", summary: "Delete a memory", absent: 204 },
  removeMany: removingMany({ id: "delete_memories", summary: "Delete memories in bulk" }, idsBody, (wish) => ({
    ids: wish.memory_ids,
    userId: wish.user_id,
  })),
})
