// Runs a Redis server of our own on a private socket, for as long as this process lives.
import { spawn, spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs"
import { createConnection } from "node:net"
import { join, resolve } from "node:path"
import { setTimeout as timer } from "node:timers/promises"
import { findRedis } from "./find-redis.mjs"
import { OwnRedisError } from "./own-redis-error.mjs"
import { socketPathFor } from "./socket-path.mjs"

/**
 * A running server. ioredis connects to `url` (the socket's path, or `redis://127.0.0.1:port`). `exited` resolves when
 * the server ends for whatever reason. `stop` lets the server write its file, waits for its end, and may be called
 * twice.
 * @typedef {{ readonly url: string, readonly socket: string, readonly pid: number, readonly exited: Promise<void>,
 *   readonly stop: () => Promise<void> }} OwnRedisServer
 */

/** How long the server may take to load its file and answer, and how often we ask it meanwhile, in ms. */
const startMs = 30_000
const askEveryMs = 10
/** How long a server that was told to stop may take before we kill it, in ms. */
const stopMs = 10_000
/** flock's exit code if another server holds the folder. */
const folderInUse = 75

/**
 * Starts a server that keeps its data in `folder` (append-only file; the folder is made with mode 700 if absent), and
 * waits until it answers. The server ends when somebody calls `stop` or when this process dies, even by kill -9. A new
 * start over the same folder goes on with its data. While another server still uses the folder, it waits up to 5 s. If
 * it cannot start, throws an error with the end of the server's log.
 * @param {import("../processes.mjs").Machine & { readonly folder: string, readonly port?: number,
 *   readonly wait?: (ms: number) => Promise<unknown> }} options with `port` it listens on 127.0.0.1 as well, and `url`
 *   names that; `wait` waits between two questions whether it answers (default: a timer)
 * @returns {Promise<OwnRedisServer>}
 */
export async function startRedis({ folder, env, log, port = 0, wait = timer }) {
  const program = await findRedis({ env, log })
  const home = resolve(folder)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const socket = socketPathFor(home)
  const server = spawnServer(program, home, socket, port)
  const guard = spawnGuard(server.child)
  void server.exited.then(() => guard.kill("SIGKILL"))
  await answers(server, socket, { folder: home, wait })
  const url = port === 0 ? socket : `redis://127.0.0.1:${port}`
  return { url, socket, pid: server.child.pid ?? 0, exited: server.exited, stop: () => stop(server) }
}

/** @typedef {{ readonly child: import("node:child_process").ChildProcess, readonly exited: Promise<void> }} Server */

/**
 * @param {import("./find-redis.mjs").RedisProgram} program
 * @param {string} folder
 * @param {string} socket
 * @param {number} port
 * @returns {Server}
 */
function spawnServer(program, folder, socket, port) {
  const network = ["--port", String(port), "--bind", "127.0.0.1", "--unixsocket", socket, "--unixsocketperm", "700"]
  const keeping = [
    "--dir",
    folder,
    "--appendonly",
    "yes",
    "--save",
    "",
    "--maxmemory-policy",
    "noeviction",
    "--hz",
    "100",
    "--loglevel",
    "warning",
  ]
  const [command = "", ...args] = [...holding(folder), program.command, ...network, ...keeping]
  const logFile = openSync(join(folder, "redis.log"), "a", 0o600)
  try {
    // Detached: Ctrl-C in a terminal must reach us first, because closing needs the server.
    const child = spawn(command, args, {
      env: { PATH: process.env["PATH"], ...program.env },
      detached: true,
      stdio: ["ignore", logFile, logFile],
    })
    child.unref()
    const exited = new Promise((/** @type {(value: void) => void} */ done) => {
      child.once("exit", () => done())
      child.once("error", () => done())
    })
    return { child, exited }
  } finally {
    closeSync(logFile)
  }
}

/**
 * The words before the server's command by which it holds the folder while it lives: so no two servers write one file.
 * They start `flock`, and its process becomes the server. Without util-linux (macOS) there are no such words.
 * @param {string} folder
 * @returns {string[]}
 */
function holding(folder) {
  const asked = spawnSync("flock", ["--version"], { encoding: "utf8" })
  if (asked.error !== undefined || !asked.stdout.includes("util-linux")) return []
  return ["flock", "--wait", "5", "--conflict-exit-code", String(folderInUse), "--no-fork", join(folder, "redis.lock")]
}

/** Waits for the end of its input, which comes when our process is gone. Then ends the server with the given id. */
const guardScript = `read -r _; kill -TERM "$0"
n=0; while kill -0 "$0" && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done
kill -KILL "$0"`

/** @param {import("node:child_process").ChildProcess} server */
function spawnGuard(server) {
  const guard = spawn("sh", ["-c", guardScript, String(server.pid)], {
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  })
  guard.unref()
  return guard
}

/**
 * Waits until the server answers. If it does not, ends it and throws.
 * @param {Server} server
 * @param {string} socket
 * @param {{ readonly folder: string, readonly wait: (ms: number) => Promise<unknown> }} where
 */
async function answers(server, socket, { folder, wait }) {
  for (let asked = 0; running(server.child) && asked < startMs / askEveryMs; asked++) {
    if (await answersPing(socket, server.child.pid)) return
    await wait(askEveryMs)
  }
  const { exitCode } = server.child
  await stop(server)
  if (exitCode === folderInUse)
    throw new OwnRedisError(
      `Another Redis server uses ${folder}: is Countersign running there already? ` +
        "End that one, or give this one a data_folder of its own",
    )
  const said = readFileSync(join(folder, "redis.log"), "utf8").trim().split("\n").slice(-3).join("\n")
  throw new OwnRedisError(
    `The Redis server in ${folder} did not start (exit code ${exitCode}). The end of its log:\n${said}`,
  )
}

/**
 * True if this very server answers (another one may still hold the socket) and has loaded its file (until then it
 * refuses a PING).
 * @param {string} socket
 * @param {number | undefined} pid
 * @returns {Promise<boolean>}
 */
function answersPing(socket, pid) {
  return new Promise((resolve) => {
    const connection = createConnection(socket, () => connection.write("PING\r\nINFO server\r\n"))
    let reply = ""
    connection.setTimeout(1_000, () => connection.destroy())
    connection.on("data", (chunk) => {
      reply += chunk
      const answered = /process_id:(\d+)/.exec(reply)
      if (!answered) return
      resolve(reply.startsWith("+PONG") && Number(answered[1]) === pid)
      connection.destroy()
    })
    connection.once("error", () => resolve(false))
    connection.once("close", () => resolve(false))
  })
}

/** @param {import("node:child_process").ChildProcess} child */
function running(child) {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

/** @param {Server} server */
async function stop({ child, exited }) {
  if (!running(child)) return
  child.ref()
  child.kill("SIGTERM")
  const killer = setTimeout(() => child.kill("SIGKILL"), stopMs)
  await exited
  clearTimeout(killer)
}
