// POST /stops over real HTTP: who may stop, what is stopped, and that everything else is refused with what to do.
import { Hono } from "hono"
import { expect, onTestFinished, test } from "vitest"
import { createTokenVerifier } from "../../../src/auth/verify-token.ts"
import type { Stop } from "../../../src/domain/order/stop.ts"
import type { StopDone, UnderStop } from "../../../src/flow/ports.ts"
import { serveStops, stopOperation } from "../../../src/http/orders/serve-stops.ts"
import { models } from "../../../src/http/reading/models.ts"
import { startHttp } from "../../../src/http/server.ts"
import { createLog } from "../../../src/log.ts"
import { readKey } from "../../stories/world.ts"
import { noon } from "../../support/clock.ts"
import { platformFailure } from "../../support/port-failure.ts"
import { aReadToken } from "../../support/read-token.ts"

type Made = (wanted: Omit<Stop, "id">) => Promise<StopDone>

const named = { caseId: "c", tool: "refund", agent: "billing-agent" }
const counted: UnderStop = { waiting: 12, perhaps: 2, runs: [named], gates: 3, onWay: [{ ...named, at: noon }] }

const asWanted: Made = async (wanted) => ({ kind: "stopped", stop: { id: "s-1", ...wanted } })

/** A server that stops; `made` is what becomes of a stop, and `under` what is under it. */
async function aServer(made: Made = asWanted, under: () => Promise<UnderStop> = async () => counted) {
  const stops: Omit<Stop, "id">[] = []
  const app = new Hono()
  const stop: Made = async (wanted) => {
    stops.push(wanted)
    return made(wanted)
  }
  const log = createLog({ write: () => undefined, clock: () => noon, secrets: [] })
  const verify = createTokenVerifier({
    algorithm: "HS256",
    verificationKeys: [readKey],
    audience: ["countersign-read"],
    requireExp: true,
    clock: Date.now,
    onKeyProblem: () => undefined,
  })
  serveStops(app, { verify, reachable: "loopback", stop, under, countMs: 100, clock: () => noon, log })
  const server = await startHttp({ app, port: 0, host: "127.0.0.1" })
  onTestFinished(() => server.close())
  const ask = async (query: string, init: RequestInit = {}) => {
    const authorization = `Bearer ${await aReadToken({ scopes: ["stops:write"], subject: "pager" })}`
    const response = await fetch(`${server.url}/stops${query}`, { method: "POST", headers: { authorization }, ...init })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  const askAs = async (token: Parameters<typeof aReadToken>[0]) =>
    ask("?everything=true&reason=x", { headers: { authorization: `Bearer ${await aReadToken(token)}` } })
  return { ask, askAs, stops }
}

const refunds = "?agent=billing-agent&tool=refund_*&tool=pay&reason=runaway%20refunds"

test("a stop says what, who, why and until when, and its answer what goes on and how to end it", async () => {
  const { ask, stops } = await aServer()

  const { status, body } = await ask(`${refunds}&for=2h`)

  const match = { agent: ["billing-agent"], tool: ["refund_*", "pay"] }
  const by = { kind: "caller", name: "pager" }
  expect(stops).toEqual([{ match, by, reason: "runaway refunds", at: noon, until: noon + 7_200_000 }])
  expect(status).toBe(201)
  expect(() => models.StopAnswer.parse(body)).not.toThrow()
  expect(body).toMatchObject({
    stop: { covers: "agent:billing-agent tool:refund_* tool:pay", by: { name: "pager" } },
    again: false,
    under: { waiting: 12, perhaps: 2, runs: 1, gates: 3, on_way: 1 },
    end: expect.stringContaining("countersign stops end s-1"),
  })
  expect(JSON.stringify(body.under)).not.toContain("refund")
})

test.each([
  ["fails", () => Promise.reject(platformFailure())],
  ["fails in a way that nobody foresaw", () => Promise.reject(new Error("broken"))],
  ["takes too long", () => Promise.withResolvers<never>().promise],
])("what is stopped is told at once, also where counting what is under it %s", async (_, under) => {
  const { ask } = await aServer(asWanted, under)

  const { status, body } = await ask(refunds)

  expect({ status, under: body.under }).toEqual({ status: 201, under: null })
  expect(() => models.StopAnswer.parse(body)).not.toThrow()
})

test("everything is stopped if one says so, and what a reason begins with is no word", async () => {
  const { ask, stops } = await aServer()

  await ask("?everything=true&reason=agent:x%20for:5m%20broke")

  expect(stops).toMatchObject([{ match: {}, reason: "agent:x for:5m broke", until: null }])
})

test("the same stop again is told as the older one", async () => {
  const older = {
    id: "s-0",
    match: {},
    by: { kind: "operator", name: "ops" },
    reason: "r",
    at: 1,
    until: null,
  } as const
  const { ask } = await aServer(async () => ({ kind: "again", stop: older }))

  expect(await ask(refunds)).toMatchObject({
    status: 200,
    body: { again: true, stop: { id: "s-0", by: { name: "ops" } } },
  })
})

test.each([
  ["", "agent", "say what to stop, in the query"],
  ["?for=2h&reason=x", "agent", "say what to stop"],
  ["?reason=x", "agent", "say what to stop"],
  ["?agent=a", "reason", "say why"],
  ["?agent=a&reason=%20", "reason", "say why"],
  ["?agnet=a&reason=x", "agnet", "there is no such word: write everything, instance, agent, team"],
  ["?agent=&reason=x", "agent", "names nothing"],
  ["?agent=%E2%80%8B&reason=x", "agent", "names nothing"],
  ["?agent=a&reason=x&for=", "for", "a number with m, h or d"],
  ["?agent=a&reason=x&for=soon", "for", "a number with m, h or d"],
  ["?agent=a&reason=x&for=181d", "for", "at most 180d"],
  ["?agent=a&reason=x&for=1h&for=2h", "for", "give it once"],
  ["?agent=a&reason=x&reason=y", "reason", "give it once"],
  ["?everything=yes&reason=x", "everything", "write everything=true"],
  ["?everything=true&agent=a&reason=x", "everything", "leaves nothing over"],
  [`?agent=${"a".repeat(301)}&reason=x`, "agent", "at most 300 characters"],
  [`?agent=a&reason=${"x".repeat(1_001)}`, "reason", "at most 1000 characters"],
])("%s is refused by its field, and nothing is stopped", async (query, field, words) => {
  const { ask, stops } = await aServer()

  const { status, body } = await ask(query)

  expect(status).toBe(422)
  expect(() => models.ValidationError.parse(body)).not.toThrow()
  expect(body.detail).toMatchObject([{ loc: ["query", field], msg: expect.stringContaining(words) }])
  expect(body.detail[0].msg).toMatch(/Nothing is stopped$/)
  expect(stops).toEqual([])
})

test("only the scope itself opens it, with a subject, and only on this machine", async () => {
  const { ask, askAs, stops } = await aServer()
  const subject = "pager"
  const wrong = ["countersign:admin", "stops:read", "cases:read", "service:admin", "stops:write:x", "*:write"]

  for (const scope of wrong) expect(await askAs({ scopes: [scope], subject })).toMatchObject({ status: 403 })
  expect((await askAs({ scopes: ["cases:read"], subject })).body.detail).toContain("stops:write")
  expect(await askAs({ scopes: ["stops:write"] })).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("sub") },
  })
  expect(await askAs({ scopes: ["stops:write"], subject, audience: ["platform"] })).toMatchObject({ status: 401 })
  expect(await ask(refunds, { headers: {} })).toMatchObject({ status: 401 })
  const passedOn = await ask(refunds, { headers: { "x-forwarded-for": "203.0.113.7" } })
  expect(passedOn).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("http.stops.reachable: anywhere") },
  })
  expect(stops).toEqual([])
})

