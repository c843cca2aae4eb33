// The world of one seed: a platform, a workspace, replicas of the bot in this very process, and an attacker on their
// Redis.
import { randomBytes } from "node:crypto"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Bot, startBot } from "../../src/bot.ts"
import { openSigner } from "../../src/cli/installation/context.ts"
import { loadConfig, rulesSchema, sharedOf } from "../../src/config.ts"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { configRevisionOf } from "../../src/domain/policy/shared-config.ts"
import { createSeal } from "../../src/domain/proof/seal.ts"
import { createLog } from "../../src/log.ts"
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { type Sandbox, startSandbox } from "../../src/sandbox.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { createStore, type Store } from "../../src/store/store.ts"
import type { SimClock } from "../faults/clock.ts"
import type { Planted } from "../faults/plants.ts"
import { startPlatform, type TestPlatform } from "../faults/platform.ts"
import type { LaneRedis } from "../faults/redis.ts"
import { simNow } from "../faults/sim-time.ts"
import type { Timeline } from "../faults/timeline.ts"
import { botEnv } from "../support/bot-env.ts"
import { type Attacker, createAttacker } from "./attacker.ts"
import { nothingOverseen, type Overseen } from "./oversight.ts"
import type { Schedule } from "./schedule.ts"
import { address, idOf, lastRevision, settingsText } from "./settings.ts"
import { noOrdersYet, type Ordered } from "./stops.ts"
import { scriptOf } from "./talk.ts"

/** What a seed runs on, lent by its lane. */
export interface Ground {
  readonly clock: SimClock
  readonly redis: LaneRedis
  /** What a planted bug spoils. */
  readonly planted: Planted
}

/** One replica over its lives. */
export interface Replica {
  readonly name: string
  /** The config that it is started with. */
  revision: number
  bot: Bot | null
}

/** One approval that a program asked for. */
export interface Asked {
  readonly tool: string
  readonly id: string
  readonly caseId: string
  /** What would run, the newest last. */
  readonly contents: string[]
}

export interface Stage {
  readonly ground: Ground
  readonly schedule: Schedule
  readonly timeline: Timeline
  readonly platform: TestPlatform
  /** The database of the platform. */
  readonly platformFile: string
  readonly sandbox: Sandbox
  readonly attacker: Attacker
  readonly replicas: readonly Replica[]
  readonly asked: Asked[]
  /** The last card of each approval that could be approved, as it was: somebody may still have it on the screen. */
  readonly screens: Map<string, PostedMessage>
  /** The cases of which the bot has noted where their cards hang. */
  readonly placed: Set<string>
  readonly ordered: Ordered
  readonly overseen: Overseen
  readonly installation: string
  /** The revision of each config, the first one first. */
  readonly hashes: readonly string[]
  /** What the replicas logged of cases: which event of which. */
  readonly told: { readonly kind: string; readonly caseId: string; readonly at: number }[]
  /** A store of an operator. */
  readonly operator: Store
  /** True if it came up. */
  readonly start: (replica: Replica) => Promise<boolean>
  readonly stop: (replica: Replica) => Promise<void>
  /** Stops it, and starts it with another config. True if it came up. */
  readonly restart: (replica: Replica, revision: number) => Promise<boolean>
  /** The data folders are gone: the next starts find none. */
  readonly forgetFolders: () => void
  readonly close: () => Promise<void>
}

const key = "a key of the random attacker that is long enough"
/** Production's timings but for those that Redis measures, in real time. */
const timing = { lockMs: 1_000, longestReadMs: 2_000 }

