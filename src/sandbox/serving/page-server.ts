// Serves the page: an empty frame, its script and its style, and the live sockets that send what people see.
import { type Context, Hono } from "hono"
import { getCookie, setCookie } from "hono/cookie"
import type { WebSocket } from "ws"
import { snapshotFor } from "../user-actions/snapshot.ts"
import type { World } from "../world.ts"
import { isToken, keyOfLinks } from "./guard.ts"

/** The page's script and style, as text. */
export interface PageFiles {
  readonly script: string
  readonly style: string
}

/** Returns the page's files, the same at every call. Rejects if they cannot be bundled. */
export type LoadPage = () => Promise<PageFiles>

/** The page loads from the sandbox alone and connects to it alone. Nothing may frame the page; no form may be sent. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const pageHeaders = {
  "content-security-policy": contentPolicy,
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
}

const frame = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sandbox</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/page.css">
<script src="/page.js" defer></script>
</head>
<body><div id="page"></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0b6e4f"/>
<path d="M8 17l5 5 11-12" fill="none"
stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`

/** The cookie that says: this browser has opened the page. All ports of a host share cookies, so it names ours. */
function linkCookie(c: Context): string {
  return `links-${new URL(c.req.url).port}`
}

/**
 * The routes `/?token=…&as=PERSON`, `/page.js`, `/page.css`, `/icon.svg`, `/audit?token=…`, which leads to the tour's
 * page for auditors, signed in, and `/archives/CHANNEL/pTS`, Slack's own address of a message, which opens the page at
 * it in a browser that has opened the page before. Without the token, or that: 403. Without files, tour, message: 404.
 */
export function pageRoutes(token: string, load: LoadPage | undefined, world: Pick<World, "offer" | "workspace">): Hono {
  const { offer, workspace } = world
  const app = new Hono()
  const serve = (c: Context, type: string, body: string) => c.body(body, 200, { ...pageHeaders, "content-type": type })
  const closed = (c: Context) =>
    c.text("Open the address with the token that was printed at the start.", 403, pageHeaders)
  const admitted = (c: Context) => isToken(c.req.query("token") ?? "", token)
  app.get("/", (c) => {
    if (!admitted(c)) return closed(c)
    setCookie(c, linkCookie(c), keyOfLinks(token), { path: "/archives", httpOnly: true, sameSite: "Strict" })
    return load ? serve(c, "text/html; charset=utf-8", frame) : c.text("This sandbox was started without a page.", 404)
  })
  app.get("/archives/:channel/:message", (c) => {
    if (!isToken(getCookie(c, linkCookie(c)) ?? "", keyOfLinks(token))) return closed(c)
    const { channel, message } = c.req.param()
    const ts = message.replace(/^p(\d+)(\d{6})$/, "$1.$2")
    if (!workspace.messages.find(channel, ts)) return c.text("This workspace has no such message.", 404, pageHeaders)
    const place = { token, at: channel, thread: c.req.query("thread_ts") ?? "", message: ts }
    return c.redirect(`/?${new URLSearchParams(place).toString()}`, 303)
  })
  app.get("/audit", async (c) => {
    if (!admitted(c)) return closed(c)
    if (!offer.tour) return c.text("This sandbox has no auditor's page; countersign demo has.", 404, pageHeaders)
    // A browser sends a cookie to all ports of a host. So it is signed in at the bot, which listens on another port.
    const { url, cookie } = await offer.tour.auditDoor()
    setCookie(c, cookie.name, cookie.value, { path: cookie.path, httpOnly: true, sameSite: "Strict" })
    return c.redirect(url, 303)
  })
  app.onError((error, c) => c.text(`The page could not be made: ${error.message}`, 500))
  app.get("/icon.svg", (c) => serve(c, "image/svg+xml", icon))
  if (!load) return app
  app.get("/page.js", async (c) => serve(c, "text/javascript; charset=utf-8", (await load()).script))
  app.get("/page.css", async (c) => serve(c, "text/css; charset=utf-8", (await load()).style))
  return app
}

/** Makes the part that serves all open pages. `token` is the control token. */
export function createLive(world: World, token: string) {
  const { people, changes } = world.workspace
  return {
    /** True if a socket may join: `/live?token=…&as=PERSON`. PERSON is of the workspace; default: its first person. */
    admits: (url: URL) => isToken(url.searchParams.get("token") ?? "", token) && people.has(personIn(world, url)),
    /** Sends the person's snapshot now and after every change, until the socket closes. */
    join: (socket: WebSocket, url: URL) => {
      const tell = teller(socket, () => JSON.stringify(snapshotFor(world, personIn(world, url))))
      socket.on("close", changes.subscribe(tell))
      socket.on("error", () => socket.terminate())
      tell()
    },
  }
}

function personIn({ workspace }: World, url: URL): string {
  const first = [...workspace.people.values()].find((person) => !person.isBot)
  return url.searchParams.get("as") || (first?.id ?? "")
}

/** Sends one state for all changes that come together. While a page is slow to read, only the newest state waits. */
function teller(socket: WebSocket, look: () => string): () => void {
  let told = ""
  let busy = false
  let due = false
  const send = () => {
    due = false
    const now = look()
    if (now === told || socket.readyState !== socket.OPEN) return
    told = now
    busy = true
    socket.send(now, () => {
      busy = false
      if (due) send()
    })
  }
  return () => {
    if (due) return
    due = true
    if (!busy) setImmediate(() => due && !busy && send())
  }
}
