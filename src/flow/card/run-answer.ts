// Sends the answer of a resumed run to the requester (`show_result`). We read the answer when we tell them the end, and
// keep it nowhere.
import type { Case } from "../../domain/case/case.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import type { Json } from "../../domain/content/json.ts"
import type { RunAddress } from "../../domain/content/run.ts"
import type { JudgePorts } from "../people/eligibility.ts"
import { requesterToTell } from "../people/visibility.ts"
import { isPortError, type Ports, type RunAnswer } from "../ports.ts"

export type RunAnswerPorts = JudgePorts & Pick<Ports, "runs" | "log">

/** A route, and the lines that we are about to tell there. */
interface Telling {
  readonly route: string
  readonly events: readonly CaseEvent[]
}

/**
 * The answer of the run, if these lines tell its end and go to the thread of the requester's own card. Else null.
 * Throws a `PortError` if Slack does not say who the requester is.
 */
export async function answerFor(
  ports: RunAnswerPorts,
  current: Case,
  { route, events }: Telling,
): Promise<RunAnswer | null> {
  const { resumption } = current
  const answer = resumption?.kind === "ended" ? resumption.answer : undefined
  const isEnd = events.some((event) => event.kind === "run-ended" && event.end === "completed")
  if (answer === undefined || !isEnd || !route.startsWith("person:")) return null
  const requester = await requesterToTell(ports, current)
  if (route !== `person:${requester?.user ?? ""}`) return null
  const content = await contentAt(ports, current, answer.address)
  return content === undefined ? { kind: "unread" } : { kind: "read", content, mask: answer.mask }
}

/** The content of the run's answer; undefined if we could not read it. */
async function contentAt({ runs, log }: RunAnswerPorts, current: Case, address: RunAddress): Promise<Json | undefined> {
  try {
    const run = (await runs.get(current.instance)?.read(address)) ?? null
    return run?.status === "COMPLETED" ? run.content : undefined
  } catch (error) {
    if (!isPortError(error)) throw error
    log.warn("answer-unread", { caseId: current.id, error })
    return undefined
  }
}
