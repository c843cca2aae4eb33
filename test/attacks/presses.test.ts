// A press comes a second time, or somebody else posts the body of a verdict that ended: neither decides anything.
import { expect, it } from "vitest"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "../stories/a-world.ts"
import {
  announced,
  ask,
  card,
  cardSaying,
  formOf,
  ledgerOf,
  operate,
  placed,
  press,
  record,
  settled,
  startRun,
  until,
  viewSays,
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
  const half = await cardSaying(here, "must approve; 1 has")
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

it("R9 R11 R14 the ticket of a call back is made due again after its verdict ended: it calls nothing back a second time", async () => {
  const here = await aWorld({})
  const attacker = anAttacker(here)
  const asked = await ask(here, { user_id: "rita@sandbox.example" })
  const { channel, ts } = await card(here)
  await placed(here)
  await here.sandbox.click(sandboxCast.rita, { channel, ts }, actionIds.details)
  await viewSays(here, sandboxCast.rita, "Digest")
  const details = here.sandbox.openView(sandboxCast.rita)?.id ?? ""
  await here.sandbox.click(sandboxCast.rita, details, actionIds.callBack)
  const form = await formOf(here, sandboxCast.rita)
  const copied = Promise.withResolvers<void>()
  const read = new RegExp(`/approvals/${asked.id}$`)
  here.proxy.fail({ method: "POST", path: /\/resolve$/, times: 1, fault: { kind: "answer", status: 403 } })
  here.proxy.fail({ method: "GET", path: read, times: 1, fault: { kind: "hold", until: copied.promise } })
  await here.sandbox.submit(sandboxCast.rita, form.id, {})
  const ticket = await until("the ticket", async () => [...(await attacker.tickets())][0])
  copied.resolve()
  await logged(here, "reopened")

  await attacker.remove(...(await attacker.named(":interaction:")))
  await attacker.fireAgain(...ticket)
  await until("the ticket to be carried out", async () => ((await attacker.tickets()).size === 0 ? true : undefined))

  expect((await record(here, asked.id)).status).toBe("pending")
  expect((await ledgerOf(here)).filter(({ kind }) => kind === "called-back")).toHaveLength(1)
})
