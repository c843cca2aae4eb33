// The harness' own way to the store of a seed, beside the replicas: for who looks, and for who orders.
import { randomBytes } from "node:crypto"
import { rulesSchema } from "../../src/config.ts"
import { createSeal } from "../../src/domain/proof/seal.ts"
import { createLog } from "../../src/log.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createStore } from "../../src/store/store.ts"
import type { Ground } from "./stage.ts"

/** Opens the store of an installation. Whoever opens it closes it. */
export async function openOwnStore(of: {
  readonly ground: Pick<Ground, "redis" | "clock">
  readonly installation: string
  readonly key: Buffer
}) {
  const { ground, installation, key } = of
  const log = createLog({ write: () => undefined, clock: Date.now, level: "error", secrets: [] })
  const connection = await connectRedis({ url: ground.redis.socket, installation, log })
  const seal = createSeal({ key, installation, nonce: () => randomBytes(12) })
  const base = { connection, installation, seal, rulesSchema, log, sandbox: true, paceMs: 1 }
  const store = createStore({ ...base, sharedClock: ground.clock.now })
  return { store, redis: connection.commands, close: () => connection.close() }
}
