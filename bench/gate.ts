// The gate: decisions a second with a verified token remembered, and with verification against node:crypto's own verify.
//
// Floor of a verification: node:crypto checks the same signature over the same bytes with a key that is ready; no parsing, no claims, no
// routes, no scopes. Product: the whole decision of the service's gate for a token that it never saw. The goal is for one request at a time,
// as the floor is. 16 at a time are printed beside it: they use both cores, which the floor does not, so they are held to no goal.
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from "node:crypto"
import { SignJWT } from "jose"
import { createRouteMatcher } from "../src/auth/match-route.ts"
import { createRoutes } from "../src/auth/routes.ts"
import type { Algorithm } from "../src/auth/verification-keys.ts"
import { createTokenVerifier } from "../src/auth/verify-token.ts"
import { openDatabase } from "../src/service/database.ts"
import { createAuthenticate } from "../src/service/gate/authenticate.ts"
import { createGate, type Gate } from "../src/service/gate/gate.ts"
import { createStandings } from "../src/service/gate/standings.ts"
import { alternate, perSecond, quantile, report } from "./rounds.ts"

const database = openDatabase(":memory:")
const scopes = ["approvals:read", "approvals:write", "agents:billing:run", "agents:billing:read", "sessions:read"]

function aGate(algorithm: Algorithm, key: string): Gate {
  const standings = createStandings({ adminScope: "service:admin", authorization: true, userIsolation: false })
  const clock = Date.now
  const authenticate = createAuthenticate({
    database,
    verify: createTokenVerifier({ verificationKeys: [key], algorithm, clock }),
    standings,
    place: { source: "HEADER", cookieName: "access_token" },
    authMode: "jwt",
    clock,
    onFailure: (error) => console.error(error),
  })
  const match = createRouteMatcher(createRoutes())
  return createGate({ match, authenticate, anonymous: standings.anonymous, userIsolation: false })
}

function tokens(algorithm: Algorithm, key: KeyObject, count: number): Promise<readonly string[]> {
  const now = Math.floor(Date.now() / 1000)
  const sign = (at: number): Promise<string> =>
    new SignJWT({ scopes, jti: String(at) })
      .setProtectedHeader({ alg: algorithm })
      .setSubject("ann@example.com")
      .setIssuedAt(now - 5)
      .setExpirationTime(now + 3600)
      .sign(key)
  return Promise.all(Array.from({ length: count }, (_, at) => sign(at)))
}

async function verifying(
  algorithm: "RS256" | "ES256",
  pair: { publicKey: KeyObject; privateKey: KeyObject },
  inFlight: number,
): Promise<void> {
  const pem = pair.publicKey.export({ type: "spki", format: "pem" }).toString()
  const fresh = await tokens(algorithm, pair.privateKey, 1500)
  const floorKey = createPublicKey(pem)
  const floorWork = fresh.map((token) => {
    const end = token.lastIndexOf(".")
    return { input: Buffer.from(token.slice(0, end)), signature: Buffer.from(token.slice(end + 1), "base64url") }
  })
  const floor = (): number => {
    for (const { input, signature } of floorWork) {
      const key = { key: floorKey, dsaEncoding: "ieee-p1363" } as const
      if (!verify("sha256", input, key, signature)) throw new Error("the floor refused a good signature")
    }
    return floorWork.length
  }
  const product = async (): Promise<number> => {
    const gate = aGate(algorithm, pem)
    const decide = async (token: string): Promise<void> => {
      const arrival = { method: "POST", path: "/approvals/a1/resolve", authorization: `Bearer ${token}`, address: null }
      if (!(await gate(arrival)).ok) throw new Error("the gate refused a good token")
    }
    for (let at = 0; at < fresh.length; at += inFlight) await Promise.all(fresh.slice(at, at + inFlight).map(decide))
    return fresh.length
  }
  const { floorPerSecond, productPerSecond, ratio, low, high } = await alternate(floor, product)
  const line = `gate ${algorithm}, with verification, ${inFlight} in flight: ${round(productPerSecond)}/s, node:crypto ${round(floorPerSecond)}/s, ratio ${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
  if (algorithm === "RS256" && inFlight === 1) report(line, { figure: ratio, goal: 3, atMost: true })
  else console.log(line)
}

async function remembering(pair: { publicKey: KeyObject; privateKey: KeyObject }): Promise<void> {
  const gate = aGate("RS256", pair.publicKey.export({ type: "spki", format: "pem" }).toString())
  const [token = ""] = await tokens("RS256", pair.privateKey, 1)
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
  const block = (): number => {
    for (let at = 0; at < 50_000; at += 1)
      for (const arrival of asked) if (gate(arrival) instanceof Promise) throw new Error("not remembered")
    return 50_000 * asked.length
  }
  const figures: number[] = []
  for (let at = 0; at < 10; at += 1) figures.push(await perSecond(block))
  const figure = quantile(figures.slice(1), 0.5)
  report(`gate, token remembered: ${round(figure)} decisions/s`, { figure, goal: 1_000_000, atMost: false })
}

function round(figure: number): string {
  return Math.round(figure).toLocaleString("en")
}

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
await verifying("RS256", rsa, 16)
await verifying("RS256", rsa, 1)
await verifying("ES256", generateKeyPairSync("ec", { namedCurve: "P-256" }), 16)
await remembering(rsa)
database.close()
