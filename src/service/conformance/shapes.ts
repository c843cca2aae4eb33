// The shapes of answers that more than one check expects.
import { z } from "zod"
import { pageOf } from "../wire/page-model.ts"

/** The body of every error but 422 (specification 7). */
export const errorBody = z.looseObject({ detail: z.string().min(1) })

/** The body of a 422 (specification 2.3). */
export const validationBody = z.looseObject({
  detail: z
    .array(
      z.looseObject({
        loc: z.array(z.union([z.string(), z.int()])).min(1),
        msg: z.string(),
        type: z.string(),
      }),
    )
    .min(1),
})

/** A time of RFC 3339, in UTC. */
export const isoTime = z.iso.datetime()

/** A time as whole seconds since 1970. A time in milliseconds would be too large. */
export const secondsTime = z.int().max(100_000_000_000)

/** A page of rows, if its numbers agree with each other (specification 4.2). */
export function wholePage(row: z.ZodType) {
  return pageOf(row).superRefine(({ data, meta }, context) => {
    const complain = (path: string[], message: string) => context.addIssue({ code: "custom", path, message })
    if (data.length > meta.limit) complain(["data"], `expected at most ${meta.limit} rows`)
    const pages = Math.ceil(meta.total_count / meta.limit)
    if (meta.total_pages !== pages) complain(["meta", "total_pages"], `expected ${pages}`)
    if (data.length > meta.total_count) complain(["meta", "total_count"], `expected at least ${data.length}`)
  })
}

/** A page with exactly this many rows, which are all that there are. */
export function pageWith(row: z.ZodType, count: number) {
  return wholePage(row).superRefine(({ data, meta }, context) => {
    if (data.length !== count || meta.total_count !== count)
      context.addIssue({ code: "custom", path: ["data"], message: `expected ${count} rows, and as many in total` })
  })
}

/** A row with at least these fields. */
export function rowWith(fields: Readonly<Record<string, z.ZodType>>) {
  return z.looseObject(fields)
}
