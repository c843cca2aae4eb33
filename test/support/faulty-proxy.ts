// An HTTP proxy on loopback that fails on demand: it delays, answers by itself, swallows answers, and holds or cuts
// connections.
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { onLoopback } from "./on-loopback.ts"

/** What happens to a request that a rule takes. `forwarded` says whether the target sees it before the fault. */
type Fault =
  /** Goes to the target after `ms`. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Goes to the target once `until` is settled; a function is called with each request. */
  | { readonly kind: "hold"; readonly until: Until }
  /** The proxy answers by itself; the target sees nothing. */
  | {
      readonly kind: "answer"
      readonly status: number
      readonly body?: unknown
      readonly headers?: Record<string, string>
      /** It answers once this is settled. Default: at once. */
      readonly after?: Until
    }
  /** The target gets it (and acts on it) or not; the client never hears anything, until its own time-out. */
  | { readonly kind: "swallow"; readonly forwarded: boolean }
  /** The target gets it or not; the client's connection is reset, once `after` is settled. Default: at once. */
  | { readonly kind: "cut"; readonly forwarded: boolean; readonly after?: Until }
  /** The client's connection is reset; the target gets it after `ms`. */
  | { readonly kind: "outlive"; readonly ms: number }

/** What is waited for. */
type Until = Promise<unknown> | ((passed: Passed) => Promise<unknown>)

/** Which requests a rule takes: all that fit, or the first `times` of them. */
type Rule = {
  readonly method?: string
  /** Compared with the path, without the query. */
  readonly path?: RegExp
  /** Compared with the query. */
  readonly query?: RegExp
  readonly times?: number
  readonly fault: Fault
}

/**
 * A request that passed by, in order of arrival; `fault` is null when it was simply forwarded. `body` is what was
 * posted.
 */
type Passed = {
  readonly method: string
  readonly path: string
  readonly authorization: string | null
  readonly fault: Fault["kind"] | null
  /** When it came, epoch ms. */
  readonly at: number
  body: string
  /** True once the target has answered it. A client that dies before its last byte leaves it false. */
  forwarded: boolean
}

/** A running proxy. */
export type FaultyProxy = {
  /** Its address, to be used instead of the target's. */
  readonly url: string
  /** Adds a rule; earlier rules come first. Returns the function that takes it away. */
  fail(rule: Rule): () => void
  /** Takes all rules away. */
  heal(): void
  /** Every request so far. */
  readonly passed: readonly Passed[]
  /** Cuts what is open and stops. */
  close(): Promise<void>
}

type LiveRule = Rule & { left: number }

/** What else a proxy does. */
interface Beside {
  /** Told of each request. */
  readonly onPassed?: (one: Passed) => void
  /** Told of each request once all of it is there. */
  readonly onBody?: (one: Passed) => void
  /** Epoch ms, by which requests and answers are dated. Default: `Date.now`, and as the target dates them. */
  readonly clock?: () => number
}

/**
 * Starts a proxy in front of a target, by its address or a function that says where it is now; if that throws, the
 * client's connection breaks. Without rules it forwards everything, byte for byte.
 */
export async function startFaultyProxy(target: string | (() => string), beside: Beside = {}): Promise<FaultyProxy> {
  const { onPassed, clock = Date.now } = beside
  const targetNow = typeof target === "string" ? () => target : target
  let rules: LiveRule[] = []
  const passed: Passed[] = []
  const server = createServer((incoming, outgoing) => {
    const rule = takeRule(rules, incoming)
    const path = new URL(incoming.url ?? "/", "http://target").pathname
    const { method = "", headers } = incoming
    const { authorization = null } = headers
    const fault = rule?.fault.kind ?? null
    const one: Passed = { method, path, authorization, fault, at: clock(), body: "", forwarded: false }
    passed.push(one)
    onPassed?.(one)
    const given = { ...beside, target: targetNow, fault: rule?.fault ?? null, passed: one }
    serve(given, incoming, outgoing).catch(() => outgoing.destroy())
  })
  return {
    ...(await onLoopback(server)),
    passed,
    fail(rule) {
      const live = { ...rule, left: rule.times ?? Number.POSITIVE_INFINITY }
      rules.push(live)
      return () => {
        rules = rules.filter((other) => other !== live)
      }
    },
    heal() {
      rules = []
    },
  }
}

