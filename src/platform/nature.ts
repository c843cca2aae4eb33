// What an instance says of itself (`GET /info`), kept for a while: it decides whether a rejection is held (R12), so never for long.
import { z } from "zod"
import type { Nature } from "../flow/ports.ts"

/** `GET /info`; what a version does not say is left out. */
export const infoRow = z.looseObject({
  enforces_rejection: z.unknown().optional(),
  agno_version: z.string().nullish(),
})

/** How long an answer is believed, in ms. */
const believedMs = 60_000

/** Asks by `read` at most once a minute by `clock` (epoch ms). What fails is thrown, and asked anew the next time. */
export function createNature(
  read: () => Promise<z.infer<typeof infoRow>>,
  clock?: () => number,
): () => Promise<Nature> {
  let last: { readonly at: number; readonly nature: Nature } | null = null
  return async () => {
    const at = clock?.() ?? Number.POSITIVE_INFINITY
    if (last !== null && at - last.at < believedMs) return last.nature
    const row = await read()
    last = { at, nature: { enforcesRejection: row.enforces_rejection === true, version: row.agno_version ?? null } }
    return last.nature
  }
}
