// A report on what the real flow wrote: people decide, somebody decides elsewhere, time decides, a call goes unasked,
// and an auditor runs `countersign report` in the bot's folder.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import { command } from "../cli/command.ts"
import { redisByAddress } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, decided, formOf, ledgerOf, operate, press, settled, until, viewSays } from "./acts.ts"
import { plainRule, sandboxCast, type World } from "./world.ts"

const { alice, bob, rita } = sandboxCast

const script = {
  agents: [
    { id: "report-agent", tools: [{ name: "export_report", audit: true }], runs: [[[{ tool: "export_report" }]]] },
  ],
}
const rules = `${plainRule.replace("everything", "brief")}
    match: { tool: short_lived }
    expire_after: 2s
${plainRule}`

/** Somebody asks for a call of a tool, and a person decides. */
async function decidedBy(here: World, tool: string, person: string, verb: "approve" | "reject"): Promise<void> {
  const { id } = await ask(here, { tool_name: tool })
  await press(here, person, await card(here, tool), verb)
  await decided(here, id)
  await settled(here, tool)
}

/** Whoever asked ends their own case. */
async function calledBack(here: World, tool: string): Promise<void> {
  const { id } = await ask(here, { tool_name: tool, user_id: "rita@sandbox.example", team_id: "payroll" })
  const { channel, ts } = await card(here, tool)
  await here.sandbox.click(rita, { channel, ts }, actionIds.details)
  await viewSays(here, rita, "Digest")
  await here.sandbox.click(rita, here.sandbox.openView(rita)?.id ?? "", actionIds.callBack)
  const form = await formOf(here, rita)
  await here.sandbox.submit(rita, form.id, { [formIds.reason]: "wrong account" })
  await decided(here, id)
  await settled(here, tool)
}

/** Waits until the ledger has so many entries of a kind. */
async function told(here: World, redisUrl: string, kind: string, count = 1): Promise<void> {
  const kinds = async () => (await ledgerOf(here, redisUrl)).filter((event) => event["kind"] === kind)
  await until(`${count} entries ${kind}`, async () => ((await kinds()).length >= count ? true : undefined))
}

/** Gives the command in the bot's folder, with the bot's environment. */
async function reported(here: World, redisUrl: string, ...more: readonly string[]) {
  writeFileSync(join(here.folder, "countersign.yaml"), here.yaml)
  const env = { ...here.env, REDIS_URL: redisUrl }
  const today = new Date().toISOString().slice(0, 10)
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const words = ["report", "--from", yesterday, "--to", today, ...more]
  const { code, out, err } = await command(words, { env, cwd: here.folder }).ended
  if (code !== 0) throw new Error(err)
  return out
}

it("counts what people, time and others decided, who voted, and what nobody was asked about", async () => {
  const redisUrl = await redisByAddress()
  const more = "ledger: { checkpoint_every: 1s, checkpoint_entries: 1 }"
  const here = await aWorld({ redisUrl, rules, script, more })
  await told(here, redisUrl, "audits-begun")
  await decidedBy(here, "pay_rent", alice, "approve")
  await decidedBy(here, "pay_debts", bob, "reject")
  await calledBack(here, "pay_bonus")
  const other = await ask(here, { tool_name: "pay_loan", team_id: "payroll" })
  await card(here, "pay_loan")
  await operate(here, `POST /approvals/${other.id}/resolve`, { status: "approved", resolved_by: rita })
  await told(here, redisUrl, "decided-outside-rules")
  await ask(here, { tool_name: "short_lived" })
  await told(here, redisUrl, "expired")
  await ask(here, { tool_name: "pay_taxes" })
  await card(here, "pay_taxes")
  const token = here.service.mintServiceAccount({ name: "operator-2", scopes: ["agents:run"] })
  const run = { method: "POST", headers: { authorization: `Bearer ${token}` } }
  const body = new URLSearchParams({ message: "go", stream: "false" })
  await fetch(`${here.service.url}/agents/report-agent/runs`, { ...run, body })
  // A replica looks at audit rows when it starts, and then once a minute.
  await here.start()
  await told(here, redisUrl, "audited")
  await told(here, redisUrl, "closed", 4)
  const ledger = await until("a checkpoint over all", async () => {
    const found = JSON.parse(await reported(here, redisUrl, "--json", "--people")).ledger
    return found.checkpoint?.covers === true ? found : undefined
  })

  const found = JSON.parse(await reported(here, redisUrl, "--json", "--people"))
  const page = await reported(here, redisUrl, "--people")

  const none = { approved: 0, rejected: 0, calledBack: 0, byExpiry: 0, expired: 0, elsewhere: 0, gone: 0, frozen: 0 }
  const asked = { carried: 0, again: 0, open: 0, ...none }
  const ended = { approved: 1, rejected: 1, calledBack: 1, expired: 1, elsewhere: 1 }
  expect(found.cases).toMatchObject({ ...asked, asked: 6, ...ended, open: 1, held: 0, onTheirWay: 0 })
  expect(found.cases.time).toMatchObject({ count: 3 })
  expect(found.byRule).toMatchObject([
    { ...asked, name: "everything", asked: 5, ...ended, expired: 0, open: 1 },
    { ...asked, name: "brief", asked: 1, expired: 1 },
  ])
  expect(found.byTool).toMatchObject([
    { ...asked, name: "pay_bonus", asked: 1, calledBack: 1 },
    { ...asked, name: "pay_debts", asked: 1, rejected: 1 },
    { ...asked, name: "pay_loan", asked: 1, elsewhere: 1 },
    { ...asked, name: "pay_rent", asked: 1, approved: 1 },
    { ...asked, name: "pay_taxes", asked: 1, open: 1 },
    { ...asked, name: "short_lived", asked: 1, expired: 1 },
  ])
  expect(found.byTeam).toMatchObject([
    { ...asked, name: null, asked: 4, approved: 1, rejected: 1, expired: 1, open: 1 },
    { ...asked, name: "payroll", asked: 2, calledBack: 1, elsewhere: 1 },
  ])
  expect(found.besides).toMatchObject({
    ranOtherwise: 0,
    outsideRules: 1,
    unasked: { approved: 1, rejected: 0, other: 0 },
    unaskedByTool: [{ name: "export_report", calls: 1 }],
    auditedSince: [{ instance: "main" }],
  })
  expect(found.people.toSorted((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1))).toMatchObject(
    [
      { name: "Alice", approved: 1, rejected: 0, calledBack: 0, time: { count: 1 } },
      { name: "Bob", approved: 0, rejected: 1, calledBack: 0, time: { count: 1 } },
      { name: "Rita", approved: 0, rejected: 0, calledBack: 1, time: { count: 1 } },
    ],
  )
  expect(found.ledger).toMatchObject({ first: 1, count: ledger.entries, sandbox: ledger.entries, last: ledger.entries })
  expect(page).toContain("| **= together** | 6 |")
  expect(page).toContain("Alice (T0SANDBOX:U0ALICE)")
})
