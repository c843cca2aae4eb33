// Tells a person what became of their interaction, in words or in their view, which shows the case as it is now.
import { isRejectable } from "../../domain/case/card-steps.ts"
import { personKey } from "../../domain/people/person.ts"
import type { Interaction } from "../ports/interaction.ts"
import type { Answer } from "../ports/reply.ts"
import {
  FlowError,
  type FlowErrorCode,
  isCredentialRefused,
  isPortError,
  type Ports,
  type ReopenedView,
  refusalOfSlack,
} from "../ports.ts"
import { details } from "../query/case-view.ts"

/** What to tell a person after their interaction failed, if we will try it again. */
export function answerToFailure(error: unknown): Answer {
  if (isFlowError(error, "other-config", "instance-elsewhere")) return { kind: "other-config" }
  if (isFlowError(error, "card-unknown")) return { kind: "early" }
  if (isFlowError(error, "approval-missing")) return { kind: "missing" }
  const source = isPortError(error) ? error.source : undefined
  if (source === "slack") return { kind: "slack-down" }
  if (isCredentialRefused(error)) return { kind: "credential-refused", retrying: true }
  if (source === "platform") return { kind: "platform-down" }
  return { kind: "failed" }
}

/** After these answers a view shows the case once more, so that the person can act again at once. */
const kinds: readonly Answer["kind"][] = [
  "changed",
  "reopened",
  "reason-missing",
  "input-missing",
  "late",
  "withdrawn",
  "asked-anew",
  "unseen",
  "question-asked",
  "not-asked",
]

/** The case as the person sees it now; their view on record follows it (R18). Undefined if they only get words. */
export async function againFor(
  ports: Ports,
  interaction: Interaction,
  answer: Answer,
): Promise<ReopenedView | undefined> {
  if (interaction.replyTo.kind !== "view" || !kinds.includes(answer.kind)) return undefined
  try {
    return await shownAgain(ports, interaction, interaction.replyTo.viewId)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("not-shown-again", { caseId: interaction.target.caseId, error })
    return undefined
  }
}

async function shownAgain(ports: Ports, interaction: Interaction, viewId: string): Promise<ReopenedView | undefined> {
  const { person, target } = interaction
  const view = await ports.views.read(viewId)
  if (view?.caseId !== target.caseId || personKey(view.person) !== personKey(person)) return undefined
  const shown = await details(ports, target.caseId, person, target.route === "" ? null : target.route)
  if (shown === null || !isRejectable(shown.model.status)) return undefined
  const { route, revision, digest } = shown.model
  // The new view hides all masked values, even if the person had revealed them before.
  const anew = { route, revision, digest: digest.slice(0, 16), purpose: "details", verb: null } as const
  await ports.views.remember({ ...view, ...anew, revealed: false, pagesOpened: 1 })
  return { details: shown, place: view.place, pageSize: view.pageSize }
}

/** True for a failure of the flow itself with one of these codes. */
export function isFlowError(error: unknown, ...codes: readonly FlowErrorCode[]): boolean {
  return error instanceof FlowError && codes.includes(error.code)
}

/** What to tell a person after their interaction failed, if it would fail again. */
export function lastingFailure(error: unknown): Answer {
  if (isCredentialRefused(error)) return { kind: "credential-refused", retrying: false }
  const word = refusalOfSlack(error)
  return word === null ? { kind: "failed-for-good" } : { kind: "slack-refuses", word }
}

/** Tells the answer. Returns the failure if it may pass. Logs one that will not pass: we can do nothing more. */
export async function tell(ports: Ports, interaction: Interaction, answer: Answer): Promise<Error | null> {
  try {
    const again = await againFor(ports, interaction, answer)
    await ports.chat.answer(interaction.replyTo, answer, again)
    return null
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("answer-failed", { caseId: interaction.target.caseId, answer: answer.kind, error })
    return error.retryable ? error : null
  }
}
