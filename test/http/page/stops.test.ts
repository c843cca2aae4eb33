// The stops above the list of the page.
import { expect, test } from "vitest"
import { unknownOrderer } from "../../../src/domain/people/orderer.ts"
import { stopsSection } from "../../../src/http/page/stops.ts"
import { noon } from "../../support/clock.ts"
import { aStop } from "../../support/orders.ts"

const shownOf = async (...stops: Parameters<typeof stopsSection>[0]) => (await stopsSection(stops)).toString()

test("without stops the page shows nothing of them", async () => {
  expect(await shownOf()).toBe("")
})

test("a stop says what it covers, who made it, since and until when, and why, and nothing of it becomes markup", async () => {
  const match = { agent: ["<b>billing agent"], tool: ["refund_*"] }
  const by = { kind: "person", team: "T1", user: "U1", name: "Ada <i>" } as const

  const text = await shownOf(aStop({ match, by, reason: "<script>", at: noon, until: noon + 3_600_000 }))

  expect(text).toContain(
    "<code><bdi>agent:&lt;b&gt;billing agent</bdi></code> and <code><bdi>tool:refund_*</bdi></code>",
  )
  expect(text).toContain('title="T1:U1">Ada &lt;i&gt;</bdi>')
  expect(text).toContain("“<bdi>&lt;script&gt;</bdi>”")
  expect(text).toContain("12:00:00&nbsp;UTC</time>, until <time")
  expect(text).toContain("Nothing that a stop covers is approved or let run")
})

test.each([
  [{ kind: "operator", name: "ops" }, "everything, by operator <bdi>ops</bdi> "],
  [{ kind: "caller", name: null }, "by somebody whose name was erased "],
  [unknownOrderer, "by Countersign itself "],
] as const)("a stop by %j says so", async (by, words) => {
  expect(await shownOf(aStop({ by }))).toContain(words)
})

test("of many stops some are named, and the others counted", async () => {
  const text = await shownOf(...Array.from({ length: 22 }, (_, n) => aStop({ id: `s-${n}` })))

  expect(text).toContain("2 more stops are in force")
  expect(text).not.toContain("stop s-20")
})
