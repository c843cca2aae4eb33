// The world of one seed: a platform, a workspace, a Redis that may die, and 1 to 3 replicas of the bot, each a process
// of its own.
import { randomBytes, randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadConfig, sharedOf } from "../../src/config.ts"
import { configRevisionOf } from "../../src/domain/policy/shared-config.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { type Sandbox, startSandbox } from "../../src/sandbox.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { botEnv } from "../support/bot-env.ts"
import { type Attack, openAttack } from "./attack.ts"
import type { SimClock } from "./clock.ts"
import type { Hosts } from "./hosts.ts"
import { startPlatform, type TestPlatform } from "./platform.ts"
import type { LaneRedis } from "./redis.ts"
import { createReplica, type Replica } from "./replicas.ts"
import { isAttacked, type Schedule } from "./schedule.ts"
import { lastRevision, settingsText } from "./settings.ts"
import { type OrderDesk, openOrderDesk } from "./stops.ts"
import type { Timeline } from "./timeline.ts"

/** What a seed runs on, lent by its lane. */
export interface Ground {
  readonly clock: SimClock
  readonly hosts: Hosts
  readonly redis: LaneRedis
  readonly plant: string | null
}

/** The running world of a seed. */
export interface Stage {
  readonly ground: Ground
  readonly schedule: Schedule
  readonly installation: string
  readonly key: Buffer
  readonly channels: readonly string[]
  readonly platform: TestPlatform
  readonly sandbox: Sandbox
  readonly replicas: readonly Replica[]
  readonly timeline: Timeline
  /** Who attacks, and what the bot did that people's acts do not make; null in a seed without an attacker. */
  readonly attack: Attack | null
  /** Where somebody stops what agents ask for. */
  readonly stops: OrderDesk
  /** The revision of each config, the first one first. */
  readonly revisions: readonly string[]
  readonly close: () => Promise<void>
}

const histories = ["channels:history", "groups:history", "im:history"]

/** Builds the world of a schedule; no bot runs yet. */
export async function buildStage(ground: Ground, schedule: Schedule, timeline: Timeline): Promise<Stage> {
  const { clock } = ground
  const folder = await mkdtemp(join(tmpdir(), "countersign-faults-"))
  const installation = `f${schedule.seed}-${randomUUID().slice(0, 6)}`
  const attack = isAttacked(schedule) ? openAttack(ground, schedule, installation) : null
  const { runs } = schedule.terms
  const platform = await startPlatform({
    clock,
    folder,
    timeline,
    runs,
    onRead: (id) => attack?.hearRead(id),
    onVerdict: (id, body) => attack?.judge(id, body),
  })
  const sandbox = await startSandbox({
    clock: clock.now,
    random: () => randomBytes(16).toString("hex"),
    delivery: { mode: schedule.mode },
  })
  if (!schedule.history) for (const scope of histories) sandbox.scopes.delete(scope)
  const key = "a key of the fault harness that is long enough"
  const env = { ...botEnv({ sandbox, platformToken: platform.token, key }), RESUME_TOKEN: platform.runnerToken }
  const channels = [sandboxCast.approvals, sandboxCast.payments].slice(0, schedule.routes)
  const yamlOf = (revision: number) =>
    settingsText({ installation, folder, platformUrl: platform.url, channels, schedule, revision })
  const cuttable = schedule.faults.some(({ strike }) => strike.kind === "redis-away" || strike.kind === "outage")
  ground.redis.wake({ prefix: createKeys(installation).queue, skewsMs: schedule.skewsMs })
  const replicas = await Promise.all(
    schedule.skewsMs.map((skewMs, number) =>
      createReplica({ number, ground, cuttable, env, yamlOf, skewMs, timeline }),
    ),
  )
  const own = { ground, installation, key: Buffer.from(key) }
  const stops = await openOrderDesk(own, timeline)
  const revisions = Array.from({ length: lastRevision }, (_, at) => {
    const yaml = yamlOf(at + 1)
    return configRevisionOf(sharedOf(loadConfig({ env, readFile: () => yaml, cwd: "/" })))
  })
  return {
    ...own,
    revisions,
    schedule,
    channels,
    platform,
    sandbox,
    replicas,
    timeline,
    attack,
    stops,
    close: async () => {
      attack?.attacker.close()
      await stops.close()
      await Promise.all(replicas.map((replica) => replica.close()))
      await Promise.all([sandbox.close(), platform.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
