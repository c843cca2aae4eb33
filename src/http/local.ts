// Whether a request was made on this very machine.
import { getConnInfo } from "@hono/node-server/conninfo"
import type { Context } from "hono"

/** Headers by which a proxy says that it passes on somebody else's request. */
const passedOn = [
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "x-client-ip",
  "via",
  "cdn-loop",
  "cf-connecting-ip",
  "true-client-ip",
]

/** Who may reach a route: programs on this machine only, or whoever reaches the port. */
export type Reachable = "loopback" | "anywhere"

/**
 * True if the other end is this machine by its address, uses a name of this machine, and passes nothing on. So neither
 * a proxy here opens a door, nor a page that made a browser here resolve its own name to 127.0.0.1.
 */
export function isLocal(context: Context): boolean {
  const { address = "" } = getConnInfo(context).remote
  const host = URL.parse(`http://${context.req.header("host") ?? ""}`)?.hostname ?? ""
  const own = isLoopback(address) && (host === "localhost" || isLoopback(host.replace(/^\[|\]$/g, "")))
  return own && passedOn.every((name) => context.req.header(name) === undefined)
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(address) || address === "::1"
}
