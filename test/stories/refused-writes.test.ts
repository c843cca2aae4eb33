// A Redis that answers and takes no writes: full, a replica, or unable to save. Everybody is told, in one line a
// minute, and once it takes writes again, all goes on by itself.
import { Redis } from "ioredis"
import { describe, expect, it, onTestFinished } from "vitest"
import { anOwnRedis } from "../support/redis.ts"
import { refusals } from "../support/refusals.ts"
import { aWorld } from "./a-world.ts"
import { announced, ask, card, cards, decided, placed, press, record, settled, until } from "./acts.ts"
import { sandboxCast, type World } from "./world.ts"

/** In HTTP mode Slack gets in, so that metrics and status ask for a token. */
const token = "the token of the operators"

function get({ bot }: World, path: string): Promise<Response> {
  return fetch(`${bot.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
}

function lineOf(here: World, event: string): Record<string, unknown> | undefined {
  return here.log.find((line) => line["event"] === event)
}

const cases = (["socket", "http"] as const).flatMap((mode) => refusals.map((refusal) => ({ mode, ...refusal })))

describe.each(cases)("in $mode mode, a Redis that says $word", ({ mode, word, begin, mend }) => {
  it("is told by alarm, readiness and metric, takes no press, and is well again by itself", async () => {
    const own = await anOwnRedis()
    const here = await aWorld({
      mode,
      redisUrl: own.url,
      http: ', metrics_token: "${OPERATORS}"',
      env: { OPERATORS: token },
    })
    const redis = new Redis(own.url)
    onTestFinished(() => redis.disconnect())
    const { asked, open } = await announced(here)
    await placed(here)
    const from = here.log.length

    await begin(redis, own.folder)
    const alarm = await until("the alarm", () => here.log.find(({ code }) => code === "store-refuses-writes"))
    const ready = await get(here, "/readyz")
    const metrics = await (await get(here, "/metrics")).text()
    const pressed = await press(here, sandboxCast.alice, open, "approve")
    await ask(here, { tool_name: "meanwhile" })
    const refused = await record(here, asked.id)
    await mend(redis, own.folder)
    const again = await until("the news that it is well", () => lineOf(here, "store-takes-writes-again"))

    expect(alarm).toMatchObject({ reason: word, why: expect.stringContaining(word), hint: expect.any(String) })
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining(word)])
    expect(metrics).toContain("countersign_store_up 0")
    expect([pressed.ok, refused.status]).toEqual([false, "pending"])
    expect(again["linesLeftOut"]).toBeGreaterThan(0)
    const told = here.log.slice(from).filter((line) => line["level"] !== "debug" && JSON.stringify(line).includes(word))
    expect(told).toEqual([alarm])

    await until("readiness", async () => ((await get(here, "/readyz")).status === 200 ? true : undefined))
    await press(here, sandboxCast.alice, open, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    await settled(here, "delete_user_data")
    await card(here, "meanwhile")
    expect(cards(here, "meanwhile")).toHaveLength(1)
  })
})
