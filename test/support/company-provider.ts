// A company's OpenID Connect provider on this machine: the real oidc-provider, with our own accounts and keys.
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { createServer, type RequestListener } from "node:http"
import { onLoopback } from "./on-loopback.ts"

/** What oidc-provider is given; it has no types of its own. */
type Settings = Readonly<Record<string, unknown>>
interface OidcProvider {
  callback(): RequestListener
}
type ProviderModule = { readonly Provider: new (issuer: string, settings: Settings) => OidcProvider }

/** A provider that runs. */
export interface CompanyProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The groups of each account, by its login; null: the provider says nothing of its groups. */
  readonly accounts: Map<string, readonly string[] | null>
  /** From now on it signs with another key, and shows only that. */
  rotateKeys(): void
  /** How often its metadata were read. */
  readonly discoveries: () => number
  close(): Promise<void>
}

/** What may be other than usual. */
export interface CompanyProviderOptions {
  /** Where browsers reach Countersign. */
  readonly publicUrl: string
  /** True: claims are in the ID token; false (default, as the provider's own): in the user info alone. */
  readonly claimsInToken?: boolean
  /** How long its ID tokens are valid, in seconds. Default 3,600. */
  readonly tokenLifeS?: number
}

/** Starts one, with `ann` in the group auditors and `bob` in the group sales. */
export async function startCompanyProvider(options: CompanyProviderOptions): Promise<CompanyProvider> {
  // @ts-expect-error It has no types.
  const { Provider } = (await import("oidc-provider")) as ProviderModule
  const accounts = new Map<string, readonly string[] | null>([
    ["ann", ["auditors", "staff"]],
    ["bob", ["sales"]],
  ])
  let [answer, discoveries]: [RequestListener, number] = [() => {}, 0]
  const { url: issuer, close } = await onLoopback(
    createServer((request, response) => {
      if (request.url?.includes("/.well-known/") === true) discoveries += 1
      answer(request, response)
    }),
  )
  const [clientId, clientSecret] = ["countersign", "a secret of the client, made for tests"]
  const client = {
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [`${options.publicUrl}/page/sign-in/callback`],
    post_logout_redirect_uris: [`${options.publicUrl}/page/sign-in`],
  }
  const settings = () => settingsOf({ ...options, client, accounts })
  const rotateKeys = () => {
    answer = new Provider(issuer, settings()).callback()
  }
  rotateKeys()
  return { issuer, clientId, clientSecret, accounts, rotateKeys, discoveries: () => discoveries, close }
}

function settingsOf(options: CompanyProviderOptions & Pick<CompanyProvider, "accounts"> & { readonly client: object }) {
  const { client, accounts, claimsInToken = false, tokenLifeS = 3_600 } = options
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 })
  const kid = randomBytes(4).toString("hex")
  return {
    clients: [client],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" }] },
    cookies: { keys: ["a key of the provider's own cookies"] },
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
    conformIdTokenClaims: !claimsInToken,
    pkce: { required: () => true },
    ttl: { IdToken: tokenLifeS, Session: 3_600, Interaction: 600, Grant: 3_600, AccessToken: 600 },
    findAccount: (_context: unknown, login: string) => {
      const groups = accounts.get(login)
      const told = groups === null || groups === undefined ? {} : { groups }
      const claims = { sub: login, preferred_username: `${login}@corp.example`, ...told }
      return { accountId: login, claims: async () => claims }
    },
  }
}

/** A browser of few words: keeps cookies by host and follows redirects one by one. */
export interface FewWords {
  /** The answer to one request; its cookies are kept. */
  send(url: string, init?: RequestInit): Promise<Response>
  /** What it would send as cookies to a host. */
  readonly cookies: Map<string, string>
}

/** Makes one. It sends Secure cookies by http too, as over a proxy with TLS. */
export function fewWords(): FewWords {
  const cookies = new Map<string, string>()
  return {
    cookies,
    send: async (url, init = {}) => {
      const { host } = new URL(url)
      const own = [...cookies].filter(([key]) => key.startsWith(`${host} `))
      const cookie = own.map(([key, value]) => `${key.slice(host.length + 1)}=${value}`).join("; ")
      const headers = { ...Object.fromEntries(new Headers(init.headers)), ...(cookie === "" ? {} : { cookie }) }
      const answer = await fetch(url, { ...init, headers, redirect: "manual" })
      for (const line of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        // Browsers keep no longer cookie (RFC 6265, section 6.1).
        if (Buffer.byteLength(line) > 4_096) continue
        if (value === "" || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) cookies.delete(`${host} ${name}`)
        else cookies.set(`${host} ${name}`, value)
      }
      return answer
    },
  }
}

/** Signs in at the provider, and gives back the address that the browser is sent to then: our callback. */
export async function signInAt(browser: FewWords, authorizeUrl: string, login: string): Promise<string> {
  let url = authorizeUrl
  const { origin } = new URL(authorizeUrl)
  for (let left = 10; left > 0; left -= 1) {
    const answer = await browser.send(url)
    const next = answer.headers.get("location")
    if (next !== null) {
      url = new URL(next, url).href
      if (!url.startsWith(origin)) return url
      continue
    }
    const text = await answer.text()
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1]
    const action = /action="([^"]+)"/.exec(text)?.[1]
    if (prompt === undefined || action === undefined) throw new Error(`the provider said ${answer.status}: ${text}`)
    const body = new URLSearchParams({ prompt, login, password: "any" })
    const posted = await browser.send(new URL(action, url).href, { method: "POST", body })
    url = new URL(posted.headers.get("location") ?? "", url).href
  }
  throw new Error("the provider asks on and on")
}
