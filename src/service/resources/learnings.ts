// Learnings: what agents keep about users, sessions and things (specification 4.3).
import { createHash } from "node:crypto"
import { z } from "zod"
import { freeFormObject } from "../wire/fields.ts"
import { type Problem, refuse, refuseInput } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"
import { equals } from "./conditions.ts"
import { creating, type Maker, type RowOf, resourceOf, updating } from "./resource.ts"
import { nullableText, objectField, timeField } from "./row-columns.ts"

/** One learning. */
const learningRow = z.object({
  learning_id: z.string(),
  learning_type: z.string(),
  namespace: nullableText,
  user_id: nullableText,
  agent_id: nullableText,
  team_id: nullableText,
  session_id: nullableText,
  entity_id: nullableText,
  entity_type: nullableText,
  content: objectField.nullable(),
  metadata: objectField.nullable(),
  created_at: timeField("seconds"),
  updated_at: timeField("seconds"),
})

const text = z.string().nullish()
const body = z.object({
  learning_type: z.string(),
  content: freeFormObject,
  namespace: text,
  user_id: text,
  agent_id: text,
  team_id: text,
  session_id: text,
  entity_id: text,
  entity_type: text,
  metadata: freeFormObject.nullish(),
})

type Wish = z.output<typeof body>

/** What can be changed. A field that is left out stays as it is. */
const changeBody = z.object({ content: freeFormObject.optional(), metadata: freeFormObject.nullish() })

/** `/learnings`. Everybody may read learnings without a user; under user isolation only an admin may change them. */
export const learnings = resourceOf<typeof learningRow>({
  name: "Learning",
  tag: "Learnings",
  scopes: "learnings",
  path: "/learnings",
  table: "learnings",
  row: learningRow,
  key: "learning_id",
  owner: "user_id",
  unowned: "readable",
  indexes: [["user_id", "updated_at"], ["learning_type", "updated_at"], ["updated_at"]],
  notFound: () => "Learning not found",
  taken: ({ learning_type: type, learning_id: id }) =>
    `A '${type}' learning already exists for this identity (id '${id}'). Use PATCH /learnings/${id} to update it.`,
  list: {
    id: "list_learnings",
    summary: "List learnings",
    filters: Object.fromEntries(
      ["learning_type", "user_id", "agent_id", "team_id", "session_id", "namespace", "entity_id", "entity_type"].map(
        (column) => [column, equals(column)],
      ),
    ),
    limit: 100,
    sortBy: ["updated_at", "created_at", "learning_id", "learning_type", "user_id"],
  },
  read: { id: "get_learning", summary: "View a learning" },
  create: creating({ id: "create_learning", summary: "Create a learning", status: 201 }, body, learningOf),
  update: updating({ id: "update_learning", summary: "Update a learning" }, changeBody, (wish, row, maker) => {
    if (wish.content === undefined && wish.metadata === undefined) return { ok: true, value: {} }
    const metadata = wish.metadata === undefined ? row.metadata : wish.metadata
    return { ok: true, value: { content: wish.content ?? row.content, metadata, updated_at: maker.now } }
  }),
  remove: { id: "delete_learning", summary: "Delete a learning", absent: 404 },
})

function learningOf(wish: Wish, maker: Maker): Checked<RowOf<typeof learningRow>> {
  if (maker.owner !== null && (wish.user_id ?? maker.owner) !== maker.owner) {
    return { ok: false, reply: refuse(403, "Cannot create learnings for another user") }
  }
  const owned = { ...wish, user_id: maker.owner ?? wish.user_id ?? null }
  const fault = faultOf(owned)
  if (fault !== null) return { ok: false, reply: refuseInput([{ type: "value_error", ...fault }]) }
  const given = (value: string | null | undefined): string | null => value ?? null
  const isThing = wish.learning_type === "entity_memory"
  return {
    ok: true,
    value: {
      learning_id: identityOf(owned) ?? maker.newId(),
      learning_type: wish.learning_type,
      namespace: isThing ? wish.namespace || everybodys : given(wish.namespace),
      user_id: owned.user_id,
      agent_id: given(wish.agent_id),
      team_id: given(wish.team_id),
      session_id: given(wish.session_id),
      entity_id: given(wish.entity_id),
      entity_type: given(wish.entity_type),
      content: wish.content,
      metadata: wish.metadata ?? null,
      created_at: maker.now,
      updated_at: maker.now,
    },
  }
}

/** Namespaces of this form are refused: they look like the key for the things of one user. */
const reserved = /^user_[0-9a-f]{16}(?:_.*)?$/s
const everybodys = "global"

/** The types whose id is made from what the learning is about. */
const keyed: readonly string[] = ["user_profile", "user_memory", "session_context", "entity_memory"]

function faultOf(wish: Wish): Pick<Problem, "loc" | "msg"> | null {
  const { learning_type: type, namespace } = wish
  if (type === "entity_memory" && reserved.test(namespace ?? "")) {
    return { loc: ["body", "namespace"], msg: `Value error, ${namespace} is the key of one user's things` }
  }
  if (!keyed.includes(type) || identityOf(wish) !== null) return null
  const needed = "user_id, session_id, or entity_id and entity_type (with user_id in the namespace user)"
  return { loc: ["body"], msg: `Value error, a '${type}' is found by whom or what it is about: ${needed}` }
}

/** The id by which agents find a learning again, made as in the real service. Null if a part of it is missing. */
function identityOf(wish: Wish): string | null {
  const { learning_type: type, user_id: user, entity_id: entity, entity_type: kind } = wish
  if (type === "user_profile") return user ? `user_profile_${user}` : null
  if (type === "user_memory") return user ? `memories_${user}` : null
  if (type === "session_context") return wish.session_id ? `session_context_${wish.session_id}` : null
  if (type !== "entity_memory" || !entity || !kind) return null
  if (wish.namespace !== "user") return `entity_${wish.namespace || everybodys}_${kind}_${entity}`
  return user ? `entity_user_${digestOf(user)}_${kind}_${entity}` : null
}

function digestOf(user: string): string {
  return createHash("sha256").update(user).digest("hex").slice(0, 16)
}
