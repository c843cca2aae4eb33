// Redis restarts, and a thousand approvals wait when the bot starts.
import { afterEach, describe, expect, it } from "vitest"
import { type OwnRedis, startOwnRedis } from "../support/redis.ts"
import { ask, card, cards, decided, press, resolves, settled, until } from "./acts.ts"
import { CAST, startWorld, type World } from "./world.ts"

let world: World | undefined
let redis: OwnRedis | undefined

afterEach(async () => {
  await world?.close()
  await redis?.stop()
  world = undefined
  redis = undefined
})

describe("Redis", () => {
  it("R17 restarts while a card is open: the case is compared with the platform before the next vote counts", async () => {
    redis = await startOwnRedis()
    world = await startWorld({ redisUrl: redis.url })
    const here = world
    const asked = await ask(here)
    const open = await card(here)
    await until("the card to be remembered", () => (here.sandbox.connections() > 0 ? true : undefined))

    await redis.kill()
    await redis.restart()
    await until("a press to count", async () => {
      await press(here, CAST.alice, open, "approve")
      const reads = here.proxy.passed.filter((one) => one.path === `/approvals/${asked.id}`)
      return reads.length > 0 ? true : undefined
    })

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    await settled(here, "Approved")
    expect(resolves(here)).toBe(1)
    expect(cards(here, "delete_user_data")).toHaveLength(1)
  })
})

describe("a thousand approvals that wait at the start", () => {
  it("get one card each, and the newest can be decided meanwhile", async () => {
    world = await startWorld({ pollMs: 1_000 })
    const here = world
    await here.bot.close()
    for (let made = 0; made < 1_000; made += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => ask(here, { tool_name: `task_${made + index}` })))
    }
    await here.start()

    const newest = await card(here, "task_999")
    await press(here, CAST.alice, newest, "approve")
    await until("all cards", () => (cards(here, "task_").length === 1_000 ? true : undefined), 80_000)

    const names = cards(here, "task_").map((seen) => /task_\d+/.exec(seen.words)?.[0])
    expect(new Set(names).size).toBe(1_000)
    await settled(here, "Approved")
    expect(resolves(here)).toBe(1)
  }, 120_000)
})
