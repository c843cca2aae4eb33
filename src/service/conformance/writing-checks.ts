// Checks that make rows, show, find, change and remove them again, family by family (specification 4.3).
import { z } from "zod"
import type { PlatformCheck, Scenario } from "./check.ts"
import { checksOf } from "./claims.ts"
import { isoTime, pageWith, rowWith, secondsTime } from "./shapes.ts"

const text = z.string()
const anything = z.looseObject({})

const memories = checksOf("memories", "4.3", { at: "/memories", id: "memory_id" })
const memory = rowWith({ memory_id: text, topics: z.array(text), updated_at: isoTime })
const memoryChecks: readonly PlatformCheck[] = [
  memories.open({
    says: "a memory is kept",
    request: "POST /memories",
    json: { memory: "{own} likes tea", user_id: "{own}", topics: ["{own}"] },
    shape: memory,
    holds: { memory: "{own} likes tea", user_id: "{own}", topics: ["{own}"] },
    keep: { memory: "memory_id" },
    undo: "DELETE /memories/{memory}",
  }),
  memories.open({
    says: "a memory is shown by its id",
    request: "GET /memories/{memory}",
    shape: memory,
    holds: { memory: "{own} likes tea" },
  }),
  ...["user_id={own}", "user_id={own}&topics={own}", "user_id={own}&search_content=TEA"].map((query) =>
    memories.open({
      says: `a memory is found by ${query.replaceAll(/=[^&]*/g, "").replaceAll("&", " and ")}`,
      request: `GET /memories?${query}`,
      shape: pageWith(memory, 1),
    }),
  ),
  memories.open({
    says: "the stats count a user's memories",
    request: "GET /user_memory_stats?user_id={own}",
    shape: pageWith(rowWith({ total_memories: z.literal(1) }), 1),
  }),
  memories.open({
    says: "the topics of a user are listed",
    request: "GET /memory_topics?user_id={own}",
    shape: z.array(text).length(1),
  }),
  memories.open({
    says: "a memory is changed",
    request: "PATCH /memories/{memory}",
    json: { memory: "{own} likes coffee", user_id: "{own}", topics: ["{own}"] },
    shape: memory,
    holds: { memory: "{own} likes coffee" },
  }),
  memories.invalid({
    says: "a memory without a text is 422",
    request: "POST /memories",
    json: { user_id: "{own}" },
  }),
  memories.invalid({ says: "to remove no memories is 422", request: "DELETE /memories", json: { memory_ids: [] } }),
  memories.refused(404, {
    says: "to optimise the memories of nobody is 404",
    request: "POST /optimize-memories",
    json: { user_id: "{none}" },
  }),
  memories.open({ says: "a memory is removed", request: "DELETE /memories/{memory}", status: 204, undoes: true }),
  memories.refused(404, { says: "a memory that was removed is 404", request: "GET /memories/{memory}" }),
]

const learnings = checksOf("learnings", "4.3", { at: "/learnings", id: "learning_id" })
const learning = rowWith({ learning_id: text, created_at: secondsTime, content: anything })
const profile = { learning_type: "user_profile", content: { likes: "tea" }, user_id: "{own}" }
const learningChecks: readonly PlatformCheck[] = [
  learnings.open({
    says: "a learning is kept",
    request: "POST /learnings",
    json: profile,
    status: 201,
    shape: learning,
    holds: profile,
    keep: { learning: "learning_id" },
    undo: "DELETE /learnings/{learning}",
  }),
  learnings.refused(409, { says: "the same profile once more is 409", request: "POST /learnings", json: profile }),
  learnings.open({
    says: "a learning is found by its user",
    request: "GET /learnings?user_id={own}&learning_type=user_profile",
    shape: pageWith(learning, 1),
  }),
  learnings.open({
    says: "a learning is changed, and what is left out stays",
    request: "PATCH /learnings/{learning}",
    json: { metadata: { a: 1 } },
    shape: learning,
    holds: { content: { likes: "tea" }, metadata: { a: 1 } },
  }),
  learnings.invalid({
    says: "a learning without a content is 422",
    request: "POST /learnings",
    json: { user_id: "x" },
  }),
  learnings.open({ says: "a learning is removed", request: "DELETE /learnings/{learning}", status: 204, undoes: true }),
  learnings.refused(404, { says: "a learning that was removed is 404", request: "GET /learnings/{learning}" }),
  learnings.refused(404, { says: "to remove it once more is 404", request: "DELETE /learnings/{learning}" }),
]

