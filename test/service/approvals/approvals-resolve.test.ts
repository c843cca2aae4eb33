// Resolving: once, with what was sent, or refused in the specification's words (4.1).

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { anApproval, aService, aToken, call, noon, resolve, type TestService } from "../a-service.ts"

let service: TestService

beforeAll(async () => {
  service = await aService()
})
afterAll(() => service.close())

test.each(["approved", "rejected"])("3.1: %s is written with who, what and when, and given back", async (status) => {
  const { id } = await anApproval(service)

  const answer = await resolve(service, id, { status, resolved_by: "ann@example.com", resolution_data: { note: "ok" } })

  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    id,
    status,
    resolved_by: "ann@example.com",
    resolution_data: { note: "ok" },
    resolved_at: noon / 1000,
  })
})

test("3.1: an empty resolution_data is stored, a null or absent one is null", async () => {
  const [empty, none, absent] = [await anApproval(service), await anApproval(service), await anApproval(service)]

  expect((await resolve(service, empty.id, { status: "approved", resolution_data: {} })).body).toMatchObject({
    resolution_data: {},
  })
  expect(
    (await resolve(service, none.id, { status: "approved", resolution_data: null, resolved_by: null })).body,
  ).toMatchObject({ resolution_data: null, resolved_by: null })
  expect((await resolve(service, absent.id, { status: "approved", unknown_key: 1 })).body).toMatchObject({
    resolution_data: null,
    resolved_by: null,
  })
})

test("3.1: a second resolve is 409 and changes nothing, its own repetition too", async () => {
  const { id } = await anApproval(service)
  await resolve(service, id, { status: "approved", resolved_by: "first" })

  for (const status of ["approved", "rejected"]) {
    expect(await resolve(service, id, { status, resolved_by: "second" })).toMatchObject({
      status: 409,
      body: { detail: "Approval is already 'approved' and cannot be resolved" },
    })
  }
  const row = await call(service, `GET /approvals/${id}`, { token: await aToken(["approvals:read"]) })
  expect(row.body).toMatchObject({ status: "approved", resolved_by: "first" })
})

test("of twenty at once exactly one succeeds, and its data stands", async () => {
  const { id } = await anApproval(service)
  const token = await aToken(["approvals:write", "approvals:read"])

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      call(service, `POST /approvals/${id}/resolve`, {
        token,
        json: { status: at % 2 ? "approved" : "rejected", resolved_by: `p${at}`, resolution_data: { at } },
      }),
    ),
  )

  const winners = answers.filter(({ status }) => status === 200)
  expect(winners).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  const row = await call(service, `GET /approvals/${id}`, { token })
  expect(row.body).toEqual(winners[0]?.body)
})

test("8: 255 characters of resolved_by pass, counted as characters", async () => {
  const { id } = await anApproval(service)

  expect((await resolve(service, id, { status: "approved", resolved_by: "😀".repeat(255) })).status).toBe(200)
})

