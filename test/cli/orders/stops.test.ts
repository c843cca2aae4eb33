// countersign stop and countersign stops, as a terminal runs them (R21).

import { expect, test } from "vitest"
import { stop } from "../../../src/cli/orders/stops.ts"
import { CommandError } from "../../../src/cli/terminal.ts"
import { decide } from "../../../src/domain/case/verdict.ts"
import { ordererWords } from "../../../src/domain/people/orderer.ts"
import { committedCase, type OpenStore } from "../../store/support.ts"
import { anApproval, aVote } from "../../support/builders.ts"
import { aTerminalPlace } from "./a-terminal-place.ts"

const deaf = { out: () => undefined, err: () => undefined }

/** An installation with one open case on a Redis of its own, and a terminal. */
async function aPlace() {
  const place = await aTerminalPlace()
  await committedCase(place, anApproval({ agentId: "billing-agent" }))
  return place
}

/** A case whose agent is unknown, and one that was approved and is on its way to the platform. */
async function beside(open: OpenStore) {
  const at = Date.now()
  await committedCase(open, anApproval({ id: "unknown", agentId: null }))
  const asked = anApproval({ id: "sent", agentId: "billing-agent", toolName: "refund", requirements: null })
  const current = await committedCase(open, asked)
  const votes = [aVote({ user: "U0ALICE", caseId: current.id, verb: "approve" })]
  const { next, events } = decide(current, { id: "d", verb: "approve", votes, at, expiresAt: at + 3_600_000 }, "{}")
  await open.store.cases.commit({ next, events, expectedVersion: next.version })
}

test("R21 a stop is made, listed, told by the doctor, and ended, and each act is an entry", async () => {
  const { countersign, ...open } = await aPlace()
  const { store } = open
  await beside(open)
  expect((await countersign("stops")).out).toContain("nothing is stopped")

  const made = await countersign("stop", "agent:billing-agent", "runaway", "refunds", "--for", "2h")
  const again = await countersign("stop", "agent:billing-agent", "me", "too", "--for", "1h")
  const [stop] = JSON.parse((await countersign("stops", "--json")).out)
  const listed = await countersign("stops")
  const seen = await countersign("doctor", "--json")
  const ended = await countersign("stops", "end", stop.id)

  expect(made).toMatchObject({ code: 0, out: expect.stringContaining("Stopped: ") })
  expect(made.out).toContain(`agent:billing-agent  by ${ordererWords(stop.by)} since `)
  expect(made.out).toContain("Open approvals under it: 2, 1 of them only because the platform leaves a field null.")
  expect(made.out).toContain("Approvals given before that gates at tools refuse meanwhile: 1.")
  expect(made.out).toMatch(/On the way already, so it may have run: refund of Agent One \(decided \d{4}-.*Z\)\./)
  expect(made.out).toContain(`countersign stops end ${stop.id}`)
  expect(again.out).toContain(`Stopped already: ${stop.id}`)
  expect(stop).toMatchObject({ match: { agent: ["billing-agent"] }, reason: "runaway refunds" })
  expect(stop.until - stop.at).toBe(7_200_000)
  expect(listed.out).toContain(": runaway refunds")
  expect(JSON.parse(seen.out).findings[0]).toMatchObject({
    area: "stops",
    level: "warn",
    what: expect.stringContaining("stopped is agent:billing-agent"),
    todo: expect.stringContaining(stop.id),
  })
  expect(ended).toMatchObject({ code: 0, out: expect.stringContaining(`Ended: ${stop.id}`) })
  expect((await store.config.orders.list()).stops).toEqual([])
  expect((await store.verifyLedger()).problem).toBeNull()
})

test.each([
  [["agnet:a", "why"], "there is no word agnet:a (agent:a, perhaps)"],
  [["why"], "say first what to stop"],
  [["agent:a"], "say why, behind what to stop"],
  [["agent:a", "x".repeat(1_001)], "say why in at most 1000 characters"],
  [["agent:", "a"], "agent: names nothing: write the name behind it without a space"],
  [[`agent:${"a".repeat(301)}`, "why"], "is longer than 300 characters"],
  [["everything", "agent:a", "why"], "everything leaves nothing over"],
  [["everything", "for:soon", "why"], "for:soon is no time: write a number with m, h or d"],
  [["everything", "for:2h", "why"], "it says twice for how long: say that once"],
])("R21 countersign stop %j says what to write instead, and stops nothing", async (words, said) => {
  const lasting = words.includes("for:2h") ? { for: "1h" } : {}
  const heard = await stop(deaf, words, lasting).catch((error: unknown) => error)

  expect(heard).toBeInstanceOf(CommandError)
  expect(String(heard)).toContain(said)
  expect(String(heard)).toMatch(/\. Nothing is stopped$/)
})

test("R21 bad words stop nothing, and the likely word is named; no stop that is not there is ended", async () => {
  const { store, countersign } = await aPlace()

  const wrong = await countersign("stop", "agnet:billing", "runaway")
  const silent = await countersign("stop", "agent:billing")
  const wordless = await countersign("stop", "runaway")
  const none = await countersign("stops", "end", "3fa91c02")

  expect(wrong.err).toContain("there is no word agnet:billing (agent:billing, perhaps). Nothing is stopped")
  expect(silent.err).toContain("say why")
  expect(wordless.err).toContain("say first what to stop")
  expect(none.err).toContain("no stop 3fa91c02 is in force")
  expect([wrong, silent, wordless, none].map(({ code }) => code)).toEqual([1, 1, 1, 1])
  expect(await store.config.orders.list()).toEqual({ stops: [] })
})
