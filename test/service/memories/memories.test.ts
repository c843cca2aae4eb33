// Memories (4.3) over HTTP: what is kept, found, changed, removed and merged, and for whom.

import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { aFolder, opened } from "../../support/opened.ts"
import { type Answer, aService, aToken, call, type TestService } from "../a-service.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aService())))

const scopes = ["memories:read", "memories:write", "memories:delete"]

async function ask(request: string, json?: unknown, at: TestService = service, claims = {}): Promise<Answer> {
  return call(at, request, { token: await aToken(scopes, claims), ...(json === undefined ? {} : { json }) })
}

const memorySchema = z.looseObject({ memory_id: z.string(), memory: z.string() })

/** Keeps a memory and gives its id. */
async function remember(memory: string, fields: Record<string, unknown> = {}, at: TestService = service) {
  const answer = await ask("POST /memories", { memory, user_id: "ann", ...fields }, at)
  if (answer.status !== 200) throw new Error(answer.text)
  return memorySchema.parse(answer.body).memory_id
}

async function found(query: string): Promise<readonly string[]> {
  const { body } = await ask(`GET /memories${query}`)
  return z
    .object({ data: z.array(memorySchema) })
    .parse(body)
    .data.map(({ memory }) => memory)
}

describe("one memory", () => {
  test("is kept as it was told, with its time, and read again", async () => {
    const created = await ask("POST /memories", { memory: "Likes tea", user_id: "ann", topics: ["drinks", "likes"] })

    expect(created.status).toBe(200)
    expect(created.body).toEqual({
      memory_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      memory: "Likes tea",
      topics: ["drinks", "likes"],
      agent_id: null,
      team_id: null,
      user_id: "ann",
      updated_at: "2026-11-20T12:00:00Z",
    })
    const { memory_id: id } = memorySchema.parse(created.body)
    expect((await ask(`GET /memories/${id}`)).body).toEqual(created.body)
    expect((await ask(`GET /memories/${id}?user_id=ann`)).status).toBe(200)
    expect(await ask(`GET /memories/${id}?user_id=bob`)).toMatchObject({ status: 404 })
  })

  test("is changed, and what is left out stays", async () => {
    const id = await remember("Likes tea", { topics: ["drinks"] })
    service.pass(60_000)

    const changed = await ask(`PATCH /memories/${id}`, { memory: "Likes coffee" })

    expect(changed.body).toMatchObject({ memory: "Likes coffee", topics: ["drinks"], user_id: "ann" })
    expect(changed.body).toMatchObject({ updated_at: "2026-11-20T12:01:00Z" })
    expect((await ask(`GET /memories/${id}`)).body).toEqual(changed.body)
  })

  test("is not handed to another user by a change", async () => {
    const id = await remember("Likes tea")

    const stolen = await ask(`PATCH /memories/${id}`, { memory: "Mine", user_id: "bob" })

    expect(stolen).toMatchObject({ status: 404, body: { detail: `Memory with ID ${id} not found` } })
    expect(await found("")).toEqual(["Likes tea"])
  })

  test("is gone once it is deleted; deleting again says the same", async () => {
    const id = await remember("Likes tea")

    expect((await ask(`DELETE /memories/${id}?user_id=bob`)).status).toBe(204)
    expect(await found("")).toEqual(["Likes tea"])
    expect((await ask(`DELETE /memories/${id}`)).status).toBe(204)
    expect((await ask(`DELETE /memories/${id}`)).status).toBe(204)
    expect(await ask(`GET /memories/${id}`)).toMatchObject({
      status: 404,
      body: { detail: `Memory with ID ${id} not found` },
    })
  })

  test.each<[string, unknown, number, unknown]>([
    ["no memory", { user_id: "ann" }, 422, [{ type: "missing", loc: ["body", "memory"] }]],
    ["an empty one", { memory: "", user_id: "ann" }, 422, [{ type: "string_too_short", loc: ["body", "memory"] }]],
    ["one that is too long", { memory: "x".repeat(5001), user_id: "ann" }, 422, [{ type: "string_too_long" }]],
    ["topics that are no list", { memory: "x", user_id: "ann", topics: "tea" }, 422, [{ type: "list_type" }]],
    ["no user", { memory: "x" }, 400, "User ID is required"],
    ["a list", [], 422, [{ loc: ["body"] }]],
  ])("is refused with %s, and nothing is kept", async (_name, body, status, detail) => {
    const answer = await ask("POST /memories", body)

    expect(answer).toMatchObject({ status, body: { detail } })
    expect(await found("")).toEqual([])
  })

  test("a body that is no JSON is 422, and one for an unknown memory 404 only if it could be meant", async () => {
    const token = await aToken(scopes)

    expect((await call(service, "POST /memories", { token, raw: "{" })).status).toBe(422)
    expect((await ask("PATCH /memories/none", { memory: "" })).status).toBe(422)
    expect((await ask("PATCH /memories/none", { memory: "x" })).status).toBe(404)
  })
})

