// Somebody puts back, deletes or makes up a case's record, chain or index: no vote counts by that, and we send nothing.
import { expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "../stories/a-world.ts"
import {
  alarms,
  announced,
  ask,
  card,
  cards,
  decided,
  pausePolls,
  placed,
  press,
  told,
  until,
} from "../stories/acts.ts"
import { plainRule, sandboxCast, type World } from "../stories/world.ts"
import { alarmsSince, anAttacker, logged, nothingDone, noticed, onlyCase, onScreen, pressAndHear } from "./acts.ts"
import type { Attacker, Photo } from "./attacker.ts"
import { halfApproved, withdrawn } from "./votes.ts"

/** The record of the only case, and the list of its entries. */
async function photographCase(here: World, attacker: Attacker): Promise<Photo> {
  const id = await onlyCase(here)
  return attacker.photograph([attacker.keys.case(id), attacker.keys.chain(`case:${id}`)])
}

it("R9 R14 the record of a verdict that the platform ended is put back: it is not sent again", async () => {
  const here = await aWorld()
  const attacker = anAttacker(here)
  const { asked, open } = await announced(here)
  await placed(here)
  const seen = onScreen(here, open.ts)
  const copied = Promise.withResolvers<Photo>()
  const refused = { kind: "answer", status: 403, body: { detail: "no" }, after: copied.promise } as const
  here.proxy.fail({ method: "POST", path: /\/resolve$/, times: 1, fault: refused })
  await press(here, sandboxCast.alice, open, "approve")
  await until("the POST to be on its way", () => here.proxy.passed.find((one) => one.path.endsWith("/resolve")))
  copied.resolve(await photographCase(here, attacker))
  await logged(here, "reopened")
  const since = alarmsSince(here)

  await attacker.putBack(await copied.promise)
  // The next poll has the case compared.
  await attacker.setField(attacker.keys.known("main"), asked.id, "something else")
  await pressAndHear(here, { person: sandboxCast.bob, verb: "approve", seen, attacker })

  await noticed(here, asked, since)
  await nothingDone(here, asked, 1)
  expect(since()).not.toEqual([])
})

it("R14 a case is put back as it was before a vote was withdrawn: that vote does not count", async () => {
  const { here, attacker, asked, seen } = await halfApproved()
  const before = await photographCase(here, attacker)
  await withdrawn(here, sandboxCast.alice)
  const since = alarmsSince(here)

  await attacker.putBack(before)
  await pressAndHear(here, { person: sandboxCast.bob, verb: "approve", seen, attacker })

  await noticed(here, asked, since)
  await nothingDone(here, asked)
  expect(since()).not.toEqual([])
})

it("R14 a case that was frozen is put back as it was before: it stays frozen", async () => {
  const here = await aWorld()
  const attacker = anAttacker(here)
  const { asked, open } = await announced(here)
  await placed(here)
  const seen = onScreen(here, open.ts)
  // What the bot still had to write about the case would write over the change.
  await here.bot.close()
  const before = await photographCase(here, attacker)
  const [key = ""] = before.keys()
  const sealed = (await attacker.redis.hgetBuffer(key, "sealed")) ?? Buffer.alloc(0)
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
  await attacker.setField(key, "sealed", sealed)
  await here.start()
  await pressAndHear(here, { person: sandboxCast.alice, verb: "approve", seen, attacker })
  await told(here, sandboxCast.alice, "frozen")
  await until("the case to be frozen", () => (alarms(here).includes("tampered-case") ? true : undefined))

  await attacker.putBack(before)
  await pressAndHear(here, { person: sandboxCast.bob, verb: "approve", seen, attacker })

  await nothingDone(here, asked)
})

it("R13 R14 an expired case is deleted with all that is known of it: nobody can approve it on a new card", async () => {
  const here = await aWorld({ rules: `${plainRule}\n    expire_after: 2s\n    on_expiry: leave` })
  const attacker = anAttacker(here)
  const { asked, open } = await announced(here)
  const seen = onScreen(here, open.ts)
  const id = await onlyCase(here)
  await logged(here, "expired")
  const since = alarmsSince(here)

  await attacker.remove(attacker.keys.case(id), attacker.keys.chain(`case:${id}`))
  await attacker.dropField(attacker.keys.known("main"), asked.id)
  const live = () => cards(here, "delete_user_data").find((one) => one.buttons.includes(actionIds.approve))
  const shown = await until("an alarm, or a card to press", () => live() ?? (since().length > 0 ? null : undefined))
  const pressed = shown === null ? seen : onScreen(here, shown.ts)
  await pressAndHear(here, { person: sandboxCast.alice, verb: "approve", seen: pressed, attacker })

  await noticed(here, asked, since)
  await nothingDone(here, asked)
  expect(since()).not.toEqual([])
})

it("R14 an approval that Redis claims to be known before the first poll is asked about all the same", async () => {
  const here = await aWorld()
  const attacker = anAttacker(here)
  pausePolls(here)
  const asked = await ask(here)

  await attacker.setField(attacker.keys.known("main"), asked.id, "")
  here.proxy.heal()

  await press(here, sandboxCast.alice, await card(here), "approve")
  expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
})
