// The read API over the real wiring: who may read, what they read, and that it is what happened.
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeServiceAccountToken } from "../../src/auth/service-account-token.ts"
import { createSeal } from "../../src/domain/proof/seal.ts"
import { models } from "../../src/http/reading/models.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { rawToken } from "../support/raw-token.ts"
import { aReadToken, readingOn } from "../support/read-token.ts"
import { testRedisUrl } from "../support/redis.ts"
import { ask, card, cardSaying, decided, giveReason, placed, press, until } from "./acts.ts"
import { readKey, sandboxCast, sealKey, startWorld, type World } from "./world.ts"

const rules = `
  - name: everything
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.approvers}]
    unknown_requester: allow
    require_reason: reject
    mask: [password]`

let world: World
let token: string

/** Approved, rejected, and one that waits: the newest first in every list. */
beforeAll(async () => {
  world = await startWorld({ rules, http: readingOn })
  token = await aReadToken()
  const first = await ask(world, { tool_name: "send_mail", user_id: "rita@sandbox.example" })
  await press(world, sandboxCast.alice, await card(world, "send_mail"), "approve")
  await decided(world, first.id)
  const second = await ask(world, { tool_name: "drop_table", agent_id: "cleaner" })
  const open = await card(world, "drop_table")
  await placed(world, second.id)
  await press(world, sandboxCast.bob, open, "reject")
  await giveReason(world, sandboxCast.bob, "not on a Saturday")
  await decided(world, second.id)
  await ask(world, { tool_name: "wait_here", tool_args: { user: "u", password: "hunter2-hunter2" } })
  await card(world, "wait_here")
  await cardSaying(world, "Rejected")
  await until("both to be closed", async () =>
    (await read("/cases?state=closed")).body.cases.length === 2 ? true : undefined,
  )
})

afterAll(() => world.close())

async function read(path: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) {
  const response = await fetch(world.bot.url + path, { headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text) }
}

async function withToken(path: string, changes: Parameters<typeof aReadToken>[0]) {
  return read(path, { authorization: `Bearer ${await aReadToken(changes)}` })
}

describe("cases", () => {
  it("come latest first, in the shape of the OpenAPI document, without what is secret", async () => {
    const { status, headers, body } = await read("/cases")

    expect(status).toBe(200)
    expect(headers.get("cache-control")).toBe("no-store")
    expect(() => models.CasePage.parse(body)).not.toThrow()
    expect(body.cases.map((one: { tool: string }) => one.tool)).toEqual(["wait_here", "drop_table", "send_mail"])
    expect(body.next).toBeNull()
    expect(JSON.stringify(body)).not.toContain("hunter2")
    expect(JSON.stringify(body.cases[0].calls)).toContain("15 characters masked")
  })

  it("tell who decided, why, and how it ended", async () => {
    const { body } = await read("/cases?tool=drop_*")

    expect(body.cases).toHaveLength(1)
    expect(body.cases[0]).toMatchObject({
      state: "closed",
      trusted: true,
      agent: "cleaner",
      votes: [{ person: expect.stringContaining(sandboxCast.bob), verb: "reject", reason: "not on a Saturday" }],
      decision: { verb: "reject" },
      outcome: { kind: "ours", status: "rejected", resolved_by: "bob@sandbox.example" },
      calls: [{ tool: "drop_table", arguments: expect.anything() }],
      cards: [
        { channel: sandboxCast.approvals, link: expect.stringContaining(`/archives/${sandboxCast.approvals}/p`) },
      ],
    })
  })

  it("hold the texts and names that lie beside the ledger, in their entries too", async () => {
    const { body } = await read("/cases?tool=drop_*")
    const { body: told } = await read(`/cases/${body.cases[0].id}/entries`)
    const of = (kind: string) => told.entries.find((one: { kind: string }) => one.kind === kind).event

    expect(of("voted")).toMatchObject({ subject: "bob@sandbox.example", reason: "not on a Saturday" })
    expect(of("resolved")).toMatchObject({ resolvedBy: "bob@sandbox.example" })
  })

  it("are paged by cursors that hold while new ones come", async () => {
    const first = await read("/cases?limit=1")
    await ask(world, { tool_name: "send_mail_later" })
    await card(world, "send_mail_later")
    const second = await read(`/cases?limit=1&cursor=${first.body.next}`)
    const third = await read(`/cases?limit=1&cursor=${second.body.next}`)

    expect(first.body.cases[0].tool).toBe("wait_here")
    expect(second.body.cases[0].tool).toBe("drop_table")
    expect(third.body.cases[0].tool).toBe("send_mail")
    expect(third.body.next).toBeNull()
  })

  it.each([
    ["state=over", ["drop_table", "send_mail"]],
    ["outcome=rejected", ["drop_table"]],
    ["outcome=approved", ["send_mail"]],
    ["team=*", []],
    ["agent=CLEAN*", ["drop_table"]],
    [`person=${sandboxCast.bob}`, ["drop_table"]],
    ["person=bob", ["drop_table"]],
    ["text=SATURDAY", ["drop_table"]],
    ["text=rita", ["send_mail"]],
    ["until=2020-01-01", []],
    ["since=2999-01-01T00:00:00Z", []],
    ["instance=main&tool=send_mail", ["send_mail"]],
    ["instance=another", []],
  ])("are narrowed by %s", async (query, tools) => {
    const { body } = await read(`/cases?${query}`)

    expect(body.cases.map((one: { tool: string }) => one.tool)).toEqual(tools)
  })

  it("are found by their id, and an unknown one is 404", async () => {
    const { body } = await read("/cases?tool=drop_table")
    const { id } = body.cases[0]

    expect((await read(`/cases/${id}`)).body).toEqual(body.cases[0])
    expect(await read("/cases/nobody")).toMatchObject({ status: 404, body: { detail: "There is no case of that id" } })
    expect((await read("/cases/nobody/entries")).status).toBe(404)
  })
})

