// Redis as a whole is in an earlier state: somebody put it back, or a failover lost its last second. What people took
// back does not count again.
import { expect, it, onTestFinished } from "vitest"
import { doubtfulMs } from "../../src/flow/resolve/hold-back.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { mayLoseMs } from "../../src/store/freshness/known-ledger.ts"
import { alarms, ask, card, cardSaying, cards, press, record, until } from "../stories/acts.ts"
import { sandboxCast, startWorld, type World } from "../stories/world.ts"
import { limitMs, testMs } from "../support/limits.ts"
import { type OwnRedis, startOwnRedis } from "../support/redis.ts"
import { keepData, putBackData } from "../support/written-data.ts"
import { alarmsSince, anAttacker, nothingDone, noticed, onScreen, pressAndHear } from "./acts.ts"
import { halfApproved, pair, withdrawn } from "./votes.ts"

/** More than a failover loses, and the second in which a process looks at the ledger's end, in ms. */
const longAgoMs = 7_000

/** People press again when this has passed, in ms: a flood of presses would have to wait for Slack's pace. */
const againMs = 1_000

/**
 * How long it takes until people can decide anew after a failover, in ms. If Bob presses before the bot notices the
 * loss, a verdict is reached on the old vote: it is doubtful, is never sent, and ends after a minute (R17).
 */
const askedAgainMs = doubtfulMs + limitMs

/** Waits until what happened up to now is more than an honest failover can lose. */
async function longAfter(): Promise<void> {
  const end = Date.now() + longAgoMs
  await until("more than a lost second", () => (Date.now() > end ? true : undefined))
}

it("R14 all of Redis is rolled back while the bot runs: an old vote does not count, and an alarm is raised", async () => {
  const { here, attacker, asked, seen } = await halfApproved()
  const before = await attacker.photographAll()
  await withdrawn(here, sandboxCast.alice)
  await longAfter()
  const since = alarmsSince(here)

  await attacker.rollBack(before)
  await pressAndHear(here, { person: sandboxCast.bob, verb: "approve", seen, attacker })

  await noticed(here, asked, since)
  await nothingDone(here, asked)
  expect(since()).not.toEqual([])
})

it("R17 all of Redis is rolled back by a second while the bot runs: an old vote does not count", async () => {
  const { here, attacker, asked, seen } = await halfApproved()
  const before = await attacker.photographAll()
  await withdrawn(here, sandboxCast.alice)

  await attacker.rollBack(before)
  await pressAndHear(here, { person: sandboxCast.bob, verb: "approve", seen, attacker })

  await nothingDone(here, asked)
})

/** What a Redis had written at a moment, and its come-back without what followed. */
async function keep(own: OwnRedis): Promise<() => Promise<void>> {
  await keepData(own.folder)
  return async () => {
    await own.kill()
    await putBackData(own.folder)
    await own.restart()
  }
}

/**
 * Alice votes and takes her vote back. Answers the failover that loses just that, and the card before it. On a slow
 * machine it may take longer than an honest failover can lose: then she votes again.
 */
async function loseWithdrawal(here: World, own: OwnRedis) {
  return until("a withdrawal within what a failover loses", async () => {
    await press(here, sandboxCast.alice, await card(here), "approve")
    const half = await cardSaying(here, "must approve; 1 has")
    const seen = onScreen(here, half.ts)
    const failover = await keep(own)
    const end = Date.now() + mayLoseMs / 2
    await withdrawn(here, sandboxCast.alice)
    return Date.now() < end ? { failover, seen } : undefined
  })
}

/** Presses the card as it is now, if there is one to press. */
async function pressNow(here: World, person: string): Promise<void> {
  const live = cards(here, "delete_user_data").find((one) => one.buttons.includes(actionIds.approve))
  if (live !== undefined) await press(here, person, live, "approve")
}

it(
  "R17 a failover loses a withdrawal: the vote does not count again, people are asked again, and nothing freezes",
  async () => {
    const own = await startOwnRedis()
    const here = await startWorld({ rules: pair, redisUrl: own.url })
    onTestFinished(async () => {
      await here.close()
      await own.stop()
    })
    const attacker = anAttacker(here, own.url)
    const asked = await ask(here)
    const { failover, seen } = await loseWithdrawal(here, own)

    await failover()
    await pressAndHear(here, { person: sandboxCast.bob, verb: "approve", seen, attacker })

    await nothingDone(here, asked)
    let next = 0
    const row = await until(
      "people to be asked again, and to approve",
      async () => {
        if (Date.now() >= next) {
          for (const person of [sandboxCast.bob, sandboxCast.alice]) await pressNow(here, person)
          next = Date.now() + againMs
        }
        const now = await record(here, asked.id)
        return now.status === "pending" ? undefined : now
      },
      askedAgainMs,
    )
    expect(row).toMatchObject({ status: "approved" })
    for (const name of ["alice", "bob"])
      expect(JSON.stringify(row["resolution_data"])).toContain(`${name}@sandbox.example`)
    expect(alarms(here)).not.toContain("frozen-case")
    expect(alarms(here)).not.toContain("tampered-case")
  },
  askedAgainMs + testMs,
)