function takeRule(rules: readonly LiveRule[], incoming: IncomingMessage): LiveRule | null {
  const [path = "/", query = ""] = (incoming.url ?? "/").split("?")
  const rule = rules.find(
    (candidate) =>
      candidate.left > 0 &&
      (candidate.method === undefined || candidate.method === incoming.method) &&
      (candidate.path === undefined || candidate.path.test(path)) &&
      (candidate.query === undefined || candidate.query.test(query)),
  )
  if (rule === undefined) return null
  rule.left -= 1
  return rule
}

interface Serving extends Beside {
  readonly target: () => string
  readonly fault: Fault | null
  readonly passed: Passed
}

async function serve(
  { target, fault, passed, onBody, clock }: Serving,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await readAll(incoming)
  passed.body = body.toString()
  onBody?.(passed)
  const forwardNow = async () => {
    const answer = await forward(target(), incoming, body)
    passed.forwarded = true
    return answer
  }
  const relayNow = async () => relay(await forwardNow(), outgoing, clock)
  switch (fault?.kind) {
    case undefined:
      return relayNow()
    case "delay":
      await wait(fault.ms)
      return relayNow()
    case "hold":
      await settled(fault.until, passed)
      return relayNow()
    case "answer": {
      await settled(fault.after, passed)
      outgoing.writeHead(fault.status, { "content-type": "application/json", ...fault.headers })
      outgoing.end(
        typeof fault.body === "string" ? fault.body : JSON.stringify(fault.body ?? { detail: `fault ${fault.status}` }),
      )
      return
    }
    case "swallow":
      if (fault.forwarded) await forwardNow()
      return
    case "cut":
      if (fault.forwarded) await forwardNow()
      await settled(fault.after, passed)
      incoming.socket.resetAndDestroy()
      return
    case "outlive":
      incoming.socket.resetAndDestroy()
      await wait(fault.ms)
      await forwardNow()
  }
}

async function settled(until: Until | undefined, passed: Passed): Promise<void> {
  await (typeof until === "function" ? until(passed) : until)
}

type Answer = { readonly status: number; readonly headers: string[]; readonly body: Buffer }

async function forward(target: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const answered = Promise.withResolvers<Answer>()
  const outgoing = httpRequest(
    new URL(incoming.url ?? "/", target),
    { method: incoming.method, agent: false },
    (answer) => {
      readAll(answer).then(
        (bytes) =>
          answered.resolve({
            status: answer.statusCode ?? 502,
            headers: withoutHopByHop(answer.rawHeaders),
            body: bytes,
          }),
        answered.reject,
      )
    },
  )
  outgoing.on("error", answered.reject)
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && !["host", "connection", "transfer-encoding", "content-length"].includes(name))
      outgoing.setHeader(name, value)
  }
  outgoing.end(body)
  return answered.promise
}

function relay(answer: Answer, outgoing: ServerResponse, clock: Beside["clock"]): void {
  const { headers } = answer
  outgoing.writeHead(answer.status, clock === undefined ? headers : dated(headers, clock()))
  outgoing.end(answer.body)
}

function dated(raw: readonly string[], now: number): string[] {
  return [...without(raw, ["date"]), "date", new Date(now).toUTCString()]
}

function withoutHopByHop(raw: readonly string[]): string[] {
  return without(raw, ["connection", "keep-alive", "transfer-encoding"])
}

function without(raw: readonly string[], names: readonly string[]): string[] {
  return raw.filter((_, at) => !names.includes((raw[at - (at % 2)] ?? "").toLowerCase()))
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
