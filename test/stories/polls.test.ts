// An instance that is not polled, or refuses our credential: all replicas know it, and operators are told once.
import { expect, it, onTestFinished } from "vitest"
import type { Bot } from "../../src/bot.ts"
import { testRedisUrl } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import { until } from "./acts.ts"
import { startTestBot, type World } from "./world.ts"

/** What a poll asks for. */
const polls = { method: "GET", path: /\/approvals$/ }

/** Two replicas in the place of the world's own, whose time a test moves on. */
async function twoReplicas(here: World) {
  await here.bot.close()
  const log: Record<string, unknown>[] = []
  let ahead = 0
  const clock = () => Date.now() + ahead
  const common = { env: here.env, yaml: here.yaml, log, redisUrl: testRedisUrl(), clock, sharedClock: clock }
  const bots = [await startTestBot(common), await startTestBot(common)]
  onTestFinished(async () => void (await Promise.all(bots.map((bot) => bot.close()))))
  const alarms = () => log.filter(({ event }) => event === "alarm")
  const forward = (ms: number) => {
    ahead += ms
  }
  return { bots, log, alarms, forward }
}

/** What each replica says of the instance; undefined as long as they do not say the same. */
async function statusOfAll(bots: readonly Bot[]): Promise<string | undefined> {
  const said = await Promise.all(bots.map(async ({ url }) => (await fetch(`${url}/status`)).text()))
  return new Set(said).size === 1 ? said[0] : undefined
}

function allSay(bots: readonly Bot[], words: string): Promise<string> {
  return until(`both to say "${words}"`, async () => {
    const said = await statusOfAll(bots)
    return said?.includes(words) === true ? said : undefined
  })
}

/** Waits until any of them has looked for work once more from the beginning. */
async function sweptAgain(bots: readonly Bot[]): Promise<void> {
  const count = async () => {
    const texts = await Promise.all(bots.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
    const counts = texts.map(
      (text) => /countersign_steps_total\{step="sweep",result="ok"\} (\d+)/.exec(text)?.[1] ?? "0",
    )
    return counts.map(Number).reduce((sum, one) => sum + one, 0)
  }
  const before = await count()
  await until("two sweeps", async () => ((await count()) >= before + 2 ? true : undefined))
}

it("a credential that is refused is one alarm of two replicas, with host and cause, and the status of each says it", async () => {
  const here = await aWorld()
  const { bots, alarms } = await twoReplicas(here)
  await allSay(bots, '{"status":"ok"}')

  here.proxy.fail({ ...polls, fault: { kind: "answer", status: 401, body: { detail: "Token has expired" } } })
  const said = await allSay(bots, "answered 401: Token has expired")
  await until("the alarm", () => alarms()[0])
  await sweptAgain(bots)

  const host = expect.stringContaining(new URL(here.proxy.url).host) as string
  expect(JSON.parse(said)).toEqual({ status: "not ok", problems: { "instance main": host } })
  expect(alarms()).toMatchObject([{ code: "token-refused", instance: "main", why: host }])
  const ready = await Promise.all(bots.map(({ url }) => fetch(`${url}/readyz`)))
  expect(ready.map(({ status }) => status)).toEqual([200, 200])
  here.proxy.heal()
  await allSay(bots, '{"status":"ok"}')
})

it("an instance that no replica has polled for 30 s is one alarm with host and cause, and one more after it was well", async () => {
  const here = await aWorld()
  const { bots, log, alarms, forward } = await twoReplicas(here)
  await allSay(bots, '{"status":"ok"}')
  const cut = { kind: "cut", forwarded: false } as const

  here.proxy.fail({ ...polls, fault: cut })
  await until("a poll to fail", () => log.find(({ event }) => event === "step-failed"))
  forward(31_000)
  await allSay(bots, "no replica has read its approvals for")
  await until("the alarm", () => alarms()[0])
  await sweptAgain(bots)
  const host = expect.stringContaining(new URL(here.proxy.url).host) as string
  expect(alarms()).toMatchObject([{ code: "instance-not-polled", instance: "main", why: host }])

  here.proxy.heal()
  await allSay(bots, '{"status":"ok"}')
  await sweptAgain(bots)
  const failures = () => log.filter(({ event }) => event === "step-failed").length
  const before = failures()
  here.proxy.fail({ ...polls, fault: cut })
  // A poll that was under way ends well, and must not end after the time has gone on.
  await until("another poll to fail", () => (failures() > before ? true : undefined))
  forward(31_000)
  await until("the next alarm", () => alarms()[1])
  expect(alarms().map(({ code }) => code)).toEqual(["instance-not-polled", "instance-not-polled"])
})
