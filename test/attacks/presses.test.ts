// A press is carried out again, or the body of a verdict that ended is posted by somebody else: neither decides
// anything.
import { expect, it } from "vitest"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { aWorld } from "../stories/a-world.ts"
import {
  announced,
  card,
  cardSaying,
  ledgerOf,
  operate,
  placed,
  press,
  settled,
  startRun,
  until,
} from "../stories/acts.ts"
import { plainRule, sandboxCast } from "../stories/world.ts"
import { alarmsSince, anAttacker, continues, logged, nothingDone, onScreen, pressAndHear } from "./acts.ts"
import { withdrawn } from "./votes.ts"

it("R11 R14 a ticket is made due again after its vote was withdrawn: the vote does not count a second time", async () => {
  const here = await aWorld({ rules: `${plainRule}\n    quorum: 2` })
  const attacker = anAttacker(here)
  const { asked, open } = await announced(here)
  await placed(here)
  const copied = Promise.withResolvers<void>()
  const read = new RegExp(`/approvals/${asked.id}$`)
  here.proxy.fail({ method: "GET", path: read, fault: { kind: "hold", until: copied.promise } })
  await press(here, sandboxCast.alice, open, "approve")
  const ticket = await until("the ticket", async () => [...(await attacker.tickets())][0])
  here.proxy.heal()
  copied.resolve()
  const half = await cardSaying(here, "must approve, 1 has")
  await withdrawn(here, sandboxCast.alice)
  await cardSaying(here, "must approve, nobody has yet")

  await attacker.remove(...(await attacker.named(":interaction:")))
  await attacker.fireAgain(...ticket)
  await until("the ticket to be carried out", async () => ((await attacker.tickets()).size === 0 ? true : undefined))
  await pressAndHear(here, { person: sandboxCast.bob, verb: "approve", seen: onScreen(here, half.ts), attacker })

  await nothingDone(here, asked)
})

const script: ScriptInput = {
  agents: [
    {
      id: "admin-agent",
      tools: [{ name: "delete_user_data", gated: true }],
      runs: [{ name: "go", turns: [[{ tool: "delete_user_data", args: { of: "U-100" } }]], answer: "Done." }],
    },
  ],
}

it("R10 R14 somebody else posts the body of a verdict that ended: it is not ours, and the run is not continued", async () => {
  const here = await aWorld({ script, resume: "decided" })
  await startRun(here, "agents/admin-agent")
  const open = await card(here)
  await placed(here)
  here.proxy.fail({ method: "POST", path: /\/resolve$/, times: 1, fault: { kind: "answer", status: 403 } })
  await press(here, sandboxCast.alice, open, "approve")
  await logged(here, "reopened")
  const sent = here.proxy.passed.find((one) => one.path.endsWith("/resolve"))
  const since = alarmsSince(here)

  const posted = await operate(here, `POST ${sent?.path}`, JSON.parse(sent?.body ?? ""))

  expect(posted.status).toBe(200)
  await settled(here, "Approved")
  const ends = ["resolved", "recovered", "elsewhere"]
  const kinds = async () => (await ledgerOf(here)).map(({ kind }) => String(kind)).filter((kind) => ends.includes(kind))
  const told = await until("the end in the ledger", async () => {
    const found = await kinds()
    return found.length > 0 ? found : undefined
  })
  expect(told).toEqual(["elsewhere"])
  expect(since()).not.toEqual([])
  expect(continues(here)).toBe(0)
  expect(here.service.executions()).toEqual([])
})
