// Reads what a request says as JSON: its body and its query.
import type { Context } from "hono"
import { parseExact } from "./exact-json.ts"
import { readBody } from "./read-body.ts"
import { type Problem, refuseInput } from "./reply.ts"
import { findTextProblem, type TextProblem } from "./text-problems.ts"
import type { Checked } from "./validation.ts"

/** The query's parameters; of a repeated one the last counts. */
export function readQuery(context: Context): Record<string, string> {
  return Object.fromEntries(new URL(context.req.url).searchParams)
}

/** The JSON body with exact numbers, or the 413 or 422 that says why it is none. */
export async function readJson(context: Context, maxBytes: number): Promise<Checked<unknown>> {
  const body = await readBody(context, maxBytes)
  if (!body.ok) return body
  const bytes = body.value
  if (bytes.byteLength === 0) return refused({ type: "missing", loc: ["body"], msg: "Field required", input: null })
  const text = decode(bytes)
  if (text === null) return refused(notJson(0, "The body is not valid UTF-8"))
  if (!/^application\/([^;]*\+)?json\s*(;|$)/i.test(context.req.header("content-type") ?? "")) {
    return refused({ ...notAnObject, loc: ["body"], input: text.isWellFormed() ? text.slice(0, 1000) : null })
  }
  return parseJson(text)
}

const notAnObject = {
  type: "model_attributes_type",
  msg: "Input should be a valid dictionary or object to extract fields from",
}

/** Reads JSON text with exact numbers, or says why it is none. */
export function parseJson(text: string): Checked<unknown> {
  try {
    const value = parseExact(text)
    const problem = findTextProblem(value)
    if (problem !== null) return refused(toProblem(problem))
    if (value === null) return refused({ type: "missing", loc: ["body"], msg: "Field required", input: null })
    return { ok: true, value }
  } catch (error) {
    if (error instanceof SyntaxError) return refused(notJson(positionOf(error, text), "Expecting value"))
    if (error instanceof RangeError) return refused(notJson(0, "It is nested too deeply"))
    throw error
  }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function notJson(at: number, reason: string): Problem {
  return { type: "json_invalid", loc: ["body", at], msg: "JSON decode error", input: {}, ctx: { error: reason } }
}

function positionOf(error: SyntaxError, text: string): number {
  const [, position] = /position (\d+)/.exec(error.message) ?? []
  return position === undefined ? text.length : Number(position)
}

function toProblem(problem: TextProblem): Problem {
  const loc = ["body", ...problem.path.map((key) => (typeof key === "string" ? key.toWellFormed() : key))]
  if (problem.kind === "too_deep") return { type: "recursion_loop", loc, msg: "Input is nested too deeply" }
  return {
    type: "string_unicode",
    loc,
    msg: "Input should be a valid string, unable to parse raw data as a unicode string",
  }
}

function refused(problem: Problem): Checked<never> {
  return { ok: false, reply: refuseInput([problem]) }
}
