// What AgentOS deviates in from the specification, as `countersign service conformance` finds it: just what is listed.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openClient } from "../../../src/cli/service/conformance.ts"
import { type Conformance, testConformance } from "../../../src/service/conformance/conformance.ts"
import { type AgentOs, aJwt, startAgentOs, VERSIONS } from "../agentos.ts"
import { deviationsOf, type ListedDeviation, untested } from "./agentos-deviations.ts"
import { startEmbedded } from "./platforms.ts"

async function conformanceOf(os: AgentOs): Promise<Conformance> {
  const client = openClient(new URL(os.url), { way: { proxy: null, ca: null }, timeoutMs: 60_000 })
  try {
    return await testConformance({
      send: client.send,
      token: await aJwt(["agent_os:admin"], { sub: "ann" }),
      only: null,
      write: true,
      agent: { id: "admin-agent", message: "Please do it." },
      tag: "0123456789ab",
      signal: new AbortController().signal,
      onProgress: () => {},
    })
  } finally {
    await client.close()
  }
}

describe.each([...VERSIONS, "embedded"])("AgentOS %s", (name) => {
  let os: AgentOs
  let found: Conformance
  beforeAll(async () => {
    const mode = { knowledge: true, scheduler: true, a2a: true }
    os = await (name === "embedded" ? startEmbedded() : startAgentOs(name, mode))
    found = await conformanceOf(os)
  })
  afterAll(() => os.close())

  test("conformance: it deviates in what is listed, and in nothing else", () => {
    const listed = deviationsOf(name)
    const deviating = found.results.filter(({ outcome }) => outcome.kind === "deviates")
    const isListed = (one: ListedDeviation, says: string) => one.claims.test(says)

    const strange = deviating.filter(({ says }) => !listed.some((one) => isListed(one, says)))
    const needless = listed.filter((one) => !deviating.some(({ says }) => isListed(one, says)))

    expect(strange).toEqual([])
    expect(needless).toEqual([])
  })

  test("conformance: what was not tested has a reason that is known", () => {
    const strange = found.results.flatMap(({ outcome, says }) =>
      outcome.kind === "untested" ? [`${says}: ${outcome.why}`] : [],
    )

    expect(strange.filter((line) => !untested.some((known) => known.test(line)))).toEqual([])
  })

  test("conformance: nothing that was made is left", () => {
    expect(found).toMatchObject({ leftovers: [], interrupted: false })
    expect(os.executions()).toEqual([])
  })
})
