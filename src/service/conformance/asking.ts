// Asks a platform one check after the other, notes what the checks make, and removes all of it again.
import { z } from "zod"
import { messageOf } from "../errors.ts"
import type { CheckOutcome, CheckResult, PlatformCheck, Send, WireReply, WireRequest } from "./check.ts"
import { isWriting, methodOf, onlyReads } from "./check.ts"
import { jsonOf, judgeReply, shownReply } from "./judge-reply.ts"

/** How checks are asked. */
export interface AskingOptions {
  readonly send: Send
  /** The caller's credential. */
  readonly token: string
  /** False: only requests that change nothing are sent. */
  readonly write: boolean
  /** Words whose meaning is known from the start: `own` and `none`. */
  readonly words: Readonly<Record<string, string>>
  /** After it fires, we ask no new check, but still remove what the checks made. */
  readonly signal: AbortSignal
  /** Called with each result when it is judged. */
  readonly onResult: (result: CheckResult) => void
}

/** The parts of a check that are sent. */
type Question = Pick<PlatformCheck, "request" | "json" | "form" | "as">

/** One platform under test. */
export interface AskedPlatform {
  /** Asks a check and reports its result. Null if it could not be asked or got no answer. */
  readonly check: (check: PlatformCheck) => Promise<WireReply | null>
  /** Asks without judging the answer. Throws if there is no answer. */
  readonly ask: (question: Question) => Promise<WireReply>
  /** Reports a result that was found in another way. */
  readonly tell: (result: CheckResult) => void
  /** Keeps the meaning of a word for later checks; undefined forgets it. */
  readonly keep: (word: string, text: string | undefined) => void
  readonly wordOf: (word: string) => string | undefined
  readonly writes: boolean
  /** Remembers a request that removes something. */
  readonly owe: (request: string) => void
  /** Removes what was made since the last call, newest first. */
  readonly takeAway: () => Promise<void>
  /** What could not be removed, in words. */
  readonly leftovers: () => readonly string[]
  /** The database that the platform wants each request to name; null if it wants none. */
  readonly database: () => string | null
}

/** Prepares the asking. Sends nothing yet. */
export function startAsking(options: AskingOptions): AskedPlatform {
  const { token, write, signal, onResult } = options
  const words = createWords(options.words, token)
  const wire = createWire(options, words)
  const debts = createDebts(wire.ask, words)
  const concealed = (outcome: CheckOutcome): CheckOutcome =>
    outcome.kind === "deviates" ? { ...outcome, got: words.conceal(outcome.got) } : outcome
  const tell: AskedPlatform["tell"] = ({ family, section, isOpen, says, request, outcome }) =>
    onResult({ family, section, isOpen, says, request: words.shown(request), outcome: concealed(outcome) })
  const untested = (check: PlatformCheck, why: string): null => {
    tell({ ...check, outcome: { kind: "untested", why } })
    return null
  }
  const check: AskedPlatform["check"] = async (one) => {
    signal.throwIfAborted()
    if (!write && (isWriting(one) || one.as === "narrow")) return untested(one, onlyReads)
    for (const word of Object.keys(one.keep ?? {})) words.keep(word, undefined)
    try {
      const reply = await wire.ask(one)
      tell({ ...one, outcome: judgeReply({ ...one, ...words.filledIn(one) }, reply, words.conceal) })
      settleCheck(one, reply, { words, debts })
      return reply
    } catch (error) {
      if (error instanceof MissingWord) return untested(one, missing[error.word] ?? "what it is about was not made")
      tell({ ...one, outcome: { kind: "deviates", expected: "an answer", got: messageOf(error) } })
      return null
    }
  }
  const { keep, wordOf } = words
  return { check, ask: wire.ask, tell, keep, wordOf, writes: write, ...debts, database: wire.database }
}

/** Notes what a check made and the request that removes it, even if the platform should have refused. */
function settleCheck(
  one: PlatformCheck,
  reply: WireReply,
  { words, debts }: { readonly words: Words; readonly debts: Debts },
): void {
  const isRight = one.status.includes(reply.status)
  if (!isRight && reply.status >= 300) return
  const body = jsonOf(reply)
  for (const [word, field] of Object.entries(one.keep ?? {})) words.keep(word, fieldOf(body, field))
  if (one.undoes === true && isRight) debts.pay(one.request)
  if (one.undo !== undefined && reply.status < 300) debts.owe(one.undo)
}

/** The error if a word in braces has no meaning. */
class MissingWord extends Error {
  readonly retryable = false
  readonly code = "missing-word"
  readonly word: string
  constructor(word: string) {
    super(`nothing stands for {${word}}`)
    this.word = word
  }
}

/** Why a check was not asked, by the word in braces that had no meaning. */
const missing: Readonly<Record<string, string>> = {
  agent: "there is no agent to name",
  narrow: "no account could be minted to try it with",
}

type Words = ReturnType<typeof createWords>

const filledFields = z.record(z.string(), z.unknown())
const inBraces = /\{([a-z]+)\}/g

