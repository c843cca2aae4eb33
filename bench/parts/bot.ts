// Starts the product in front of a bench's world, on a Redis of its own.
import { randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { startRedis } from "../../src/setup/redis/start-redis.mjs"
import { actionIds } from "../../src/slack/ids.ts"
import { type Child, startChild } from "./child.ts"
import { type PostedCard, signingSecret } from "./clicks.ts"
import type { Arrival, World } from "./world.ts"

/** A Redis of a bench's own. */
export interface OwnRedis {
  readonly url: string
  /** A folder for whoever uses it. */
  readonly folder: string
  stop(): Promise<void>
}

/** How the product is set up. */
export interface BotSetup {
  /** Slack, and the platform `main`. */
  readonly world: World
  /** More platforms; their cards go to the same Slack. */
  readonly others?: readonly World[]
  readonly redis: OwnRedis
  /** Another one is another product on the same Redis. */
  readonly installation?: string
  readonly pollMs: number
  readonly paceMs: number
  /** One rule and one channel each, by the tool that they are about. Default: one for all. */
  readonly tools?: readonly string[]
  /** More keys of each rule, as YAML in braces has them. Default: none. */
  readonly ruleKeys?: string
  /** What the rules mask. Default: nothing. */
  readonly mask?: readonly string[]
  /** How long arguments of closed cases are kept. Default: as in production. */
  readonly retainArguments?: string
  /** The folder of another checkout, whose product it is. Default: this one's. */
  readonly tree?: string
  /** True: it can be asked for how long its loop was blocked. */
  readonly block?: boolean
}

/** Whose bearer may read the product's `/metrics`. */
export const metricsToken = "a token of the bench"

/** The channel of a rule. */
export function channelOf(tool: string): string {
  return `C0${tool.replaceAll(/[^a-z0-9]/gi, "").toUpperCase()}`
}

/** Starts the bot; its config is the plainest that works, with room for the cards of every bench. */
export function startProduct(setup: BotSetup): Promise<Child> {
  const { world, others = [], redis, installation, pollMs, paceMs, tools, mask = [], block = false, ruleKeys } = setup
  const kept = setup.retainArguments === undefined ? "" : `retain_arguments: ${setup.retainArguments}`
  const rules = (tools ?? ["*"]).map((tool) => {
    const match = tool === "*" ? "" : `match: { tool: "${tool}" }, `
    const channel = tool === "*" ? "C0BENCH" : channelOf(tool)
    return `{ name: "${tool}", ${match}routes: [${channel}], approvers: [U0ALICE], unknown_requester: allow, require_reason: never, mask: ${JSON.stringify(mask)}${ruleKeys === undefined ? "" : `, ${ruleKeys}`} }`
  })
  const instances = [world, ...others].map(
    ({ url }, at) => `{ name: ${at === 0 ? "main" : `other${at}`}, url: "${url}", poll_every: ${pollMs}ms }`,
  )
  const yaml = `
installation: ${installation ?? `b${randomUUID().slice(0, 8)}`}
data_folder: ${redis.folder}
instances: [${instances.join(", ")}]
slack: { mode: http, bot_token: "\${SLACK_BOT_TOKEN}", sandbox: true, api_url: "${world.url}/api/", pace_ms: ${paceMs} }
http: { port: 0, host: 127.0.0.1, metrics_token: "\${METRICS_TOKEN}" }
limits: { cards_per_instance: 10000, cards_per_agent: 10000 }
${kept}
rules: [${rules.join(", ")}]
`
  return startChild(
    "bot-process.ts",
    {
      BENCH_YAML: yaml,
      BENCH_REDIS: redis.url,
      BENCH_BLOCK: block ? "yes" : "no",
      COUNTERSIGN_KEY: "a key of the bench that is long enough",
      SLACK_BOT_TOKEN: "xoxb-bench",
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_SANDBOX: "true",
      METRICS_TOKEN: metricsToken,
    },
    setup.tree,
  )
}

/**
 * How long after its start a server has nothing to doubt, in ms. It may have forgotten the second before its start, so
 * the product looks for the cards of approvals from that time (R17). Uptimes and creation times are whole seconds.
 */
const rememberedMs = 2_500

/**
 * A Redis of the bench's own, as the product would start it; with `port` it listens there as well, and its address says
 * so. Approvals that are created from now on are as young as nearly all are to a Redis that runs for good.
 */
export async function startOwnRedis({ port = 0 }: { readonly port?: number } = {}): Promise<OwnRedis> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-bench-"))
  const server = await startRedis({ folder, env: process.env, log: () => undefined, port })
  await wait(rememberedMs)
  const stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { url: server.url, folder, stop }
}

/** Waits until a condition holds; what reaches the world is when it is asked again. Throws after `limitMs`. */
export async function until(what: string, holds: () => boolean, limitMs = 120_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** Takes the next card off a list. Throws where none is left. */
export function taken<Card>(cards: Card[]): Card {
  const card = cards.shift()
  if (card === undefined) throw new Error("no card is left to click on")
  return card
}

/** The cards among what reached the world, in the order in which they were posted. A message in a thread is none. */
export function cardsIn(world: World): readonly PostedCard[] {
  return world.arrivals.filter(isCard).map((arrival, at) => readCard(arrival, at))
}

/**
 * True for a card that is posted in a channel. A message in a thread is none, nor is what whoever asked is told at the
 * end.
 */
export function isCard({ call, fields }: Arrival): boolean {
  return (
    call === "chat.postMessage" && fields.get("thread_ts") === null && fields.get("channel")?.startsWith("C") === true
  )
}

/** What of a posted card is needed to press it. Throws for a message without an Approve button. */
export function readCard({ fields, ts }: Arrival, at: number): PostedCard {
  const blocks: unknown = JSON.parse(fields.get("blocks") ?? "[]")
  const value = valueOf(blocks, actionIds.approve)
  if (value === null) throw new Error(`card ${at} has no Approve button`)
  return { channel: fields.get("channel") ?? "", ts, value }
}

/** What the button with an action_id carries, wherever it stands. */
function valueOf(within: unknown, action: string): string | null {
  if (typeof within !== "object" || within === null) return null
  if ("action_id" in within && within.action_id === action && "value" in within) return String(within.value)
  for (const part of Object.values(within)) {
    const found = valueOf(part, action)
    if (found !== null) return found
  }
  return null
}