/** Builds the world of a schedule; no bot runs yet. */
export async function buildStage(ground: Ground, schedule: Schedule, timeline: Timeline): Promise<Stage> {
  const { clock, redis } = ground
  const folder = await mkdtemp(join(tmpdir(), "csa-"))
  const runs = schedule.runs ? "continued" : "none"
  const script = schedule.talks ? scriptOf(schedule) : undefined
  const platform = await startPlatform({ clock, folder, timeline, runs, script })
  const sandbox = await startWorkspace(clock)
  const installation = `a${schedule.seed}`
  const attacker = createAttacker({ url: redis.socket, installation })
  const env = { ...botEnv({ sandbox, platformToken: platform.token, key }), RESUME_TOKEN: platform.runnerToken }
  redis.wake({ prefix: createKeys(installation).queue, skewsMs: [0] })
  const replicas: Replica[] = Array.from({ length: schedule.replicas }, (_, at) => ({
    name: `bot ${at + 1}`,
    revision: 1,
    bot: null,
  }))
  const told: Stage["told"] = []
  const placed = new Set<string>()
  const quiet = createLog({ write: () => undefined, clock: Date.now, level: "error", secrets: [] })
  const connection = await connectRedis({ url: redis.socket, installation, log: quiet })
  const seal = createSeal({ key: Buffer.from(key), installation, nonce: () => randomBytes(12) })
  const operator = createStore({
    connection,
    installation,
    seal,
    rulesSchema,
    log: quiet,
    sandbox: true,
    paceMs: 1,
    sharedClock: simNow,
  })
  const configIn = (place: string, revision: number) => {
    const yaml = settingsText({ schedule, installation, folder: place, platformUrl: platform.url, revision })
    return loadConfig({ env, readFile: () => yaml, cwd: "/" })
  }
  let folders = 0
  const stop = async (replica: Replica) => {
    const { bot } = replica
    replica.bot = null
    await bot?.close()
    timeline.note(replica.name, "ended")
  }
  const start = async (replica: Replica) => {
    const place = join(folder, schedule.shared ? `data-${folders}` : `data-${folders}-${replica.name.at(-1)}`)
    await mkdir(place, { recursive: true, mode: 0o700 })
    const config = configIn(place, replica.revision)
    const write = (text: string) => {
      const { level, event, time: _time, ...rest } = JSON.parse(text) as Record<string, unknown>
      timeline.note(replica.name, `${String(level)} ${String(event)} ${JSON.stringify(rest).slice(0, 300)}`)
      if (event === "case" && rest["kind"] === "placed") placed.add(String(rest["caseId"]))
      if (event === "case") told.push({ kind: String(rest["kind"]), caseId: String(rest["caseId"]), at: clock.now() })
    }
    const log = createLog({ write, clock: Date.now, level: "info", secrets: config.secrets })
    try {
      const bytes = Buffer.from(key)
      const signer = await openSigner({ config, key: bytes })
      const common = { config, key: bytes, signer, log, timing, redisUrl: redis.socket, activate: false }
      const times = { clock: Date.now, sharedClock: simNow, random: randomBytes }
      replica.bot = await startBot({ ...common, ...times, ...ground.planted })
      timeline.note(replica.name, `up with config ${replica.revision}`)
      return true
    } catch (error) {
      timeline.note(replica.name, `did not start: ${String(error)}`)
      return false
    }
  }
  return {
    ground,
    schedule,
    timeline,
    platform,
    platformFile: join(folder, "platform.db"),
    sandbox,
    attacker,
    replicas,
    asked: [],
    screens: new Map(),
    placed,
    ordered: noOrdersYet(),
    overseen: nothingOverseen(),
    installation,
    hashes: Array.from({ length: lastRevision }, (_, at) => configRevisionOf(sharedOf(configIn(folder, at + 1)))),
    told,
    operator,
    start,
    stop,
    restart: async (replica, revision) => {
      await stop(replica)
      replica.revision = revision
      return start(replica)
    },
    forgetFolders: () => {
      folders += 1
    },
    close: async () => {
      await Promise.all(replicas.map(stop))
      await attacker.redis.flushall()
      attacker.close()
      await Promise.all([sandbox.close(), platform.close(), connection.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A program asks for one more approval. */
export async function askOne(stage: Stage): Promise<Asked> {
  const { platform, asked, schedule } = stage
  const number = asked.length
  const tool = `task_${number}`
  const content = `T${number}-v1`
  const id = await platform.ask(tool, content, null, schedule.alone === 0 ? {} : { amount: 1 })
  const one = { tool, id, caseId: caseIdOf(`a${schedule.seed}`, "main", id), contents: [content] }
  asked.push(one)
  stage.timeline.note("program", `asks for ${tool}: ${id}`)
  return one
}

/** The default workspace with Mallory in it, and with Rita's address. */
async function startWorkspace(clock: SimClock): Promise<Sandbox> {
  const random = () => randomBytes(16).toString("hex")
  const sandbox = await startSandbox({ clock: clock.now, random, delivery: { mode: "socket" } })
  const { people, channels, putPerson, putChannel } = sandbox.workspace
  const rita = people.get(sandboxCast.rita)
  if (rita === undefined) throw new Error("the default workspace has no Rita")
  putPerson({ ...rita, email: address })
  putPerson({ ...rita, id: idOf.mallory, name: "mallory", realName: "Mallory", email: "mallory@sandbox.example" })
  for (const channel of channels.values()) putChannel({ ...channel, memberIds: [...channel.memberIds, idOf.mallory] })
  return sandbox
}
