// Asks a platform one check after the other, keeps what they make, and takes all of it away again.
import { z } from "zod"
import { messageOf } from "../errors.ts"
import type { CheckOutcome, CheckResult, PlatformCheck, Send, WireReply, WireRequest } from "./check.ts"
import { isWriting, methodOf, onlyReads } from "./check.ts"
import { jsonOf, judgeReply, shownReply } from "./judge-reply.ts"

/** How a platform is asked. */
export interface AskingOptions {
  readonly send: Send
  /** The caller's credential. */
  readonly token: string
  /** False: nothing is sent that would change something. */
  readonly write: boolean
  /** Words that are known from the start: `own` and `none`. */
  readonly words: Readonly<Record<string, string>>
  /** Once it fires nothing new is asked; what was made is still taken away. */
  readonly signal: AbortSignal
  /** Hears of each check as it is judged. */
  readonly onResult: (result: CheckResult) => void
}

/** What is sent of a check. */
type Question = Pick<PlatformCheck, "request" | "json" | "form" | "as">

/** One platform under test. */
export interface AskedPlatform {
  /** Asks a check and tells its result; null if it could not be asked or got no answer. */
  readonly check: (check: PlatformCheck) => Promise<WireReply | null>
  /** Asks without judging. Throws if there is no answer. */
  readonly ask: (question: Question) => Promise<WireReply>
  /** Tells a result that was found otherwise. */
  readonly tell: (result: CheckResult) => void
  /** Keeps a word for later checks; undefined forgets it. */
  readonly keep: (word: string, text: string | undefined) => void
  readonly wordOf: (word: string) => string | undefined
  readonly writes: boolean
  /** Remembers a request that takes something away. */
  readonly owe: (request: string) => void
  /** Takes away what was made since the last time, newest first. */
  readonly takeAway: () => Promise<void>
  /** What could not be taken away, in words. */
  readonly leftovers: () => readonly string[]
  /** The database that the platform wants to be named; null if it wants none. */
  readonly database: () => string | null
}

/** Starts to ask. Nothing is sent yet. */
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

/** Keeps what a check made, and what takes it away, also where it should have been refused. */
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

/** A word in braces for which nothing stands. */
class MissingWord extends Error {
  readonly retryable = false
  readonly code = "missing-word"
  readonly word: string
  constructor(word: string) {
    super(`nothing stands for {${word}}`)
    this.word = word
  }
}

/** Why a check was not asked, by the word that was missing. */
const missing: Readonly<Record<string, string>> = {
  agent: "there is no agent to name",
  narrow: "no account could be minted to try it with",
}

type Words = ReturnType<typeof createWords>

const filledFields = z.record(z.string(), z.unknown())
const inBraces = /\{([a-z]+)\}/g

/** What the words in braces stand for. `narrow` is a credential, as the caller's is: neither is ever shown. */
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
    /** A request with its words where they are known. */
    shown: (request: string) =>
      conceal(request.replaceAll(inBraces, (all, word: string) => encodeURIComponent(wordOf(word) ?? "") || all)),
    json: (value: unknown) => fill(JSON.stringify(value), escaped),
    filledIn: ({ holds }: PlatformCheck): Pick<PlatformCheck, "holds"> =>
      holds === undefined ? {} : { holds: filledFields.parse(JSON.parse(fill(JSON.stringify(holds), escaped))) },
  }
}

/** A word as it stands inside a JSON text. */
function escaped(word: string): string {
  return JSON.stringify(word).slice(1, -1)
}

/** Sends questions. A platform with several databases wants one named: it is asked once more, about its own. */
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

/** A JWT that claims everything, and that nobody signed. */
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

/** What was made and is to be taken away. */
function createDebts(ask: AskedPlatform["ask"], words: Words) {
  const owed: string[] = []
  const left: string[] = []
  return {
    owe: (request: string): void => {
      const filled = words.shown(request)
      if (/[{}]/.test(filled)) left.push(`${filled}: what was made names no id`)
      else owed.push(filled)
    },
    /** A check took away what this request takes away. */
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

/** A field of an object that is a text or a number, as text. */
export function fieldOf(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null) return undefined
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1]
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined
}
