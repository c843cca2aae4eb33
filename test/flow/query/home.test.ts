// Home: what waits is read once, however much of it a Home shows.
import { expect, test } from "vitest"
import type { Home } from "../../../src/flow/ports/inbound.ts"
import type { ListQuery } from "../../../src/flow/ports.ts"
import { openHome, refreshHomes } from "../../../src/flow/query/home.ts"
import { anApproval } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { announced } from "../support.ts"

test("what waits is read once for all that Home shows of it", async () => {
  const world = createWorld()
  for (const id of ["a-1", "a-2", "a-3"]) await announced(world, anApproval({ id, runId: id }))
  const reads: ListQuery[] = []
  const { store } = world.ports
  const listOpen: typeof store.listOpen = (query) => {
    reads.push(query)
    return store.listOpen(query)
  }

  const shown: Home[] = []
  const publishHome = async (_user: string, home: Home) => void shown.push(home)
  const ports = { ...world.ports, store: { ...store, listOpen }, chat: { ...world.ports.chat, publishHome } }

  await openHome(ports, { team: "T1", user: "U1" })

  expect(reads).toHaveLength(1)
  expect(shown.map(({ waiting, mine }) => [waiting, mine.total])).toEqual([[3, 3]])
})

test("a Home that Slack does not take because it refuses our token is drawn again once it does", async () => {
  const world = createWorld()
  await openHome(world.ports, { team: "T1", user: "U1" })
  await announced(world)
  const shown: Home[] = []
  let refused = true
  const publishHome = async (_user: string, home: Home) => {
    if (refused) throw chatFailure("invalid_auth", { retryable: false })
    shown.push(home)
  }
  const ports = { ...world.ports, chat: { ...world.ports.chat, publishHome } }

  await refreshHomes(ports)
  refused = false
  await refreshHomes(ports)

  expect(shown.map(({ waiting }) => waiting)).toEqual([1])
})
