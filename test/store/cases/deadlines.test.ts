// Deadlines in a real Redis: the index that says what is due next, written in the commit of its case.

import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { expire, remind } from "../../../src/domain/case/deadline-steps.ts"
import { settle } from "../../../src/domain/case/verdict.ts"
import { noTime } from "../../../src/domain/policy/timing.ts"
import { anApproval, noon, type OpenStore, openingOf, openStore } from "../support.ts"

/** A committed case with a reminder after `ms` and its expiry after a minute. */
async function timedCase(open: OpenStore, id: string, ms: number): Promise<Case> {
  const { next, events } = openingOf(open.installation, anApproval({ id }))
  const deadlines = [
    { kind: "remind", at: noon + ms },
    { kind: "expire", at: noon + 60_000, reject: true },
  ] as const
  return committed(open, { next: { ...next, time: { ...noTime, deadlines } }, events }, 0)
}

async function committed(
  open: OpenStore,
  step: Pick<Parameters<OpenStore["store"]["cases"]["commit"]>[0], "next" | "events">,
  expectedVersion: number,
): Promise<Case> {
  const done = await open.store.cases.commit({ ...step, expectedVersion })
  if (done.kind !== "committed") throw new Error(`the case was not committed: ${done.kind}`)
  return done.case
}

test("what is due next comes first, and goes on with its case", async () => {
  const open = await openStore()
  const { cases } = open.store
  const late = await timedCase(open, "a-1", 2_000)
  const early = await timedCase(open, "a-2", 1_000)

  expect(await cases.deadlines(5)).toEqual([
    { caseId: early.id, at: noon + 1_000 },
    { caseId: late.id, at: noon + 2_000 },
  ])
  expect(await cases.deadlines(1)).toEqual([{ caseId: early.id, at: noon + 1_000 }])
  expect(await cases.deadlines(0)).toEqual([])

  const reminded = await committed(open, remind(early, { people: [], more: 0 }, noon + 1_000), 1)
  expect(await cases.deadlines(5)).toEqual([
    { caseId: late.id, at: noon + 2_000 },
    { caseId: early.id, at: noon + 60_000 },
  ])
  const expired = await committed(open, expire(reminded, noon + 60_000), 2)
  expect(await cases.read(expired.id)).toEqual(expired)
  expect(await cases.deadlines(5)).toContainEqual({ caseId: early.id, at: noon + 60_000 })
})

test("nothing is due on a case that is settled or frozen, or whose rules say nothing of time", async () => {
  const open = await openStore()
  const { cases } = open.store
  const [first, second] = [await timedCase(open, "a-1", 1_000), await timedCase(open, "a-2", 2_000)]
  await committed(open, openingOf(open.installation, anApproval({ id: "a-3" })), 0)

  await committed(open, settle(first, { kind: "vanished", at: noon }, { kind: "vanished", at: noon }), 1)
  await cases.freeze(second.id, [{ kind: "frozen", at: noon, why: "a test" }])

  expect(await cases.deadlines(5)).toEqual([])
})
