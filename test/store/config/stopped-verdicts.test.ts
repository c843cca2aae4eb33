// The end of a stop: what was decided before it, and may be on its way, is only read from then on (R9, R21).
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { decide, doubtStopped } from "../../../src/domain/case/verdict.ts"
import { aVote } from "../../support/builders.ts"
import { anOperator } from "../../support/orders.ts"
import { anApproval, committedCase, entriesOf, noon, type OpenStore, openStore } from "../support.ts"

const ordered = { by: anOperator(), reason: "runaway", at: noon, until: null }
const shared = noon + 1_000

/** A case whose verdict was made, and nobody knows whether it left. */
async function onItsWay(open: OpenStore, id: string, verb: "approve" | "reject" = "approve"): Promise<Case> {
  const current = await committedCase(open, anApproval({ id, toolName: id, requirements: null }))
  const votes = [aVote({ caseId: current.id, verb })]
  const step = decide(current, { id: `decision-${id}`, verb, votes, at: noon }, "{}")
  const done = await open.store.cases.commit({ ...step, expectedVersion: current.version })
  if (done.kind !== "committed") throw new Error(done.kind)
  return done.case
}

async function stopped(open: OpenStore, tool: readonly string[]): Promise<string> {
  const done = await open.store.config.orders.stop({ ...ordered, match: { tool: [...tool] } })
  if (done.kind !== "stopped") throw new Error(done.kind)
  return done.stop.id
}

/** A shell beside a replica: it has no config of its own. */
async function aShell({ installation }: OpenStore): Promise<OpenStore> {
  return openStore({ installation, revision: null, sharedClock: () => shared })
}

function sendingIn({ store }: OpenStore) {
  return async ({ id }: Case) => {
    const found = await store.cases.read(id)
    return found !== null && !("kind" in found) ? found.sending : null
  }
}

test("R21 a verdict that may be on its way when a stop comes is only read after its end, and no other is", async () => {
  const open = await openStore()
  const shell = await aShell(open)
  const covered = await onItsWay(open, "refund_1")
  const rejected = await onItsWay(open, "refund_2", "reject")
  const other = await onItsWay(open, "send_mail")
  const id = await stopped(shell, ["refund_*"])

  await shell.store.config.orders.end(id, { by: anOperator(), at: noon })

  const sending = sendingIn(open)
  expect(await sending(covered)).toMatchObject({ stopped: true, doubtfulAt: shared })
  for (const one of [rejected, other]) expect(await sending(one)).not.toHaveProperty("stopped")
  const told = (await entriesOf(open)).slice(-2).map((entry) => entry?.event)
  expect(told).toMatchObject([
    { kind: "doubtful", decision: "decision-refund_1", why: "stopped" },
    { kind: "stop-ended", stop: id },
  ])
})

test("R21 what is read only already, and what changes meanwhile, holds up no end of a stop", async () => {
  const open = await openStore()
  const shell = await aShell(open)
  const covered = await onItsWay(open, "refund_1")
  const noted = doubtStopped(covered, noon + 5)
  if (noted === null) throw new Error("it is read only already")
  await open.store.cases.commit({ ...noted, expectedVersion: covered.version })
  const id = await stopped(shell, ["refund_*"])

  expect(await shell.store.config.orders.end(id, { by: anOperator(), at: noon })).toMatchObject({ id })

  expect(await sendingIn(open)(covered)).toMatchObject({ doubtfulAt: noon + 5 })
})
