// A backup of Redis is restored, as docs/running.md describes it: nothing old counts before an operator accepts it,
// then all goes on.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Redis } from "ioredis"
import { expect, it, onTestFinished } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { unknownOrderer } from "../../src/domain/people/orderer.ts"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { findRedis } from "../../src/setup/redis/find-redis.mjs"
import { startRedis } from "../../src/setup/redis/start-redis.mjs"
import { actionIds } from "../../src/slack/ids.ts"
import { command, type Ended } from "../cli/command.ts"
import { aFolder, opened } from "../support/opened.ts"
import { startOwnRedis } from "../support/redis.ts"
import {
  alarms,
  approveFromOldScreen,
  ask,
  card,
  cardSaying,
  cards,
  decided,
  ledgerOf,
  onScreen,
  operate,
  placed,
  press,
  record,
  resolves,
  type Seen,
  settled,
  told,
  until,
  viewSays,
} from "./acts.ts"
import { type Row, sandboxCast, startTestBot, startWorld, type World } from "./world.ts"

/** A snapshot of a server as it is now, in a folder of its own. */
async function backUp(url: string): Promise<string> {
  const folder = aFolder("restored")
  const redis = new Redis({ path: url })
  try {
    const before = await redis.lastsave()
    await redis.config("SET", "save", "")
    await redis.bgsave()
    await until("the snapshot", async () => {
      const info = await redis.info("persistence")
      return /rdb_bgsave_in_progress:0/.test(info) && (await redis.lastsave()) >= before ? true : undefined
    })
    const [, dir = ""] = await redis.config("GET", "dir").then((pair) => pair as string[])
    await copyFile(join(dir, "dump.rdb"), join(folder, "dump.rdb"))
  } finally {
    redis.disconnect()
  }
  return folder
}

/** Turns a snapshot into an append-only file: a server that is started with one reads nothing else. */
async function loadSnapshot(folder: string): Promise<void> {
  const program = await findRedis({ env: process.env, log: () => undefined })
  const socket = join(folder, "load.sock")
  const args = ["--dir", folder, "--port", "0", "--unixsocket", socket, "--appendonly", "no", "--save", ""]
  const server = spawn(program.command, args, { env: { PATH: process.env["PATH"], ...program.env }, stdio: "ignore" })
  const ended = once(server, "exit")
  const redis = new Redis({ path: socket, retryStrategy: () => 20 })
  redis.on("error", () => undefined)
  await until("the snapshot to be loaded", async () => {
    return /loading:0/.test(await redis.info("persistence")) ? true : undefined
  })
  await redis.config("SET", "appendonly", "yes")
  await until("the append-only file", async () => {
    const info = await redis.info("persistence")
    return /aof_rewrite_in_progress:0/.test(info) && /aof_last_bgrewrite_status:ok/.test(info) ? true : undefined
  })
  redis.disconnect()
  server.kill("SIGTERM")
  await ended
}

/** Starts Redis on a snapshot, as the one in the data folder: the commands find it there. */
async function restore(here: World, snapshot: string): Promise<string> {
  const folder = join(here.folder, "redis")
  await mkdir(folder)
  await copyFile(join(snapshot, "dump.rdb"), join(folder, "dump.rdb"))
  await loadSnapshot(folder)
  const server = await startRedis({ folder, env: process.env, log: () => undefined })
  onTestFinished(() => server.stop())
  return server.url
}

/** A bot on the restored Redis, and its log. */
async function startAgain(here: World, redisUrl: string): Promise<World> {
  const log: Record<string, unknown>[] = []
  const bot = await opened(startTestBot({ env: here.env, yaml: here.yaml, log, redisUrl }))
  return { ...here, log, bot }
}

/** Runs a command as the operator does, beside the bot's data folder. */
async function countersign(here: World, ...args: readonly string[]): Promise<Ended> {
  await writeFile(join(here.folder, "countersign.yaml"), here.yaml)
  return command(args, { env: { ...here.env }, cwd: here.folder }).ended
}

/** Size and root in the command that `ledger accept` shows. */
function shownIn({ out }: Ended): readonly [size: string, root: string] {
  const [, size = "", root = ""] = /^countersign ledger accept (\d+) ([0-9a-f]{64})$/m.exec(out) ?? []
  return [size, root]
}

/** Accepts what is shown. What the bot enters between the two commands has to be shown as well: then we look again. */
async function accepts(here: World): Promise<Ended> {
  return until("the acceptance", async () => {
    const shown = await countersign(here, "ledger", "accept")
    const ended = await countersign(here, "ledger", "accept", ...shownIn(shown))
    return ended.code === 0 ? ended : undefined
  })
}

/** What the bot answers to a GET. */
async function answers(here: World, path: string): Promise<readonly [number, string]> {
  const answer = await fetch(`${here.bot.url}${path}`)
  return [answer.status, await answer.text()]
}

