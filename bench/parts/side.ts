// One of two products that a bench compares click by click. Each has a world and a Redis of its own.
import { type BotSetup, cardsIn, startProduct, until } from "./bot.ts"
import { createClicker } from "./clicker.ts"
import { usualRounds } from "./rounds.ts"
import { aRow } from "./rows.ts"
import { startWorld } from "./world.ts"

const clicksABlock = 20
/** Clicks that both see before, so that what is measured is compiled code. */
const warmUp = 200
const clicksInAll = clicksABlock * (usualRounds + 1)

/** A bot on this Redis in front of a world of its own, warm; and blocks of clicks on its cards. */
export async function aSide({ redis, ...setup }: Pick<BotSetup, "redis" | "ruleKeys" | "tree">) {
  const world = await startWorld()
  const now = Math.floor(Date.now() / 1_000)
  for (let at = 0; at < warmUp + clicksInAll; at += 1) world.rows.set(aRow(at, now).id, aRow(at, now))
  const product = await startProduct({ world, redis, pollMs: 3_600_000, paceMs: 0, ...setup })
  await until("all cards", () => cardsIn(world).length === warmUp + clicksInAll)
  const cards = [...cardsIn(world)]
  const clicker = createClicker(world)
  await clicker.backToBack(product.url, cards.splice(0, warmUp))
  return {
    clicks: () => clicker.oneByOne(product.url, cards.splice(0, clicksABlock)),
    close: async () => {
      await product.kill()
      await Promise.all([redis.stop(), world.close()])
    },
  }
}
