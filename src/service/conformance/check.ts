// A check of a platform: one request, the answer that it must get, and the section of the specification that says so.
import type { z } from "zod"

/** The groups of the specification's tables, in the order of a report. `general`: claims about all routes. */
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

/** A group of the specification's tables. */
export type CheckFamily = (typeof families)[number]

/** Something that the specification says about a platform. */
interface Claim {
  readonly family: CheckFamily
  /** For example `4.2` or `5.3.3`. */
  readonly section: string
  /** True: the section leaves this open; AgentOS and the embedded service do what the claim says. */
  readonly isOpen: boolean
  readonly says: string
}

/**
 * Whose credential the request has: the one that was given, none, one that nobody signed, or that of an account that
 * was minted for the check and has only `config:read`.
 */
type Asker = "caller" | "nobody" | "forger" | "narrow"

/**
 * A claim with its request. Words in braces are filled in: `{own}` is a name that nobody else has, `{none}` an id of
 * nothing, `{agent}` an agent. Any other word is a value that an earlier check kept.
 */
export interface PlatformCheck extends Claim {
  /** "METHOD /path". */
  readonly request: string
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly as?: Asker
  /** The statuses that are right. */
  readonly status: readonly number[]
  /** The shape of the answer's JSON. */
  readonly shape?: z.ZodType
  /** Fields that the answer must have, with their values. Words in braces are filled in. */
  readonly holds?: Readonly<Record<string, unknown>>
  /** A header that the answer must have. */
  readonly header?: string
  /** Fields of the answer to keep for later checks. The keys are the words that stand for them. */
  readonly keep?: Readonly<Record<string, string>>
  /** The request that removes what this check made. */
  readonly undo?: string
  /** True if this check itself removes what an earlier check with `undo` made. */
  readonly undoes?: boolean
}

/** Checks that belong together, in the order in which they are asked. */
export interface Scenario {
  readonly family: CheckFamily
  readonly checks: readonly PlatformCheck[]
  /** True: all checks are about something that the first check makes. */
  readonly makes?: boolean
}

/** Why a check was not asked if only reads are allowed. */
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

/** The answer to a request. */
export interface WireReply {
  readonly status: number
  /** The names are in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends one request and follows no redirect. If there is no whole answer, throws an error that says why. */
export type Send = (request: WireRequest) => Promise<WireReply>

/** The result of a check. `got` is cut, and contains no credential. */
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

/** POST requests that only read. */
const readingPosts = /^POST (?:\/knowledge\/search|\/traces\/search|\/a2a\/.*tasks:get)$/

/** True for a request that changes something, or would change something if it were not refused. */
export function isWriting({ request }: Pick<PlatformCheck, "request">): boolean {
  return methodOf({ request }) !== "GET" && !readingPosts.test(request)
}
