// Runs that stand still while nobody is asked: two replicas tell operators once, until the run goes on.
import { expect, it, onTestFinished } from "vitest"
import { testRedisUrl } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import { until } from "./acts.ts"
import { startTestBot, type World } from "./world.ts"

/** How often they look, in ms. */
const unaskedMs = 200

const script = {
  agents: [
    {
      id: "cache-agent",
      tools: [{ name: "clear_cache", gated: true }],
      runs: [[[{ tool: "clear_cache" }]]],
    },
  ],
}

/** Two replicas that may read sessions, or not, ten minutes after all that happened before. */
async function twoReplicas(here: World, scopes: readonly string[]) {
  const log: Record<string, unknown>[] = []
  const name = `reader-${scopes.length}`
  const token = here.service.mintServiceAccount({ name, scopes: ["approvals:read", "approvals:write", ...scopes] })
  const env = { ...here.env, PLATFORM_TOKEN: token }
  const sharedClock = () => Date.now() + 600_000
  const common = { env, yaml: here.yaml, log, redisUrl: testRedisUrl(), sharedClock, unaskedMs }
  const bots = [await startTestBot(common), await startTestBot(common)]
  onTestFinished(async () => void (await Promise.all(bots.map((bot) => bot.close()))))
  const statuses = () => Promise.all(bots.map(async ({ url }) => (await fetch(`${url}/status`)).text()))
  return { log, statuses, alarms: () => log.filter(({ event }) => event === "alarm") }
}

/** Calls the service as one who may run, read and delete. */
async function call(here: World, request: string, form?: Record<string, string>): Promise<Record<string, unknown>> {
  const [method = "", path = ""] = request.split(" ")
  const answer = await fetch(here.service.url + path, {
    method,
    headers: { authorization: `Bearer ${operator(here)}` },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  })
  const text = await answer.text()
  return text === "" ? {} : JSON.parse(text)
}

const operators = new WeakMap<World, string>()

function operator(here: World): string {
  const scopes = ["agents:run", "agents:read", "approvals:read", "approvals:delete", "sessions:read", "sessions:delete"]
  const token = operators.get(here) ?? here.service.mintServiceAccount({ name: "operator", scopes })
  operators.set(here, token)
  return token
}

/** A run that waits, and whose approval somebody deleted. */
async function aStuckRun(here: World): Promise<string> {
  const run = await call(here, "POST /agents/cache-agent/runs", { message: "go", stream: "false", session_id: "s-1" })
  const { data } = (await call(here, `GET /approvals?run_id=${String(run["run_id"])}`)) as { data: [{ id: string }] }
  await call(here, `DELETE /approvals/${data[0].id}`)
  return String(run["run_id"])
}

it("a paused run without an approval is one alarm of two replicas, and a problem until it is over", async () => {
  const here = await aWorld({ script, unaskedMs })
  await here.bot.close()
  const runId = await aStuckRun(here)
  const { alarms, statuses } = await twoReplicas(here, ["sessions:read"])

  const told = await until("the alarm", () => alarms().find(({ code }) => code === "run-paused-unasked"))
  expect(told).toMatchObject({
    instance: "main",
    agent: "cache-agent",
    run: runId,
    session: "s-1",
    tools: ["clear_cache"],
  })
  for (const status of await statuses()) expect(status).toContain(`${runId} of cache-agent (clear_cache)`)

  // Where no session is left at all it is not known to be over: an outage looks the same.
  await call(here, "POST /agents/cache-agent/runs", { message: "go", stream: "false", session_id: "s-2" })
  await call(here, "DELETE /sessions/s-1")
  await until("it to be over", async () =>
    (await statuses()).every((status) => status === '{"status":"ok"}') ? true : undefined,
  )
  expect(alarms()).toHaveLength(1)
})

it("without sessions:read nothing is asked for again and again, nothing fails, and nobody is alarmed", async () => {
  const here = await aWorld({ script, unaskedMs })
  await here.bot.close()
  await aStuckRun(here)
  const { alarms, log, statuses } = await twoReplicas(here, [])

  const asked = () => here.proxy.passed.filter(({ path }) => path.startsWith("/sessions")).length
  await until("two looks", () => (asked() >= 2 ? true : undefined))

  expect(alarms()).toEqual([])
  expect(log.filter(({ event }) => event === "sessions-not-read")).toEqual([])
  expect(new Set(await statuses())).toEqual(new Set(['{"status":"ok"}']))
})
