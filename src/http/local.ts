// Tells whether a request was made on this very machine.
import { getConnInfo } from "@hono/node-server/conninfo"
import type { Context } from "hono"

/** Headers by which a proxy says that it forwards somebody else's request. */
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

/** Who may reach a route: only programs on this machine, or whoever reaches the port. */
export type Reachable = "loopback" | "anywhere"

/**
 * True if the other end has an address of this machine, uses a name of this machine, and forwards nothing. So no proxy
 * here opens a door. Nor does a page whose own name a browser here resolves to 127.0.0.1.
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
