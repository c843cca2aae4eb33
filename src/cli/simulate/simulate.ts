// countersign policy simulate: tries rules on the cases that we keep. It writes nothing anywhere.
import { existsSync } from "node:fs"
import { loadConfig } from "../../config.ts"
import { oneIdentity } from "../../domain/people/person.ts"
import { type Policy, policyOf } from "../../domain/policy/policy.ts"
import { createSimulation, type Simulation } from "../../domain/simulation/simulation.ts"
import type { SlackProbe } from "../../slack/probe.ts"
import { askSlack } from "../installation/ask-slack.ts"
import { surroundings } from "../installation/context.ts"
import { type Opened, withStore } from "../installation/opened-store.ts"
import { createReadProgress } from "../progress.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { wholeNumberOf } from "../whole-number.ts"
import { createDirectory } from "./directory.ts"
import { casesSince, createLookUps, type LookUps, limitsOfThePast } from "./history.ts"
import { dayOf, durationWords, namedReport, simulationWords } from "./simulation-words.ts"

/** How to try the rules. */
export interface SimulateOptions {
  /** A duration such as `30d`, or a day or time (ISO 8601). Default: 30 days, or less if cases are kept for less. */
  readonly since?: string
  /** The seed for all that is drawn by chance. */
  readonly seed: string
  readonly json: boolean
}

/** Prints what the rules of a file would have asked about the cases that we keep. Throws `CommandError`. */
export async function policySimulate(terminal: Terminal, file: string, options: SimulateOptions): Promise<void> {
  const [seed, now] = [wholeNumberOf("--seed", options.seed, [0, 999_999_999]), Date.now()]
  const rules = rulesIn(file)
  await withStore(terminal, async (opened) => {
    const since = sinceOf(options.since, now, opened.context.config.retentionMs)
    const active = await rulesInForce(opened)
    const slack = await slackOf(opened, now)
    const [tried, inForce] = [atHome(rules, slack), atHome(active, slack)]
    const { identityLinks: links, reading } = opened.store
    const directory = createDirectory({ slack, links, clock: () => now, note: noteOnce(terminal) })
    const past = { reading, directory, tried, inForce }
    const lookUps = await createLookUps(past)
    const { retentionMs } = opened.context.config
    const limits = await limitsOfThePast(past, {
      keptSince: retentionMs === null ? null : now - retentionMs,
      onCase: createReadProgress(terminal, countWords("cases added up")),
    })
    const simulation = createSimulation({ tried, inForce, people: lookUps.people, limits, now })
    const first = await replayAll({ terminal, opened, simulation, lookUps }, since)
    const named = await namedReport(simulation.report(chanceOf(seed)), directory)
    const about = { installation: opened.context.config.installation, file, seed, since: first, until: now }
    if (options.json) return terminal.out(JSON.stringify({ ...about, ...named }, null, 2))
    for (const line of simulationWords({ ...about, ...named })) terminal.out(line)
  })
}

/** Reads the rules. Throws `ConfigError` with line and column. */
function rulesIn(file: string): Policy {
  if (!existsSync(file)) throw new CommandError(`${file}: there is no such file`)
  const { rules, identities } = loadConfig({ ...surroundings({ configFile: file }), need: "rules" })
  return policyOf(rules, identities)
}

const dayMs = 86_400_000
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs }

/** The moment (epoch ms) from which cases count. */
function sinceOf(text: string | undefined, now: number, retentionMs: number | null): number {
  if (text === undefined) return now - Math.min(30 * dayMs, retentionMs ?? Number.POSITIVE_INFINITY)
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const since = count === undefined ? Date.parse(text) : now - Number(count) * (unitMs[unit] ?? 0)
  if (Number.isNaN(since) || since >= now)
    throw new CommandError(`--since must be a duration such as 30d or 12h, or a day of the past, not ${text}`)
  if (retentionMs === null || now - since <= retentionMs) return since
  const kept = durationWords(retentionMs)
  throw new CommandError(`--since ${text} reaches beyond what is kept: a case goes ${kept} after its end (retention)`)
}

/** The rules in force. Throws `CommandError` or `StoreError` if this Redis is not ours, or if no rules are in force. */
async function rulesInForce({ context, store }: Opened): Promise<Policy> {
  const { installation } = context.config
  if ((await store.check()) === "absent")
    throw new CommandError(`there is no installation ${installation} in this Redis yet: the first start makes it`)
  const why = await store.config.obstacle()
  const active = store.config.active()
  if (active === null) throw new CommandError(`no rules are in force at ${installation}: ${why ?? "start the bot"}`)
  return policyOf(active.shared.rules, active.shared.identities)
}

/** Opens Slack with a clock that stands still: so Slack's answers hold for the whole simulation. */
async function slackOf({ context }: Opened, now: number): Promise<SlackProbe> {
  const slack = await askSlack({ ...context, clock: () => now })
  if ("why" in slack) throw new CommandError(`only Slack knows whom groups and addresses mean: ${slack.why}`)
  return slack
}

/** Gives each person of a grid one id, whichever id the config names. The policy's revision stays the config's. */
function atHome(policy: Policy, { people: { home } }: SlackProbe): Policy {
  return { ...policy, identities: policy.identities.map((listed) => ({ ...listed, ...oneIdentity(home, listed) })) }
}

function noteOnce(terminal: Terminal): (words: string) => void {
  const told = new Set<string>()
  return (words) => {
    if (!told.has(words)) terminal.err(`note: ${words}`)
    told.add(words)
  }
}

interface Replaying {
  readonly terminal: Terminal
  readonly opened: Opened
  readonly simulation: Simulation
  readonly lookUps: LookUps
}

function countWords(what: string): (count: number, openedAt: number) => string {
  return (count, openedAt) => `${what}: ${count}, back to ${dayOf(openedAt)}`
}

/** Replays all cases. Returns the moment when the first of them was opened. Throws `CommandError` if there is none. */
async function replayAll({ terminal, opened, simulation, lookUps }: Replaying, since: number): Promise<number> {
  const progress = createReadProgress(terminal, countWords("cases replayed"))
  let [count, first] = [0, since]
  for await (const { place, found } of casesSince(opened.store.reading, since)) {
    if ("kind" in found) simulation.unreadable()
    else simulation.take(await lookUps.lookUp(found))
    count += 1
    first = place.openedAt
    progress(first)
  }
  if (count === 0) throw new CommandError(`no case has been kept since ${dayOf(since)}: --since reaches further back`)
  return first
}

/** Draws numbers from 0 to below 1. The same seed gives the same numbers (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