/** Pieces of a body whose length nobody says beforehand. */
function streamed(pieces: number): RequestInit {
  const piece = new Uint8Array(1_024)
  let left = pieces
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
  })
  return { body, duplex: "half" } as RequestInit
}

test("any body of 64 kB is taken and not read; a longer one is refused, whether it says its length or not", async () => {
  const { ask, stops } = await aServer()
  const authorization = `Bearer ${await aReadToken({ scopes: ["stops:write"], subject: "pager" })}`
  const headers = { authorization, "content-type": "application/json" }
  const sent = async (init: RequestInit) => (await ask(refunds, { headers, ...init })).status

  expect(await sent({ body: new Uint8Array(65_536) })).toBe(201)
  expect(await sent({ body: "{ broken" })).toBe(201)
  expect(await sent(streamed(64))).toBe(201)
  expect(stops).toHaveLength(3)
  expect(await sent({ body: new Uint8Array(65_537) })).toBe(413)
  expect(await sent(streamed(65))).toBe(413)
  expect(stops).toHaveLength(3)
})

test("too many stops, and a Redis that does not answer, are told as such", async () => {
  const full = await aServer(async () => ({ kind: "too-many" }))
  const away = await aServer(() => Promise.reject(platformFailure()))

  expect(await full.ask(refunds)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("50 stops") } })
  expect(await away.ask(refunds)).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining("send it again") },
  })
})

test("the document names each word that a query may have", () => {
  const names = stopOperation.parameters.map(({ name }) => name)

  expect(names).toEqual(["everything", "instance", "agent", "team", "workflow", "tool", "for", "reason"])
})
