// Which headers go on to an upstream and come back from it.
import { type CredentialPlace, withoutCookie } from "../../auth/credential.ts"

/** Headers that concern one connection only (RFC 9110, 7.6.1), and what undici sets itself. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/** Headers by which some servers let a request pass for another one than the gate judged. */
const disguises: ReadonlySet<string> = new Set([
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-rewrite-url",
])

/** Whose credential goes on: the caller's as it came, nobody's, or another token instead. */
export type ForwardedCredential =
  | { readonly kind: "callers" }
  | { readonly kind: "none" }
  | { readonly kind: "replaced"; readonly token: string }

/** The headers of a request as they go on. A credential that does not go on leaves the cookie, too. */
export function requestHeaders(
  headers: Headers,
  credential: ForwardedCredential,
  place: CredentialPlace,
): Record<string, string> {
  const named = connectionOptions(headers)
  const kept = [...headers].filter(([name]) => !hopByHop.has(name) && !named.has(name) && !disguises.has(name))
  if (credential.kind === "callers") return Object.fromEntries(kept)
  const bare = kept.filter(([name]) => name !== "authorization" && name !== "cookie")
  const cookie = withoutCookie(headers.get("cookie") ?? "", place.cookieName)
  return {
    ...Object.fromEntries(bare),
    ...(cookie === null ? {} : { cookie }),
    ...(credential.kind === "replaced" ? { authorization: `Bearer ${credential.token}` } : {}),
  }
}

/** The headers of an answer as they come back, as often as each was sent. */
export function responseHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const all = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) all.append(name, item)
  }
  for (const name of [...hopByHop, ...connectionOptions(all)]) all.delete(name)
  return all
}

/** What the Connection header names concerns this connection only, too. */
function connectionOptions(headers: Headers): ReadonlySet<string> {
  const names = (headers.get("connection") ?? "").split(",").map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)))
}
