// The settings of an upstream, and which of them a start refuses.
import { flawOfCredential } from "../../domain/text/sendable.ts"
import { ServiceError } from "../errors.ts"

/** The instance that gets the requests that this service does not answer itself. */
export interface UpstreamOptions {
  /** Its address, with a path if it lies behind one. */
  readonly url: string
  /** The one credential that we send for all callers. Without it we pass on each caller's own JWT. */
  readonly token?: string
  /** `unserved` (default): routes without a handler here. `all`: all except service accounts and the public routes. */
  readonly routes?: "unserved" | "all"
  /** How long we wait for an answer to begin or to go on, in ms. Default five minutes: runs take long. */
  readonly timeoutMs?: number
}

/** What else decides whether the gate can guard an upstream. */
interface UpstreamSetting {
  readonly authorization: boolean
  readonly userIsolation: boolean
}

/**
 * Checks an upstream. Throws `ServiceError` if address or token is not valid; if it would lend a credential to callers
 * that nobody judges (R19); or, under user isolation, if all callers would be one user to it.
 */
export function checkUpstream(upstream: UpstreamOptions, { authorization, userIsolation }: UpstreamSetting): URL {
  const url = URL.canParse(upstream.url) ? new URL(upstream.url) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalidUpstream("expected an http or https address")
  if (url.username !== "" || url.password !== "")
    throw invalidUpstream("put its credential into upstream_token, not into the address")
  if (url.search !== "" || url.hash !== "") throw invalidUpstream("its address must not have a query or a fragment")
  if (upstream.token === "")
    throw invalidUpstream("upstream_token is empty: leave it out to pass on each caller's own token")
  const flaw = upstream.token === undefined ? null : flawOfCredential(upstream.token)
  if (flaw !== null) throw invalidUpstream(`upstream_token ${flaw}`)
  if (upstream.token !== undefined && !authorization) {
    throw new ServiceError(
      "upstream_unguarded",
      "upstream: upstream_token with authorization off would lend that credential to anybody; turn authorization on",
    )
  }
  if (upstream.token !== undefined && userIsolation) {
    throw new ServiceError(
      "upstream_unguarded",
      "upstream: upstream_token makes all callers one user to the upstream, so user_isolation cannot be kept; " +
        "leave one of them out",
    )
  }
  return url
}

function invalidUpstream(rule: string): ServiceError {
  return new ServiceError("upstream_invalid", `upstream: ${rule}`)
}
