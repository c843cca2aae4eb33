// The `meta` of a list, as the real service has it.

/** Says where in a list a page is; `total_pages` is 0 without rows, `took` is in milliseconds. */
export function meta(page: number, limit: number, total: number, took: number): Record<string, number> {
  return { page, limit, total_pages: Math.ceil(total / limit), total_count: total, search_time_ms: took }
}
