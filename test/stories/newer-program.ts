// A newer Countersign for stories, as a program of its own: a copy of this one whose data version is one higher, and
// whose buttons say something that this one cannot read.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ourSchema } from "../../src/store/redis/data-schema.ts"
import { testRedisUrl } from "../support/redis.ts"
import type { Stage } from "./world.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const stories = ["test/stories/world.ts", "test/stories/bot-process.ts"]
const copied = ["src", "package.json", "test/support", "test/service/described", ...stories]

const nextStep = `{ to: ${ourSchema.version + 1}, change: (stored) => stored },`

/** What is newer, by file: what stands there, and what the copy has instead. */
const changes: readonly (readonly [path: string, before: string, after: string])[] = [
  ["src/store/redis/data-schema.ts", `version: ${ourSchema.version},`, `version: ${ourSchema.version + 1},`],
  ["src/store/redis/data-schema.ts", "migrations: [", `migrations: [${nextStep}`],
  ["src/slack/views/button-values.ts", 'z.literal("cs1"),', 'z.enum(["cs1", "cs2"]),'],
  ["src/slack/views/button-values.ts", '["cs1", installation,', '["cs2", installation,'],
]

/** The newer Countersign, not started yet. */
export interface NewerProgram {
  /** Starts a replica of it beside those of a stage; resolves with its address once it runs. */
  start(stage: Stage): Promise<string>
  /** Ends what runs and removes the copy. */
  remove(): Promise<void>
}

/** Makes the copy. Whoever makes it removes it. */
export async function aNewerProgram(): Promise<NewerProgram> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-newer-"))
  const children: ChildProcess[] = []
  for (const path of copied) await cp(join(root, path), join(folder, path), { recursive: true })
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
  for (const [path, before, after] of changes) await change(join(folder, path), before, after)
  return {
    start: (stage) => startReplica(folder, stage, children),
    remove: async () => {
      await Promise.all(children.map(end))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function change(path: string, before: string, after: string): Promise<void> {
  const text = await readFile(path, "utf8")
  if (!text.includes(before)) throw new Error(`${path} does not say ${before}`)
  await writeFile(path, text.replace(before, after))
}

async function startReplica(folder: string, stage: Stage, children: ChildProcess[]): Promise<string> {
  const env = { ...process.env, BOT_ENV: JSON.stringify(stage.env), BOT_YAML: stage.yaml, BOT_REDIS: testRedisUrl() }
  const script = join(folder, "test/stories/bot-process.ts")
  const child = spawn(process.execPath, [script], { env, stdio: ["pipe", "pipe", "pipe"] })
  children.push(child)
  const said = Promise.withResolvers<string>()
  let [words, wrong] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => {
    words += chunk.toString()
    const url = /^up (\S+)\n/.exec(words)?.[1]
    if (url !== undefined) said.resolve(url)
  })
  child.stderr.on("data", (chunk: Buffer) => void (wrong += chunk.toString()))
  child.once("exit", () => said.reject(new Error(`the newer bot ended: ${wrong}`)))
  return said.promise
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill("SIGKILL")
  await ended
}
