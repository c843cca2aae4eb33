// Verifies JWTs by the configured keys (specification 5.2).
import { type KeyObject, verify } from "node:crypto"
import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, UnsecuredJWT } from "jose"
import { createKeyring, type Keyring } from "./keyring.ts"
import { readClaims, type TokenClaims } from "./token-claims.ts"
import type { Algorithm, VerificationKey } from "./verification-keys.ts"

/** How tokens are verified. */
export interface TokenVerifierOptions {
  /** Keys in the order in which we try them, whoever signs with them. The order never changes the outcome. */
  readonly verificationKeys: readonly string[]
  /** A JSON Web Key Set file. Its keys are tried before the others. */
  readonly jwksFile?: string
  /** The one algorithm of all keys. */
  readonly algorithm: Algorithm
  /** The name of the claim that carries the scopes; default `scopes`. */
  readonly scopesClaim?: string
  /** Accepted audiences. Default: we do not look at `aud`. */
  readonly audience?: readonly string[]
  /** Accepted issuers. Default: we do not look at `iss`. */
  readonly issuer?: readonly string[]
  /** True: a token without `exp` is refused. Default false: such a token never ends. */
  readonly requireExp?: boolean
  /** How far clocks may differ for exp, nbf and iat, in seconds; default 10. */
  readonly leewaySeconds?: number
  /** Now, in epoch ms. */
  readonly clock: () => number
  /** Called if a changed key set file cannot be used. Default: nobody hears of it. */
  readonly onKeyProblem?: (error: unknown) => void
}

/** Whether we accept a token; `reason` is the 401's text. While we remember a token, its claims are the same object. */
export type TokenVerdict =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly reason: string }

/** Verifies one token; answers at once if it verified that token before. Never throws, whatever the token contains. */
export type TokenVerifier = (token: string) => TokenVerdict | Promise<TokenVerdict>

/** What we know of a token. We look it up by the end of its signature, which is faster, and compare the whole token. */
interface Verified {
  readonly token: string
  readonly verdict: TokenVerdict & { readonly ok: true }
  readonly from: number
  readonly until: number
}

const endOfSignature = (token: string): string => token.slice(-40)

const rememberedTokens = 2000

/**
 * Prepares verification. It remembers a verified token until the token expires or the key set file changes. Throws
 * `AuthSetupError` if a key does not fit the algorithm, or if the key set file cannot be read.
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const keyring = createKeyring(options)
  const remembered = createRemembered<Verified>(rememberedTokens)
  let generation = keyring.generation()
  return (token) => {
    const now = Math.floor(options.clock() / 1000)
    const asOf = keyring.generation()
    if (asOf !== generation) {
      remembered.clear()
      generation = asOf
    }
    const known = remembered.get(endOfSignature(token))
    if (known?.token === token && now >= known.from && now < known.until) return known.verdict
    return verifyAnew(token, { options, keyring, now }).then((verdict) => {
      if (verdict.ok && keyring.generation() === asOf) {
        const until = endOf(verdict.claims, options)
        remembered.set(endOfSignature(token), { token, verdict, from: now, until })
      }
      return verdict
    })
  }
}

/** What one verification needs; `now` is epoch seconds. */
interface Attempt {
  readonly options: TokenVerifierOptions
  readonly keyring: Keyring
  readonly now: number
}

async function verifyAnew(token: string, { options, keyring, now }: Attempt): Promise<TokenVerdict> {
  const leeway = options.leewaySeconds ?? defaultLeeway
  const checks: JWTVerifyOptions = {
    algorithms: [options.algorithm],
    clockTolerance: leeway,
    currentDate: new Date(now * 1000),
    ...(options.audience === undefined ? {} : { audience: [...options.audience] }),
    ...(options.issuer === undefined ? {} : { issuer: [...options.issuer] }),
    ...(options.requireExp === true ? { requiredClaims: ["exp"] } : {}),
  }
  const keys = keyring.candidates(token)
  const outcome =
    verifyHere(token, keys, { checks, algorithm: options.algorithm }) ?? (await tryKeys(token, keys, checks))
  return outcome.ok ? readClaims(outcome.payload, options.scopesClaim ?? "scopes", now + leeway) : outcome
}

