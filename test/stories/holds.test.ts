// Somebody sets a hold while two replicas are about to forget what was approved (R15).

import { expect, test } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { openStore } from "../store/support.ts"
import { anOperator } from "../support/orders.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, decided, press, until } from "./acts.ts"
import { sandboxCast, sealKey } from "./world.ts"

test("R15 what two replicas have not forgotten when a hold begins stays, though its time is over just then", async () => {
  const here = await aWorld({ more: "retain_arguments: 5s" })
  await here.start()
  const { store } = await openStore({ installation: here.installation, key: sealKey, revision: null })
  const names = Array.from({ length: 8 }, (_none, at) => `refund_${at}_order`)
  const rows = await Promise.all(names.map((name) => ask(here, { tool_name: name, tool_args: { invoice: name } })))
  /** Of each closed case that still has its arguments, until when it has them. */
  const kept = async () => {
    const cases = await Promise.all(rows.map(({ id }) => store.cases.read(caseIdOf(here.installation, "main", id))))
    return new Map(
      cases.flatMap((one) => (one === null || "kind" in one || one.kept === undefined ? [] : [[one.id, one.kept]])),
    )
  }
  await Promise.all(names.map(async (name) => press(here, sandboxCast.alice, await card(here, name), "approve")))
  await Promise.all(rows.map(({ id }) => decided(here, id)))
  await until("the time of a case to be nearly over", async () =>
    [...(await kept()).values()].some((one) => one.until - Date.now() < 100) ? true : undefined,
  )

  const of = { kind: "tool", value: "refund_*" } as const
  await store.config.orders.beginHold({ of, by: anOperator(), reason: "lawsuit 12", at: Date.now() })
  const then = await kept()
  const later = await until("the replicas to have looked at each case that was kept", async () => {
    const now = await kept()
    const looked = [...then.keys()].every((id) => (now.get(id)?.until ?? Number.MAX_VALUE) > Date.now() + 3_600_000)
    return looked ? now : undefined
  })

  expect(then.size).toBeGreaterThan(0)
  for (const [id, { approval }] of then) expect(later.get(id)?.approval).toEqual(approval)
})
