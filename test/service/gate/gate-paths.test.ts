// The route that the gate judged is the route that answers, however a path is spelled.

import fc from "fast-check"
import { expect, test } from "vitest"
import { createRouteMatcher } from "../../../src/auth/match-route.ts"
import { createApp } from "../../../src/service/app.ts"
import { createAuthenticate } from "../../../src/service/gate/authenticate.ts"
import { createCrossOrigin } from "../../../src/service/gate/cross-origin.ts"
import { createGate } from "../../../src/service/gate/gate.ts"
import { createRoutes } from "../../../src/service/gate/routes.ts"
import { createStandings } from "../../../src/service/gate/standings.ts"
import { openDatabase } from "../../../src/service/storage/database.ts"
import { answer } from "../../../src/service/wire/reply.ts"
import { specRows } from "../../auth/spec-rows.ts"

const routes = createRoutes()

/** An app whose handlers say which route they are; the token is the one scope that its bearer holds. */
function anApp() {
  const place = { source: "HEADER", cookieName: "none" } as const
  const crossOrigin = createCrossOrigin([], place)
  const standings = createStandings({ adminScope: "service:admin", authorization: true, userIsolation: false })
  const authenticate = createAuthenticate({
    database: openDatabase(":memory:"),
    verify: (token) => ({ ok: true, claims: { subject: null, scopes: [token], expires: null } }),
    standings,
    place,
    crossOrigin,
    authMode: "jwt",
    clock: () => 0,
    onFailure: (error) => expect.fail(String(error)),
  })
  const gate = createGate({
    match: createRouteMatcher(routes),
    authenticate,
    anonymous: standings.anonymous,
    forAnybody: null,
  })
  const handlers = Object.fromEntries(
    routes.builtIn.map((route) => [
      route.handler,
      ({ ids }: { ids: readonly string[] }) => answer([route.handler, ids]),
    ]),
  )
  return createApp({ gate, crossOrigin, handlers, upstream: null, onFailure: (error) => expect.fail(String(error)) })
}

const needed = new Map(routes.builtIn.map((route) => [route.handler, route.needs.map(({ scope }) => scope)]))
const encoded = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

const tricks = fc.constantFrom(
  "",
  ".",
  "..",
  "%2e",
  "%2E%2e",
  "%2f",
  "%5c",
  "\\",
  ";",
  ";x=1",
  "%00",
  "%",
  "?",
  "#",
  "%3f",
  "%23",
  " ",
  "%20",
  "//",
  "*",
  "%2a",
  ":",
  "é",
)
const row = fc.constantFrom(...specRows)
const spelling = fc
  .tuple(row, fc.array(fc.tuple(fc.nat(12), tricks), { maxLength: 2 }), fc.array(fc.boolean()))
  .map(([[, request, scope], inserts, hows]) => {
    const [method = "", path = ""] = request.split(" ")
    const parts = path.slice(1).replaceAll("*", "x").split("/")
    const spelled = parts.map((part, at) => (hows[at] === true ? encoded(part) : part))
    for (const [at, trick] of inserts) {
      if (at % 2 === 0) spelled.splice(at / 2, 0, trick)
      else spelled[(at - 1) / 2] = `${spelled[(at - 1) / 2] ?? ""}${trick}`
    }
    return { method, path: `/${spelled.join("/")}`, scope }
  })

test("5.3, rule 3: 5,000 odd paths, and nobody is answered by a route whose scope they do not hold", async () => {
  const app = anApp()
  const answered = new Set<string>()
  const property = fc.asyncProperty(
    spelling,
    row,
    fc.boolean(),
    async ({ method, path, scope }, [, , other], twisted) => {
      const held = twisted ? other : scope
      const url = `http://service${path}`
      if (!URL.canParse(url)) return
      const headers = { authorization: `Bearer ${held}` }
      const response = await app.request(new Request(url, { method, headers }), {}, {})
      if (response.status !== 200) return
      const [handler] = (await response.json()) as [string, string[]]
      answered.add(path)

      expect([...(needed.get(handler) ?? ["unknown"]), held].filter((name) => name !== held)).toEqual([])
    },
  )

  await fc.assert(property, { numRuns: 5_000 })
  expect(answered.size).toBeGreaterThan(500)
})
