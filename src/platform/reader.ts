// Reads the answers of an instance: what is wrong with one becomes a `PlatformError` that names its request.
import type { z } from "zod"
import type { Approval } from "../domain/content/approval.ts"
import { type Json, parseJson } from "../domain/content/json.ts"
import { readItem, whyNot } from "./contract.ts"
import { detailOf } from "./detail.ts"
import { codeOf, PlatformError } from "./errors.ts"
import { expiryWords } from "./expiry.ts"
import { type Answer, callOf, type Request, type Transport, type TransportOptions } from "./transport.ts"

/** Sends a GET, and once more if its connection broke before the answer. */
export async function get(transport: Transport, request: Request): Promise<Answer> {
  try {
    return await transport.exchange(request)
  } catch (error) {
    if (error instanceof PlatformError && error.code === "cut") return transport.exchange(request)
    throw error
  }
}

/** Makes the reader of an instance; the credential of an exchange is removed from whatever is said of it. */
export function createReader(options: Pick<TransportOptions, "name" | "url">) {
  const { name } = options
  const fail = (request: Request, code: "not_json" | "unexpected_shape", detail: string, cause?: unknown): never => {
    throw new PlatformError(callOf(options, request), { code, detail, cause })
  }
  const refuse = (request: Request, answer: Answer): never => {
    const { status } = answer
    const detail = words(answer)
    throw new PlatformError(callOf(options, request), { code: codeOf(status), status, detail })
  }
  const json = (request: Request, answer: Answer): Json => {
    if (answer.status !== 200) return refuse(request, answer)
    try {
      return parseJson(answer.text)
    } catch (error) {
      return fail(request, "not_json", detailOf(answer), error)
    }
  }
  const parse = <Row>(request: Request, schema: z.ZodType<Row>, body: Json): Row => {
    const row = schema.safeParse(body)
    return row.success ? row.data : fail(request, "unexpected_shape", whyNot(row.error))
  }
  const approval = (request: Request, id: string, answer: Answer): Approval => {
    const item = readItem(name, json(request, answer))
    if (item.kind === "unreadable") return fail(request, "unexpected_shape", item.why)
    return item.approval.id === id ? item.approval : fail(request, "unexpected_shape", "another approval's record")
  }
  return { fail, refuse, json, parse, approval, words }
}

/** What the server said, and of a credential that it refused, whether its time was over. */
function words(answer: Answer): string {
  const { status, token, date } = answer
  const ended = status === 401 ? expiryWords(token, date) : null
  return [detailOf(answer), ended ?? ""].filter((part) => part !== "").join("; ")
}

/** See `createReader`. */
export type Reader = ReturnType<typeof createReader>