const sessions = checksOf("sessions", "4.3")
const session = rowWith({ session_id: text, created_at: isoTime.nullish() })
const anothers = "/sessions/{own}?user_id={none}"
const sessionChecks: readonly PlatformCheck[] = [
  sessions.open({
    says: "a session is made",
    request: "POST /sessions",
    json: { session_id: "{own}", session_name: "{own}", user_id: "{own}", agent_id: "{agent}" },
    status: 201,
    shape: session,
    holds: { session_id: "{own}", session_name: "{own}" },
    undo: "DELETE /sessions/{own}",
  }),
  sessions.open({
    says: "a session is shown",
    request: "GET /sessions/{own}",
    shape: session,
    holds: { session_id: "{own}" },
  }),
  sessions.open({
    says: "a session is found by its name",
    request: "GET /sessions?session_name={own}",
    shape: pageWith(session, 1),
  }),
  sessions.open({
    says: "a session is renamed",
    request: "POST /sessions/{own}/rename",
    json: { session_name: "{own} renamed" },
    shape: session,
    holds: { session_name: "{own} renamed" },
  }),
  sessions.open({
    says: "a session's state is changed",
    request: "PATCH /sessions/{own}",
    json: { session_state: { a: 1 } },
    shape: session,
    holds: { session_state: { a: 1 } },
  }),
  sessions.refused(404, { says: "a session is not shown as another user's", request: `GET ${anothers}` }),
  sessions.open({
    says: "to remove a session as another user's is no error",
    request: `DELETE ${anothers}`,
    status: [204, 404],
  }),
  sessions.open({
    says: "a session stays as it is then",
    request: "GET /sessions/{own}",
    shape: session,
    holds: { session_name: "{own} renamed", session_state: { a: 1 } },
  }),
  sessions.invalid({ says: "a rename without a name is 422", request: "POST /sessions/{own}/rename", json: {} }),
  sessions.open({ says: "a session is removed", request: "DELETE /sessions/{own}", status: 204, undoes: true }),
  sessions.refused(404, { says: "a session that was removed is 404", request: "GET /sessions/{own}" }),
]

const components = checksOf("components", "4.3", { at: "/components", id: "component_id" })
const version = rowWith({ version: z.int(), stage: text })
const componentChecks: readonly PlatformCheck[] = [
  components.open({
    says: "a component is made, as a draft",
    request: "POST /components",
    json: { name: "{own}", component_type: "agent", config: { a: 1 } },
    status: 201,
    shape: rowWith({ component_id: text, created_at: secondsTime }),
    holds: { component_type: "agent", name: "{own}" },
    keep: { component: "component_id" },
    undo: "DELETE /components/{component}",
  }),
  components.open({
    says: "a component has a first version",
    request: "GET /components/{component}/configs",
    shape: z.array(version).length(1),
  }),
  components.refused(400, {
    says: "a draft does not become current",
    request: "POST /components/{component}/configs/1/set-current",
  }),
  components.open({
    says: "a version is published",
    request: "PATCH /components/{component}/configs/1",
    json: { stage: "published" },
    shape: version,
    holds: { version: 1, stage: "published" },
  }),
  components.refused(400, {
    says: "a version that is published does not change",
    request: "PATCH /components/{component}/configs/1",
    json: { notes: "x" },
  }),
  components.open({
    says: "a second version is made, and is current",
    request: "POST /components/{component}/configs",
    json: { config: {}, stage: "published" },
    status: 201,
    shape: version,
    holds: { version: 2 },
  }),
  components.open({
    says: "the current version is shown",
    request: "GET /components/{component}/configs/current",
    shape: version,
    holds: { version: 2 },
  }),
  components.open({
    says: "an older version becomes current again",
    request: "POST /components/{component}/configs/1/set-current",
    shape: anything,
    holds: { current_version: 1 },
  }),
  components.refused(409, {
    says: "a change that expects another current version is 409",
    request: "PATCH /components/{component}",
    json: { guard: { current_version: 2 } },
  }),
  components.invalid({
    says: "a component of no kind is 422",
    request: "POST /components",
    json: { name: "{own}-2", component_type: "{none}" },
  }),
  components.open({
    says: "a component is removed",
    request: "DELETE /components/{component}",
    status: 204,
    undoes: true,
  }),
  components.refused(404, { says: "a component that was removed is 404", request: "GET /components/{component}" }),
]

/** Agents, teams and workflows that are made over the wire. A platform may define them only in its code. */
function catalogChecks(family: "agents" | "teams" | "workflows", config: Readonly<Record<string, unknown>>): Scenario {
  const make = checksOf(family, "4.3")
  const shape = rowWith({ id: text })
  const one = `${family.slice(0, -1)}`
  return {
    family,
    makes: true,
    checks: [
      make.fixed({
        says: `POST /${family} makes one`,
        request: `POST /${family}`,
        json: { name: "{own}", description: "of a check", config },
        status: [200, 201],
        shape,
        keep: { made: "id" },
        undo: `DELETE /${family}/{made}`,
      }),
      make.open({ says: `the ${one} is shown`, request: `GET /${family}/{made}`, shape, holds: { id: "{made}" } }),
      make.fixed({
        says: `PATCH /${family}/* changes one`,
        request: `PATCH /${family}/{made}`,
        json: { description: "changed" },
        shape,
      }),
      make.fixed({
        says: `DELETE /${family}/* removes one`,
        request: `DELETE /${family}/{made}`,
        status: [200, 204],
        undoes: true,
      }),
      make.refused(404, { says: `the ${one} that was removed is 404`, request: `GET /${family}/{made}` }),
    ],
  }
}

/** All checks that make what they are about. */
export const writingScenarios: readonly Scenario[] = [
  { family: "memories", makes: true, checks: memoryChecks },
  { family: "learnings", makes: true, checks: learningChecks },
  { family: "sessions", makes: true, checks: sessionChecks },
  { family: "components", makes: true, checks: componentChecks },
  catalogChecks("agents", {}),
  catalogChecks("teams", { members: ["{agent}"] }),
  catalogChecks("workflows", { steps: [{ agent: "{agent}" }] }),
]
