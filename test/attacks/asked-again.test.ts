// Somebody puts back, forges or copies what is remembered of a rejection that lasts: nothing is rejected by that (R22).
import { expect, it } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { aWorld } from "../stories/a-world.ts"
import { ask, card, cardSaying, cards, decided, formOf, placed, press, record, told } from "../stories/acts.ts"
import { limitMs, plainRule, type Row, sandboxCast, type World } from "../stories/world.ts"
import { anAttacker, logged } from "./acts.ts"
import type { Attacker } from "./attacker.ts"

const { alice } = sandboxCast
const rules = `${plainRule}\n    after_rejection: {same_call: 10m}`
const call = { user_id: "rita@sandbox.example", run_id: "run-1" }

const ownCase = (here: World, { id }: Row) => caseIdOf(here.installation, "main", id)

/** The record, chain and index of a case. */
function photographCase(here: World, attacker: Attacker, row: Row) {
  const { keys } = attacker
  const id = ownCase(here, row)
  return attacker.photograph([keys.case(id), keys.chain(`case:${id}`), keys.calls("main")])
}

/** A world in which Alice rejected a call for a while, too, and its card says so. */
async function rejected() {
  const here = await aWorld({ rules })
  const attacker = anAttacker(here)
  const row = await ask(here, call)
  const open = await card(here)
  await placed(here, row.id)
  await press(here, alice, open, "reject")
  const form = await formOf(here, alice)
  await here.sandbox.submit(alice, form.id, { [formIds.reason]: "no", [formIds.lasting]: ["lasting"] })
  await decided(here, row.id)
  await cardSaying(here, "is rejected by itself")
  return { here, attacker, row, open }
}

/** A person is asked about a new call: it has a card with buttons, and nothing was decided. */
async function peopleAreAsked(here: World, row: Row) {
  await placed(here, row.id)
  const isOpen = () => cards(here, "delete_user_data").find(({ buttons }) => buttons.includes(actionIds.approve))
  await here.sandbox.waitFor(isOpen, { limitMs, what: "a card with buttons" })
  expect(await record(here, row.id)).toMatchObject({ status: "pending", resolved_by: null })
}

it("R22 without an attack the same call is rejected by itself", async () => {
  const { here } = await rejected()

  const again = await ask(here, call)

  expect(await decided(here, again.id)).toMatchObject({ status: "rejected", resolved_by: "countersign:again" })
})

it("R14 R22 the memory of a rejection is put back after Ask Me Again: it rejects nothing", async () => {
  const { here, attacker, row, open } = await rejected()
  const before = await photographCase(here, attacker, row)
  await here.sandbox.click(alice, { channel: open.channel, ts: open.ts }, actionIds.askAgain)
  await told(here, alice, "people are asked about this call again")
  await logged(here, "closed")

  await attacker.putBack(before)
  const again = await ask(here, call)

  await peopleAreAsked(here, again)
})

it("R14 R22 the index alone is put back, or names another case: it grants nothing", async () => {
  const { here, attacker, row, open } = await rejected()
  const { keys, redis } = attacker
  const member = (await redis.zrange(keys.calls("main"), "0", "-1")).find((one) => one.length > 62) ?? ""
  expect(member).toContain(ownCase(here, row))
  await here.sandbox.click(alice, { channel: open.channel, ts: open.ts }, actionIds.askAgain)
  await told(here, alice, "people are asked about this call again")
  const plain = await ask(here, { ...call, tool_args: { user_id: "U-200" } })
  await placed(here, plain.id)

  const key = member.slice(0, member.indexOf(":"))
  for (const one of [member, `${key}:${ownCase(here, plain)}`]) await redis.zadd(keys.calls("main"), 0, one)
  const again = await ask(here, call)

  await peopleAreAsked(here, again)
})

it("R14 R22 the memory is copied to another installation: it rejects nothing there", async () => {
  const { here, attacker, row } = await rejected()
  const other = await aWorld({ rules })
  const theirs = createKeys(other.installation)
  const id = ownCase(here, row)
  await attacker.copy(attacker.keys.case(id), theirs.case(id))
  await attacker.copy(attacker.keys.calls("main"), theirs.calls("main"))

  const again = await ask(other, call)

  await peopleAreAsked(other, again)
})
