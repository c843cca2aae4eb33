// Measures the gate: how long a token takes in a request, and how many decisions a second it makes on a token that it
// remembers.
//
// Floor of a verification: node:crypto checks the same signature over the same bytes with a key that is ready. It does
// no parsing, and looks at no claims, routes or scopes. Product: the whole decision of the service's gate on a token
// that it never saw. Both run one at a time on the same core.
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from "node:crypto"
import { SignJWT } from "jose"
import { createRouteMatcher } from "../src/auth/match-route.ts"
import { createTokenVerifier } from "../src/auth/verify-token.ts"
import { createAuthenticate } from "../src/service/gate/authenticate.ts"
import { createCrossOrigin } from "../src/service/gate/cross-origin.ts"
import { createGate, type Gate } from "../src/service/gate/gate.ts"
import { createRoutes } from "../src/service/gate/routes.ts"
import { createStandings } from "../src/service/gate/standings.ts"
import { openDatabase } from "../src/service/storage/database.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Figure, Measured } from "./parts/figure.ts"
import { absolute, alternate, compare, usualRounds } from "./parts/rounds.ts"

/** Reports 15 and 15b. */
export async function run(report: (what: Measured) => void): Promise<void> {
  const where = fixOneCore()
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString()
  const [floor = [], product = []] = await alternate(verifying(pem, await tokens(privateKey, 1_500)))
  const what = `a token verified with RS256, ${where}`
  report(compare({ scenario: "15", what, unit: "ms", floor, product }))
  report(await remembering(pem, await tokens(privateKey, 1)))
}

function aGate(key: string): Gate {
  const database = openDatabase(":memory:")
  const standings = createStandings({ adminScope: "service:admin", authorization: true, userIsolation: false })
  const clock = Date.now
  const place = { source: "HEADER", cookieName: "access_token" } as const
  const authenticate = createAuthenticate({
    database,
    verify: createTokenVerifier({ verificationKeys: [key], algorithm: "RS256", clock }),
    standings,
    place,
    crossOrigin: createCrossOrigin([], place),
    authMode: "jwt",
    clock,
    onFailure: (error) => console.error(error),
  })
  const match = createRouteMatcher(createRoutes())
  return createGate({ match, authenticate, anonymous: standings.anonymous, forAnybody: null })
}

const scopes = ["approvals:read", "approvals:write", "agents:billing:run", "agents:billing:read", "sessions:read"]

function tokens(key: KeyObject, count: number): Promise<readonly string[]> {
  const now = Math.floor(Date.now() / 1000)
  const sign = (at: number): Promise<string> =>
    new SignJWT({ scopes, jti: String(at) })
      .setProtectedHeader({ alg: "RS256" })
      .setSubject("ann@example.com")
      .setIssuedAt(now - 5)
      .setExpirationTime(now + 3600)
      .sign(key)
  return Promise.all(Array.from({ length: count }, (_, at) => sign(at)))
}

/** Two blocks, floor and product; each gives the ms of one verification. */
function verifying(pem: string, fresh: readonly string[]) {
  const key = createPublicKey(pem)
  const work = fresh.map((token) => {
    const end = token.lastIndexOf(".")
    return { input: Buffer.from(token.slice(0, end)), signature: Buffer.from(token.slice(end + 1), "base64url") }
  })
  const floor = () => {
    const begun = performance.now()
    for (const { input, signature } of work)
      if (!verify("sha256", input, key, signature)) throw new Error("the floor refused a good signature")
    return (performance.now() - begun) / work.length
  }
  const product = async () => {
    const gate = aGate(pem)
    const begun = performance.now()
    for (const token of fresh) {
      const arrival = { method: "POST", path: "/approvals/a1/resolve", authorization: `Bearer ${token}`, address: null }
      if (!(await gate(arrival)).ok) throw new Error("the gate refused a good token")
    }
    return (performance.now() - begun) / fresh.length
  }
  return [floor, product]
}

async function remembering(pem: string, [token = ""]: readonly string[]): Promise<Figure> {
  const gate = aGate(pem)
  const authorization = `Bearer ${token}`
  const asked = [
    ["GET", "/approvals"],
    ["GET", "/approvals/8a6f0c1e-3f0e-4a58-9d3c-2f4c0f6f3b11"],
    ["POST", "/approvals/8a6f0c1e-3f0e-4a58-9d3c-2f4c0f6f3b11/resolve"],
    ["POST", "/agents/billing/runs/r1/continue"],
    ["GET", "/agents"],
    ["DELETE", "/approvals/x"],
  ].map(([method = "", path = ""]) => ({ method, path, authorization, address: null }))
  for (const arrival of asked) await gate(arrival)
  const times = 50_000
  const block = () => {
    const begun = performance.now()
    for (let at = 0; at < times; at += 1)
      for (const arrival of asked) if (gate(arrival) instanceof Promise) throw new Error("not remembered")
    return (times * asked.length * 1_000) / (performance.now() - begun)
  }
  const [figures = []] = await alternate([block], usualRounds)
  const about = { scenario: "15b", what: "decisions with a remembered token", unit: "per second" }
  return absolute({ ...about, atMost: false }, figures)
}
