// What a check of a platform is: one request, what has to come back, and the section of the specification that says so.
import type { z } from "zod"

/** The groups of the specification's tables, in the order of a report; `general` is what holds for all routes. */
export const families = [
  "general",
  "approvals",
  "config",
  "registry",
  "components",
  "agents",
  "teams",
  "workflows",
  "sessions",
  "memories",
  "learnings",
  "knowledge",
  "metrics",
  "evals",
  "traces",
  "accounts",
  "schedules",
  "a2a",
] as const

/** One of them. */
export type CheckFamily = (typeof families)[number]

/** Something that the specification says about a platform. */
interface Claim {
  readonly family: CheckFamily
  /** For example `4.2` or `5.3.3`. */
  readonly section: string
  /** True: the section leaves it open, and this is how AgentOS and the embedded service fill the gap. */
  readonly isOpen: boolean
  readonly says: string
}

/**
 * Whose request it is: of the credential that was given, of nobody, of a credential that nobody signed, or of an
 * account that was minted for the check and holds nothing but `config:read`.
 */
type Asker = "caller" | "nobody" | "forger" | "narrow"

/**
 * A claim with its request. Words in braces are filled in: `{own}` is a name that nobody else has, `{none}` an id of
 * nothing, `{agent}` an agent, anything else what an earlier check kept.
 */
export interface PlatformCheck extends Claim {
  /** "METHOD /path". */
  readonly request: string
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly as?: Asker
  /** The statuses that are right. */
  readonly status: readonly number[]
  /** What the JSON of such an answer has to be. */
  readonly shape?: z.ZodType
  /** Fields that it has to have with these very values; words in braces are filled in. */
  readonly holds?: Readonly<Record<string, unknown>>
  /** A header that has to be there. */
  readonly header?: string
  /** Fields of the answer to keep, by the words that stand for them. */
  readonly keep?: Readonly<Record<string, string>>
  /** The request that takes away what this one made. */
  readonly undo?: string
  /** True for the check that itself takes away what the one with `undo` made. */
  readonly undoes?: boolean
}

/** Checks that belong together, in their order. */
export interface Scenario {
  readonly family: CheckFamily
  readonly checks: readonly PlatformCheck[]
  /** True: all of it is about something that its first check makes. */
  readonly makes?: boolean
}

/** Why a check was not asked where only reads are. */
export const onlyReads = "--write tries it, with rows of its own"

/** The methods of routes. */
const wireMethods = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const

/** What goes over the wire. */
export interface WireRequest {
  readonly method: (typeof wireMethods)[number]
  /** Path and query below the platform's address. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** What came back. */
export interface WireReply {
  readonly status: number
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends one request and follows no redirect. Throws if there is no whole answer; the message says why. */
export type Send = (request: WireRequest) => Promise<WireReply>

/** How a check came out. `got` is cut, and holds no credential. */
export type CheckOutcome =
  | { readonly kind: "passed" }
  | { readonly kind: "deviates"; readonly expected: string; readonly got: string }
  | { readonly kind: "untested"; readonly why: string }

/** A claim with its outcome. */
export interface CheckResult extends Claim {
  readonly request: string
  readonly outcome: CheckOutcome
}

/** The method of a request. */
export function methodOf({ request }: Pick<PlatformCheck, "request">): WireRequest["method"] {
  return wireMethods.find((method) => request.startsWith(`${method} `)) ?? "GET"
}

/** POSTs that only read. */
const readingPosts = /^POST (?:\/knowledge\/search|\/traces\/search|\/a2a\/.*tasks:get)$/

/** True for a request that changes something, or would if it were not refused. */
export function isWriting({ request }: Pick<PlatformCheck, "request">): boolean {
  return methodOf({ request }) !== "GET" && !readingPosts.test(request)
}
