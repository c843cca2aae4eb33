// Reads the form of a request: runs are started and continued by forms, not by JSON.
import type { Context } from "hono"
import { readBody } from "./read-body.ts"
import { refuse } from "./reply.ts"
import type { Checked } from "./validation.ts"

/** A form's text fields; of a repeated one the last counts. */
export type FormFields = Readonly<Record<string, string>>

/** Reads a form, urlencoded or multipart. Any other content type has no fields; a broken form is 400. */
export async function readForm(context: Context, maxBytes: number): Promise<Checked<FormFields>> {
  const type = context.req.header("content-type") ?? ""
  const body = await readBody(context, maxBytes)
  if (!body.ok) return body
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)/i.test(type)) return { ok: true, value: {} }
  try {
    const form = await new Response(body.value, { headers: { "content-type": type } }).formData()
    const fields = [...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []))
    return { ok: true, value: Object.fromEntries(fields) }
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, reply: refuse(400, "There was an error parsing the body") }
    throw error
  }
}
