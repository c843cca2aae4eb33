// Somebody puts back an old active config, or deletes a pinned address: whoever may no longer decide still may not.
import { expect, it, onTestFinished } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "../stories/a-world.ts"
import { ask, card, cards, record, until } from "../stories/acts.ts"
import { plainRule, sandboxCast, startTestBot, type World } from "../stories/world.ts"
import { testRedisUrl } from "../support/redis.ts"
import { alarmsSince, anAttacker, nothingDone, noticed, onScreen, pressAndHear } from "./acts.ts"

/**
 * How long work may wait for a replica that may do it, in ms: each try may fall to the other one, and tries grow rarer.
 */
const waitsMs = 60_000

/** So often somebody presses who is told again and again that the card has changed. */
const mostPresses = 3

/** Another replica, whose alarms are told with those of the first. */
async function anotherReplica(here: World, yaml: string) {
  const log = here.log as Record<string, unknown>[]
  const bot = await startTestBot({ env: here.env, yaml, log, redisUrl: testRedisUrl() })
  onTestFinished(() => bot.close())
  return bot
}

it("R14 R16 the config record is put back while an older replica runs: who was removed approves nothing through it", async () => {
  const rules = plainRule.replace(sandboxCast.approvers, `${sandboxCast.alice}, ${sandboxCast.bob}`)
  const here = await aWorld({ mode: "http", rules })
  const attacker = anAttacker(here)
  const asked = await ask(here)
  await card(here)
  const before = await attacker.photograph([attacker.keys.config])
  const removed = here.yaml.replace("- name: everything", "- name: renamed").replace(`${sandboxCast.alice}, `, "")
  await anotherReplica(here, removed)
  const asksBob = () => cards(here, "delete_user_data").find(({ words }) => !words.includes(sandboxCast.alice))
  const renamed = await until("the card under the new rule", asksBob, waitsMs)
  const shown = onScreen(here, renamed.ts)
  const since = alarmsSince(here)

  await attacker.putBack(before)
  let seen = shown
  for (let presses = 0; presses < mostPresses; presses += 1) {
    if ((await record(here, asked.id)).status !== "pending") break
    const now = await card(here)
    if (now.buttons.includes(actionIds.approve)) seen = onScreen(here, now.ts)
    await pressAndHear(here, { person: sandboxCast.alice, verb: "approve", seen, attacker, kept: true })
  }

  await noticed(here, asked, since)
  await nothingDone(here, asked)
  expect(since()).not.toEqual([])
})

it("R7 R14 a pinned address is deleted after it moved in Slack: who has it now decides nothing", async () => {
  const address = "alice@sandbox.example"
  const here = await aWorld({ mode: "http", rules: plainRule.replace(sandboxCast.approvers, address) })
  const attacker = anAttacker(here)
  const asked = await ask(here)
  const seen = onScreen(here, (await card(here)).ts)
  // Judging him links the address.
  await pressAndHear(here, { person: sandboxCast.bob, verb: "approve", seen, attacker })
  const links = [...(await attacker.named(":link:")), ...(await attacker.named(":chain:link:"))]
  // What the first replica remembers of Slack it may believe for half a minute.
  const second = await anotherReplica(here, here.yaml)
  here.sandbox.deliverTo(`${second.url}/slack/events`)
  const { people, putPerson } = here.sandbox.workspace
  for (const [id, email] of [
    [sandboxCast.alice, "gone@sandbox.example"],
    [sandboxCast.bob, address],
  ] as const) {
    const person = people.get(id)
    if (person !== undefined) putPerson({ ...person, email })
  }
  const since = alarmsSince(here)

  expect(links.length).toBeGreaterThan(0)
  await attacker.remove(...links)
  await pressAndHear(here, { person: sandboxCast.bob, verb: "approve", seen, attacker })

  await noticed(here, asked, since)
  await nothingDone(here, asked)
  expect(since()).not.toEqual([])
})
