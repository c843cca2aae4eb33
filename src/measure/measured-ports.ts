// Wraps cases and chat: counts, logs and traces commits by what they did, and counts each refusal that people see.
import type { Case } from "../domain/case/case.ts"
import type { CaseEvent } from "../domain/case/event.ts"
import type { Answer } from "../flow/ports/reply.ts"
import type { CaseStore, Chat, Committed } from "../flow/ports.ts"
import type { Log } from "../log.ts"
import type { ProcessMeter } from "./meter.ts"

/** Wraps the cases. Counts events only after their commit, so the ledger has them. */
export function measuredCases(cases: CaseStore, meter: ProcessMeter, log: Log): CaseStore {
  return {
    ...cases,
    commit: async (commit) => {
      const { next, events } = commit
      const run = async (): Promise<Committed> => {
        const done = await cases.commit(commit)
        if (done.kind === "committed") for (const event of events) told(meter, log, done.case, event)
        return done
      }
      // The first step of a case runs inside a poll, and the poll is about no case.
      const first = events.some(({ kind }) => kind === "opened")
      return first ? meter.step({ name: "announce", caseId: next.id }, run) : run()
    },
  }
}

function told(meter: ProcessMeter, log: Log, current: Case, event: CaseEvent): void {
  const { id: caseId, instance, version } = current
  const decision = "decision" in event ? event.decision : current.decision?.id
  const decided = decision === undefined ? {} : { decision }
  log.info("case", { kind: event.kind, caseId, version, instance, ...decided })
  if (decision !== undefined) meter.traces.note({ decision })
  count(meter, current, event)
}

function count(meter: ProcessMeter, current: Case, event: CaseEvent): void {
  const { metrics } = meter
  const since = Math.max(0, event.at - current.openedAt) / 1_000
  switch (event.kind) {
    case "opened":
      return metrics.opened.inc({ platform: current.instance })
    case "placed":
      return metrics.toCard.observe(since)
    case "voted":
    case "called-back":
      return metrics.votes.inc({ verb: event.verb })
    case "refused":
      return meter.refused(event.why)
    case "decided":
      metrics.toDecision.observe({ verb: event.verb }, since)
      return metrics.decisions.inc({ verb: event.verb })
    case "resolved":
    case "recovered":
    case "elsewhere":
    case "vanished":
    case "frozen":
      return metrics.outcomes.inc({ outcome: event.kind })
    case "raised":
      return metrics.limits.inc({ platform: current.instance })
    case "counterproposal-answered":
    case "glass-broken":
    case "glass-reviewed":
    case "glass-left":
    case "asked":
    case "answered":
    case "repeated":
    case "looping":
    case "asks-again":
    case "revised":
    case "withdrawn":
    case "revealed":
    case "voided":
    case "sent":
    case "unheard":
    case "renewed":
    case "doubtful":
    case "attempted":
    case "reopened":
    case "missed":
    case "found":
    case "returned":
    case "reminded":
    case "escalated":
    case "expired":
    case "held":
    case "continued":
    case "run-ended":
    case "not-resumed":
    case "without-effect":
    case "paused-again":
    case "run-over":
    case "ran-otherwise":
    case "decided-outside-rules":
    case "admitted":
    case "summarised":
    case "closed": // these are in the log and the ledger
  }
}

/** Answers that are no refusal, and those whose entry in the ledger was counted with its commit. */
const countedElsewhere: ReadonlySet<Answer["kind"]> = new Set([
  "counted",
  "again",
  "resolved",
  "unknown-outcome",
  "withdrawn",
  "refused",
  "unseen",
  "question-asked",
  "answer-given",
])

/** Wraps the chat. */
export function measuredChat(chat: Chat, meter: ProcessMeter): Chat {
  return {
    ...chat,
    answer: (to, answer, again) => {
      if (!countedElsewhere.has(answer.kind)) meter.refused(answer.kind)
      return chat.answer(to, answer, again)
    },
  }
}
