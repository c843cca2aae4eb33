// countersign demo: everything on this machine, without any account. Runs until a signal; `--once` plays it once.
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { stopped } from "../run.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { playOnce } from "./once.ts"
import type { DemoRow } from "./operator.ts"
import { demoRuns } from "./scenes.ts"
import { type DemoStage, openStage } from "./stage.ts"

/**
 * Runs the demo until a signal; with `--once`, plays it once by itself. Throws if `--once` does not end as it should.
 * Throws `CommandError` for `--json` without `--once`.
 */
export async function demo(
  terminal: Terminal,
  options: { readonly once: boolean; readonly json: boolean; readonly port: number },
): Promise<void> {
  if (options.json && !options.once) throw new CommandError("--json is for --once: give both, or neither")
  const stage = await openStage({ terminal, port: options.port })
  try {
    if (options.once) await playOnce(stage, terminal, { json: options.json, random: (size) => randomBytes(size) })
    else await playLive(stage, terminal)
  } finally {
    await stage.close()
  }
}

/** How many approvals wait at a time. */
const waiting = 3
/** How often we look at the waiting approvals, in ms. */
const roundMs = 700

/** Starts runs, and prints how they go on, until a signal. */
async function playLive(stage: DemoStage, terminal: Terminal): Promise<void> {
  const end = new AbortController()
  const { signal } = end
  const ended = stopped().then(() => end.abort())
  terminal.out(`Open the workspace:  ${stage.sandbox.pageUrl}`)
  terminal.out(`The platform:        ${stage.serviceUrl}`)
  terminal.out("Its first page lists things to try: press “Two people” first. Ctrl-C ends the demo.")
  const open = new Map<string, DemoRow>()
  for (let turn = 0; !signal.aborted; ) {
    if (open.size < waiting) turn += await startOne(stage, terminal, open, turn)
    for (const row of open.values()) await look(stage, terminal, open, row)
    await delay(roundMs, undefined, { signal }).catch(() => undefined)
  }
  await ended
}

async function startOne(stage: DemoStage, terminal: Terminal, open: Map<string, DemoRow>, turn: number) {
  const run = demoRuns[turn % demoRuns.length] ?? demoRuns[0]
  const row = await stage.operator.start(run)
  open.set(row.id, row)
  terminal.out(`${run.agent} asks: ${row.tool_name} (approval ${row.id})`)
  return 1
}

async function look(stage: DemoStage, terminal: Terminal, open: Map<string, DemoRow>, row: DemoRow): Promise<void> {
  const now = await stage.operator.read(row.id)
  if (now.status === "pending" || now.run_status === "PAUSED") return
  open.delete(row.id)
  terminal.out(`${now.tool_name}: ${now.status} by ${now.resolved_by}`)
  terminal.out(`${now.agent_id} went on: ${now.run_status}`)
}