describe("the list", () => {
  beforeEach(async () => {
    await remember("Likes green Tea", { topics: ["drinks", "likes"] })
    service.pass(1000)
    await remember("Lives in Rome", { topics: ["place"], user_id: "bob" })
    service.pass(1000)
    await remember("Hates tea", { topics: ["drinks"] })
  })

  test.each([
    ["", ["Hates tea", "Lives in Rome", "Likes green Tea"]],
    ["?user_id=ann", ["Hates tea", "Likes green Tea"]],
    ["?topics=drinks", ["Hates tea", "Likes green Tea"]],
    ["?topics=drinks,%20likes", ["Likes green Tea"]],
    ["?topics=drink", []],
    ["?search_content=TEA", ["Hates tea", "Likes green Tea"]],
    ["?search_content=%25", []],
    ["?agent_id=a", []],
    ["?team_id=t", []],
    ["?sort_order=asc", ["Likes green Tea", "Lives in Rome", "Hates tea"]],
    ["?sort_by=memory&sort_order=asc", ["Hates tea", "Likes green Tea", "Lives in Rome"]],
    ["?limit=1&page=2", ["Lives in Rome"]],
    ["?limit=2&page=0", ["Hates tea", "Lives in Rome"]],
    ["?page=99", []],
  ])("GET /memories%s finds %j", async (query, memories) => {
    expect(await found(query)).toEqual(memories)
  })

  test("says where the page is", async () => {
    expect((await ask("GET /memories?limit=2&page=2")).body).toMatchObject({
      meta: { page: 2, limit: 2, total_pages: 2, total_count: 3, search_time_ms: 0 },
    })
  })

  test.each([
    ["limit=0", { type: "greater_than_equal", loc: ["query", "limit"] }],
    ["limit=1001", { type: "less_than_equal", loc: ["query", "limit"] }],
    ["limit=x", { type: "int_parsing", loc: ["query", "limit"] }],
    ["page=-1", { type: "greater_than_equal", loc: ["query", "page"] }],
    ["sort_by=seq", { type: "literal_error", loc: ["query", "sort_by"] }],
    ["sort_order=up", { type: "literal_error", loc: ["query", "sort_order"] }],
  ])("refuses %s", async (query, problem) => {
    expect(await ask(`GET /memories?${query}`)).toMatchObject({ status: 422, body: { detail: [problem] } })
  })

  test("is asked for a hundred topics at most", async () => {
    const topics = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`).join(",")

    expect((await ask(`GET /memories?topics=${topics(100)}`)).status).toBe(200)
    for (const count of [101, 1_500])
      expect(await ask(`GET /memories?topics=${topics(count)}`)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["query", "topics"], msg: "Value error, 100 words at most" }] },
      })
  })

  test("many are deleted at once, those of the named user only", async () => {
    const { body } = await ask("GET /memories")
    const ids = z
      .object({ data: z.array(memorySchema) })
      .parse(body)
      .data.map(({ memory_id: id }) => id)

    expect((await ask("DELETE /memories", { memory_ids: [...ids, "none"], user_id: "bob" })).status).toBe(204)
    expect(await found("")).toEqual(["Hates tea", "Likes green Tea"])
    expect((await ask("DELETE /memories", { memory_ids: ids })).status).toBe(204)
    expect(await found("")).toEqual([])
    expect(await ask("DELETE /memories", { memory_ids: [] })).toMatchObject({
      status: 422,
      body: { detail: [{ type: "too_short", loc: ["body", "memory_ids"] }] },
    })
  })

  test("topics are told once each, of all or of one user", async () => {
    expect((await ask("GET /memory_topics")).body).toEqual(["drinks", "likes", "place"])
    expect((await ask("GET /memory_topics?user_id=bob")).body).toEqual(["place"])
    expect((await ask("GET /memory_topics?user_id=eve")).body).toEqual([])
  })

  test("stats tell how many a user has, whose are newest first", async () => {
    const stats = await ask("GET /user_memory_stats")

    expect(stats.body).toEqual({
      data: [
        { user_id: "ann", total_memories: 2, last_memory_updated_at: "2026-11-20T12:00:02Z" },
        { user_id: "bob", total_memories: 1, last_memory_updated_at: "2026-11-20T12:00:01Z" },
      ],
      meta: { page: 1, limit: 20, total_pages: 1, total_count: 2, search_time_ms: 0 },
    })
    expect((await ask("GET /user_memory_stats?user_id=bob")).body).toMatchObject({ data: [{ user_id: "bob" }] })
    expect((await ask("GET /user_memory_stats?limit=1&page=2")).body).toMatchObject({ data: [{ user_id: "bob" }] })
    expect((await ask("GET /user_memory_stats?limit=0")).status).toBe(422)
  })
})

describe("optimising", () => {
  beforeEach(async () => {
    await remember("Likes  Tea.", { topics: ["drinks"] })
    service.pass(1000)
    await remember("likes tea", { topics: ["likes"] })
    await remember("Lives in Rome")
    await remember("likes tea", { user_id: "bob" })
  })

  test("merges what says the same, keeps the newest with all topics, and says how it did that", async () => {
    const answer = await ask("POST /optimize-memories", { user_id: "ann" })

    expect(answer).toMatchObject({
      status: 200,
      body: {
        memories: [
          { memory: "likes tea", topics: ["drinks", "likes"] },
          { memory: "Lives in Rome", topics: [] },
        ],
        memories_before: 3,
        memories_after: 2,
        tokens_before: 7,
        tokens_after: 5,
        tokens_saved: 2,
        method: "merged_duplicates",
      },
    })
    expect((await found("?user_id=ann")).toSorted()).toEqual(["Lives in Rome", "likes tea"])
    expect(await found("?user_id=bob")).toEqual(["likes tea"])
  })

  test("only shows what it would do with apply: false", async () => {
    const answer = await ask("POST /optimize-memories", { user_id: "ann", apply: false })

    expect(answer.body).toMatchObject({ memories_before: 3, memories_after: 2 })
    expect(await found("?user_id=ann")).toHaveLength(3)
  })

  test("uses no model, and says so to whoever names one", async () => {
    const answer = await ask("POST /optimize-memories", { user_id: "ann", model: "openai:gpt-4o" })

    expect(answer).toMatchObject({
      status: 400,
      body: {
        detail: "Model openai:gpt-4o cannot be used here: memories that say the same are merged without a model",
      },
    })
    expect(await found("?user_id=ann")).toHaveLength(3)
  })

  test("has nothing to do for a user without memories, and wants a user", async () => {
    expect(await ask("POST /optimize-memories", { user_id: "eve" })).toMatchObject({
      status: 404,
      body: { detail: "No memories found for user eve" },
    })
    expect((await ask("POST /optimize-memories", {})).status).toBe(422)
  })
})

describe("under user isolation", () => {
  let isolated: TestService
  let hers: string
  let his: string
  const bob = { sub: "bob" }
  const asBob = (request: string, json?: unknown) => ask(request, json, isolated, bob)

  beforeEach(async () => {
    isolated = await aService({ userIsolation: true })
    const token = await aToken(["service:admin"])
    const keep = async (user: string) => {
      const json = { memory: `of ${user}`, user_id: user, topics: [user] }
      return memorySchema.parse((await call(isolated, "POST /memories", { token, json })).body).memory_id
    }
    hers = await keep("ann")
    his = await keep("bob")
  })
  afterEach(() => isolated.close())

  test("somebody sees, tells of and changes only their own", async () => {
    expect((await asBob("GET /memories?user_id=ann")).body).toMatchObject({ data: [{ memory_id: his }] })
    expect((await asBob(`GET /memories/${hers}`)).status).toBe(404)
    expect((await asBob(`PATCH /memories/${hers}`, { memory: "x" })).status).toBe(404)
    expect((await asBob(`DELETE /memories/${hers}`)).status).toBe(204)
    expect((await asBob("DELETE /memories", { memory_ids: [hers], user_id: "ann" })).status).toBe(204)
    expect((await asBob(`GET /memories/${his}?user_id=ann`)).status).toBe(200)
    expect((await asBob("GET /memory_topics?user_id=ann")).body).toEqual(["bob"])
    expect((await asBob("GET /user_memory_stats")).body).toMatchObject({ data: [{ user_id: "bob" }] })
    expect((await asBob("POST /optimize-memories", { user_id: "ann" })).body).toMatchObject({ memories_before: 1 })
    expect((await ask(`GET /memories/${hers}`, undefined, isolated, { sub: "ann" })).status).toBe(200)
  })

  test("what somebody keeps is their own, whomever they name", async () => {
    const kept = await asBob("POST /memories", { memory: "x", user_id: "ann" })

    expect(kept.body).toMatchObject({ user_id: "bob" })
  })

  test.each(["GET /memories", "GET /memory_topics", "POST /memories", "POST /optimize-memories"])(
    "%s is no business of a token without a subject",
    async (request) => {
      expect(await ask(request, request.startsWith("POST") ? {} : undefined, isolated)).toMatchObject({
        status: 403,
        body: { detail: "Authenticated request is missing a user identity" },
      })
    },
  )
})

test("memories outlive a restart", async () => {
  const database = join(aFolder("memories"), "service.sqlite")
  const first = await aService({ database })
  const id = await remember("Likes tea", {}, first)
  await first.close()

  const second = await opened(aService({ database }))

  expect((await ask(`GET /memories/${id}`, undefined, second)).body).toMatchObject({ memory: "Likes tea" })
})
