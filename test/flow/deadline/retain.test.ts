// Retention: what settled long enough ago is removed, and said so; what is not closed yet is left.

import { expect, test } from "vitest"
import { noOrders } from "../../../src/domain/order/orders.ts"
import { createRetaining } from "../../../src/flow/deadline/retain.ts"
import type { Retention } from "../../../src/flow/ports.ts"
import { aClock, noon } from "../../support/clock.ts"

const noHolds = { orders: () => noOrders, saidHolds: [] }

/** Cases by when they settled; those of `open` are not closed. */
function aRetention(settled: Map<string, number>, open: readonly string[] = []): Retention {
  return {
    due: async (before, { offset, limit }) => {
      const due = [...settled].filter(([, at]) => at < before).toSorted(([, a], [, b]) => a - b)
      return due.slice(offset, offset + limit).map(([id]) => id)
    },
    remove: async (caseId) => {
      if (open.includes(caseId) || !settled.delete(caseId)) return null
      return { approval: `approval of ${caseId}`, instance: "main", erasables: 2, receipts: 1 }
    },
  }
}

function aLog() {
  const lines: Readonly<Record<string, unknown>>[] = []
  const none = () => undefined
  const info = (event: string, fields = {}) => void lines.push({ event, ...fields })
  return { lines, debug: none, info, warn: none, error: none }
}

test("only what is older than the config keeps it goes, one line each", async () => {
  const settled = new Map([
    ["old", noon - 11],
    ["young", noon - 10],
  ])
  const log = aLog()

  await createRetaining()({ ...noHolds, retention: aRetention(settled), keepMs: 10, clock: aClock().now, log })

  expect([...settled.keys()]).toEqual(["young"])
  expect(log.lines).toEqual([
    { event: "case-removed", caseId: "old", approval: "approval of old", instance: "main", erasables: 2, receipts: 1 },
  ])
})

test("a case that is not closed blocks none of those behind it, however many there are", async () => {
  const ids = Array.from({ length: 450 }, (_, index) => `c-${index}`)
  const settled = new Map(ids.map((id, index) => [id, noon - 1_000 + index]))
  const open = ids.slice(0, 210)

  const retention = aRetention(settled, open)
  await createRetaining()({ ...noHolds, retention, keepMs: 10, clock: aClock().now, log: aLog() })

  expect([...settled.keys()]).toEqual(open)
})

test("a case on hold stays, is looked at once, and goes when the holds are others", async () => {
  const settled = new Map([
    ["held", noon - 12],
    ["old", noon - 11],
  ])
  let held = true
  const looked: string[] = []
  const own = aRetention(settled)
  const remove: Retention["remove"] = async (caseId, order) => {
    looked.push(caseId)
    return held && caseId === "held" ? "on-hold" : own.remove(caseId, order)
  }
  const retaining = createRetaining()
  const options = {
    retention: { ...own, remove },
    keepMs: 10,
    clock: aClock().now,
    log: aLog(),
    orders: () => noOrders,
  }
  const saidHolds = [{ kind: "case", value: "held" }] as const

  await retaining({ ...options, saidHolds })
  await retaining({ ...options, saidHolds })
  const meanwhile = [...settled.keys()]
  held = false
  await retaining({ ...options, saidHolds: [] })

  expect(meanwhile).toEqual(["held"])
  expect(looked).toEqual(["held", "old", "held"])
  expect([...settled.keys()]).toEqual([])
})
