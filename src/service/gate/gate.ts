// The gate: judges every request once. The route for which it judged the request is the one that answers.
import { authorize } from "../../auth/authorize.ts"
import type { FoundRoute, RouteMatcher } from "../../auth/match-route.ts"
import { refuse, type ServiceReply } from "../wire/reply.ts"
import type { Arrival, Authenticate, CallerIdentity } from "./authenticate.ts"
import { type CallerStanding, insufficient } from "./standings.ts"

/** What the gate needs. */
export interface GateOptions {
  readonly match: RouteMatcher
  readonly authenticate: Authenticate
  /** The standing of whoever calls a public route. */
  readonly anonymous: CallerStanding
  /**
   * Under user isolation, the only routes that a caller without an identity may ask. All other routes, those of
   * mappings too, may show or change rows of users. Null: user isolation is off.
   */
  readonly forAnybody: ReadonlySet<string> | null
}

/** A request that may pass, with its route and its caller, or the refusal. */
type Passage =
  | { readonly ok: true; readonly found: FoundRoute; readonly standing: CallerStanding }
  | { readonly ok: false; readonly reply: ServiceReply }

/** Judges one request: 401, then 404 and 405, then 403. Answers at once, unless it has to verify a signature. */
export type Gate = (arrival: Arrival) => Passage | Promise<Passage>

/** Makes the gate. */
export function createGate(options: GateOptions): Gate {
  return (arrival) => {
    const match = options.match(arrival.method, arrival.path)
    if (match.kind === "route" && match.route.access === "public") {
      return { ok: true, found: match, standing: options.anonymous }
    }
    const judge = (identity: CallerIdentity): Passage => {
      if (!identity.ok) return identity
      if (match.kind === "unknown") return refusedPassage(404, "Not Found")
      if (match.kind === "wrong_method") return { ok: false, reply: wrongMethod(match.allow) }
      return pass(match, identity.standing, options.forAnybody)
    }
    const identity = options.authenticate(arrival)
    return identity instanceof Promise ? identity.then(judge) : judge(identity)
  }
}

function pass(found: FoundRoute, standing: CallerStanding, forAnybody: GateOptions["forAnybody"]): Passage {
  const verdict = standing.enforced ? authorize(standing.scopes, found) : ({ ok: true } as const)
  if (!verdict.ok) return { ok: false, reply: insufficient(verdict.required) }
  if (forAnybody?.has(found.route.handler) === false && isNobody(standing)) {
    return refusedPassage(403, "Authenticated request is missing a user identity")
  }
  return { ok: true, found, standing }
}

/** True for a JWT that has neither subject nor admin scope: under user isolation such a caller owns nothing. */
function isNobody({ caller, scopes }: CallerStanding): boolean {
  return caller.kind === "jwt" && caller.subject === null && !scopes.admin
}

function refusedPassage(status: number, detail: string): Passage {
  return { ok: false, reply: refuse(status, detail) }
}

function wrongMethod(allow: readonly string[]): ServiceReply {
  return { ...refuse(405, "Method Not Allowed"), headers: { allow: allow.join(", ") } }
}
