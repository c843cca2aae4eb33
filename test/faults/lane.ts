// A process that plays seeds, one after the other, with a clock, a Redis and replicas of its own. It ends when the
// process that started it ends.
import "./sim-time.ts"
import { startClock } from "./clock.ts"
import { drive } from "./drive.ts"
import { createHosts } from "./hosts.ts"
import { startLaneRedis } from "./redis.ts"
import type { LaneOrder } from "./wire.ts"

/** A step of the clock: at best more than ten times as fast as real time, and slower where the machine is. */
const pace = { stepMs: 200, realMs: 16 }
/** One process more than a seed has replicas is on its way, so that a restart does not wait for Node. */
const spare = 1

const program = { path: process.argv[2] ?? "", compiled: process.argv[3] ?? "" }
const clock = startClock(pace)
const hosts = createHosts(clock, { spare, program })
const redis = await startLaneRedis(clock)

async function obey(order: LaneOrder): Promise<void> {
  switch (order.kind) {
    case "play": {
      const { schedule, plant, hangMs } = order
      const ended = await drive({ clock, hosts, redis, plant }, { schedule, hangMs })
      process.send?.(ended)
      return
    }
    case "end":
      await hosts.close()
      await redis.stop()
      clock.stop()
      process.disconnect()
  }
}

process.on("message", (order) => void obey(order as LaneOrder))
process.on("disconnect", () => process.exit(0))
