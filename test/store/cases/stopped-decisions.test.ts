// The approvals that a stop covers, as the store tells them to gates.
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { longestReceiptLifeMs } from "../../../src/domain/case/receipt.ts"
import { close, decide, settle } from "../../../src/domain/case/verdict.ts"
import type { Verb } from "../../../src/domain/policy/judge.ts"
import { aVote } from "../../support/builders.ts"
import { aStop } from "../../support/orders.ts"
import { anApproval, committedCase, noon, type OpenStore, openStore } from "../support.ts"

const hour = 3_600_000
const refunds = { stops: [aStop({ match: { tool: ["refund_*"] } })] }

/** A case about a tool that was decided, and whose decision the platform holds. */
async function decidedCase(
  open: OpenStore,
  id: string,
  decision: { readonly tool?: string; readonly verb?: Verb } = {},
) {
  const { tool = "refund_order", verb = "approve" } = decision
  const current = await committedCase(open, anApproval({ id, toolName: tool, requirements: null }))
  const votes = [aVote({ user: "U1", caseId: current.id, verb })]
  const sent = await committed(
    open,
    decide(current, { id: `d-${id}`, verb, votes, at: noon, expiresAt: noon + hour }, "{}"),
  )
  const outcome = { kind: "ours", verb, decisionId: `d-${id}`, resolvedBy: "slack:U1", at: noon } as const
  const event = {
    kind: "resolved",
    at: noon,
    decision: `d-${id}`,
    verb,
    resolvedBy: "slack:U1",
    sandbox: false,
  } as const
  return { sent, settle: () => committed(open, settle(sent, outcome, event)) }
}

async function committed({ store }: OpenStore, { next, events }: ReturnType<typeof decide>): Promise<Case> {
  const done = await store.cases.commit({ next, events, expectedVersion: next.version })
  if (done.kind !== "committed") throw new Error(`the step is ${done.kind}`)
  return done.case
}

test("R21 approvals under a stop are told from the decision on, settled and closed, and nothing else is", async () => {
  const open = await openStore()
  const { stopped } = open.store
  await decidedCase(open, "sending")
  await (await decidedCase(open, "settled")).settle()
  const kept = { blankAfterMs: null, retainArgumentsMs: hour }
  await committed(open, close(await (await decidedCase(open, "closed")).settle(), noon, kept))
  await (await decidedCase(open, "other", { tool: "send_mail" })).settle()
  await committed(open, close(await (await decidedCase(open, "mailed", { tool: "send_mail" })).settle(), noon, kept))
  await (await decidedCase(open, "rejected", { verb: "reject" })).settle()
  await committedCase(open, anApproval({ id: "open", toolName: "refund_order", requirements: null }))

  const told = { ids: ["d-closed", "d-sending", "d-settled"], cut: false }
  expect(await stopped.read(noon, refunds)).toEqual(told)
  expect(await stopped.read(noon, refunds)).toEqual(told)
  expect(await stopped.read(noon, { stops: [] })).toEqual({ ids: [], cut: false })
  expect((await stopped.read(noon, { stops: [aStop()] })).ids).toHaveLength(5)
  expect(await open.store.toldGates.count(noon, refunds)).toBe(3)
  expect(await open.store.toldGates.count(noon, { stops: [] })).toBe(0)
})

test("R21 what was settled after a look is told at the next, and a receipt that counts no more is not", async () => {
  const open = await openStore()
  const { stopped } = open.store
  const one = await decidedCase(open, "one")
  await stopped.read(noon, refunds)

  await one.settle()
  await (await decidedCase(open, "two")).settle()

  expect((await stopped.read(noon + hour, refunds)).ids).toEqual(["d-one", "d-two"])
  expect((await stopped.read(noon + 2 * hour + 1, refunds)).ids).toEqual([])
})

test("R21 a closed case of which nothing is kept counts as covered for as long as any receipt lives", async () => {
  const open = await openStore()
  await committed(open, close(await (await decidedCase(open, "gone", { tool: "send_mail" })).settle(), noon))
  const byAgent = { stops: [aStop({ match: { agent: ["billing"] } })] }

  const { read } = open.store.stopped
  expect((await read(noon + longestReceiptLifeMs, byAgent)).ids).toEqual(["d-gone"])
  expect((await read(noon + longestReceiptLifeMs, refunds)).ids).toEqual([])
  expect((await read(noon + longestReceiptLifeMs + hour + 1, byAgent)).ids).toEqual([])
})