describe("the ledger", () => {
  it("tells one case entry by entry, page by page", async () => {
    const { body } = await read("/cases?tool=drop_table")
    const path = `/cases/${body.cases[0].id}/entries`

    const whole = await read(path)
    const [head, tail] = [await read(`${path}?limit=2`), await read(`${path}?after=2`)]

    expect(() => models.EntryPage.parse(whole.body)).not.toThrow()
    expect(whole.body.entries.map((one: { kind: string }) => one.kind)).toEqual(
      expect.arrayContaining(["opened", "placed", "voted", "decided", "resolved", "closed"]),
    )
    expect(head.body.next).toBe(2)
    expect([...head.body.entries, ...tail.body.entries]).toEqual(whole.body.entries)
    expect(whole.body.entries).toHaveLength(body.cases[0].entries)
  })

  it("is told as a whole, in order, without a gap", async () => {
    const { body } = await read("/ledger?limit=5")
    const rest = await read(`/ledger?after=${body.next}`)
    const numbers = [...body.entries, ...rest.body.entries].map((one: { number: number }) => one.number)

    expect(() => models.EntryPage.parse(rest.body)).not.toThrow()
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect(body.entries.every((one: { ours: boolean }) => one.ours)).toBe(true)
  })

  it("has the receipt of a decision, verified", async () => {
    const { body } = await read("/cases?tool=drop_table")
    const { id } = body.cases[0].decision

    const receipt = await read(`/receipts/${id}`)

    expect(() => models.Receipt.parse(receipt.body)).not.toThrow()
    expect(receipt.body).toMatchObject({ decision: id, verified: true, claims: { decision: id, verdict: "reject" } })
    expect((await read("/receipts/nobody")).status).toBe(404)
  })
})

it("a receipt that holds, but for another decision, is not verified", async () => {
  const { body } = await read("/cases?state=closed")
  const [one, other] = body.cases.map((found: { decision: { id: string } }) => found.decision.id)
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const connection = await connectRedis({ url: testRedisUrl(), installation: world.installation, log })
  const { receipt } = createKeys(world.installation)
  const honest = await connection.commands.dumpBuffer(receipt(one))
  const seal = createSeal({ key: sealKey, installation: world.installation, nonce: () => Buffer.alloc(12) })
  const moved = seal.encrypt("receipt", (await read(`/receipts/${other}`)).body.receipt, receipt(one))
  await connection.commands.hset(receipt(one), "sealed", moved)

  const swapped = await read(`/receipts/${one}`)
  await connection.commands.restore(receipt(one), 0, honest, "REPLACE")
  await connection.close()

  expect(swapped.body).toMatchObject({
    verified: false,
    problem: "this is the receipt of another decision",
    claims: null,
  })
})

