// Hold: we do not send a rejection that the platform would not enforce, and that we cannot carry out ourselves (R12).
import type { Case } from "../../domain/case/case.ts"
import type { Vote } from "../../domain/case/vote.ts"
import { openGatedCalls } from "../../domain/content/approval.ts"
import { overReport } from "../../domain/content/run-report.ts"
import { isPortError, type Platform, type Ports, platformOf } from "../ports.ts"
import { type ExaminePorts, examine } from "./examine.ts"

export type HoldPorts = ExaminePorts & Pick<Ports, "platforms" | "runs" | "conduct" | "log">

/**
 * True if we have to hold the rejection that these votes make (no votes: nobody decided in time). A rejected user_input
 * call runs if anybody continues the run with an empty request (`docs/platform-facts.md` 5.3). While the record is
 * pending, the platform's own gate stops the run. If in doubt, we hold.
 */
export async function isToBeHeld(ports: HoldPorts, current: Case, votes: readonly Vote[]): Promise<boolean> {
  const { approval, instance } = current
  if (approval === null || !openGatedCalls(approval).some((call) => call.pauseType === "user_input")) return false
  if (ports.conduct.get(instance)?.rejectUserInput === "send" || hasEnded(current)) return false
  const platform = platformOf(ports, current)
  if (await enforcesForSure(ports, platform, current)) return false
  return !(await canRefuse(ports, platform, current, votes))
}

/** AgentOS runs no call of a run that is completed or cancelled (`docs/platform-facts.md` 5.1). */
function hasEnded(current: Case): boolean {
  const over = overReport(current)
  return over !== null && over.status !== "ERROR"
}

/** True if the platform enforces every rejection. Only its own word counts: silence is no promise. */
async function enforcesForSure(ports: HoldPorts, platform: Platform, current: Case): Promise<boolean> {
  try {
    return (await platform.capabilities()).enforcesRejection
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("nature-unknown", { caseId: current.id, error })
    return false
  }
}

/** True if the run waits for exactly these calls, and we may continue it with an explicit refusal. */
async function canRefuse(
  ports: HoldPorts,
  platform: Platform,
  current: Case,
  votes: readonly Vote[],
): Promise<boolean> {
  const { approval, instance } = current
  const [runs, conduct] = [ports.runs.get(instance), ports.conduct.get(instance)]
  if (approval === null || runs === undefined || conduct?.resume !== "decided") return false
  try {
    const decision = { verb: "reject" as const, votes }
    const examined = await examine(ports, { current, approval, decision, platform, runs, conduct })
    return examined.kind === "ready"
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("run-unknown", { caseId: current.id, error })
    return false
  }
}
