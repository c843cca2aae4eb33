// What replicas remember of paused runs that nobody is asked about.

import { expect, test } from "vitest"
import type { Pauses } from "../../../src/flow/ports.ts"
import { openStore } from "../support.ts"

const known: Pauses = {
  listedTo: 2_000,
  unread: [{ sessionId: "s-1", changedAt: 2_000 }],
  paused: [
    {
      runId: "run-1",
      sessionId: "s-2",
      runner: "agents",
      component: "cache-agent",
      calls: ["c-1"],
      tools: ["clear_cache"],
      since: 1_000,
      toldAt: null,
    },
  ],
}

test("what one replica remembers all know, each instance by itself, for a month", async () => {
  const one = await openStore()
  const other = await openStore({ installation: one.installation, revision: null })

  await one.store.pauses.save("main", known)

  expect(await other.store.pauses.read("main")).toEqual(known)
  expect(await other.store.pauses.read("second")).toBeNull()
  const left = await one.connection.commands.pttl(one.store.keys.pauses("main").record)
  expect(left).toBeGreaterThan(29 * 86_400_000)
})

test("one replica has the turn, until it is over", async () => {
  const one = await openStore()
  const other = await openStore({ installation: one.installation, revision: null })

  const turns = await Promise.all([one, other].map(({ store }) => store.pauses.takeTurn("main", 60_000)))

  expect(turns.filter(Boolean)).toHaveLength(1)
  expect(await one.store.pauses.takeTurn("main", 60_000)).toBe(false)
  expect(await one.store.pauses.takeTurn("second", 60_000)).toBe(true)
  expect(await one.connection.commands.pttl(one.store.keys.pauses("main").turn)).toBeGreaterThan(50_000)
})

test("R15 no name stands in Redis in clear, and what we did not write is passed over", async () => {
  const { store, connection } = await openStore()
  const { commands } = connection
  const { record } = store.keys.pauses("main")

  await store.pauses.save("main", known)

  expect(String(await commands.getBuffer(record))).not.toContain("cache-agent")
  await commands.set(record, "1")
  expect(await store.pauses.read("main")).toBeNull()
})
