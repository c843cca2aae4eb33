// A process that plays seeds of the random attacker, one after the other, with a clock and a Redis of its own.
import "../faults/sim-time.ts"
import { startClock } from "../faults/clock.ts"
import { startLaneRedis } from "../faults/redis.ts"
import { honestOf, scheduleOf } from "./draw.ts"
import { plantHere } from "./plants.ts"
import { play } from "./play.ts"
import type { LaneOrder } from "./wire.ts"

/** A step of the clock: all that a seed needs runs in this process, and no step is made before that had its turn. */
const pace = { stepMs: 200, realMs: 5 }

const clock = startClock(pace)
const redis = await startLaneRedis(clock)

async function obey(order: LaneOrder): Promise<void> {
  switch (order.kind) {
    case "play": {
      const drawn = scheduleOf(order.seed)
      const planted = plantHere(order.plant)
      process.send?.(await play({ clock, redis, planted }, order.honest ? honestOf(drawn) : drawn))
      return
    }
    case "end":
      await redis.stop()
      clock.stop()
      process.disconnect()
  }
}

// An attacker may always stop a bot: what falls is none of the first promise's business.
process.on("unhandledRejection", (error) => console.error(`a bot fell: ${String(error)}`))
process.on("message", (order) => void obey(order as LaneOrder))
process.on("disconnect", () => process.exit(0))
