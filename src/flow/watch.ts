// Watch: an approved run that was continued and has paused again while nobody is asked for anything of it (`facts/agentos.md` 5.5).
import type { Approval } from "../domain/approval.ts"
import { caseIdOf } from "../domain/case.ts"
import { isPortError, type Platform, type Ports } from "./ports.ts"

export type WatchPorts = Pick<Ports, "installation" | "platforms" | "log" | "alarm">

/**
 * Makes a look at every instance, to be repeated. A sign that two looks in a row see raises one alarm for each approval: between the
 * two a row that the platform was about to write has come. An instance that does not answer is left for the next look.
 */
export function createWatch(ports: WatchPorts): () => Promise<void> {
  const suspected = new Map<string, ReadonlySet<string>>()
  const told = new Set<string>()
  const look = async (instance: string, platform: Platform): Promise<void> => {
    const moved = await pausedAgain(platform)
    const before = suspected.get(instance) ?? new Set()
    suspected.set(instance, new Set(moved.map(({ id }) => id)))
    for (const { id, runId: run } of moved.filter((one) => before.has(one.id) && !told.has(one.id))) {
      told.add(id)
      const caseId = caseIdOf(ports.installation, instance, id)
      const hint = "the run was continued and paused again without an approval: its next call asks nobody"
      ports.alarm({ code: "paused-again-unasked", caseId, instance, approval: id, run, hint })
    }
  }
  const lookSafely = async ([instance, platform]: readonly [string, Platform]): Promise<void> => {
    try {
      await look(instance, platform)
    } catch (error) {
      if (!isPortError(error)) throw error
      ports.log.warn("watch-failed", { instance, error })
    }
  }
  return async () => void (await Promise.all([...ports.platforms].map(lookSafely)))
}

/** Approved, paused, and moved since it was resolved, while no approval of the run or of its members' runs is pending. */
async function pausedAgain(platform: Platform): Promise<readonly Approval[]> {
  const moved = (await platform.approved()).filter(hasMoved)
  if (moved.length === 0) return []
  const waiting = new Set<string>()
  for await (const { approvals } of platform.pending()) for (const { runId } of approvals) waiting.add(runId)
  return moved.filter((one) => [one.runId, ...membersOf(one)].every((run) => !waiting.has(run)))
}

function hasMoved({ status, runStatus, resolvedAt, updatedAt }: Approval): boolean {
  const later = resolvedAt !== null && updatedAt !== null && updatedAt > resolvedAt
  return status === "approved" && runStatus === "PAUSED" && later
}

function membersOf({ requirements }: Approval): readonly string[] {
  const runs = (requirements ?? []).map((requirement) => requirement["member_run_id"])
  return runs.filter((run) => typeof run === "string")
}
