// Decides which pages of other origins may send requests (https://fetch.spec.whatwg.org/#http-cors-protocol).
import type { CredentialPlace } from "../../auth/credential.ts"
import { ServiceError } from "../errors.ts"
import type { Arrival } from "./authenticate.ts"

/** What the service does about pages of other origins. */
export interface CrossOrigin {
  /** True if a foreign page made a browser send this with a cookie: the reader did not want it. */
  isForged(sent: Sent): boolean
  /** The headers of every answer to a page. Pages that may not ask, and programs, get none of them. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>
  /** The answer to a browser that asks before it sends, without a credential; null for any other request. */
  preflight(question: Preflight): Readonly<Record<string, string>> | null
}

/** What a browser says about a request. */
type Sent = Pick<Arrival, "method" | "site" | "origin" | "host">

/** What a browser asks before it sends a request. */
interface Preflight {
  readonly method: string
  readonly origin: string | undefined
  /** The method that it means to send (`Access-Control-Request-Method`). */
  readonly wanted: string | undefined
}

/** How long a browser may keep the answer, in seconds. */
const keptFor = 600
const methods = "GET, POST, PATCH, DELETE"
const headers = "authorization, content-type"

/**
 * Reads the list: origins such as `https://ui.example.com`, or `*` for every page. If tokens are in cookies, a browser
 * adds them to the requests of any page. So we then refuse `*`: name each origin instead. Throws `ServiceError`.
 */
export function createCrossOrigin(origins: readonly string[], { source }: CredentialPlace): CrossOrigin {
  const anybody = origins.includes("*")
  if (anybody && source !== "HEADER") {
    throw originFault("*", `with token_source ${source} name each origin: a browser adds the cookie by itself`)
  }
  const named = new Set(origins.filter((origin) => origin !== "*").map(readOrigin))
  const allows = (origin: string | undefined): boolean => origin !== undefined && (anybody || named.has(origin))
  const headersFor: CrossOrigin["headersFor"] = (origin) => {
    const vary = origins.length === 0 || anybody ? {} : { vary: "Origin" }
    if (origin === undefined || !allows(origin)) return vary
    const withCookies = source === "HEADER" ? {} : { "access-control-allow-credentials": "true" }
    return { ...vary, ...withCookies, "access-control-allow-origin": anybody ? "*" : origin }
  }
  return {
    isForged: (sent) => sent.method !== "GET" && !allows(sent.origin) && !isOwnPage(sent),
    headersFor,
    preflight: ({ method, origin, wanted }) => {
      if (method !== "OPTIONS" || wanted === undefined || !allows(origin)) return null
      return {
        ...headersFor(origin),
        "access-control-allow-methods": methods,
        "access-control-allow-headers": headers,
        "access-control-max-age": String(keptFor),
      }
    },
  }
}

/** True for a page of our own. Without a visible origin only the browser's word counts: no page can write that. */
function isOwnPage({ site, origin, host }: Sent): boolean {
  if (origin === undefined || origin === "null") return site === "same-origin"
  const page = URL.parse(origin)
  const isOurs = page !== null && URL.parse(`${page.protocol}//${host}`)?.host === page.host
  return isOurs && (site ?? "same-origin") === "same-origin"
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, "")) return url.origin
  throw originFault(text, "expected the origin of a page, such as https://ui.example.com, or *")
}

function originFault(origin: string, fault: string): ServiceError {
  return new ServiceError("origin_invalid", `allowed origin ${origin}: ${fault}`)
}
