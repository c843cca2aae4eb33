// Starts one container: a process in namespaces of its own, whose root is an image, with just the mounts, the user and
// the rights that are said.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { until } from "../../stories/acts.ts"
import type { Network } from "./network.ts"
import { startScript } from "./start-script.ts"

/** A folder or file of the machine, as the container sees it. */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

/** A folder in memory, with options as `mount` takes them. */
export interface Tmpfs {
  readonly target: string
  readonly options: string
}

/** What is started. */
export interface ContainerSpec {
  readonly name: string
  /** The folder of the image. */
  readonly root: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly user: number
  readonly group: number
  readonly groups: readonly number[]
  readonly readOnly: boolean
  /** True: no capability, and none to be had. */
  readonly noRights: boolean
  /** True: a process of its own hands signals on, as `docker run --init` has it. */
  readonly init: boolean
  readonly tmpfs: readonly Tmpfs[]
  readonly mounts: readonly Mount[]
}

/** A port of this machine's loopback that containers find on their own loopback, by a socket file. */
export interface Relay {
  readonly port: number
  readonly socket: string
}

/** How a program ended, and all that it said. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A container that runs or ran. */
export interface Container {
  readonly name: string
  readonly address: string
  readonly out: () => string
  readonly err: () => string
  readonly ended: Promise<Ended>
  /** Runs a program inside, as the container's user. */
  readonly exec: (argv: readonly string[]) => Promise<Ended>
  /** SIGTERM, and after this time SIGKILL. Gives how it ended, and after how many ms. */
  readonly stop: (graceMs: number) => Promise<Ended & { readonly ms: number }>
}

/** What a container is started on: its network, a folder for what it needs, and what it finds on its loopback. */
export interface Place {
  readonly network: Network
  readonly folder: string
  readonly relays: readonly Relay[]
}

/** Starts a container. There is nothing for its process to read. */
export async function startContainer(spec: ContainerSpec, place: Place): Promise<Container> {
  const { name } = spec
  const work = join(place.folder, `container-${name}-${process.hrtime.bigint()}`)
  mkdirSync(work)
  const script = startScript(spec, { work, hostsFile: place.network.hostsFile })
  const unshare = ["unshare", "--mount", "--pid", "--ipc", "--uts", "--net", "--fork", "--kill-child"]
  const command = ["--pdeathsig=KILL", ...unshare, "sh", "-c", script]
  const child = spawn("setpriv", command, { stdio: ["pipe", "pipe", "pipe"] })
  const said = outputOf(child)
  const ended = once(child, "close").then(([code]) => ({ code: Number(code ?? -1), out: said.out(), err: said.err() }))
  const pid = await until(`the process of ${name}`, () => childOf(child.pid ?? 0))
  await place.network.join(pid, name)
  const relays = await Promise.all(place.relays.map((relay) => startRelay(pid, relay)))
  void ended.then(() => relays.forEach((relay) => relay.kill("SIGKILL")))
  // The start script waits for a line before it goes on to what is started.
  child.stdin.on("error", () => undefined).end("go\n")
  return {
    name,
    address: place.network.addressOf(name),
    ...said,
    ended,
    exec: (argv) => execIn(pid, spec, argv),
    stop: (graceMs) => stopProcess(pid, ended, graceMs),
  }
}

/** The first process inside, which alone is a child of the one that made the namespaces. */
function childOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")
  return children[0] === "" ? undefined : Number(children[0])
}

function outputOf(child: ChildProcess) {
  let out = ""
  let err = ""
  child.stdout?.on("data", (chunk: Buffer) => void (out += chunk.toString()))
  child.stderr?.on("data", (chunk: Buffer) => void (err += chunk.toString()))
  return { out: () => out, err: () => err }
}

async function stopProcess(pid: number, ended: Promise<Ended>, graceMs: number) {
  const began = performance.now()
  signal(pid, "SIGTERM")
  const timer = setTimeout(() => signal(pid, "SIGKILL"), graceMs)
  const end = await ended
  clearTimeout(timer)
  return { ...end, ms: performance.now() - began }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}

async function execIn(
  pid: number,
  { env, user, group, folder }: ContainerSpec,
  argv: readonly string[],
): Promise<Ended> {
  const inside = ["--target", String(pid), "--mount", "--pid", "--net", "--root", "--setuid", String(user)]
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const run = ["/usr/bin/env", "-i", "-C", folder, ...variables, ...argv]
  const child = spawn("nsenter", [...inside, "--setgid", String(group), ...run], { stdio: ["ignore", "pipe", "pipe"] })
  const said = outputOf(child)
  const [code] = await once(child, "close")
  return { code: Number(code ?? -1), out: said.out(), err: said.err() }
}

const relayProgram = `
const { connect, createServer } = require("node:net")
const [port, socket] = process.argv.slice(1)
const server = createServer((one) => {
  const other = connect(socket)
  const end = () => { one.destroy(); other.destroy() }
  one.on("error", end).on("close", end).pipe(other)
  other.on("error", end).on("close", end).pipe(one)
})
server.listen(Number(port), "127.0.0.1", () => console.log("up"))`

/** Listens on the loopback of a container, and hands on to a socket file of the machine. */
async function startRelay(pid: number, { port, socket }: Relay): Promise<ChildProcess> {
  const node = [process.execPath, "-e", relayProgram, String(port), socket]
  const command = ["--pdeathsig=KILL", "nsenter", `--target=${pid}`, "--net", ...node]
  const child = spawn("setpriv", command, { stdio: ["ignore", "pipe", "inherit"] })
  await once(child.stdout, "data")
  return child
}
