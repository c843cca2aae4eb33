// A platform that only serves long lists. It writes their pages beforehand, so that serving them costs next to nothing.
import { createServer } from "node:http"
import { type OnLoopback, onLoopback } from "../../test/support/on-loopback.ts"
import { aRow } from "./rows.ts"

/** How many rows a page has. */
export const pageRows = 100

/** Serves a list of so many pending approvals, a page at a time, and an empty one of approved ones. */
export async function startListServer(count: number): Promise<OnLoopback> {
  const pages = Array.from({ length: Math.ceil(count / pageRows) }, (_, page) => pageText(page, count))
  const empty = JSON.stringify({ data: [], meta: { page: 1, limit: pageRows, total_pages: 0, total_count: 0 } })
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://list")
    const page = Number(searchParams.get("page") ?? 1)
    const text = searchParams.get("status") === "pending" ? (pages[page - 1] ?? empty) : empty
    response.writeHead(200, { "content-type": "application/json" }).end(text)
  })
  return onLoopback(server)
}

function pageText(page: number, count: number): string {
  const first = page * pageRows
  const data = Array.from({ length: Math.min(pageRows, count - first) }, (_, at) => aRow(first + at, 1_700_000_000))
  const meta = { page: page + 1, limit: pageRows, total_pages: Math.ceil(count / pageRows), total_count: count }
  return JSON.stringify({ data, meta })
}

/** The path of a page, as the product asks for it. */
export function pathOfPage(page: number): string {
  return `/approvals?status=pending&approval_type=required&limit=${pageRows}&page=${page}`
}
