// The company's OpenID Connect provider, as we ask it: code flow with PKCE, by openid-client.
import * as oidc from "openid-client"

/** How the provider knows us, and what we ask it for. */
export interface ProviderOptions {
  /** The issuer's address, as the provider itself writes it. */
  readonly issuer: string
  readonly clientId: string
  /** The client's secret as it is now. Throws if it cannot be read. */
  readonly clientSecret: () => string
  /** Where the provider sends browsers back to, registered there. */
  readonly callback: string
  /** What it is asked for. `openid` is among it. */
  readonly scopes: readonly string[]
  /** The claim that lists the groups of an account. */
  readonly groupsClaim: string
  /** How connections leave this machine. */
  readonly fetch: oidc.CustomFetch
  /** Epoch ms. */
  readonly clock: () => number
}

/** What one sign-in is checked by. The browser keeps it, sealed, until it comes back. */
export interface SignInChecks {
  readonly state: string
  readonly nonce: string
  /** The PKCE verifier. */
  readonly verifier: string
}

/** An account, by the provider's word. `groups`: null if the provider says nothing of them. */
export interface Account {
  readonly subject: string
  readonly name: string | null
  readonly groups: readonly string[] | null
  /** The ID token, to sign out with. */
  readonly idToken: string
}

/** Who signed in; or why nobody did. `unavailable`: the provider does not work, or does not take our credentials. */
export type SignedIn =
  | { readonly ok: true; readonly account: Account }
  | { readonly ok: false; readonly kind: "refused" | "unavailable"; readonly why: string }

/** The provider. Each function throws `ProviderError` if the provider cannot be asked now. */
export interface Provider {
  /** Its metadata, at most ten minutes old. */
  metadata(): Promise<oidc.ServerMetadata>
  /** The address to send a browser to. */
  begin(checks: SignInChecks): Promise<string>
  /** Judges what a browser came back with: `search` is the query of the callback. Takes a code once. */
  finish(search: string, checks: SignInChecks): Promise<SignedIn>
  /** Where to send a browser to sign out at the provider, too; null if the provider has no such place. */
  end(idToken: string | null, back: string): Promise<string | null>
}

/** The provider cannot be asked: it does not answer, or its metadata are not those of the issuer. */
export class ProviderError extends Error {
  readonly code = "provider-unavailable"
  readonly retryable = true
  constructor(issuer: string, cause: unknown) {
    super(`the sign-in provider ${issuer} cannot be asked: ${wordsOf(cause)}`, { cause })
    this.name = "ProviderError"
  }
}

/** How long we go by the same metadata, in ms. Keys are not kept at all: each sign-in reads them anew. */
const longestKeptMs = 600_000
/** How long the provider may take for one answer, in seconds. */
const longestAnswerS = 10
/** The longest name that we keep of an account. */
const longestName = 200

/** Makes the provider. Nothing is asked before it is needed. */
export function createProvider(options: ProviderOptions): Provider {
  const { issuer, callback, clock } = options
  const metadata = keptFor(longestKeptMs, clock, async () => {
    try {
      const { clientId, fetch } = options
      const execute = plainAllowed(issuer) ? [oidc.allowInsecureRequests] : []
      const given = { execute, [oidc.customFetch]: fetch, timeout: longestAnswerS }
      const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), given)
      return whole(found.serverMetadata())
    } catch (error) {
      throw new ProviderError(issuer, error)
    }
  })
  const configured = async () => configurationOf(options, await metadata())
  return {
    metadata,
    begin: async ({ state, nonce, verifier }) => {
      const parameters = {
        redirect_uri: callback,
        scope: options.scopes.join(" "),
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      }
      return oidc.buildAuthorizationUrl(await configured(), parameters).href
    },
    finish: async (search, checks) => finish({ options, configuration: await configured(), search, checks }),
    end: async (idToken, back) => {
      const configuration = await configured()
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null
      const hint = idToken === null ? {} : { id_token_hint: idToken }
      return oidc.buildEndSessionUrl(configuration, { ...hint, post_logout_redirect_uri: back }).href
    },
  }
}

/** The metadata, if they name all places that a sign-in needs. */
function whole(metadata: oidc.ServerMetadata): oidc.ServerMetadata {
  const needed = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const
  const lacking = needed.filter((name) => metadata[name] === undefined)
  if (lacking.length > 0) throw new Error(`its metadata lack ${lacking.join(" and ")}`)
  return metadata
}

/** Only a provider on this machine may speak plain http; the config takes no other. */
function plainAllowed(issuer: string): boolean {
  return issuer.startsWith("http:")
}

