// Verifies JWTs by the configured keys (specification 5.2).
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose"
import { readClaims, type TokenClaims } from "./token-claims.ts"
import { type Algorithm, readVerificationKey, type VerificationKey } from "./verification-keys.ts"

/** How tokens are verified. */
export type TokenVerifierOptions = {
  /** Keys in the order in which they are tried; the order never changes the outcome. */
  readonly verificationKeys: readonly string[]
  /** The one algorithm of all keys. */
  readonly algorithm: Algorithm
  /** Name of the claim that carries the scopes; default `scopes`. */
  readonly scopesClaim?: string
  /** Accepted audiences; without them `aud` is not looked at. */
  readonly audience?: readonly string[]
  /** Accepted issuers; without them `iss` is not looked at. */
  readonly issuer?: readonly string[]
  /** Tolerance for exp, nbf and iat, in seconds; default 10. */
  readonly leewaySeconds?: number
  /** Now, in epoch milliseconds. */
  readonly clock: () => number
}

/** A token's fate; `reason` is the text of the 401. */
type TokenVerdict =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly reason: string }

/** Verifies one token. Never throws for anything a token can contain. */
export type TokenVerifier = (token: string) => Promise<TokenVerdict>

/** Prepares verification. Throws `AuthSetupError` if a key does not fit the algorithm. */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const keys = options.verificationKeys.map((text) => readVerificationKey(text, options.algorithm))
  const leeway = options.leewaySeconds ?? 10
  const scopesClaim = options.scopesClaim ?? "scopes"
  return async (token) => {
    const now = options.clock()
    const checks: JWTVerifyOptions = {
      algorithms: [options.algorithm],
      clockTolerance: leeway,
      currentDate: new Date(now),
      ...(options.audience === undefined ? {} : { audience: [...options.audience] }),
      ...(options.issuer === undefined ? {} : { issuer: [...options.issuer] }),
    }
    const outcome = await tryKeys(token, keys, checks)
    return outcome.ok ? readClaims(outcome.payload, scopesClaim, now / 1000 + leeway) : outcome
  }
}

type Outcome = { readonly ok: true; readonly payload: JWTPayload } | { readonly ok: false; readonly reason: string }

async function tryKeys(token: string, keys: readonly VerificationKey[], checks: JWTVerifyOptions): Promise<Outcome> {
  if (keys.length === 0) return { ok: false, reason: "Invalid token: No verification keys configured" }
  for (const key of keys) {
    try {
      return { ok: true, payload: (await jwtVerify(token, key, checks)).payload }
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return { ok: false, reason: reasonOf(error) }
    }
  }
  return { ok: false, reason: "Invalid token: Signature verification failed" }
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return "Token has expired"
  if (error instanceof errors.JOSEAlgNotAllowed) return "Invalid token: The specified alg value is not allowed"
  if (error instanceof errors.JWTClaimValidationFailed) return claimReason(error)
  if (error instanceof errors.JWSInvalid) return "Invalid token: Not enough segments"
  return "Invalid token: It cannot be read"
}

function claimReason(error: errors.JWTClaimValidationFailed): string {
  const { claim, reason } = error
  if (reason === "missing") return `Invalid token: Token is missing the "${claim}" claim.`
  if (claim === "aud") return "Invalid token audience - token not valid for this instance"
  if (claim === "iss") return "Invalid token: Invalid issuer"
  if (claim === "nbf" && reason === "check_failed") return "Invalid token: The token is not yet valid (nbf)"
  return `Invalid token: The "${claim}" claim is invalid`
}
