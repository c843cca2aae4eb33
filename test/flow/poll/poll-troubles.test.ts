// Instances that no replica reads, or that refuse our credential: one alarm each for all replicas, and again only after
// it was over.

import { expect, test } from "vitest"
import { notePoll, poll } from "../../../src/flow/poll/poll.ts"
import { pollTroubles, tellPollTroubles } from "../../../src/flow/poll/poll-troubles.ts"
import { anApproval } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { platformFailure } from "../../support/port-failure.ts"

const wordsOf = (error: unknown) => `agents.example.com: ${error instanceof Error ? error.message : ""}`

/** One poll that goes well, or fails with this code. */
async function polled(world: World, code?: string): Promise<void> {
  const run = async () => {
    if (code !== undefined) throw platformFailure(code)
  }
  await notePoll(world.ports, { instance: "main", run, wordsOf }).catch(() => undefined)
}

/** What a sweep sees after this many ms. */
async function swept(world: World, ms: number, startedAt = noon): Promise<readonly string[]> {
  world.clock.forward(ms)
  await tellPollTroubles(world.ports, startedAt)
  return world.alarmCodes()
}

/** What `/status` says. */
async function told(world: World): Promise<readonly string[]> {
  const found = await pollTroubles(world.ports, noon)
  return found.flatMap(({ there, why }) => (there ? [why] : []))
}

test("an instance that no replica has polled for three intervals, and at least 30 s, is one alarm with host and cause", async () => {
  const world = createWorld()
  await polled(world)
  world.clock.forward(20_000)
  await polled(world, "unreachable")

  expect(await swept(world, 10_000)).toEqual([])
  expect(await swept(world, 1)).toEqual(["instance-not-polled"])
  expect(await swept(world, 60_000)).toEqual(["instance-not-polled"])
  expect(world.alarms[0]).toMatchObject({
    instance: "main",
    why: "no replica has read its approvals for 30 s; the last poll failed: agents.example.com: PlatformError: unreachable",
  })
})

test("three intervals are waited for where they last longer", async () => {
  const world = createWorld({ conduct: { pollMs: 60_000 } })
  await polled(world)

  expect(await swept(world, 180_000)).toEqual([])
  expect(await swept(world, 1)).toEqual(["instance-not-polled"])
})

test("one that was never polled since the start is an alarm too, and one that was not polled before the start is none yet", async () => {
  const never = createWorld()
  expect(await swept(never, 30_001)).toEqual(["instance-not-polled"])
  expect(never.alarms[0]).toMatchObject({ why: "no replica has read its approvals yet; no poll has ended meanwhile" })

  const before = createWorld()
  await polled(before)
  before.clock.forward(3_600_000)
  expect(await swept(before, 0, noon + 3_600_000)).toEqual([])
  expect(await swept(before, 30_001, noon + 3_600_000)).toEqual(["instance-not-polled"])
})

test("a replica that starts meanwhile does not take it for over, and it is told again after it was well", async () => {
  const world = createWorld()
  await swept(world, 40_000)

  const restarted = world.clock.now()
  expect(await swept(world, 1_000, restarted)).toEqual(["instance-not-polled"])
  expect(await swept(world, 40_000, restarted)).toEqual(["instance-not-polled"])
  await polled(world)
  await swept(world, 1_000, restarted)
  expect(await swept(world, 30_000, restarted)).toEqual(["instance-not-polled", "instance-not-polled"])
})

test.each(["unauthorized", "forbidden"])(
  "a credential that is refused (%s) is an alarm at once, and once",
  async (code) => {
    const world = createWorld()
    await polled(world)
    world.clock.forward(1_000)
    await polled(world, code)

    expect(await swept(world, 0)).toEqual(["token-refused"])
    expect(await swept(world, 5_000)).toEqual(["token-refused"])
    expect(await told(world)).toEqual([
      `it refuses Countersign's own credential, or cannot check it: agents.example.com: PlatformError: ${code}`,
    ])
  },
)

test("an outage between two refusals is no end of them; a poll that goes well is", async () => {
  const world = createWorld()
  for (const code of ["unauthorized", "timeout", "unauthorized"]) {
    await polled(world, code)
    await swept(world, 1_000)
  }
  await polled(world, "busy")
  expect(world.alarmCodes()).toEqual(["token-refused"])
  expect(await told(world)).toEqual([expect.stringContaining("refuses Countersign's own credential")])

  await polled(world)
  await swept(world, 1_000)
  expect(await told(world)).toEqual([])
  await polled(world, "unauthorized")
  expect(await swept(world, 1_000)).toEqual(["token-refused", "token-refused"])
})

test("a poll fails as it fails, and goes well, whether or not Redis takes the note", async () => {
  const world = createWorld()
  const away = async () => {
    throw platformFailure("redis-unreachable")
  }
  const ports = { ...world.ports, polls: { ...world.ports.polls, succeeded: away, failed: away } }
  const poll = (run: () => Promise<void>) => notePoll(ports, { instance: "main", run, wordsOf })

  await expect(poll(async () => undefined)).resolves.toBeUndefined()
  await expect(poll(() => Promise.reject(platformFailure("timeout")))).rejects.toMatchObject({ code: "timeout" })
})

test("a poll that opens thousands is no trouble while it gets on, and one that stands still is", async () => {
  const world = createWorld()
  await polled(world)
  const during: (readonly string[])[] = []
  const run = async (gettingOn: () => Promise<void>) => {
    for (let page = 0; page < 8; page += 1) {
      await gettingOn()
      during.push(await swept(world, 6_000))
    }
    during.push(await swept(world, 31_000))
  }

  await notePoll(world.ports, { instance: "main", run, wordsOf })

  expect(during.at(-2)).toEqual([])
  expect(during.at(-1)).toEqual(["instance-not-polled"])
})

test("a poll tells after each page that it gets on", async () => {
  const world = createWorld()
  for (let at = 0; at < 150; at += 1) world.platform.put(anApproval({ id: `a-${at}` }))
  let pages = 0

  await poll(world.ports, "main", { onPage: async () => void (pages += 1) })

  expect(pages).toBeGreaterThan(1)
})

test("an instance that this replica leaves to others is judged by them", async () => {
  const world = createWorld()
  world.clock.forward(60_000)

  await tellPollTroubles({ ...world.ports, platforms: new Map() }, noon)

  expect(world.alarmCodes()).toEqual([])
})
