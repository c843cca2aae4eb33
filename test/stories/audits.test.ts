// Audit rows of the platform: each enters the ledger once, over replicas and restarts, and none gets a card.
import { expect, it } from "vitest"
import { aWorld } from "./a-world.ts"
import { cards, ledgerOf, until } from "./acts.ts"
import type { World } from "./world.ts"

const script = {
  agents: [
    { id: "report-agent", tools: [{ name: "export_report", audit: true }], runs: [[[{ tool: "export_report" }]]] },
  ],
}

/** Runs the audited tool once; gives the run's id. */
async function exported(here: World, token: string): Promise<string> {
  const answer = await fetch(`${here.service.url}/agents/report-agent/runs`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams({ message: "go", stream: "false" }),
  })
  const { run_id: runId } = (await answer.json()) as { run_id: string }
  return runId
}

it("what is made after the first look is told once, by two replicas and by one that starts later, without a card", async () => {
  const here = await aWorld({ script })
  const token = here.service.mintServiceAccount({ name: "operator", scopes: ["agents:run"] })
  const told = async () => (await ledgerOf(here)).filter(({ kind }) => kind === "audited")
  const begun = async () => (await ledgerOf(here)).some(({ kind }) => kind === "audits-begun")
  await until("the first look", async () => ((await begun()) ? true : undefined))

  const first = await exported(here, token)
  const others = await Promise.all([here.start(), here.start()])
  const entry = await until("the entry", async () => (await told())[0])
  expect(entry).toMatchObject({
    instance: "main",
    run: first,
    agent: "report-agent",
    tool: "export_report",
    status: "approved",
  })

  await Promise.all(others.map((bot) => bot.close()))
  const second = await exported(here, token)
  await here.start()
  await until("the second entry", async () => ((await told()).length > 1 ? true : undefined))

  expect((await told()).map(({ run }) => run)).toEqual([first, second])
  expect(cards(here, "export_report")).toEqual([])
  expect(here.log.filter(({ event }) => event === "audited")).toHaveLength(2)
})
