// What a stop tells the gates at tools: the approvals that it covers may not run while it lasts (R21).
import { expect, test } from "vitest"
import type { Bot } from "../../src/bot.ts"
import { standingIn, verifyEndedList } from "../../src/proof/ended-list.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { anOperator } from "../support/orders.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, decided, press, settled, until } from "./acts.ts"
import { ordersOf } from "./orders.ts"
import { sandboxCast } from "./world.ts"

/** A gate refuses an approved call 12 s after the stop. It keeps a list for 10 s, so a replica has these 2 s. */
const newListMs = 2_000

/** What a replica's list says of a decision, as a gate asks for it. */
async function saidBy({ url }: Bot, decision: string) {
  const [keys, list] = await Promise.all(
    ["jwks.json", "countersign-ended"].map(async (at) => (await fetch(`${url}/.well-known/${at}`)).text()),
  )
  return standingIn(await verifyEndedList(list ?? "", readKeySet(keys ?? "", "the bot")), decision)
}

test("R21 a stop drops the list that each replica kept for gates, and so does its end", async () => {
  const here = await aWorld()
  const bots = [here.bot, await here.start()]
  const decisionOf = async (tool: string) => {
    const { id } = await ask(here, { tool_name: tool })
    await press(here, sandboxCast.alice, await card(here, tool), "approve")
    const { resolution_data: data } = await decided(here, id)
    await settled(here, tool)
    return (data as { readonly countersign: { readonly decision_id: string } }).countersign.decision_id
  }
  const [refund, mail] = [await decisionOf("refund_order"), await decisionOf("send_mail")]
  const orders = await ordersOf(here)
  const lists = () => Promise.all(bots.map((bot) => saidBy(bot, refund)))
  expect(await lists()).toEqual([null, null])

  const stop = {
    match: { tool: ["refund_*"] },
    by: anOperator(),
    reason: "runaway refunds",
    until: null,
    at: Date.now(),
  }
  const made = await orders.stop(stop)
  await until(
    "both lists to name it",
    async () => ((await lists()).every((say) => say !== null) ? true : undefined),
    newListMs,
  )

  expect(await lists()).toEqual(["stopped", "stopped"])
  expect(await saidBy(here.bot, mail)).toBe(null)
  await orders.end("stop" in made ? made.stop.id : "", { by: anOperator(), at: Date.now() })
  await until(
    "no list to name it",
    async () => ((await lists()).every((say) => say === null) ? true : undefined),
    newListMs,
  )
})