const defaultLeeway = 10

function endOf(claims: TokenClaims, options: TokenVerifierOptions): number {
  return claims.expires === null ? Number.POSITIVE_INFINITY : claims.expires + (options.leewaySeconds ?? defaultLeeway)
}

type Outcome = { readonly ok: true; readonly payload: JWTPayload } | { readonly ok: false; readonly reason: string }

/** A compact JWT whose three parts are base64url. */
const plainToken = /^(?<header>[\w-]+)\.(?<payload>[\w-]+)\.(?<signature>[\w-]+)$/
/** `{"alg":"none"}`: jose wants this header before claims that it reads without a signature. */
const unsecured = "eyJhbGciOiJub25lIn0"

/**
 * Verifies a plain token with node:crypto, then its claims with jose. jose would send each signature through a thread
 * of WebCrypto and back, which takes twice as long. Null if the signature is not good, or if anything about the token
 * is special: then jose says what is wrong.
 */
function verifyHere(
  token: string,
  keys: readonly VerificationKey[],
  { checks, algorithm }: { readonly checks: JWTVerifyOptions; readonly algorithm: Algorithm },
): Outcome | null {
  const { header = "", payload = "", signature = "" } = plainToken.exec(token)?.groups ?? {}
  if (signature === "" || algorithm === "HS256" || !isPlainHeader(token, algorithm)) return null
  const input = Buffer.from(`${header}.${payload}`)
  const bytes = Buffer.from(signature, "base64url")
  // With options for the key, an RSA verification in node:crypto takes 50 % longer.
  const asGiven = (key: KeyObject) => (algorithm === "RS256" ? key : ({ key, dsaEncoding: "ieee-p1363" } as const))
  if (!keys.some(({ own }) => verify("sha256", input, asGiven(own), bytes))) return null
  try {
    return { ok: true, payload: UnsecuredJWT.decode(`${unsecured}.${payload}.`, checks).payload }
  } catch (error) {
    return refusal(error)
  }
}

/** True for a header of our algorithm that changes nothing about how the token is read (RFC 7515 4.1.11, RFC 7797). */
function isPlainHeader(token: string, algorithm: Algorithm): boolean {
  try {
    const { alg, crit, b64 } = decodeProtectedHeader(token)
    return alg === algorithm && crit === undefined && b64 === undefined
  } catch {
    // jose then says what is wrong.
    return false
  }
}

async function tryKeys(token: string, keys: readonly VerificationKey[], checks: JWTVerifyOptions): Promise<Outcome> {
  if (keys.length === 0) return { ok: false, reason: "Invalid token: No verification keys configured" }
  for (const key of keys) {
    try {
      return { ok: true, payload: (await jwtVerify(token, key.web, checks)).payload }
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return refusal(error)
    }
  }
  return { ok: false, reason: "Invalid token: Signature verification failed" }
}

/** Says what jose found wrong, in our words. Rethrows all other errors. */
function refusal(error: unknown): Outcome {
  if (!(error instanceof errors.JOSEError)) throw error
  return { ok: false, reason: reasonOf(error) }
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

/** A memory of limited size. It keeps the entries longest that were asked for last. */
interface Remembered<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
  clear(): void
}

/** Keeps the `size` entries used last, and at most twice as many: it drops the older of two generations as a whole. */
export function createRemembered<T>(size: number): Remembered<T> {
  let young = new Map<string, T>()
  let old = new Map<string, T>()
  const set = (key: string, value: T): void => {
    if (young.size >= size) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  return {
    set,
    get: (key) => {
      const fresh = young.get(key)
      if (fresh !== undefined) return fresh
      const kept = old.get(key)
      if (kept !== undefined) set(key, kept)
      return kept
    },
    clear: () => {
      young = new Map()
      old = new Map()
    },
  }
}
