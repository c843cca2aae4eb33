// Describes the machine that a bench runs on, and says whether anything else keeps it busy.
import { execFileSync } from "node:child_process"
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os"
import { setTimeout as wait } from "node:timers/promises"
import { z } from "zod"
import { findRedis } from "../../src/setup/redis/find-redis.mjs"
import { cpuOf } from "../parts/cpu.ts"

/** What a figure depends on. */
export const machineShape = z.strictObject({
  cpu: z.string(),
  cores: z.number(),
  memoryGb: z.number(),
  kernel: z.string(),
  node: z.string(),
  redis: z.string(),
})
export type Machine = Readonly<z.infer<typeof machineShape>>

/** How many cores others kept busy: before a bench, while it ran (null where that cannot be known), and after it. */
export const loadShape = z.strictObject({
  before: z.number(),
  meanwhile: z.number().nullable(),
  after: z.number(),
})
export type Load = Readonly<z.infer<typeof loadShape>>

/** Up to so much of a core a machine is quiet. */
export const maxLoad = 0.3
const windowMs = 1_500

/** Asks the machine what it is; finds the Redis that the bench will start. */
export async function lookAtMachine(): Promise<Machine> {
  const { command, env } = await findRedis({ env: process.env, log: () => undefined })
  const said = execFileSync(command, ["--version"], { env: { ...env }, encoding: "utf8" })
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`,
    node: process.versions.node,
    redis: /\bv=(\S+)/.exec(said)?.[1] ?? "unknown",
  }
}

/** One line. */
export function machineLine({ cpu, cores, memoryGb, kernel, node, redis }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${kernel}, Node ${node}, Redis ${redis}`
}

/** How many cores are busy now, seen over a second and a half in which this process rests. */
export async function loadNow(): Promise<number> {
  const begun = { at: performance.now(), busy: busyMs() }
  await wait(windowMs)
  return coresOf(busyMs() - begun.busy, performance.now() - begun.at)
}

/** Counts from now on; asked at the end, it says how many cores others kept busy: all but this process and its own. */
export function watchOthers(): () => number | null {
  const begun = { at: performance.now(), busy: busyMs(), own: ownMs() }
  return () => {
    const own = ownMs()
    if (own === null || begun.own === null) return null
    return coresOf(busyMs() - begun.busy - (own - begun.own), performance.now() - begun.at)
  }
}

/** Null on a quiet machine; else why nothing is judged. */
export function whyUnjudged({ before, meanwhile, after }: Load): string | null {
  const load = Math.max(before, meanwhile ?? 0, after)
  return load <= maxLoad ? null : `not judged: load ${load.toFixed(1)}`
}

/** One line. `loadavg` is what people know, though a bench moves it itself. */
export function loadLine({ before, meanwhile, after }: Load): string {
  const during = meanwhile === null ? "unknown" : meanwhile.toFixed(2)
  const average = loadavg()[0]?.toFixed(2)
  return `cores busy with other work: before ${before.toFixed(2)}, meanwhile ${during}, after ${after.toFixed(2)} (load average ${average})`
}

function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys, 0)
}

/** The CPU time of this process and of all that it started and that ended. */
function ownMs(): number | null {
  const cpu = cpuOf("self")
  return cpu === null ? null : cpu.own + cpu.children
}

function coresOf(busy: number, ms: number): number {
  return Math.max(0, busy / ms)
}
