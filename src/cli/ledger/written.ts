// What exports share: how they write.
import { once } from "node:events"
import type { Writable } from "node:stream"

/** Writes a piece, and waits until `out` takes more. */
export async function put(out: Writable, text: string): Promise<void> {
  if (!out.write(text)) await once(out, "drain")
}
