// The views that we opened, and for whom (R18, port `Views`): sealed, kept for a day.
import type { Redis } from "ioredis"
import { z } from "zod"
import type { Seal } from "../../domain/seal.ts"
import type { Log, OpenedView, Views } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { openText } from "../redis/codec.ts"
import type { Keys } from "../redis/keys.ts"

const DAY_S = 86_400

const storedView: z.ZodType<OpenedView> = z.object({
  viewId: z.string(),
  person: z.object({ team: z.string(), user: z.string() }),
  caseId: z.string(),
  route: z.string(),
  revision: z.number(),
  digest: z.string(),
  purpose: z.enum(["details", "form"]),
  verb: z.enum(["approve", "reject"]).nullable(),
  revealed: z.boolean(),
  // Views of before do not say: then none was read to its end.
  pages: z.int().min(0).nullable().default(0),
  place: z.object({ channel: z.string(), ts: z.string() }).nullable(),
})

/** What the views are made of. */
export interface ViewsOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly log: Log
}

/** Makes the views of an installation. A view whose seal is broken is one that we did not open; it is logged. */
export function createViews({ redis, keys, seal, log }: ViewsOptions): Views {
  return {
    remember: async (view) => {
      const key = keys.view(view.viewId)
      const sealed = seal.encrypt("view", JSON.stringify(view), key)
      await attempt("remember a view", () => redis.set(key, sealed, "EX", DAY_S))
    },
    read: async (viewId) => {
      const key = keys.view(viewId)
      const sealed = await attempt("read a view", () => redis.getBuffer(key))
      if (sealed === null) return null
      const read = storedView.safeParse(openText(seal, { purpose: "view", context: key, sealed }))
      if (read.success) return read.data
      log.error("view_tampered", { viewId })
      return null
    },
  }
}
