// Serves the page, its script and style, and the stream that tells it when to look again.
import { type Context, Hono } from "hono"
import { streamSSE } from "hono/streaming"
import { SandboxError } from "../error.ts"
import { isToken } from "../guard.ts"
import { snapshotFor } from "../snapshot.ts"
import type { World } from "../world.ts"
import { pageHtml } from "./layout.ts"
import { PAGE_SCRIPT } from "./script.ts"
import { PAGE_STYLE } from "./style.ts"

/** What the page needs: its token, and a signal that ends its streams when the sandbox closes. */
export interface PageOptions {
  readonly token: string
  readonly closing: AbortSignal
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** `/?token=…&as=PERSON`, `/page.js`, `/page.css` and `/live?token=…`. Without the token: 403. */
export function pageRoutes(world: World, { token, closing }: PageOptions): Hono {
  const app = new Hono()
  const allowed = (c: Context) => isToken(c.req.query("token") ?? "", token)
  app.get("/", (c) => {
    if (!allowed(c)) return c.text("Open the address with the token that was printed at the start.", 403)
    c.header("content-security-policy", POLICY)
    c.header("referrer-policy", "no-referrer")
    c.header("cache-control", "no-store")
    return c.html(pageHtml(world.workspace, snapshotFor(world, c.req.query("as") ?? firstPerson(world))))
  })
  app.get("/page.js", (c) => c.body(PAGE_SCRIPT, 200, { "content-type": "text/javascript; charset=utf-8" }))
  app.get("/page.css", (c) => c.body(PAGE_STYLE, 200, { "content-type": "text/css; charset=utf-8" }))
  app.get("/live", (c) => (allowed(c) ? live(c, world, closing) : c.text("", 403)))
  app.onError((error, c) => {
    if (error instanceof SandboxError) return c.text(error.message, 404)
    return c.text(error.message, 500)
  })
  return app
}

function firstPerson({ workspace }: World): string {
  return [...workspace.people.values()].find((person) => !person.isBot)?.id ?? ""
}

function live(c: Context, { workspace }: World, closing: AbortSignal): Response {
  return streamSSE(c, async (stream) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = () => resolve()
    const unsubscribe = workspace.changes.subscribe(() => void stream.writeSSE({ data: "changed" }))
    stream.onAbort(end)
    closing.addEventListener("abort", end, { once: true })
    await stream.writeSSE({ data: "ready" })
    await promise
    unsubscribe()
    closing.removeEventListener("abort", end)
  })
}
