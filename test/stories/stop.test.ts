// Somebody stops what agents ask for, while people press on two replicas (R21).

import { describe, expect, it, test } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import type { Stoppable } from "../../src/domain/order/stop.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { anApproval } from "../support/builders.ts"
import { anOperator } from "../support/orders.ts"
import { type LedgerLine, stopBreaches } from "../support/stop-oracle.ts"
import { aWorld } from "./a-world.ts"
import {
  approveFromOldScreen,
  ask,
  card,
  cards,
  decided,
  onScreen,
  press,
  record,
  settled,
  told,
  until,
} from "./acts.ts"
import { linesOf, ordersOf } from "./orders.ts"
import { type Row, sandboxCast, type World } from "./world.ts"

const refund = { match: { tool: ["refund_*"] }, by: anOperator(), reason: "runaway refunds", until: null }

/** What each of these approvals is about, by its case. */
function subjectsOf({ installation }: World, rows: readonly Row[]): ReadonlyMap<string, Stoppable> {
  return new Map(
    rows.map(({ id, tool_name: toolName }) => {
      const approval = anApproval({ id, toolName: String(toolName), requirements: null })
      return [caseIdOf(installation, "main", id), { instance: "main", approval }]
    }),
  )
}

const mayApprove = (here: World, words: string) => cards(here, words)[0]?.buttons.includes(actionIds.approve)

describe.each(["socket", "http"] as const)("in %s mode a stop", (mode) => {
  it("R21 holds at once on two replicas while people press, and what was not pressed since its end is not sent", async () => {
    const here = await aWorld({ mode })
    await here.start()
    const names = Array.from({ length: 8 }, (_, n) => `refund_${n}_order`)
    const rows: Row[] = []
    for (const name of names) rows.push(await ask(here, { tool_name: name }))
    const other = await ask(here, { tool_name: "send_mail" })
    const open = await Promise.all(names.map((name) => card(here, name)))
    await card(here, "send_mail")
    const orders = await ordersOf(here)
    // Somebody still has this card before them as it was, when it has no Approve any more.
    const oldScreen = onScreen(here, open[7]?.ts ?? "")

    const early = open.slice(0, 4).map((one) => press(here, sandboxCast.alice, one, "approve"))
    const stopping = orders.stop({ ...refund, at: Date.now() })
    const late = open.slice(4, 7).map((one) => press(here, sandboxCast.alice, one, "approve"))
    const made = await stopping
    await Promise.all([...early, ...late])
    if (made.kind !== "stopped") throw new Error("nothing was stopped")
    await approveFromOldScreen(here, sandboxCast.alice, oldScreen)
    await told(here, sandboxCast.alice, "Stopped by")
    const left = await until("every case under the stop to say so", async () => {
      const now = await Promise.all(rows.map(({ id }) => record(here, id)))
      const pending = names.filter((_, at) => now[at]?.status === "pending")
      return pending.every((name) => cards(here, name)[0]?.words.includes("Stopped")) ? pending : undefined
    })

    expect(left).toContain("refund_7_order")
    expect(left.map((name) => mayApprove(here, name))).toEqual(left.map(() => false))
    expect(stopBreaches(await linesOf(here), subjectsOf(here, rows))).toEqual([])
    await press(here, sandboxCast.bob, await card(here, "send_mail"), "approve")
    expect(await decided(here, other.id)).toMatchObject({ status: "approved" })

    await orders.end(made.stop.id, { by: anOperator(), at: Date.now() })
    await until("the cards to have Approve again", () =>
      left.every((name) => mayApprove(here, name)) ? true : undefined,
    )
    for (const name of left)
      expect(await record(here, rows[names.indexOf(name)]?.id ?? "")).toMatchObject({ status: "pending" })
    await press(here, sandboxCast.alice, await card(here, "refund_7_order"), "approve")
    expect(await decided(here, rows[7]?.id ?? "")).toMatchObject({ status: "approved" })
    await settled(here, "refund_7_order")
    expect(stopBreaches(await linesOf(here), subjectsOf(here, rows))).toEqual([])
  })
})

test("R21 the check of the ledger finds each breach, and nothing else", () => {
  const approval = anApproval({ toolName: "refund_1", requirements: null })
  const subjects = new Map([["c", { instance: "main", approval }]])
  const of = (kind: string, more: object = {}): LedgerLine => ({ chain: "case:c", event: { kind, ...more } })
  const config = (kind: string, more: object = {}): LedgerLine => ({ chain: "config", event: { kind, ...more } })
  const begun = config("stopped", { stop: "s", match: refund.match })
  const ended = config("stop-ended", { stop: "s" })
  const [vote, decision] = [of("voted", { verb: "approve" }), of("decided", { verb: "approve", decision: "d" })]
  const [sent, continued] = [of("sent", { decision: "d" }), of("continued")]
  const all = [vote, decision, sent, continued]

  expect(stopBreaches([...all, begun, of("voted", { verb: "reject" }), ended, ...all], subjects)).toEqual([])
  expect(stopBreaches([begun, ...all, ended], subjects)).toEqual([
    "entry 2: voted under stop s",
    "entry 3: decided under stop s",
    "entry 4: sent under stop s",
    "entry 5: continued under stop s",
  ])
  expect(stopBreaches([config("orders-unknown", { stop: "u" }), vote], subjects)).toHaveLength(1)
})
