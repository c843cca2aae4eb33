// Slack's cursor pages.

/** One page of the items with the cursor of the next, `""` at the end. An unknown cursor is undefined: `invalid_cursor`. */
export function page<T>(
  items: readonly T[],
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): { readonly items: readonly T[]; readonly nextCursor: string } | undefined {
  const start = cursor ? Number(Buffer.from(cursor, "base64").toString().split(":")[1]) : 0
  if (!Number.isInteger(start) || start < 0) return undefined
  const end = start + limit
  return {
    items: items.slice(start, end),
    nextCursor: end < items.length ? Buffer.from(`next:${end}`).toString("base64") : "",
  }
}