/** Keeps a value for so long, and makes it once for all who ask meanwhile. A failure is not kept. */
function keptFor<T>(keptMs: number, clock: () => number, make: () => Promise<T>): () => Promise<T> {
  let made: { readonly at: number; readonly value: Promise<T> } | null = null
  return () => {
    const now = clock()
    if (made !== null && Math.abs(now - made.at) < keptMs) return made.value
    const value = make()
    const entry = { at: now, value }
    made = entry
    value.catch(() => {
      if (made === entry) made = null
    })
    return value
  }
}

/** What openid-client works by. It keeps keys in it, so a new one for each sign-in knows the keys of that moment. */
function configurationOf(options: ProviderOptions, metadata: oidc.ServerMetadata): oidc.Configuration {
  const { issuer, clientId, clientSecret, fetch } = options
  let secret: string
  try {
    secret = clientSecret()
  } catch (error) {
    throw new ProviderError(issuer, error)
  }
  const methods = metadata.token_endpoint_auth_methods_supported
  // Without a word of the provider it takes Basic (OpenID Connect Discovery 1.0, section 3).
  const basic = methods === undefined || methods.includes("client_secret_basic")
  const authentication = basic ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret)
  const configuration = new oidc.Configuration(metadata, clientId, undefined, authentication)
  configuration[oidc.customFetch] = fetch
  configuration.timeout = longestAnswerS
  if (plainAllowed(issuer)) oidc.allowInsecureRequests(configuration)
  oidc.enableNonRepudiationChecks(configuration)
  return configuration
}

interface Returned {
  readonly options: ProviderOptions
  readonly configuration: oidc.Configuration
  readonly search: string
  readonly checks: SignInChecks
}

async function finish({ options, configuration, search, checks }: Returned): Promise<SignedIn> {
  const url = new URL(`${options.callback}${search}`)
  const { state, nonce, verifier } = checks
  try {
    const given = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
    const tokens = await oidc.authorizationCodeGrant(configuration, url, given)
    const claims = tokens.claims()
    if (claims === undefined || tokens.id_token === undefined) return nobody("the provider sent no ID token")
    const said = await withUserInfo(options, configuration, { claims, accessToken: tokens.access_token })
    return { ok: true, account: { ...accountOf(said, options), subject: claims.sub, idToken: tokens.id_token } }
  } catch (error) {
    return refusalOf(error)
  }
}

/** The claims of the ID token; if it has no groups, those of the provider's user info besides. */
async function withUserInfo(
  { groupsClaim }: ProviderOptions,
  configuration: oidc.Configuration,
  { claims, accessToken }: { readonly claims: oidc.IDToken; readonly accessToken: string },
): Promise<Readonly<Record<string, unknown>>> {
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
  if (Object.hasOwn(claims, groupsClaim) || endpoint === undefined) return claims
  return { ...(await oidc.fetchUserInfo(configuration, accessToken, claims.sub)), ...claims }
}

function accountOf(claims: Readonly<Record<string, unknown>>, { groupsClaim }: ProviderOptions) {
  const names = [claims["preferred_username"], claims["email"], claims["name"]]
  const name = names.find((one): one is string => typeof one === "string" && one !== "")
  return {
    name: name?.slice(0, longestName) ?? null,
    groups: Object.hasOwn(claims, groupsClaim) ? textsIn(claims[groupsClaim]) : null,
  }
}

/** A claim that is a list of texts, or one text. What is no text names no group. */
function textsIn(claim: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return list.filter((one) => typeof one === "string")
}

function nobody(why: string): SignedIn {
  return { ok: false, kind: "refused", why }
}

/** What is wrong with a sign-in; or that the provider failed, or does not take our own credentials. */
function refusalOf(error: unknown): SignedIn {
  if (!(error instanceof Error)) throw error
  const why = wordsOf(error)
  const told = error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError
  const said = told ? error.error : ""
  // Without a code it is a connection that broke.
  const broken = error instanceof oidc.ClientError && (error.code === undefined || unavailable.has(error.code))
  const challenged = error instanceof oidc.WWWAuthenticateChallengeError
  const away = error instanceof TypeError || broken || challenged || ownTrouble.has(said)
  return { ok: false, kind: away ? "unavailable" : "refused", why }
}

/** A provider's own words for its trouble, or for ours with it. */
const ownTrouble: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "server_error",
  "temporarily_unavailable",
])

/** Codes of openid-client for answers that say nothing about who signed in. */
const unavailable: ReadonlySet<string> = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
])

/** An error and its causes in words. A provider's own text is part of it. */
function wordsOf(error: unknown): string {
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError)
    return [error.error, error.error_description].filter(Boolean).join(": ")
  if (!(error instanceof Error)) return "no reason was given"
  const { cause } = error
  return cause instanceof Error && cause.message !== error.message
    ? `${error.message}: ${wordsOf(cause)}`
    : error.message
}
