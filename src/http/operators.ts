// What operators and their programs ask, `/metrics` and `/status`: for programs on this machine, or for whoever has the token.
import { createHash, timingSafeEqual } from "node:crypto"
import type { Context, Hono } from "hono"
import { isLocal } from "./local.ts"

/** Who may ask. */
export interface OperatorAccess {
  readonly reachable: "loopback" | "anywhere" | "off"
  /** Whoever asks must bear it; undefined: nobody needs to. */
  readonly token: string | undefined
}

/** A route for operators. */
export interface OperatorRoute extends OperatorAccess {
  readonly path: string
  readonly answer: (context: Context) => Promise<Response>
}

/** Serves `GET path`: 401 without the token if there is one, 403 from another machine unless `anywhere`; nothing when `off`. */
export function serveOperators(app: Hono, { path, reachable, token, answer }: OperatorRoute): void {
  if (reachable === "off") return
  app.get(path, async (context) => {
    if (reachable === "loopback" && !isLocal(context))
      return context.json({ detail: "Only programs on this machine may ask; http.metrics: anywhere opens it" }, 403)
    if (token !== undefined && !bears(context.req.header("authorization"), token))
      return context.json({ detail: "The metrics token is missing or wrong" }, 401, { "www-authenticate": "Bearer" })
    return answer(context)
  })
}

/** Compared by their hashes, so that time tells nothing of the token. */
function bears(header: string | undefined, token: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(hash(header ?? ""), hash(`Bearer ${token}`))
}
