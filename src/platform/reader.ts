// Reads an instance's answers. A failure becomes a `PlatformError` that names its request, without a secret.

import { decodeJwt } from "jose"
import type { z } from "zod"
import type { Approval } from "../domain/content/approval.ts"
import { isJsonArray, isJsonObject, type Json, parseJson, tryParseJson } from "../domain/content/json.ts"
import { whyNot } from "./contract.ts"
import { type Envelope, readList } from "./envelope.ts"
import { codeOf, PlatformError } from "./errors.ts"
import { readRow } from "./row.ts"
import { callOf, type HttpAnswer, type Request, type Transport, type TransportOptions } from "./transport.ts"

/** Sends a GET, and once more if its connection broke before the answer. */
export async function get(transport: Transport, request: Request): Promise<HttpAnswer> {
  try {
    return await transport.exchange(request)
  } catch (error) {
    if (error instanceof PlatformError && error.code === "cut") return transport.exchange(request)
    throw error
  }
}

/** Makes the reader of an instance. It removes the credential from all words about an exchange. */
export function createReader(options: Pick<TransportOptions, "name" | "url">) {
  const { name } = options
  const fail = (request: Request, code: "not_json" | "unexpected_shape", detail: string, cause?: unknown): never => {
    throw new PlatformError(callOf(options, request), { code, detail, cause })
  }
  const refuse = (request: Request, answer: HttpAnswer): never => {
    const { status } = answer
    const detail = words(answer)
    throw new PlatformError(callOf(options, request), { code: codeOf(status), status, detail })
  }
  const read = <Found>(request: Request, answer: HttpAnswer, by: (text: string) => Found): Found => {
    if (answer.status !== 200) return refuse(request, answer)
    try {
      return by(answer.text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return fail(request, "not_json", detailOf(answer), error)
    }
  }
  const json = (request: Request, answer: HttpAnswer): Json => read(request, answer, parseJson)
  const list = (request: Request, answer: HttpAnswer): Envelope<string> =>
    read(request, answer, readList) ?? fail(request, "unexpected_shape", "no list of approvals")
  const parse = <Row>(request: Request, schema: z.ZodType<Row>, body: Json): Row => {
    const row = schema.safeParse(body)
    return row.success ? row.data : fail(request, "unexpected_shape", whyNot(row.error))
  }
  const approval = (request: Request, id: string, answer: HttpAnswer): Approval => {
    const item = read(request, answer, (text) => readRow(name, text))
    if (item.kind === "unreadable") return fail(request, "unexpected_shape", item.why)
    return item.approval.id === id ? item.approval : fail(request, "unexpected_shape", "another approval's record")
  }
  return { fail, refuse, read, json, list, parse, approval, words }
}

/** What the server said. If it refused a credential that had expired, adds that. */
function words(answer: HttpAnswer): string {
  const { status, token, date } = answer
  const ended = status === 401 ? expiryWords(token, date) : null
  return [detailOf(answer), ended ?? ""].filter((part) => part !== "").join("; ")
}

/** See `createReader`. */
export type Reader = ReturnType<typeof createReader>

/** The latest time that a date can have, epoch ms. */
const latestMs = 8.64e15

/** When a JWT ended, in words, if that was before `now` (epoch ms); null for any other credential or unknown time. */
function expiryWords(token: string | undefined, now: number | null): string | null {
  const endedAt = token === undefined ? null : endOf(token)
  if (endedAt === null || now === null || now < endedAt) return null
  return `the token says itself that it ended at ${new Date(endedAt).toISOString()}`
}

function endOf(token: string): number | null {
  try {
    const { exp } = decodeJwt(token)
    const endsAt = exp === undefined ? Number.NaN : exp * 1_000
    return Math.abs(endsAt) <= latestMs ? endsAt : null
  } catch {
    return null // no JWT
  }
}

/** We repeat at most this many characters of a server's words. */
const maxDetail = 300

/**
 * Where a redirect leads, else an error body's `detail` as one line: its text, or for a 422 `place: message` of each
 * error, never the `input`, which people typed. If the body is no JSON, its first words without tags. At most 300
 * characters, without the credential.
 */
export function detailOf({ text, leadsTo, token = "" }: Pick<HttpAnswer, "text" | "leadsTo" | "token">): string {
  const words = leadsTo === null ? wordsOf(text) : `it leads to ${leadsTo}`
  const bare = token === "" ? words : words.replaceAll(token, "[removed]")
  const line = bare.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  return line.length > maxDetail ? `${line.slice(0, maxDetail)}…` : line
}

function wordsOf(body: string): string {
  const json = tryParseJson(body)
  if (json === undefined) return body.slice(0, 10_000).replaceAll(/<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>/gi, " ")
  const detail = isJsonObject(json) ? (json["detail"] ?? json["message"] ?? json["error"]) : undefined
  if (typeof detail === "string") return detail
  return isJsonArray(detail) ? detail.map(wordsOfProblem).join("; ") : ""
}

function wordsOfProblem(problem: Json): string {
  if (!isJsonObject(problem)) return ""
  const place = isJsonArray(problem["loc"]) ? problem["loc"].map(String).join(".") : ""
  return `${place}: ${typeof problem["msg"] === "string" ? problem["msg"] : "wrong"}`
}
