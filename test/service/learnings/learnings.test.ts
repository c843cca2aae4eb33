// Learnings (4.3) over HTTP: what is kept under which id, found, changed and removed, and for whom.

import { beforeEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { opened } from "../../support/opened.ts"
import { type Answer, aService, aToken, call, type TestService } from "../a-service.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aService())))

const scopes = ["learnings:read", "learnings:write", "learnings:delete"]

async function ask(request: string, json?: unknown, at: TestService = service, claims = {}): Promise<Answer> {
  return call(at, request, { token: await aToken(scopes, claims), ...(json === undefined ? {} : { json }) })
}

const rowSchema = z.looseObject({ learning_id: z.string() })

/** Keeps a learning and gives its id. */
async function learned(fields: Record<string, unknown>, at: TestService = service): Promise<string> {
  const answer = await ask("POST /learnings", { learning_type: "decision_log", content: { why: 1 }, ...fields }, at)
  if (answer.status !== 201) throw new Error(answer.text)
  return rowSchema.parse(answer.body).learning_id
}

async function found(query: string): Promise<readonly string[]> {
  const { body } = await ask(`GET /learnings${query}`)
  return z
    .object({ data: z.array(rowSchema) })
    .parse(body)
    .data.map(({ learning_id: id }) => id)
}

describe("one learning", () => {
  test("is kept as it was told, digit by digit, and read again", async () => {
    const token = await aToken(scopes)
    const raw = '{"learning_type":"decision_log","content":{"amount":12345678901234567890},"session_id":"s-1"}'

    const created = await call(service, "POST /learnings", { token, raw })

    expect(created.status).toBe(201)
    expect(created.text).toContain('"content":{"amount":12345678901234567890}')
    expect(created.body).toMatchObject({
      learning_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      learning_type: "decision_log",
      namespace: null,
      user_id: null,
      session_id: "s-1",
      metadata: null,
      created_at: 1_795_176_000,
      updated_at: 1_795_176_000,
    })
    const { learning_id: id } = rowSchema.parse(created.body)
    expect((await ask(`GET /learnings/${id}`)).text).toBe(created.text)
  })

  test.each([
    [{ learning_type: "user_profile", user_id: "ann" }, "user_profile_ann"],
    [{ learning_type: "user_memory", user_id: "ann" }, "memories_ann"],
    [{ learning_type: "session_context", session_id: "s-1" }, "session_context_s-1"],
    [{ learning_type: "entity_memory", entity_id: "acme", entity_type: "company" }, "entity_global_company_acme"],
    [
      { learning_type: "entity_memory", entity_id: "acme", entity_type: "company", namespace: "sales" },
      "entity_sales_company_acme",
    ],
    [
      { learning_type: "entity_memory", entity_id: "acme", entity_type: "company", namespace: "user", user_id: "ann" },
      "entity_user_49915e0d7d4b402e_company_acme",
    ],
  ])("%j has the id %s, and there is one of it", async (fields, id) => {
    expect(await learned(fields)).toBe(id)

    const again = await ask("POST /learnings", { content: { other: true }, ...fields })

    expect(again).toMatchObject({
      status: 409,
      body: {
        detail: `A '${fields.learning_type}' learning already exists for this identity (id '${id}'). Use PATCH /learnings/${id} to update it.`,
      },
    })
    expect((await ask(`GET /learnings/${id}`)).body).toMatchObject({ content: { why: 1 } })
  })

  test.each([
    ["a profile of nobody", { learning_type: "user_profile" }, ["body"]],
    ["a context of no session", { learning_type: "session_context" }, ["body"]],
    ["a thing without its kind", { learning_type: "entity_memory", entity_id: "acme" }, ["body"]],
    [
      "a user's thing without the user",
      { learning_type: "entity_memory", entity_id: "a", entity_type: "b", namespace: "user" },
      ["body"],
    ],
    [
      "a namespace that is a user's key",
      { learning_type: "entity_memory", entity_id: "a", entity_type: "b", namespace: "user_0123456789abcdef_x" },
      ["body", "namespace"],
    ],
    ["content that is no object", { content: [] }, ["body", "content"]],
  ])("%s is refused, and nothing is kept", async (_name, fields, loc) => {
    const answer = await ask("POST /learnings", { learning_type: "decision_log", content: {}, ...fields })

    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
    expect(await found("")).toEqual([])
  })

  test("is changed in content and metadata alone; what is left out stays", async () => {
    const id = await learned({ content: { a: 1 }, metadata: { b: 2 } })
    service.pass(60_000)

    const unchanged = await ask(`PATCH /learnings/${id}`, {})
    const changed = await ask(`PATCH /learnings/${id}`, { content: { a: 3 }, user_id: "bob" })
    const cleared = await ask(`PATCH /learnings/${id}`, { metadata: null })

    expect(unchanged.body).toMatchObject({ content: { a: 1 }, updated_at: 1_795_176_000 })
    expect(changed.body).toMatchObject({ content: { a: 3 }, metadata: { b: 2 }, user_id: null })
    expect(changed.body).toMatchObject({ created_at: 1_795_176_000, updated_at: 1_795_176_060 })
    expect(cleared.body).toMatchObject({ content: { a: 3 }, metadata: null })
    expect((await ask(`PATCH /learnings/${id}`, { content: null })).status).toBe(422)
    expect((await ask(`GET /learnings/${id}`)).body).toEqual(cleared.body)
  })

  test("is gone once it is deleted, and then unknown", async () => {
    const id = await learned({})

    expect((await ask(`DELETE /learnings/${id}`)).status).toBe(204)

    for (const request of [`DELETE /learnings/${id}`, `GET /learnings/${id}`]) {
      expect(await ask(request)).toMatchObject({ status: 404, body: { detail: "Learning not found" } })
    }
    expect((await ask(`PATCH /learnings/${id}`, { metadata: null })).status).toBe(404)
  })
})

test("the list is narrowed, ordered and cut into pages", async () => {
  const first = await learned({ agent_id: "a", namespace: "n", user_id: "ann" })
  service.pass(1000)
  const second = await learned({ learning_type: "user_profile", user_id: "bob", team_id: "t" })
  service.pass(1000)
  const third = await learned({ session_id: "s", entity_id: "e", entity_type: "k" })

  expect(await found("")).toEqual([third, second, first])
  expect(await found("?sort_by=created_at&sort_order=asc")).toEqual([first, second, third])
  expect(await found("?limit=1&page=2")).toEqual([second])
  for (const filter of ["agent_id=a", "namespace=n", "user_id=ann"]) expect(await found(`?${filter}`)).toEqual([first])
  for (const filter of ["learning_type=user_profile", "team_id=t"]) expect(await found(`?${filter}`)).toEqual([second])
  for (const filter of ["session_id=s", "entity_id=e", "entity_type=k"])
    expect(await found(`?${filter}`)).toEqual([third])
  expect((await ask("GET /learnings?sort_by=content")).status).toBe(422)
  expect((await ask("GET /learnings?limit=1001")).status).toBe(422)
  expect((await ask("GET /learnings")).body).toMatchObject({ meta: { limit: 100, total_count: 3 } })
})

test("under user isolation what is nobody's is read by all, and changed by admins", async () => {
  const isolated = await aService({ userIsolation: true })
  const token = await aToken(["service:admin"])
  const keep = async (fields: Record<string, unknown>) => {
    const json = { learning_type: "decision_log", content: {}, ...fields }
    return rowSchema.parse((await call(isolated, "POST /learnings", { token, json })).body).learning_id
  }
  const [hers, nobodys] = [await keep({ user_id: "ann" }), await keep({})]
  const asBob = (request: string, json?: unknown) => ask(request, json, isolated, { sub: "bob" })

  const kept = await asBob("POST /learnings", { learning_type: "note", content: {} })
  const forged = await asBob("POST /learnings", { learning_type: "note", content: {}, user_id: "ann" })

  expect(kept.body).toMatchObject({ user_id: "bob" })
  expect(forged).toMatchObject({ status: 403, body: { detail: "Cannot create learnings for another user" } })
  const listed = z.object({ data: z.array(rowSchema) }).parse((await asBob("GET /learnings?user_id=ann")).body)
  expect(listed.data.map(({ user_id }) => user_id)).toEqual(["bob", null])
  expect((await asBob(`GET /learnings/${nobodys}`)).status).toBe(200)
  for (const request of [`PATCH /learnings/${nobodys}`, `DELETE /learnings/${nobodys}`]) {
    expect(await asBob(request, { content: {} })).toMatchObject({
      status: 403,
      body: { detail: "Only admins can modify a learning that has no owner" },
    })
  }
  expect((await asBob(`GET /learnings/${hers}`)).status).toBe(404)
  expect((await asBob(`DELETE /learnings/${hers}`)).status).toBe(404)
  await isolated.close()
})