/** What the words in braces stand for. `narrow` is a credential, as is the caller's token: neither is ever shown. */
function createWords(known: Readonly<Record<string, string>>, token: string) {
  const words = new Map(Object.entries(known))
  const wordOf = (word: string) => words.get(word)
  const conceal = (text: string) =>
    [token, wordOf("narrow") ?? ""]
      .filter((secret) => secret !== "")
      .reduce((rest, secret) => rest.replaceAll(secret, "…"), text)
  const fill = (text: string, encode = (word: string) => word) =>
    text.replaceAll(inBraces, (_all, word: string) => encode(mustHave(word)))
  const mustHave = (word: string): string => {
    const found = wordOf(word)
    if (found === undefined) throw new MissingWord(word)
    return found
  }
  return {
    wordOf,
    mustHave,
    conceal,
    fill,
    keep: (word: string, text: string | undefined): void =>
      void (text === undefined ? words.delete(word) : words.set(word, text)),
    /** A request with its known words filled in. */
    shown: (request: string) =>
      conceal(request.replaceAll(inBraces, (all, word: string) => encodeURIComponent(wordOf(word) ?? "") || all)),
    json: (value: unknown) => fill(JSON.stringify(value), escaped),
    filledIn: ({ holds }: PlatformCheck): Pick<PlatformCheck, "holds"> =>
      holds === undefined ? {} : { holds: filledFields.parse(JSON.parse(fill(JSON.stringify(holds), escaped))) },
  }
}

/** A word as it is written inside a JSON text. */
function escaped(word: string): string {
  return JSON.stringify(word).slice(1, -1)
}

/** Sends questions. If a platform wants a database to be named, asks again and names the platform's own database. */
function createWire({ send, token }: Pick<AskingOptions, "send" | "token">, words: Words) {
  let database: string | null = null
  const sent = (question: Question): Promise<WireReply> => {
    const [, path = ""] = words.fill(question.request, encodeURIComponent).split(" ")
    const about = database === null ? "" : `${path.includes("?") ? "&" : "?"}db_id=${encodeURIComponent(database)}`
    const credential = credentialOf(question, token, words)
    return send({ method: methodOf(question), path: path + about, ...requestContent(question, words, credential) })
  }
  const ask = async (question: Question): Promise<WireReply> => {
    const reply = await sent(question)
    if (database !== null || !asksForDatabase(reply)) return reply
    database = fieldOf(jsonOf(await sent({ request: "GET /config" })), "os_database") ?? null
    return database === null ? reply : sent(question)
  }
  return { ask, database: () => database }
}

function asksForDatabase({ status, text }: WireReply): boolean {
  return (status === 400 || status === 404) && text.includes("db_id query parameter is required")
}

/** A JWT that claims all scopes and has no signature. */
const forged = [
  { alg: "none", typ: "JWT" },
  { sub: "nobody", scopes: ["service:admin", "agent_os:admin"] },
]
  .map((part) => `${Buffer.from(JSON.stringify(part)).toString("base64url")}.`)
  .join("")

function credentialOf({ as = "caller" }: Question, token: string, words: Words): string | null {
  switch (as) {
    case "caller":
      return token
    case "nobody":
      return null
    case "forger":
      return forged
    case "narrow":
      return words.mustHave("narrow")
  }
}

function requestContent(
  { json, form }: Question,
  words: Words,
  credential: string | null,
): Pick<WireRequest, "headers" | "body"> {
  const headers = {
    accept: "application/json, text/event-stream",
    ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
  }
  if (json !== undefined) return { headers: { ...headers, "content-type": "application/json" }, body: words.json(json) }
  if (form === undefined) return { headers, body: null }
  const fields = Object.entries(form).map(([name, text]): [string, string] => [name, words.fill(text)])
  const body = new URLSearchParams(fields).toString()
  return { headers: { ...headers, "content-type": "application/x-www-form-urlencoded" }, body }
}

type Debts = ReturnType<typeof createDebts>

/** The requests that remove what was made. */
function createDebts(ask: AskedPlatform["ask"], words: Words) {
  const owed: string[] = []
  const left: string[] = []
  return {
    owe: (request: string): void => {
      const filled = words.shown(request)
      if (/[{}]/.test(filled)) left.push(`${filled}: what was made names no id`)
      else owed.push(filled)
    },
    /** Drops a request, because a check has just removed the same thing. */
    pay: (request: string): void => {
      const at = owed.lastIndexOf(words.shown(request))
      if (at !== -1) owed.splice(at, 1)
    },
    takeAway: async (): Promise<void> => {
      for (const request of owed.splice(0).toReversed()) {
        const answer = await ask({ request }).catch((error: unknown) => messageOf(error))
        const isGone = typeof answer !== "string" && (answer.status < 300 || answer.status === 404)
        if (!isGone) left.push(`${request}: ${typeof answer === "string" ? answer : words.conceal(shownReply(answer))}`)
      }
    },
    leftovers: (): readonly string[] => left,
  }
}

/** A field of an object, as text, if it is a text or a number. */
export function fieldOf(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null) return undefined
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1]
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined
}
