// What a provider answers that lies, errs, or is in somebody else's hands: none of it signs anybody in.
import { generateKeyPairSync } from "node:crypto"
import { createServer } from "node:http"
import { SignJWT, UnsecuredJWT } from "jose"
import { expect, test } from "vitest"
import { fewWords } from "../../support/company-provider.ts"
import { onLoopback } from "../../support/on-loopback.ts"
import { opened } from "../../support/opened.ts"
import { aSite } from "./a-site.ts"

const keys = generateKeyPairSync("rsa", { modulusLength: 2_048 })
const strange = generateKeyPairSync("rsa", { modulusLength: 2_048 })
const [clientId, clientSecret] = ["countersign", "a secret of the client, long enough for HMACs"]

/** What the provider says at each of its addresses. */
interface Answers {
  readonly metadata: (issuer: string) => object
  readonly token: (issued: Issued) => Promise<Answer>
  readonly userInfo?: Answer
}

interface Answer {
  readonly status?: number
  readonly body: object | string
}

/** What an honest ID token says. */
interface Issued {
  readonly issuer: string
  readonly claims: Record<string, unknown>
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  code_challenge_methods_supported: ["S256"],
})

function signed(claims: Record<string, unknown>, key = keys.privateKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(key)
}

const tokens = (idToken: string | undefined) => ({
  body: { access_token: "at", token_type: "bearer", ...(idToken === undefined ? {} : { id_token: idToken }) },
})

const honest: Answers = { metadata, token: async ({ claims }) => tokens(await signed(claims)) }

/** A provider that says what a test wants, and a browser that comes back from it with a code. */
async function comesBack(answers: Partial<Answers>): Promise<{ readonly status: number; readonly text: string }> {
  const { metadata: told, token, userInfo } = { ...honest, ...answers }
  let nonce = ""
  const answerTo = async (path: string): Promise<Answer> => {
    const now = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: provider.url,
      aud: clientId,
      sub: "ann",
      iat: now,
      exp: now + 60,
      nonce,
      groups: ["auditors"],
    }
    if (path === "/.well-known/openid-configuration") return { body: told(provider.url) }
    if (path === "/me" && userInfo !== undefined) return userInfo
    return path === "/jwks" ? { body: jwks } : token({ issuer: provider.url, claims })
  }
  const server = createServer((request, response) => {
    void answerTo(request.url ?? "").then(({ status = 200, body }) => {
      const plain = typeof body === "string"
      response.writeHead(status, { "content-type": plain ? "text/html" : "application/json" })
      response.end(plain ? body : JSON.stringify(body))
    })
  })
  const provider = await opened(onLoopback(server))
  const site = await aSite({
    provider: { issuer: provider.url, clientId, clientSecret },
    publicUrl: "http://localhost",
  })
  const browser = fewWords()
  const begun = await browser.send(`${site.url}/page/sign-in/start`)
  if (begun.status !== 303) return { status: begun.status, text: await begun.text() }
  const asked = new URL(begun.headers.get("location") ?? "").searchParams
  nonce = asked.get("nonce") ?? ""
  const query = new URLSearchParams({ code: "c", state: asked.get("state") ?? "" }).toString()
  const answer = await browser.send(`${site.url}/page/sign-in/callback?${query}`)
  const page = await browser.send(`${site.url}/page`)
  expect(page.status).toBe(answer.status === 303 ? 200 : 401)
  return { status: answer.status, text: await answer.text() }
}

const jwks = { keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }] }

test("an honest provider signs in, so the others fail for what they change", async () => {
  expect((await comesBack({})).status).toBe(303)
})

const hour = 3_600
const changed = (change: (claims: Record<string, unknown>) => Record<string, unknown>): Partial<Answers> => ({
  token: async ({ claims }) => tokens(await signed({ ...claims, ...change(claims) })),
})

test.each<[string, Partial<Answers>]>([
  ["another nonce", changed(() => ({ nonce: "another" }))],
  ["no nonce", changed(() => ({ nonce: undefined }))],
  ["another audience", changed(() => ({ aud: "another" }))],
  ["several audiences, for another party", changed(() => ({ aud: [clientId, "another"], azp: "another" }))],
  ["another issuer", changed(() => ({ iss: "https://evil.example" }))],
  ["an end that is over", changed(({ iat }) => ({ iat: Number(iat) - hour, exp: Number(iat) - 120 }))],
  ["no end", changed(() => ({ exp: undefined }))],
  ["a beginning that is not yet", changed(({ iat }) => ({ nbf: Number(iat) + hour }))],
  ["no subject", changed(() => ({ sub: undefined }))],
  ["the signature of a strange key", { token: async ({ claims }) => tokens(await signed(claims, strange.privateKey)) }],
  ["no signature", { token: async ({ claims }) => tokens(new UnsecuredJWT(claims).encode()) }],
  [
    "a signature by the client's secret",
    {
      token: async ({ claims }) => {
        const token = new SignJWT(claims).setProtectedHeader({ alg: "HS256" })
        return tokens(await token.sign(Buffer.from(clientSecret)))
      },
    },
  ],
  ["no ID token at all", { token: async () => tokens(undefined) }],
])("an ID token with %s signs nobody in", async (_what, answers) => {
  const { status, text } = await comesBack(answers)

  expect([status, text]).toEqual([401, expect.stringContaining("You are not signed in")])
})

/** The ID token has no groups, so they are asked for; the user info tells them. */
const asked = (said: object): Partial<Answers> => ({
  metadata: (issuer) => ({ ...metadata(issuer), userinfo_endpoint: `${issuer}/me` }),
  token: async ({ claims: { groups: _none, ...claims } }) => tokens(await signed(claims)),
  userInfo: { body: { groups: ["auditors"], ...said } },
})

test("user info of the account itself tells its groups", async () => {
  expect((await comesBack(asked({ sub: "ann" }))).status).toBe(303)
})

test.each([
  ["another account", { sub: "bob" }],
  ["no account", {}],
])("user info of %s gives its groups to nobody", async (_what, said) => {
  const { status, text } = await comesBack(asked(said))

  expect([status, text]).toEqual([401, expect.stringContaining("You are not signed in")])
})

test.each<[string, Partial<Answers>]>([
  ["metadata of another issuer", { metadata: (issuer) => ({ ...metadata(issuer), issuer: "https://evil.example" }) }],
  ["metadata without a place to sign in", { metadata: (issuer) => ({ issuer }) }],
  ["an ID token that is none", { token: async () => tokens("x.y.z") }],
  ["a token endpoint that fails", { token: async () => ({ status: 500, body: "<h1>oops</h1>" }) }],
  ["a token endpoint that answers no JSON", { token: async () => ({ body: "<h1>hello</h1>" }) }],
  ["a token endpoint without end", { token: async () => ({ body: "x".repeat(1_100_000) }) }],
])("a provider with %s is told as one that does not work now", async (_what, answers) => {
  const { status, text } = await comesBack(answers)

  expect([status, text]).toEqual([503, expect.stringContaining("sign-in does not work now")])
})
