// The doctor on the credentials that decide and that continue runs, where they are not the one that reads.

import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { lookAtInstance } from "../../../../src/cli/doctor/platform/platform.ts"
import type { RunningService } from "../../../../src/service.ts"
import { aService, troubles } from "../../patient.ts"

type Instance = Parameters<typeof lookAtInstance>[0]

function look(service: RunningService, changes: Partial<Instance>) {
  const token = service.mintServiceAccount({ name: "reader", scopes: ["approvals:read", "approvals:write"] })
  const instance = { name: "main", url: service.url, token, pollMs: 1_000, timeoutMs: 10_000 } as const
  return lookAtInstance({ ...instance, resolving: { kind: "same" }, ...changes }, Date.now)
}

const continuing = ["agents", "teams", "workflows"].flatMap((kind) => [`${kind}:run`, `${kind}:read`])

test("a resume credential that may continue runs and no more is well", async () => {
  const service = await aService()
  const resumeToken = service.mintServiceAccount({ name: "resume", scopes: [...continuing, "sessions:read"] })

  const found = await look(service, { resumeToken })

  expect(troubles(found)).toEqual([])
  expect(found.map(({ what }) => what)).toContain("the resume credential may continue runs")
})

test.for([
  { of: "a service account", resumeToken: "agno_pat_of_an_account", words: "is a service account" },
  { of: "somebody", resumeToken: `e30.${btoa('{"sub":"bot"}')}.c2ln`, words: "has the subject bot" },
])("a resume credential of $of fails, because the run is not theirs", async ({ resumeToken, words }) => {
  const found = await look(await aService(), { resumeToken })

  expect(found).toContainEqual(
    expect.objectContaining({
      level: "fail",
      what: `the resume credential ${words}`,
      todo: "use a JWT without a subject",
    }),
  )
})

test("a resume credential that may resolve, too, fails, because it could pass the gate by itself", async () => {
  const service = await aService()
  const resumeToken = service.mintServiceAccount({ name: "resume", scopes: [...continuing, "approvals:write"] })

  const found = await look(service, { resumeToken })

  expect(troubles(found)).toContain("fail: the resume credential may resolve approvals, too")
})

test("a resume credential that may not continue every kind of run is told what it lacks", async () => {
  const service = await aService()
  const resumeToken = service.mintServiceAccount({ name: "resume", scopes: ["agents:run", "agents:read"] })

  const found = await look(service, { resumeToken })

  expect(found).toContainEqual(
    expect.objectContaining({
      level: "warn",
      what: "the resume credential may not continue runs of teams and workflows",
      todo: "give it teams:run and teams:read, workflows:run and workflows:read",
    }),
  )
})

test("a token that only decides is tried instead of the one that reads", async () => {
  const service = await aService()
  const read = service.mintServiceAccount({ name: "r", scopes: ["approvals:read"] })
  const write = service.mintServiceAccount({ name: "w", scopes: ["approvals:write"] })

  const apart = await look(service, { token: read, resolving: { kind: "token", token: write } })
  const swapped = await look(service, { resolving: { kind: "token", token: read } })

  expect(troubles(apart)).toEqual([])
  expect(troubles(swapped)).toEqual([expect.stringMatching(/^fail: resolving .* answered 403/)])
})

test("a key that signs nothing fails before anything is asked with it", async () => {
  const service = await aService()
  const key = { kind: "given", value: randomBytes(4).toString("hex") } as const

  const found = await look(service, {
    resolving: { kind: "delegated", algorithm: "RS256", key } as Instance["resolving"],
  })

  expect(found).toContainEqual(
    expect.objectContaining({
      level: "fail",
      what: expect.stringContaining("the key for delegated tokens"),
      why: "no decision can be signed, so none arrives",
    }),
  )
})