interface Restored {
  readonly here: World
  readonly url: string
  /** The card that hung when the snapshot was taken, and whose approval was decided since. */
  readonly since: Seen
  /** The approval that waited then, and waits still. */
  readonly waits: Row
  /** How often the platform was asked to resolve before Redis was restored. */
  readonly sent: number
  /** How many entries the ledger had before, all under a checkpoint. */
  readonly length: number
}

/** One approval was decided before the snapshot, one since, one waits. `before`: what is done while nothing runs. */
async function afterRestore(before: (here: World) => Promise<void> = async () => undefined): Promise<Restored> {
  const first = await startOwnRedis()
  const here = await startWorld({ redisUrl: first.url, more: "ledger: { checkpoint_every: 1s }" })
  onTestFinished(async () => {
    await here.close()
    await first.stop()
  })
  const old = await ask(here, { tool_name: "before_backup" })
  await press(here, sandboxCast.alice, await card(here, "before_backup"), "approve")
  await decided(here, old.id)
  const later = await ask(here, { tool_name: "since_backup" })
  const since = await card(here, "since_backup")
  const waits = await ask(here, { tool_name: "still_waits" })
  await card(here, "still_waits")
  const snapshot = await backUp(first.url)
  await press(here, sandboxCast.bob, since, "approve")
  await decided(here, later.id)
  await settled(here, "since_backup")
  const length = await covered(here, first.url)
  const sent = resolves(here)
  await here.bot.close()
  await before(here)
  const url = await restore(here, snapshot)
  return { here: await startAgain(here, url), url, since, waits, sent, length }
}

/** Waits until a checkpoint covers the ledger as it is now, and gives back its length. */
async function covered(here: World, url: string): Promise<number> {
  const { length } = await ledgerOf(here, url)
  await until("a checkpoint over all of it", () => {
    const sizes = here.log.filter(({ event }) => event === "ledger-checkpoint").map(({ size }) => Number(size))
    return Math.max(0, ...sizes) >= length ? true : undefined
  })
  return length
}

/** Waits until the ledger tells of something. */
async function tells(here: World, url: string, kind: string): Promise<void> {
  await until(`the ledger to tell "${kind}"`, async () => {
    return (await ledgerOf(here, url)).some((event) => event["kind"] === kind) ? true : undefined
  })
}

/** Waits until a press of Approve on the card as it is now is taken, and the platform has the decision. */
async function approveAnew(here: World, person: string, words: string, id: string): Promise<Row> {
  return until("the approval to be decided anew", async () => {
    const live = cards(here, words).find(({ buttons }) => buttons.includes(actionIds.approve))
    if (live !== undefined) await press(here, person, live, "approve")
    const row = await record(here, id)
    return row.status === "pending" ? undefined : row
  })
}

/** Ends the stop of everything that an accepted roll-back leaves, as an operator does; the stop. */
async function lifted(here: World): Promise<unknown> {
  const stop = await until("everything to be stopped", async () => {
    const [one] = JSON.parse((await countersign(here, "stops", "--json")).out)
    return one
  })
  expect(await countersign(here, "stops", "end", stop.id)).toMatchObject({ code: 0 })
  return stop
}

it("R17 a restored backup approves nothing until it is accepted; then what was decided since is taken up, and all goes on", async () => {
  const { here, url, since, waits, sent, length } = await afterRestore()
  expect(alarms(here)).toEqual(["ledger-rolled-back"])
  expect(await answers(here, "/readyz")).toEqual([200, expect.stringContaining("ready")])
  expect(await answers(here, "/status")).toEqual([503, expect.stringContaining("countersign ledger accept")])
  expect(await answers(here, "/metrics")).toEqual([200, expect.stringContaining("countersign_rolled_back 1")])
  await press(here, sandboxCast.alice, await card(here, "still_waits"), "approve")
  await told(here, sandboxCast.alice, "older")
  expect(resolves(here)).toBe(sent)
  const meanwhile = await ask(here, { tool_name: "asked_meanwhile" })
  await press(here, sandboxCast.bob, await card(here, "asked_meanwhile"), "reject")
  expect(await decided(here, meanwhile.id)).toMatchObject({ status: "rejected" })
  const caseId = caseIdOf(here.installation, "main", meanwhile.id)
  // Until then the ledger goes on, and what is shown of it is no longer what is accepted.
  await until("its case to be closed", () =>
    here.log.find((line) => line["caseId"] === caseId && line["kind"] === "closed"),
  )

  const shown = await countersign(here, "ledger", "accept")
  const [size] = shownIn(shown)
  const other = await countersign(here, "ledger", "accept", size, "0".repeat(64))
  expect(shown).toMatchObject({ code: 1, out: expect.stringContaining("Redis is older than what is known of it") })
  expect(other).toMatchObject({ code: 1 })
  expect(alarms(here)).toEqual(["ledger-rolled-back"])
  expect((await accepts(here)).out).toContain("accepted")

  await tells(here, url, "recovered")
  expect(await lifted(here)).toMatchObject({ match: {}, by: unknownOrderer })
  await until("/status to be well", async () => ((await answers(here, "/status"))[0] === 200 ? true : undefined))
  expect((await settled(here, "since_backup")).ts).toBe(since.ts)
  expect(resolves(here)).toBe(sent + 1)
  expect(await approveAnew(here, sandboxCast.alice, "still_waits", waits.id)).toMatchObject({ status: "approved" })
  const next = await ask(here, { tool_name: "after_restore" })
  await press(here, sandboxCast.alice, await card(here, "after_restore"), "reject")
  expect(await decided(here, next.id)).toMatchObject({ status: "rejected", resolved_by: "alice@sandbox.example" })
  expect(await countersign(here, "ledger", "verify")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\d+ older checkpoints ended .*none of them vouches for entries \d+ to \d+$/m),
  })
  // An entry that stands where another one did, which an older checkpoint covers.
  await writeFile(join(here.folder, "proof.json"), (await countersign(here, "ledger", "prove", String(length))).out)
  expect(await countersign(here, "receipt", "verify", "proof.json")).toMatchObject({ code: 0 })
  expect(alarms(here)).toEqual(["ledger-rolled-back", "stopped", "stop-ended"])
})

