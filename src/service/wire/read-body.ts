// Reads a request's body within a limit.
import type { Context } from "hono"
import { refuse } from "./reply.ts"
import type { Checked } from "./validation.ts"

/** The whole body, or 413 as soon as more than `maxBytes` are announced or have come. */
export async function readBody(context: Context, maxBytes: number): Promise<Checked<Uint8Array<ArrayBuffer>>> {
  if (Number(context.req.header("content-length") ?? 0) > maxBytes) return tooLarge(maxBytes)
  const stream = context.req.raw.body
  if (stream === null) return { ok: true, value: new Uint8Array() }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.byteLength
    if (size > maxBytes) return tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return { ok: true, value: new Uint8Array(Buffer.concat(chunks)) }
}

function tooLarge(maxBytes: number): Checked<never> {
  return { ok: false, reply: refuse(413, `Request body is larger than ${maxBytes} bytes`) }
}
