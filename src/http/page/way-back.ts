// Addresses of our pages with their queries, and where people go after they signed in: to no other place.
import { casesQuery } from "../reading/query.ts"

/** The address that sends browsers to the company's provider. Its `to` is where they want to go after that. */
export const startPath = "/page/sign-in/start"

/** The longest query that a sign-in takes along, in characters: it travels in a cookie. */
const longestQuery = 2_000

/** Where to go after signing in: a case, the list with its filter, and else the whole list. */
export function wayBack(to: unknown): string {
  if (typeof to !== "string") return "/page"
  if (/^\/page\/cases\/[0-9a-f]{20}$/.test(to)) return to
  const at = to.includes("?") ? to.indexOf("?") : to.length
  const [path, query] = [to.slice(0, at), to.slice(at + 1)]
  // A download is no page to come back to: the list has its button.
  if (!["/page", "/page/cases.csv", "/page/ledger.csv"].includes(path)) return "/page"
  const filter = new URLSearchParams(query)
  for (const name of new Set(filter.keys())) if (!Object.hasOwn(casesQuery.shape, name)) filter.delete(name)
  const kept = filter.toString()
  return kept === "" || kept.length > longestQuery ? "/page" : `/page?${kept}`
}

/** The page of ours that a request asks for, or that a sign-in is begun for. */
export function askedPage(url: string): string {
  const { pathname, search, searchParams } = new URL(url)
  return wayBack(pathname === startPath ? searchParams.get("to") : pathname + search)
}

/** A query string, without empty fields. */
export function queryText(asked: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== "")).toString()
}
