// What replicas tell each other of polls.

import { expect, test } from "vitest"
import { openStore } from "../support.ts"

test("what one replica notes of polls all know, each instance and each end by itself", async () => {
  const one = await openStore()
  const other = await openStore({ installation: one.installation, revision: null })
  const failure = { at: 2_000, why: "agents.example.com: answered 401", refused: true }

  await one.store.polls.succeeded("main", 1_000)
  await other.store.polls.failed("main", failure)
  await other.store.polls.saw("main", { at: 3_000, named: ["a-1"] })
  await one.store.polls.told("token-refused main")

  const known = await other.store.polls.read()
  expect(known.of("main")).toEqual({ polledAt: 1_000, failure, sighting: { at: 3_000, named: ["a-1"] } })
  expect(known.of("second")).toEqual({ polledAt: null, failure: null, sighting: null })
  expect(known.told).toEqual(new Set(["token-refused main"]))
  await other.store.polls.over("token-refused main")
  expect((await one.store.polls.read()).told).toEqual(new Set())
})

test("R15 the platform's words do not stand in Redis in clear, and what we did not write is passed over", async () => {
  const { store, connection } = await openStore()
  await store.polls.succeeded("main", 1_000)
  await store.polls.failed("main", { at: 2_000, why: "bob@example.com may not", refused: true })
  const { commands } = connection
  const fields = await commands.hgetallBuffer(store.keys.polls)

  expect(Object.values(fields).map(String).join()).not.toContain("bob@example.com")
  await commands.hset(store.keys.polls, "failed main", fields["polled main"] ?? "")
  await commands.hset(store.keys.polls, "polled main", "1")
  expect((await store.polls.read()).of("main")).toEqual({ polledAt: null, failure: null, sighting: null })
})
