// What the gate looks at: the parts of a request that decide whether it may pass.
import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"

/** A request as the gate sees it. `path` is still encoded and without the query. */
export type Arrival = {
  readonly method: string
  readonly path: string
  readonly authorization?: string | undefined
  readonly cookie?: string | undefined
  /** What a browser says about where the request comes from (`Sec-Fetch-Site`). */
  readonly site?: string | undefined
  /** The other end of the connection; null if it is not known. */
  readonly address: string | null
}

/** Reads an arrival from the request that the HTTP server took in. */
export function arrivalOf(context: Context<{ Bindings: Partial<HttpBindings> }>): Arrival {
  const { req, env } = context
  return {
    method: req.method,
    path: new URL(req.url).pathname,
    authorization: req.header("authorization"),
    cookie: req.header("cookie"),
    site: req.header("sec-fetch-site"),
    address: env.incoming?.socket.remoteAddress ?? null,
  }
}
