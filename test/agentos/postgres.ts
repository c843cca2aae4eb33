// Starts a Postgres of its own on loopback, under a user without any rights. A test can take it away and bring it back.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../support/free-port.ts"
import { findPostgres, type PostgresPrograms } from "../tools/test-programs.mjs"

/** A server over a fresh database. */
export interface Postgres {
  /** As SQLAlchemy takes it. */
  readonly url: string
  /** Ends it, as an administrator would who does not wait for clients. */
  stop(): Promise<void>
  /** Starts it over what it had. */
  start(): Promise<void>
  close(): Promise<void>
}

/** Whom root starts it as: Postgres refuses to be root. */
const nobody = { uid: 65_534, gid: 65_534 }
const startsWithinMs = 60_000

/** Starts a server, fetched where there is none. Whoever starts it closes it. */
export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-postgres-"))
  const data = join(folder, "data")
  const { bin, env } = readable(await findPostgres({ env: process.env, log: console.error }), folder)
  const who = process.getuid?.() === 0 ? nobody : undefined
  if (who !== undefined) chownSync(folder, who.uid, who.gid)
  const run = (program: string, args: readonly string[]) =>
    spawn(join(bin, program), args, {
      cwd: folder,
      env: { LC_ALL: "C", ...env },
      stdio: ["ignore", "ignore", "pipe"],
      ...who,
    })
  const init = run("initdb", ["-D", data, "-U", "agentos", "--auth=trust", "--encoding=UTF8", "--no-sync"])
  await succeeded(init)
  const port = await freePort()
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder, "-c", "fsync=off"]
  let server: ChildProcess | null = null
  const start = async () => {
    server = run("postgres", args)
    await isReady(server)
  }
  const stop = async () => {
    const running = server
    server = null
    if (running === null || running.exitCode !== null) return
    const exited = once(running, "exit")
    running.kill("SIGINT")
    await exited
  }
  const close = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await close()
    throw error
  }
  return { url: `postgresql+psycopg://agentos@127.0.0.1:${port}/postgres`, stop, start, close }
}

/** What was unpacked into root's own folder nobody else may read: they get a copy. */
function readable(programs: PostgresPrograms, folder: string): PostgresPrograms {
  const { root } = programs
  if (root === undefined || process.getuid?.() !== 0) return programs
  const copy = join(folder, "programs")
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true })
  chmodSync(copy, 0o755)
  const moved = (path: string) => path.replaceAll(root, copy)
  const env = Object.fromEntries(Object.entries(programs.env).map(([name, value]) => [name, moved(value)]))
  return { bin: moved(programs.bin), env, root: copy }
}

async function succeeded(child: ChildProcess): Promise<void> {
  const said = saidBy(child)
  const [code] = (await once(child, "exit")) as [number | null]
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said()}`)
}

async function isReady(child: ChildProcess): Promise<void> {
  const said = saidBy(child)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error(`Postgres is not ready: ${said()}`)), startsWithinMs)
  child.stderr?.on("data", () => {
    if (said().includes("ready to accept connections")) resolve()
  })
  child.once("exit", (code) => reject(new Error(`Postgres ended with ${code}: ${said()}`)))
  child.once("error", reject)
  await promise.finally(() => clearTimeout(timer))
}

function saidBy(child: ChildProcess): () => string {
  let said = ""
  child.stderr?.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)))
  return () => said
}
