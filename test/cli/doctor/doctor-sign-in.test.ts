// The doctor on the company's sign-in: whether the provider answers, is the right one, and offers what is needed.
import { createServer } from "node:http"
import { expect, test } from "vitest"
import { lookAtSignIn } from "../../../src/cli/doctor/config.ts"
import { startCompanyProvider } from "../../support/company-provider.ts"
import { onLoopback } from "../../support/on-loopback.ts"
import { opened } from "../../support/opened.ts"

function look(issuer: string, scopes: readonly string[] = ["openid", "profile", "email"]) {
  const signIn = {
    issuer,
    clientId: "countersign",
    clientSecret: { kind: "given", value: "s" } as const,
    publicUrl: "https://countersign.example.com",
    scopes,
    groupsClaim: "groups",
    groupsOf: { "cases:read": ["auditors"], "ledger:read": [] },
    sessionMs: 3_600_000,
    way: { proxy: null, ca: null },
  }
  const metrics = { reachable: "off", token: undefined } as const
  const http = { port: 0, host: "127.0.0.1", metrics, read: undefined, stops: undefined, accessLog: undefined, signIn }
  return lookAtSignIn({ http }, Date.now)
}

/** A provider that only tells these metadata. */
async function telling(metadata: (issuer: string) => object): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(metadata(place.url)))
  })
  const place = await opened(onLoopback(server))
  return place.url
}

test("a provider that fits is well, and the finding says what to register there", async () => {
  const { issuer } = await opened(startCompanyProvider({ publicUrl: "https://countersign.example.com" }))

  expect(await look(issuer)).toEqual([
    {
      level: "ok",
      area: "sign-in",
      what: `${issuer} offers what it takes; register https://countersign.example.com/page/sign-in/callback there`,
    },
  ])
})

test("a scope that the provider does not know is named", async () => {
  const { issuer } = await opened(startCompanyProvider({ publicUrl: "https://countersign.example.com" }))

  expect(await look(issuer, ["openid", "groups"])).toMatchObject([
    { level: "fail", what: `${issuer} does not know the scope groups (http.sign_in.scopes)` },
  ])
})

test("a provider that does not answer, or is another one, is told with what to do", async () => {
  const places = { authorization_endpoint: "https://a", token_endpoint: "https://t", jwks_uri: "https://j" }
  const other = await telling(() => ({ issuer: "https://other.example.com", ...places }))

  const [away] = await look("http://127.0.0.1:9")
  const [wrong] = await look(other)

  expect(away).toMatchObject({ level: "fail", todo: expect.stringContaining("check host and port") })
  expect(wrong).toMatchObject({ what: expect.stringContaining("does not match the expected issuer") })
  expect(wrong).toMatchObject({ todo: expect.stringContaining("compare http.sign_in.issuer") })
})

test.each([
  ["response_types_supported", ["id_token"], "does not offer the code flow"],
  ["code_challenge_methods_supported", ["plain"], "does not offer PKCE by S256"],
  ["id_token_signing_alg_values_supported", ["HS256", "none"], "signs ID tokens by no key that others can verify"],
])("a provider whose %s are %j is told what it lacks", async (name, values, words) => {
  const issuer = await telling((own) => ({
    issuer: own,
    authorization_endpoint: `${own}/a`,
    token_endpoint: `${own}/t`,
    jwks_uri: `${own}/j`,
    [name]: values,
  }))

  expect(await look(issuer)).toMatchObject([{ level: "fail", what: `${issuer} ${words}` }])
})

test("without a sign-in there is nothing to say", async () => {
  const metrics = { reachable: "off", token: undefined } as const
  const http = {
    port: 0,
    host: "h",
    metrics,
    read: undefined,
    stops: undefined,
    accessLog: undefined,
    signIn: undefined,
  }

  expect(await lookAtSignIn({ http }, Date.now)).toEqual([])
})
