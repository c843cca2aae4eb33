// Many approvals at once over three replicas, two of which are killed: a limit is never overshot. `.ci/run` plays it with
// a hundred.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { createAttacker } from "../attacks/attacker.ts"
import { testRedisUrl } from "../support/redis.ts"
import { runsOf } from "../support/runs.ts"
import { ask, cards, press, record, until } from "./acts.ts"
import { plainRule, type Row, sandboxCast, startWorld, type World } from "./world.ts"

const count = runsOf(30)
const amount = 999
/** So many may be approved by one person. */
const alone = count / 5
const afterMs = 120_000

const rules = `${plainRule.replace("everything", "payments")}
    limit: { sum: args.amount, window: 24h, above: ${alone * amount + 500}, then: { quorum: 2 } }`

/** Starts one more replica in a process of its own. */
async function startReplica(here: World): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("bot-process.ts", import.meta.url))
  const env = { ...process.env, BOT_ENV: JSON.stringify(here.env), BOT_YAML: here.yaml, BOT_REDIS: testRedisUrl() }
  const child = spawn(process.execPath, [script], { env, stdio: ["pipe", "pipe", "inherit"] })
  for await (const chunk of child.stdout) if (String(chunk).includes("up ")) break
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}

function peopleOf(row: Row): number {
  const data = row["resolution_data"] as { countersign?: { approvers: readonly unknown[] } } | null
  return data?.countersign?.approvers.length ?? 0
}

it("many presses at once over three replicas, of which two are killed, never overshoot a limit", {
  timeout: 300_000,
}, async ({ onTestFinished }) => {
  const here = await startWorld({ rules, more: `limits: { cards_per_agent: ${count}, cards_per_instance: ${count} }` })
  const replicas: ChildProcess[] = []
  onTestFinished(async () => {
    await Promise.all(replicas.map(kill))
    await here.close()
  })
  await here.bot.close()
  for (let at = 0; at < 3; at += 1) replicas.push(await startReplica(here))
  const asked = await Promise.all(
    Array.from({ length: count }, (_, at) => ask(here, { tool_name: `pay_${at}`, tool_args: { amount } })),
  )
  const open = await until(
    "all cards",
    () => {
      const found = cards(here, "Within the limit")
      return found.length === count ? found : undefined
    },
    afterMs,
  )

  const presses = Promise.allSettled(open.map((one) => press(here, sandboxCast.alice, one, "approve")))
  const look = async () => Promise.all(asked.map(({ id }) => record(here, id)))
  const approved = (rows: readonly Row[]) => rows.filter(({ status }) => status === "approved")
  await until("the first to be approved", async () => (approved(await look()).length > 3 ? true : undefined), afterMs)
  await Promise.all(replicas.slice(0, 2).map(kill))
  replicas.push(await startReplica(here))
  await presses
  const rows = await until(
    "as many as may be to be approved",
    async () => {
      const now = await look()
      return approved(now).length >= alone ? now : undefined
    },
    afterMs,
  )
  const attacker = createAttacker({ url: testRedisUrl(), installation: here.installation })
  onTestFinished(() => attacker.close())
  const carriedOut = async () => ((await attacker.tickets()).size === 0 ? true : undefined)
  await until("what a killed replica left to be taken up", carriedOut, afterMs)
  const last = await look()

  expect(approved(rows).length).toBe(alone)
  expect(approved(last).length).toBe(alone)
  expect(approved(last).every((row) => peopleOf(row) === 1)).toBe(true)
  expect(last.filter(({ status }) => status === "pending").length).toBe(count - alone)
})
