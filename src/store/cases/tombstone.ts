// A grave: what stays of a case that was removed, in the place of its record. It says where the case's chain ends.
import { z } from "zod"
import type { JsonObject } from "../../domain/json.ts"

const storedGrave = z.object({
  version: z.number(),
  removed: z.literal(true),
  chain: z.object({ count: z.number(), mac: z.string() }),
})

/** What stays of a removed case. */
export type Grave = Readonly<Pick<z.infer<typeof storedGrave>, "version" | "chain">>

/** The grave that an opened record holds, or null for a record of another kind. */
export function graveIn(value: JsonObject): Grave | null {
  const read = storedGrave.safeParse(value)
  return read.success ? { version: read.data.version, chain: read.data.chain } : null
}
