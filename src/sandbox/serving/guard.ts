// Keeps the sandbox to this machine: it accepts only loopback host names, and asks a token of whoever drives it.
import { createHash, timingSafeEqual } from "node:crypto"
import type { MiddlewareHandler } from "hono"

const loopbackNames = new Set(["127.0.0.1", "localhost", "[::1]"])

/**
 * Refuses (403) a request whose Host header is no loopback name. A web page can point its own name at 127.0.0.1 (DNS
 * rebinding), but then that name is in the header.
 */
export const loopbackOnly: MiddlewareHandler = async (c, next) => {
  if (!isLoopback(c.req.header("host")))
    return c.json({ error: "forbidden", message: "The sandbox answers on loopback names only" }, 403)
  await next()
  return undefined
}

/** True if a Host header names this machine itself. */
export function isLoopback(host: string | undefined): boolean {
  return loopbackNames.has(host?.toLowerCase().replace(/:\d+$/, "") ?? "")
}

/** Refuses (401) a request without `Authorization: Bearer TOKEN`. */
export function bearerOnly(token: string): MiddlewareHandler {
  return async (c, next) => {
    const given = c.req.header("authorization")?.replace(/^Bearer /, "") ?? ""
    if (!isToken(given, token))
      return c.json({ error: "unauthorized", message: "The control token is missing or wrong" }, 401)
    await next()
    return undefined
  }
}

/** What a browser keeps so that links to messages open. It is made of the control token, but does not tell it. */
export function keyOfLinks(token: string): string {
  return createHash("sha256").update(`links ${token}`).digest("hex")
}

/** Compares a token in constant time. */
export function isToken(given: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
