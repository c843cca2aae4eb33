// What the tests of freshness start from: replicas with a clock that is moved by hand, and a Redis whose past can be
// brought back.
import { randomBytes } from "node:crypto"
import { onTestFinished } from "vitest"
import type { Alarm, Bound, Mark, Marks, MarksOfProcess } from "../../src/flow/ports.ts"
import { StoreError } from "../../src/store/errors.ts"
import type { FreshnessStart } from "../../src/store/freshness/freshness.ts"
import { noon, type OpenOptions, type OpenStore, openStore } from "./support.ts"

/** A folder of marks in memory, which processes share. */
export interface MarksFolder {
  readonly files: Map<string, Mark[]>
  of(replica: string): Marks
}

export function aMarksFolder(): MarksFolder {
  const files = new Map<string, Mark[]>()
  const read = (but: string): readonly MarksOfProcess[] =>
    [...files].filter(([replica]) => replica !== but).map(([replica, marks]) => ({ replica, marks }))
  return {
    files,
    of: (replica) => {
      files.set(replica, [])
      return {
        note: (mark) => void files.get(replica)?.push(mark),
        begin: async (marks) => void files.set(replica, [...marks]),
        read: async () => read(replica),
        remove: async (replicas) => {
          for (const one of replicas) files.delete(one)
        },
        close: async () => undefined,
      }
    },
  }
}

/** A process with its store, started. */
export interface Replica extends OpenStore {
  readonly alarms: readonly Alarm[]
  readonly codes: () => readonly string[]
  /** Moves this process' own clock on, in ms. */
  forward(ms: number): void
  /** What a checkpoint over all that is settled would say. */
  checkpoint(): Promise<Bound>
}

export interface ReplicaOptions extends OpenOptions {
  readonly folder?: MarksFolder
  readonly bound?: Bound | null
  readonly more?: Partial<FreshnessStart>
}

/** A store that is started like a bot's: its bound is known before it claims the installation and activates `rev-1`. */
export async function aReplica({
  folder = aMarksFolder(),
  bound = null,
  more = {},
  ...rest
}: ReplicaOptions = {}): Promise<Replica> {
  const replica = randomBytes(4).toString("hex")
  const alarms: Alarm[] = []
  let ahead = 0
  const start: FreshnessStart = {
    replica,
    clock: () => noon + ahead,
    now: () => performance.now() + ahead,
    alarm: (alarm) => void alarms.push(alarm),
    bounds: { newest: async () => bound },
    marks: folder.of(replica),
    requireCheckpoint: false,
    ...more,
  }
  const open = await openStore({ ...rest, before: (store) => store.freshness.start(start) })
  onTestFinished(() => open.store.freshness.close().catch(ignoreStoreError))
  return {
    ...open,
    alarms,
    codes: () => alarms.map(({ code }) => code),
    forward: (ms) => {
      ahead += ms
    },
    checkpoint: async () => {
      const state = await open.store.freshness.feed.state()
      if (state === null) throw new Error("nothing may be vouched for")
      const { leaves: _, ...said } = state
      return { ...said, at: noon }
    },
  }
}

function ignoreStoreError(error: unknown): void {
  if (!(error instanceof StoreError)) throw error
}

/** All that is settled counts as old from now on. */
export async function grownOld(replica: Replica): Promise<void> {
  replica.forward(10_000)
  await replica.store.freshness.look()
}

/** What brings these records back as they are now. */
export async function photograph({ connection }: Replica, ...keys: readonly string[]): Promise<() => Promise<void>> {
  const redis = connection.commands
  const dumps = await Promise.all(keys.map(async (key) => [key, await redis.dumpBuffer(key)] as const))
  return async () => {
    for (const [key, dump] of dumps) {
      await redis.del(key)
      await redis.restore(key, 0, dump)
    }
  }
}