describe("7 and 4.1, rules 1 and 2: 422", () => {
  const missing = { type: "missing", msg: "Field required" }
  const pattern = {
    type: "string_pattern_mismatch",
    loc: ["body", "status"],
    msg: "String should match pattern '^(approved|rejected)$'",
    ctx: { pattern: "^(approved|rejected)$" },
  }
  const noDict = { type: "dict_type", loc: ["body", "resolution_data"], msg: "Input should be a valid dictionary" }

  test.each<[unknown, Record<string, unknown>]>([
    [{}, { ...missing, loc: ["body", "status"], input: {} }],
    [{ status: "expired" }, { ...pattern, input: "expired" }],
    [{ status: "approved\n" }, { ...pattern, input: "approved\n" }],
    [{ status: 1 }, { type: "string_type", loc: ["body", "status"], msg: "Input should be a valid string", input: 1 }],
    [{ status: null }, { type: "string_type", loc: ["body", "status"], input: null }],
    [
      { status: "approved", resolved_by: 5 },
      { type: "string_type", loc: ["body", "resolved_by"], input: 5 },
    ],
    [
      { status: "approved", resolved_by: "x".repeat(256) },
      {
        type: "string_too_long",
        loc: ["body", "resolved_by"],
        msg: "String should have at most 255 characters",
        input: "x".repeat(256),
        ctx: { max_length: 255 },
      },
    ],
    [
      { status: "approved", resolution_data: [1] },
      { ...noDict, input: [1] },
    ],
    [
      { status: "approved", resolution_data: "x" },
      { ...noDict, input: "x" },
    ],
    [[], { type: "model_attributes_type", loc: ["body"], input: [] }],
    ["approved", { type: "model_attributes_type", loc: ["body"], input: "approved" }],
    [null, { ...missing, loc: ["body"], input: null }],
  ])("a resolve of %j is 422, with the place", async (json, problem) => {
    const { id } = await anApproval(service)

    const answer = await resolve(service, id, json)

    expect(answer).toMatchObject({ status: 422, body: { detail: [problem] } })
  })

  test.each<[string, string | undefined, string | undefined, Record<string, unknown>]>([
    ["no body", undefined, undefined, { ...missing, loc: ["body"], input: null }],
    [
      "broken JSON",
      '{"status":',
      "application/json",
      { type: "json_invalid", loc: ["body", 10], msg: "JSON decode error" },
    ],
    [
      "a form",
      "status=approved",
      "application/x-www-form-urlencoded",
      { type: "model_attributes_type", loc: ["body"], input: "status=approved" },
    ],
    [
      "a lone surrogate",
      '{"status":"approved","resolution_data":{"a":["\\ud800"]}}',
      "application/json",
      { type: "string_unicode", loc: ["body", "resolution_data", "a", 0] },
    ],
    [
      "a lone surrogate in a key",
      '{"status":"approved","resolution_data":{"\\udc00":1}}',
      "application/json",
      { type: "string_unicode", loc: ["body", "resolution_data"] },
    ],
    [
      "too deep",
      `{"status":"approved","resolution_data":${'{"a":'.repeat(300)}1${"}".repeat(300)}}`,
      "application/json",
      { type: "recursion_loop" },
    ],
    [
      "far too deep",
      `{"status":"approved","resolution_data":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
      "application/json",
      { type: "json_invalid" },
    ],
    ["a big number as the status", '{"status":12345678901234567890}', "application/json", { type: "string_type" }],
    [
      "a big number as the data",
      '{"status":"approved","resolution_data":12345678901234567890}',
      "application/json",
      { type: "dict_type" },
    ],
  ])("a resolve with a body like this is 422: %s", async (_name, raw, type, problem) => {
    const { id } = await anApproval(service)
    const token = await aToken(["approvals:write"])

    const answer = await call(service, `POST /approvals/${id}/resolve`, {
      token,
      ...(raw === undefined ? {} : { raw, type: type ?? "" }),
    })

    expect(answer).toMatchObject({ status: 422, body: { detail: [problem] } })
  })

  test("a bad body for an unknown id is 422, not 404", async () => {
    expect((await resolve(service, "none", { status: "x" })).status).toBe(422)
  })
})

describe("numbers travel digit by digit", () => {
  const digits =
    '{"big":123456789012345678901234567890,"float":50.0,"tiny":1e-400,"huge":1e400,"minus":-0,"list":[9007199254740993]}'

  test("numbers travel digit by digit in resolution_data", async () => {
    const { id } = await anApproval(service)
    const token = await aToken(["approvals:write", "approvals:read"])

    const answer = await call(service, `POST /approvals/${id}/resolve`, {
      token,
      raw: `{"status":"approved","resolution_data":${digits}}`,
    })

    expect(answer.text).toContain(`"resolution_data":${digits}`)
    expect((await call(service, "GET /approvals", { token })).text).toContain(`"resolution_data":${digits}`)
  })

  test("numbers travel digit by digit in arguments, requirements and context, and no key is lost", async () => {
    const args = '{"__proto__":{"x":1},"constructor":2,"n":9007199254740993}'
    const raw = `{"tool_name":"t","tool_args":${args},"requirements":[${digits}],"context":${digits}}`

    const answer = await call(service, "POST /approvals", { token: await aToken(["approvals:create"]), raw })

    expect(answer.text).toContain(`"tool_args":${args}`)
    expect(answer.text).toContain(`"requirements":[${digits}]`)
    expect(answer.text).toContain(`"context":${digits}`)
  })

  test("numbers travel digit by digit into the requirement that is made of the arguments, too", async () => {
    const raw = '{"tool_name":"t","tool_args":{"n":9007199254740993}}'

    const answer = await call(service, "POST /approvals", { token: await aToken(["approvals:create"]), raw })

    expect(answer.text.split('{"n":9007199254740993}')).toHaveLength(3)
  })
})

test("5.3: a service account with read and write sees and resolves every approval", async () => {
  const token = service.mintServiceAccount({ name: "bot", scopes: ["approvals:read", "approvals:write"] })
  const { id } = await anApproval(service, { user_id: "somebody@example.com" })

  expect((await call(service, `GET /approvals/${id}`, { token })).status).toBe(200)
  const answer = await call(service, `POST /approvals/${id}/resolve`, {
    token,
    json: { status: "approved", resolved_by: "ann@example.com" },
  })

  expect(answer).toMatchObject({ status: 200, body: { resolved_by: "ann@example.com" } })
})