it("R17 a backup without marks and checkpoints begins an era: all that is open is asked for again", async () => {
  const { here, url, since, waits, sent } = await afterRestore(async (there) => {
    await rm(join(there.folder, "marks"), { recursive: true })
    await rm(join(there.folder, "checkpoints.jsonl"))
  })

  await tells(here, url, "recovered")
  expect((await settled(here, "since_backup")).ts).toBe(since.ts)
  expect(resolves(here)).toBe(sent)
  expect(await approveAnew(here, sandboxCast.alice, "still_waits", waits.id)).toMatchObject({ status: "approved" })
  expect((await countersign(here, "ledger", "verify")).out).toContain("ledger verified")
  expect(alarms(here)).toEqual(["era-begun"])
})

const fields = [{ name: "recipient", field_type: "str", description: "Who gets it." }]
const asksForInput: ScriptInput = {
  agents: [
    {
      id: "payments-agent",
      tools: [{ name: "send_money", gated: true, pause: "user_input", fields }],
      runs: [{ name: "go", turns: [[{ tool: "send_money", args: {} }]], answer: "Paid." }],
    },
  ],
}

/** Has the agent ask, on a platform that would run what is rejected all the same; its card. */
async function askForInput(here: World): Promise<Seen> {
  const info = { kind: "answer", status: 200, body: { agno_version: "3.1.10" } } as const
  here.proxy.fail({ method: "GET", path: /\/info$/, fault: info })
  const token = here.service.mintServiceAccount({ name: "starter", scopes: ["agents:run"] })
  const body = new URLSearchParams({ message: "go", stream: "false", session_id: "s-1" })
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${here.service.url}/agents/payments-agent/runs`, { method: "POST", headers, body })
  return card(here, "send_money")
}

it("R12 R17 an accepted roll-back ends no hold: somebody else's Approve on a screen that is old counts nothing", async () => {
  const first = await startOwnRedis()
  const before = await startWorld({
    redisUrl: first.url,
    script: asksForInput,
    more: "ledger: { checkpoint_every: 1s }",
  })
  onTestFinished(async () => {
    await before.close()
    await first.stop()
  })
  const open = await askForInput(before)
  await placed(before)
  const seen = onScreen(before, open.ts)
  await press(before, sandboxCast.bob, open, "reject")
  const held = await cardSaying(before, "Held")
  await covered(before, first.url)
  const snapshot = await backUp(first.url)
  const since = await ask(before, { tool_name: "since_backup" })
  await press(before, sandboxCast.alice, await card(before, "since_backup"), "approve")
  await decided(before, since.id)
  await covered(before, first.url)
  const sent = resolves(before)
  await before.bot.close()
  const url = await restore(before, snapshot)
  const here = await startAgain(before, url)
  await until("the alarm", () => (alarms(here).includes("ledger-rolled-back") ? true : undefined))

  await accepts(here)
  await tells(here, url, "recovered")
  await lifted(here)
  await approveFromOldScreen(here, sandboxCast.alice, seen)

  await viewSays(here, sandboxCast.alice, "already rejected by")
  expect(cards(here, "Held").map(({ ts }) => ts)).toEqual([held.ts])
  expect(resolves(here)).toBe(sent)
  const { body } = await operate(here, "GET /approvals?status=pending")
  expect((body as { data: readonly Row[] }).data.map((row) => row["tool_name"])).toEqual(["send_money"])
})
