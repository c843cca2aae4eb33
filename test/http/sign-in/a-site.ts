// The routes of the company's sign-in on a server of their own, with a page that says who reads it.
import { randomBytes } from "node:crypto"
import { Hono } from "hono"
import { createSeal } from "../../../src/domain/proof/seal.ts"
import { type Access, AccessLogError } from "../../../src/http/access-log.ts"
import { startHttp } from "../../../src/http/server.ts"
import {
  type CompanySessionsOptions,
  callbackPath,
  createCompanySessions,
} from "../../../src/http/sign-in/company-sessions.ts"
import { createProvider } from "../../../src/http/sign-in/provider.ts"
import { createLog } from "../../../src/log.ts"
import { directly, openFetchThrough } from "../../../src/outgoing/dispatcher.ts"
import { aClock } from "../../support/clock.ts"
import type { CompanyProvider } from "../../support/company-provider.ts"
import { freePort } from "../../support/free-port.ts"
import { opened } from "../../support/opened.ts"

const key = Buffer.from("the key of an installation that is long enough")

export interface SiteOptions {
  readonly provider: Pick<CompanyProvider, "issuer" | "clientId" | "clientSecret">
  readonly port?: number
  /** Default: where it listens. */
  readonly publicUrl?: string
  readonly installation?: string
  readonly clientSecret?: () => string
  readonly more?: Partial<CompanySessionsOptions>
}

/** A port for a site, and the address that it has then. */
export async function aPlaceForSite(): Promise<{ readonly port: number; readonly publicUrl: string }> {
  const port = await freePort()
  return { port, publicUrl: `http://127.0.0.1:${port}` }
}

/** Starts the site. `/page` and `/page/cases/…` say as JSON who reads, or show the page to sign in. */
export async function aSite({
  provider: of,
  port = 0,
  publicUrl,
  installation = "one",
  clientSecret,
  more,
}: SiteOptions) {
  // The library goes by the time of this machine, so this clock starts there.
  const clock = aClock(Date.now())
  const accesses: Access[] = []
  const lines: Record<string, unknown>[] = []
  let broken = false
  const log = createLog({ write: (line) => void lines.push(JSON.parse(line)), clock: clock.now, secrets: [] })
  const access = {
    note: async (_context: unknown, one: Access) => {
      if (broken) throw new AccessLogError("/nowhere", {})
      accesses.push(one)
    },
  }
  const outside = await opened(openFetchThrough(directly))
  const address = publicUrl ?? `http://127.0.0.1:${port}`
  const { issuer, clientId, clientSecret: secret } = of
  const provider = createProvider({
    issuer,
    clientId,
    clientSecret: clientSecret ?? (() => secret),
    callback: `${address}${callbackPath}`,
    scopes: ["openid", "profile", "email"],
    groupsClaim: "groups",
    fetch: outside.fetch,
    clock: clock.now,
  })
  const sessions = createCompanySessions({
    installation,
    seal: createSeal({ key, installation, nonce: () => randomBytes(12) }),
    publicUrl: address,
    issuer,
    clientId,
    provider,
    groupsOf: { "cases:read": ["auditors", "managers"], "ledger:read": ["auditors"] },
    groupsClaim: "groups",
    sessionMs: 3_600_000,
    random: randomBytes,
    access,
    clock: clock.now,
    log,
    ...more,
  })
  const app = new Hono()
  sessions.serve(app)
  app.get("/page/*", async (context) => {
    const session = await sessions.of(context)
    return session.ok ? context.json(session) : context.html(await sessions.form(session.reason, "/page"), 401)
  })
  const { url } = await opened(startHttp({ app, port, host: "127.0.0.1" }))
  return { url, clock, accesses, lines, breakLog: () => void (broken = true) }
}
