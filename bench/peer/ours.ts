// Countersign for the bench: the built program in front of a real AgentOS. It continues the runs that were decided.
import { spawn } from "node:child_process"
import { type AgentOs, aJwt } from "../../test/agentos/agentos.ts"
import { startRun } from "../../test/agentos/drive.ts"
import { RUNNER } from "../../test/agentos/resuming.ts"
import { freePort } from "../../test/support/free-port.ts"
import { isCard, readCard, startOwnRedis, taken, until } from "../parts/bot.ts"
import { click, type PostedCard } from "../parts/clicks.ts"
import { buildProgram, endedBySignal, installedBot, untilStarted } from "../parts/installed.ts"
import type { World } from "../parts/world.ts"
import { answered, edited, type Side } from "./measure.ts"

/** A running Countersign, whose cards are clicked one after another. */
export interface Ours extends Side {
  close(): Promise<void>
}

/** So many runs are begun at once. */
const atOnce = 8
/** What it knows of its platform. A single poll may miss rows of one second, whose order differs from page to page. */
const instanceKeys = 'token: "${PLATFORM_TOKEN}", poll_every: 10s, resume: decided, resume_token: "${RESUME_TOKEN}"'
/** The scopes of the token that decides. */
const decider = ["approvals:read", "approvals:write"]
const room = "limits: { cards_per_instance: 10000, cards_per_agent: 10000 }"

/** Builds the program, begins so many runs that wait for an approval, and starts it before them. */
export async function startOurs(os: AgentOs, world: World, count: number): Promise<Ours> {
  const redis = await startOwnRedis({ port: await freePort() })
  await buildProgram()
  for (let begun = 0; begun < count; begun += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, count - begun) }, () => startRun(os, { of: "admin-agent" })),
    )
  const port = await freePort()
  const tokens = { PLATFORM_TOKEN: await aJwt(decider), RESUME_TOKEN: await aJwt(RUNNER) }
  const instance = `url: "${os.url}", ${instanceKeys}`
  const { command, env } = installedBot({ world, redis, instance, port, more: room, on: [] })
  const [program = "", ...args] = command
  const child = spawn(program, args, { env: { ...process.env, ...env, ...tokens }, stdio: ["ignore", "pipe", "pipe"] })
  await untilStarted(child)
  const cards = () => world.arrivals.filter(isCard)
  await until("all cards", () => cards().length >= count, 600_000)
  const close = async () => {
    await endedBySignal(child)
    await redis.stop()
  }
  const posted = cards().map(readCard)
  return { click: () => clickOn(world, `http://127.0.0.1:${port}`, taken(posted)), close }
}

let clicks = 0

function clickOn(world: World, url: string, card: PostedCard): ReturnType<Side["click"]> {
  clicks += 1
  const id = `click-${clicks}`
  return { sent: click(world, url, { card, id }), changes: [answered(id), edited(card.ts)] }
}
