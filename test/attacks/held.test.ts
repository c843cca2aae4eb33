// A rejection is held (R12), and an attacker puts back what was there before it: we send nobody's approval.
import { expect, it } from "vitest"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "../stories/a-world.ts"
import { card, cardSaying, cards, placed, press, resolves, told } from "../stories/acts.ts"
import { plainRule, sandboxCast, type World } from "../stories/world.ts"
import { alarmsSince, anAttacker, logged, onlyCase, onScreen } from "./acts.ts"

const fields = [{ name: "recipient", field_type: "str", description: "Who gets it." }]
const script: ScriptInput = {
  agents: [
    {
      id: "payments-agent",
      tools: [{ name: "send_money", gated: true, pause: "user_input", fields }],
      runs: [{ name: "go", turns: [[{ tool: "send_money", args: {} }]], answer: "Paid." }],
    },
  ],
}

/** Starts the run, as a program of the platform's would. */
async function start(here: World): Promise<void> {
  const token = here.service.mintServiceAccount({ name: "starter", scopes: ["agents:run"] })
  const body = new URLSearchParams({ message: "go", stream: "false", session_id: "s-1" })
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${here.service.url}/agents/payments-agent/runs`, { method: "POST", headers, body })
}

it("R12 R14 the record from before a rejection was held is put back: the case is frozen, and nothing is sent", async () => {
  const here = await aWorld({ script, rules: plainRule })
  // A platform that would run what was rejected all the same.
  const info = { kind: "answer", status: 200, body: { agno_version: "3.1.10" } } as const
  here.proxy.fail({ method: "GET", path: /\/info$/, fault: info })
  const attacker = anAttacker(here)
  await start(here)
  const open = await card(here, "send_money")
  await placed(here)
  const seen = onScreen(here, open.ts)
  const id = await onlyCase(here)
  const before = await attacker.photograph([attacker.keys.case(id), attacker.keys.chain(`case:${id}`)])
  await press(here, sandboxCast.bob, open, "reject")
  await logged(here, "held")
  await cardSaying(here, "Held")
  const since = alarmsSince(here)

  await attacker.putBack(before)
  await here.sandbox.click(sandboxCast.alice, { channel: seen.channelId, ts: seen.ts }, actionIds.approve, { seen })

  await told(here, sandboxCast.alice, "frozen")
  expect(here.sandbox.openView(sandboxCast.alice)).toBeUndefined()
  expect(since()).toContain("tampered-case")
  expect(resolves(here)).toBe(0)
  expect(cards(here, "Approval needed")).toEqual([])
  expect(cards(here, "Held")).toHaveLength(1)
})
