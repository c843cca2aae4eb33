// The checks of `countersign service conformance` over the embedded service, which keeps to all of them.
import { readFileSync } from "node:fs"
import { beforeEach, expect, test } from "vitest"
import { servedRoutes, specifiedRoutes } from "../../../src/service/gate/route-table.ts"
import { type FaultyProxy, startFaultyProxy } from "../../support/faulty-proxy.ts"
import { opened } from "../../support/opened.ts"
import { aToken, call, type TestService } from "../a-service.ts"
import { aFullService, ran } from "../components.ts"
import { deviationsIn, tested, untestedIn } from "./a-platform.ts"

let service: TestService
let proxy: FaultyProxy

beforeEach(async () => {
  service = await opened(aFullService())
  proxy = await opened(startFaultyProxy(service.url))
})

const agent = { id: "support-member", message: "delete it" }

/** How many rows each list has. */
async function rowsLeft(): Promise<Readonly<Record<string, unknown>>> {
  const token = await aToken(["service:admin"], { sub: "ann" })
  const lists = ["approvals", "sessions", "memories", "learnings", "components", "schedules", "service-accounts"]
  const counted = [...lists, "knowledge/content", "eval-runs"].map(async (list) => {
    const { body } = await call(service, `GET /${list}`, { token })
    return [list, (body as { meta: { total_count: number } }).meta.total_count] as const
  })
  return Object.fromEntries(await Promise.all(counted))
}

test("nothing deviates in the embedded service, and nothing that was made is left", async () => {
  const before = await rowsLeft()

  const found = await tested(service, { agent })

  expect(deviationsIn(found)).toEqual([])
  expect([...untestedIn(found)].map(([why, alike]) => [why, alike.length])).toEqual([
    ["a platform that let it in would change what is not the check's own", 3],
  ])
  expect(found).toMatchObject({ leftovers: [], database: null, interrupted: false })
  expect(found.results.length).toBeGreaterThan(450)
  expect(await rowsLeft()).toEqual(before)
  expect(ran(service)).toEqual([])
})

test("without write only reads are sent, and what was left out is said", async () => {
  const found = await tested(proxy, { write: false })

  expect(deviationsIn(found)).toEqual([])
  const sent = new Set(proxy.passed.filter(({ method }) => method !== "GET").map(({ path }) => path))
  const agents = /^\/a2a\/\w+\/[\w-]+\/v1\/tasks:get$/
  expect([...sent].filter((path) => !agents.test(path)).toSorted()).toEqual(["/knowledge/search", "/traces/search"])
  const left = untestedIn(found).get("--write tries it, with rows of its own") ?? []
  expect(left.map(({ says }) => says)).toEqual(
    expect.arrayContaining([
      "a memory is kept",
      "of 8 resolves at once one takes effect, and the others are 409",
      "POST /approvals/*/resolve without approvals:write is 403",
    ]),
  )
})

test("every route of the tables is asked, with its section", async () => {
  const found = await tested(service, { agent })
  const asked = found.results.map(({ says }) => says)

  const silent = Object.keys({ ...specifiedRoutes, ...servedRoutes }).filter(
    (pattern) => specifiedRoutes[pattern] !== undefined && !asked.some((says) => says.includes(pattern)),
  )

  expect(silent).toEqual([])
  const specification = readFileSync(new URL("../../../docs/specification.md", import.meta.url), "utf8")
  const sections = [...new Set(found.results.map(({ section }) => section))]
  expect(sections.filter((section) => !new RegExp(`^#+ ${section}[. ]`, "m").test(specification))).toEqual([])
})

test("a family by itself is asked for its own claims alone", async () => {
  const found = await tested(service, { only: ["schedules", "config"] })

  expect(deviationsIn(found)).toEqual([])
  expect([...new Set(found.results.map(({ family }) => family))]).toEqual(["config", "schedules"])
})

test("an agent that is not started leaves approvals of its own to try, where a platform takes them", async () => {
  const found = await tested(service, { only: ["approvals"] })

  expect(deviationsIn(found)).toEqual([])
  expect(untestedIn(found).size).toBe(0)
})

test("a credential that may not do something leaves that untested, in the platform's words", async () => {
  const found = await tested(service, { token: await aToken(["approvals:read"]), only: ["memories"] })

  expect(deviationsIn(found)).toEqual([])
  expect([...untestedIn(found).keys()].join("\n")).toContain("Required scope(s): memories:read")
})

test("a stop takes away what was made, and says that it came", async () => {
  const stopping = new AbortController()
  proxy.fail({
    method: "GET",
    path: /^\/memories\/[\w-]+$/,
    fault: {
      kind: "hold",
      until: async () => {
        if ((await rowsLeft())["memories"] === 1) stopping.abort()
      },
    },
  })

  const found = await tested(proxy, { only: ["memories"], signal: stopping.signal })

  expect(found).toMatchObject({ interrupted: true, leftovers: [] })
  expect(await rowsLeft()).toMatchObject({ memories: 0, "service-accounts": 0 })
})

test("what cannot be taken away is named", async () => {
  proxy.fail({ method: "DELETE", path: /^\/learnings\/user/, fault: { kind: "answer", status: 500 } })

  const found = await tested(proxy, { only: ["learnings"] })

  expect(found.leftovers).toEqual([
    'DELETE /learnings/user_profile_countersign-conformance-0123456789ab: status 500 {"detail":"fault 500"}',
  ])
  expect(deviationsIn(found)).toContain("4.3 a learning is removed: status 204")
})
