// Lets a run go on while its models think: asks a model, takes in the reply in one transaction, and so on until the run
// pauses or ends. If the process stops between two questions, the next start goes on with the run.
import { setOut } from "../engine/leg.ts"
import { branchOf, type EngineRun, everyRun, type Family, isThinking, type Leg, type RunEvent } from "../engine/run.ts"
import { type ModelReply, takeIn } from "../engine/take-in.ts"
import type { ServiceParts } from "../handler.ts"
import { brokenOff } from "../later-work.ts"
import { transact } from "../storage/database.ts"
import { findFamily, listUnderWay } from "../storage/run-store.ts"
import { failRun } from "./end-run.ts"
import { stageOf } from "./new-run.ts"
import { keepLeg } from "./run-record.ts"

/** Called at once with what happens while a run thinks. */
export type Tell = (events: readonly RunEvent[]) => void

/** True if a model has to be asked before the run, or a run below it, goes on. */
export function isAnyThinking(family: Family): boolean {
  return everyRun(family).some(isThinking)
}

/**
 * Lets a run go on until no model has to be asked, and returns the run as it then is. Stops early if the run is
 * cancelled or gone, or if the service closes. If something throws, the run fails, and `think` throws it, too.
 */
export async function think(parts: ServiceParts, family: Family, tell: Tell): Promise<Family> {
  if (!isAnyThinking(family)) return family
  const signal = parts.thinking.begin(family.run.id)
  if (signal === null) return family
  try {
    return await askInTurn(parts, family, { tell, signal })
  } catch (error) {
    parts.later.begin(`ending run ${family.run.id}`, () => failRun(parts, family.run.id, brokenOff))
    throw error
  } finally {
    parts.thinking.end(family.run.id)
  }
}

/** Lets a run go on; nobody waits for it. */
export function thinkLater(parts: ServiceParts, family: Family): void {
  parts.later.begin(`run ${family.run.id}`, () => think(parts, family, () => undefined))
}

/** Goes on with the runs whose models were being asked when the service stopped. */
export function takeUpThinking(parts: ServiceParts): void {
  for (const family of listUnderWay(parts.database)) thinkLater(parts, family)
}

interface Attention {
  readonly tell: Tell
  readonly signal: AbortSignal
}

async function askInTurn(parts: ServiceParts, family: Family, { tell, signal }: Attention): Promise<Family> {
  let now = family
  for (;;) {
    const asking = everyRun(now).find(isThinking)
    if (asking === undefined) return now
    const branch = branchOf(now, asking.id) ?? now
    const onText = (text: string): void => tell([{ moment: "content", family: branch, call: null, text }])
    const reply = await parts.askModel(asking, { signal, onText })
    const leg = signal.aborted
      ? reread(parts, now)
      : transact(parts.database, () => takeReply(parts, now, asking, reply))
    tell(leg.events)
    now = leg.family
    if (signal.aborted || leg.events.length === 0) return now
  }
}

/** The run as it is now. If it was cancelled, an event says so. */
function reread({ database }: ServiceParts, before: Family): Leg {
  const family = findFamily(database, before.run.id) ?? before
  const { status } = family.run
  return { ...setOut(family), events: status === "CANCELLED" ? [{ moment: "cancelled", family, call: null }] : [] }
}

/** Takes in a reply. If the run has changed since its model was asked, the reply is ignored. */
function takeReply(parts: ServiceParts, before: Family, asked: EngineRun, reply: ModelReply): Leg {
  const family = findFamily(parts.database, before.run.id)
  const now = family === null ? null : (branchOf(family, asked.id)?.run ?? null)
  const isStill = now !== null && isThinking(now) && now.state.turns.length === asked.state.turns.length
  if (family === null || !isStill) return reread(parts, before)
  const stage = stageOf(parts)
  const leg = takeIn(setOut(family), asked.id, reply, stage)
  keepLeg(parts, leg, stage.at)
  return leg
}
