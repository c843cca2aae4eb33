// Reads the query of a request, and its body up to a limit, as JSON or as a form.
import type { Context } from "hono"
import type { z } from "zod"
import { isJsonObject, isWireNumber, parseExact } from "./exact-json.ts"
import { type Problem, refuse, refuseInput } from "./reply.ts"
import { type Checked, check, typeComplaint } from "./validation.ts"

/** The limit of a body, in bytes. */
interface ReadLimits {
  readonly maxBodyBytes: number
}

/** The body of a route: its description, and how to read and check it. */
export interface RequestBody<T> {
  readonly media: "application/json" | "application/x-www-form-urlencoded" | "multipart/form-data"
  /** A named model. */
  readonly schema: z.ZodType
  /** False: a request may leave the body out. */
  readonly required: boolean
  read(context: Context, limits: ReadLimits): Promise<Checked<T>>
}

/** The parameters of the query, checked. If a parameter is repeated, its last value counts. */
export function readQuery<T>(schema: z.ZodType<T>, context: Context): Checked<T> {
  return check(schema, parametersOf(context), "query")
}

function parametersOf(context: Context): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(context.req.url).searchParams)
}

/**
 * A JSON body with exact numbers, or the 413 or 422 that says why there is none. If an optional body is left out, it is
 * an empty object.
 */
export function jsonBody<T>(schema: z.ZodType<T>, presence: "required" | "optional" = "required"): RequestBody<T> {
  const read: RequestBody<T>["read"] = async (context, limits) => {
    const body = await readBody(context, limits)
    if (!body.ok) return body
    if (presence === "optional" && body.value.byteLength === 0) return check(schema, {}, "body")
    const json = jsonIn(body.value, context.req.header("content-type") ?? "")
    return json.ok ? check(schema, json.value, "body") : json
  }
  return { media: "application/json", schema, required: presence === "required", read }
}

/** A body whose bytes the handler reads. `schema` describes what it should be. */
export function rawBody(schema: z.ZodType): RequestBody<Uint8Array<ArrayBuffer>> {
  return { media: "application/json", schema, required: true, read: readBody }
}

function jsonIn(bytes: Uint8Array, type: string): Checked<unknown> {
  if (bytes.byteLength === 0) return refusedBody(nothing)
  const text = decode(bytes)
  if (text === null) return refusedBody(notJson(0, "The body is not valid UTF-8"))
  if (/^application\/([^;]*\+)?json\s*(;|$)/i.test(type)) return parseJson(text)
  return refusedBody({
    ...typeComplaint("object"),
    loc: ["body"],
    input: text.isWellFormed() ? text.slice(0, 1000) : null,
  })
}

const nothing: Problem = { type: "missing", loc: ["body"], msg: "Field required", input: null }
/** Reads JSON text with exact numbers, or says why it cannot be read. */
export function parseJson(text: string): Checked<unknown> {
  try {
    const value = parseExact(text)
    const problem = findTextProblem(value)
    if (problem !== null) return refusedBody(toProblem(problem))
    if (value === null) return refusedBody(nothing)
    return { ok: true, value: isWireNumber(value) ? Number(value.rawJSON) : value }
  } catch (error) {
    if (error instanceof SyntaxError) return refusedBody(notJson(positionOf(error, text), "Expecting value"))
    if (error instanceof RangeError) return refusedBody(notJson(0, "It is nested too deeply"))
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
  const msg = "Input should be a valid string, unable to parse raw data as a unicode string"
  return { type: "string_unicode", loc, msg }
}

function refusedBody(problem: Problem): Checked<never> {
  return { ok: false, reply: refuseInput([problem]) }
}

/** The whole body. 413 as soon as more bytes than the limit are announced or have come. */
async function readBody(context: Context, limits: ReadLimits): Promise<Checked<Uint8Array<ArrayBuffer>>> {
  const { maxBodyBytes } = limits
  const tooLarge = { ok: false, reply: refuse(413, `Request body is larger than ${maxBodyBytes} bytes`) } as const
  if (Number(context.req.header("content-length") ?? 0) > maxBodyBytes) return tooLarge
  const stream = context.req.raw.body
  if (stream === null) return { ok: true, value: new Uint8Array() }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.byteLength
    if (size > maxBodyBytes) return tooLarge
    chunks.push(chunk)
  }
  return { ok: true, value: new Uint8Array(Buffer.concat(chunks)) }
}

/**
 * A form, urlencoded or multipart. If a field is repeated, its last value counts. Other content types give no fields.
 */
export function formBody<T>(schema: z.ZodType<T>): RequestBody<T> {
  const read: RequestBody<T>["read"] = async (context, limits) => {
    const entries = await readEntries(context, limits)
    return entries.ok ? check(schema, textsIn(entries.value), "form") : entries
  }
  return { media: "application/x-www-form-urlencoded", schema, required: true, read }
}

/** The fields of a form, and its first file, or null. */
export interface Uploaded<T> {
  readonly fields: T
  readonly file: File | null
}

/** A form that may contain a file. */
export function uploadBody<T>(schema: z.ZodType<T>): RequestBody<Uploaded<T>> {
  const read: RequestBody<Uploaded<T>>["read"] = async (context, limits) => {
    const entries = await readEntries(context, limits)
    if (!entries.ok) return entries
    const fields = check(schema, textsIn(entries.value), "form")
    if (!fields.ok) return fields
    const [file = null] = entries.value.flatMap(([, value]) => (typeof value === "string" ? [] : [value]))
    return { ok: true, value: { fields: fields.value, file } }
  }
  return { media: "multipart/form-data", schema, required: true, read }
}

type Entries = readonly (readonly [string, string | File])[]

function textsIn(entries: Entries): Readonly<Record<string, unknown>> {
  return Object.fromEntries(entries.filter(([, value]) => typeof value === "string"))
}

async function readEntries(context: Context, limits: ReadLimits): Promise<Checked<Entries>> {
  const body = await readBody(context, limits)
  if (!body.ok) return body
  const type = context.req.header("content-type") ?? ""
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(type)) return { ok: true, value: [] }
  try {
    const form = await new Response(body.value, { headers: { "content-type": type } }).formData()
    return { ok: true, value: [...form] }
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, reply: refuse(400, "There was an error parsing the body") }
    throw error
  }
}

const deepest = 200

/** Where a document cannot be accepted. `path` lists keys and positions from the root. */
interface TextProblem {
  readonly kind: "lone_surrogate" | "too_deep"
  readonly path: readonly (string | number)[]
}

/**
 * The first problem of a parsed document, or null. A lone surrogate is refused, because UTF-8 cannot write it: later
 * readers would see another text than was approved. The limit of 200 levels is ours.
 */
function findTextProblem(value: unknown, path: readonly (string | number)[] = []): TextProblem | null {
  if (path.length > deepest) return { kind: "too_deep", path: path.slice(0, 8) }
  if (typeof value === "string") return value.isWellFormed() ? null : { kind: "lone_surrogate", path }
  if (Array.isArray(value)) return firstOf(value.entries(), path)
  return isJsonObject(value) ? firstOf(Object.entries(value), path) : null
}

function firstOf(
  items: Iterable<readonly [string | number, unknown]>,
  path: readonly (string | number)[],
): TextProblem | null {
  for (const [key, item] of items) {
    if (typeof key === "string" && !key.isWellFormed()) return { kind: "lone_surrogate", path }
    const found = findTextProblem(item, [...path, key])
    if (found !== null) return found
  }
  return null
}
