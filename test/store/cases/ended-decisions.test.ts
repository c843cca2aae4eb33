// The decisions that ended without effect, as the store tells them to gates.
import { expect, test } from "vitest"
import type { Step } from "../../../src/domain/case/case.ts"
import { longestReceiptLifeMs } from "../../../src/domain/case/receipt.ts"
import { decide, reopen, settle } from "../../../src/domain/case/verdict.ts"
import { aVote } from "../../support/builders.ts"
import { committedCase, noon, openStore } from "../support.ts"

const outcome = { kind: "elsewhere", status: "rejected", resolvedBy: "boss", at: noon } as const
const elsewhere = {
  kind: "elsewhere",
  at: noon,
  status: "rejected",
  resolvedBy: "boss",
  claimsToBeOurs: false,
} as const

/** A case whose decision d-1 is on its way, and what becomes of it. */
async function afterDecision(end: (sending: Step["next"]) => Step) {
  const open = await openStore()
  const current = await committedCase(open)
  const votes = [aVote({ user: "U1", caseId: current.id })]
  const decided = decide(current, { id: "d-1", verb: "approve", votes, at: noon }, "{}")
  const sent = await open.store.cases.commit({ ...decided, expectedVersion: 1 })
  if (sent.kind !== "committed") throw new Error(`the decision is ${sent.kind}`)
  await open.store.cases.commit({ ...end(sent.case), expectedVersion: 2 })
  return open
}

test.each<[string, (sending: Step["next"]) => Step]>([
  ["that the platform refused", (sending) => reopen(sending, "403", noon)],
  ["in whose place the platform holds another", (sending) => settle(sending, outcome, elsewhere)],
])("a decision %s is told for as long as its receipt could be taken, and then forgotten", async (_what, end) => {
  const { store, connection } = await afterDecision(end)

  expect(await store.ended.read(noon + longestReceiptLifeMs)).toEqual({ ids: ["d-1"], cut: false })
  await store.cases.forgetOld({ at: noon + longestReceiptLifeMs, keepDays: 90 })
  expect(await connection.commands.exists(store.keys.ended)).toBe(1)
  expect(await store.ended.read(noon + longestReceiptLifeMs + 3_600_001)).toEqual({ ids: [], cut: false })
  await store.cases.forgetOld({ at: noon + longestReceiptLifeMs + 3_600_001, keepDays: 90 })
  expect(await connection.commands.exists(store.keys.ended)).toBe(0)
})

test("a decision that is on its way, and a case that was decided elsewhere before, are not told", async () => {
  const open = await openStore()
  const current = await committedCase(open)

  await open.store.cases.commit({ ...settle(current, outcome, elsewhere), expectedVersion: 1 })

  expect(await open.store.ended.read(noon)).toEqual({ ids: [], cut: false })
})

test("R14 what somebody wrote there is not told, nor what they copied to another decision", async () => {
  const { store, connection } = await afterDecision((sending) => reopen(sending, "403", noon))
  const sealed = (await connection.commands.hgetBuffer(store.keys.ended, "d-1")) ?? Buffer.of()

  await connection.commands.hset(store.keys.ended, { "d-2": sealed, "d-3": JSON.stringify({ until: noon * 2 }) })

  expect(await store.ended.read(noon)).toEqual({ ids: ["d-1"], cut: false })
})

test("the latest of more than ten thousand decisions are told, and that there are more", async () => {
  const { store, connection, seal } = await openStore()
  const { ended: key } = store.keys
  const sealedFor = (id: string, until: number) => seal.encrypt("ended", JSON.stringify({ until }), `${key} ${id}`)
  const many = Array.from({ length: 10_001 }, (_, at) => `d-${String(at).padStart(5, "0")}`)

  await connection.commands.hset(key, new Map(many.map((id, at) => [id, sealedFor(id, noon + at)])))

  const { ids, cut } = await store.ended.read(noon)
  expect(cut).toBe(true)
  expect(ids).toEqual(many.slice(1))
})
