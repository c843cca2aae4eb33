// What people opened: views and for whom (R18, port `Views`), and whose Home we keep current (port `Homes`).
import { z } from "zod"
import { personKey, slackIdOf } from "../../domain/people/person.ts"
import type { Homes, Log, OpenedView, Views } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { createSealedValues, type SealedPlace } from "../redis/sealed-record.ts"

/** How long a view is kept, in seconds: a day. */
const viewKeptS = 86_400

const storedView: z.ZodType<OpenedView> = z.object({
  viewId: z.string(),
  person: z.object({ team: z.string(), user: z.string() }),
  caseId: z.string(),
  route: z.string(),
  revision: z.number(),
  digest: z.string(),
  purpose: z.enum(["details", "form"]),
  verb: z.enum(["approve", "reject"]).nullable(),
  reviewed: z.boolean(),
  revealed: z.boolean(),
  pagesOpened: z.int().min(0).nullable(),
  pageSize: z.enum(["large", "small"]),
  place: z.object({ channel: z.string(), ts: z.string() }).nullable(),
})

/** Makes the views of an installation. If a view's seal is broken, we did not open it; that is logged. */
export function createViews({ redis, keys, seal, log }: SealedPlace & { readonly log: Log }): Views {
  const values = createSealedValues(seal, "view", storedView)
  return {
    remember: async (view) => {
      const key = keys.view(view.viewId)
      const sealed = values.seal(key, view)
      await attempt("remember a view", () => redis.set(key, sealed, "EX", viewKeptS))
    },
    read: async (viewId) => {
      const key = keys.view(viewId)
      const sealed = await attempt("read a view", () => redis.getBuffer(key))
      const view = values.open(key, sealed)
      if (sealed !== null && view === null) log.error("view-tampered", { viewId })
      return view
    },
  }
}

/** How long we keep a Home up to date that nobody opens again, in ms. */
const homeKeptMs = 7 * 86_400_000

/** How long the mark that some case changed stays, in seconds. */
const changedKeptS = 3_600

/** Makes the record of opened Homes. It judges nothing. Every call throws `StoreError` if Redis does not answer. */
export function createHomes({ redis, keys }: Pick<SealedPlace, "redis" | "keys">): Homes {
  const { opened, shown, changed } = keys.homes
  return {
    opened: async (id, at) => {
      await attempt("remember a Home", async () => {
        await redis.zadd(opened, at, personKey(id))
        await redis.zremrangebyscore(opened, "-inf", at - homeKeptMs)
      })
    },
    list: async (limit) => {
      const members = await attempt("list Homes", () => redis.zrevrange(opened, 0, limit - 1))
      return members.map(slackIdOf)
    },
    shown: async (id, hash) => void (await attempt("note a Home", () => redis.hset(shown, personKey(id), hash))),
    lastShown: (id) => attempt("read a Home", () => redis.hget(shown, personKey(id))),
    changed: async () => void (await attempt("mark Homes", () => redis.set(changed, "1", "EX", changedKeptS))),
    takeChanged: async () => (await attempt("read the mark of Homes", () => redis.getdel(changed))) !== null,
  }
}