describe("who may not read", () => {
  it.each([
    ["no token", {}, "Authorization header missing"],
    [
      "a platform's service account",
      { authorization: `Bearer ${makeServiceAccountToken(randomBytes)}` },
      "Service accounts open nothing",
    ],
    ["no JWT", { authorization: "Bearer nonsense" }, "Invalid token"],
    ["a cookie", { cookie: "access_token=x; countersign_read=x" }, "Authorization header missing"],
  ])("a read with %s is 401", async (_name, headers, words) => {
    const { status, body, headers: told } = await read("/cases", headers)

    expect([status, body.detail, told.get("www-authenticate")]).toEqual([401, expect.stringContaining(words), "Bearer"])
  })

  it.each([
    ["for another audience", { audience: ["agents"] }, "audience"],
    ["for no audience", { audience: undefined }, 'missing the "aud" claim'],
    ["of another issuer", { issuer: "somebody" }, "issuer"],
    ["signed by somebody else", { key: "another key, and long enough, which is long enough to be one" }, "Signature"],
    ["that has ended", { lifeSeconds: -60 }, "expired"],
  ])("a token %s is 401", async (_name, changes, words) => {
    const { status, body } = await withToken("/cases", changes)

    expect([status, body.detail]).toEqual([401, expect.stringContaining(words)])
  })

  it.each([
    ["without exp", "", 'missing the "exp" claim'],
    ["whose exp is infinite", ',"exp":1e999', 'The "exp" claim is invalid'],
    ["whose nbf lies infinitely far back", ',"exp":4e9,"nbf":-1e999', 'The "nbf" claim is invalid'],
  ])("a token %s is 401", async (_name, times, words) => {
    const claims = `{"aud":"countersign-read","iss":"tests","scopes":["cases:read"]${times}}`

    const { status, body } = await read("/cases", { authorization: `Bearer ${rawToken(claims, readKey)}` })

    expect([status, body.detail]).toEqual([401, expect.stringContaining(words)])
  })

  it.each([
    ["/cases", ["ledger:read"], "cases:read"],
    ["/receipts/x", ["approvals:read"], "cases:read"],
    ["/ledger", ["cases:read"], "ledger:read"],
    ["/cases/x/entries", [], "cases:read"],
  ])("reading %s is 403 for the scopes %j", async (path, scopes, required) => {
    const { status, body } = await withToken(path, { scopes })

    expect([status, body.detail]).toEqual([403, `Insufficient permissions. Required scope(s): ${required}`])
  })

  it("somebody on another machine is 403, also behind a proxy or by a name that is not ours", async () => {
    const authorization = `Bearer ${token}`

    expect((await read("/cases", { authorization, "x-forwarded-for": "203.0.113.9" })).status).toBe(403)
    expect((await read("/cases", { authorization, forwarded: "for=203.0.113.9" })).status).toBe(403)
    expect((await read("/cases", { "x-real-ip": "203.0.113.9" })).body.detail).toContain("http.read.reachable")
  })

  it("what is not there is 404, another method 405, and only for those who showed a token", async () => {
    const headers = { authorization: `Bearer ${token}` }
    const posted = await fetch(`${world.bot.url}/cases`, { method: "POST", headers })

    expect((await read("/cases/a/b")).status).toBe(404)
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET"])
    expect((await read("/ledger/1", {})).status).toBe(401)
  })
})

describe("what makes no sense is 422", () => {
  it.each([
    ["/cases?limit=0", "limit"],
    ["/cases?limit=201", "limit"],
    ["/cases?limit=x", "limit"],
    ["/cases?state=done", "state"],
    ["/cases?outcome=lost", "outcome"],
    ["/cases?since=yesterday", "since"],
    ["/cases?cursor=nonsense", "cursor"],
    ["/cases?agnet=x", "agnet"],
    ["/cases?text=", "text"],
    ["/ledger?after=-1", "after"],
    ["/cases/x?limit=1", "limit"],
    ["/receipts/x?raw=1", "raw"],
  ])("a question that makes no sense is 422: %s", async (path, field) => {
    const { status, body } = await read(path)

    expect(status).toBe(422)
    expect(() => models.ValidationError.parse(body)).not.toThrow()
    expect(body.detail[0].loc).toEqual(["query", field])
  })
})

it("the OpenAPI document names every route with its fields, and needs no token", async () => {
  const { status, body } = await read("/openapi.json", {})

  expect(status).toBe(200)
  expect(body.openapi).toBe("3.1.0")
  expect(Object.keys(body.paths).toSorted()).toEqual(
    ["/cases", "/cases/{case}", "/cases/{case}/entries", "/ledger", "/receipts/{decision}", "/stops"].toSorted(),
  )
  const fields = body.paths["/cases"].get.parameters.map((one: { name: string }) => one.name)
  const narrowing = [
    "state",
    "instance",
    "outcome",
    "team",
    "agent",
    "tool",
    "person",
    "since",
    "until",
    "when",
    "text",
  ]
  expect(fields).toEqual([...narrowing, "sort", "cursor", "limit"])
})

it("without http.read nothing is there to ask", async () => {
  const plain = await startWorld()
  try {
    for (const path of ["/cases", "/ledger", "/page", "/openapi.json"])
      expect((await fetch(plain.bot.url + path, { headers: { authorization: `Bearer ${token}` } })).status).toBe(404)
  } finally {
    await plain.close()
  }
})
