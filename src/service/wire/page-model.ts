// The envelope of all lists.
import { z } from "zod"
import { namedObject } from "./named-model.ts"

/** The place of a page in its list. */
const pagination = namedObject("Pagination", {
  page: z.int(),
  limit: z.int(),
  total_pages: z.int(),
  total_count: z.int(),
  search_time_ms: z.number(),
})

/** The model of a page of items. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), meta: pagination })
}
