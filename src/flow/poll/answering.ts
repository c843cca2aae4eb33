// A new approval may answer a counterproposal: its case says so, and whoever proposed counts as one who asks (R6).
import { type Case, caseIdOf } from "../../domain/case/case.ts"
import { noteAnswer, noteUnread } from "../../domain/case/notice.ts"
import { andThen } from "../../domain/case/steps.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { forbidsProposer } from "../../domain/policy/judge.ts"
import type { Policy } from "../../domain/policy/policy.ts"
import { type AnswerFound, answering, isAnswerable, runsOf, sessionKey } from "../../domain/send-back/proposals.ts"
import { findRequester } from "../people/eligibility.ts"
import { type CaseChange, type Commit, isPortError, type Ports } from "../ports.ts"

export type AnsweringPorts = Pick<
  Ports,
  "store" | "people" | "policy" | "clock" | "platforms" | "runs" | "conduct" | "installation" | "log"
>

/** What a new approval has to do with what was proposed before. */
export interface Earlier {
  /** The newest counterproposal that it answers, and the case that was sent back; null if it answers none. */
  readonly found: (AnswerFound & { readonly asked: Case }) | null
  /** True if a counterproposal of its run cannot be read, so that nobody knows who made it. */
  readonly unread: boolean
}

/** Looks for the counterproposal that a new approval answers. Nothing waits for a trouble: then there is none. */
export async function earlierProposals(ports: AnsweringPorts, approval: Approval): Promise<Earlier> {
  const { instance, sessionId } = approval
  const [ids, told] = await Promise.all([
    ports.store.sentBackIn(instance, sessionKey(sessionId)),
    toldByPlatform(ports, approval),
  ])
  const all = [...new Set([...ids, ...(told ?? [])])]
  if (all.length === 0) return { found: null, unread: told === null }
  const read = await Promise.all(all.map((id) => ports.store.read(id)))
  const cases = read.filter((one): one is Case => one !== null && !("kind" in one))
  const latest = cases.filter(isAnswerable).toSorted((a, b) => (b.outcome?.at ?? 0) - (a.outcome?.at ?? 0))
  const unread = told === null || told.some((id) => !cases.some((one) => one.id === id))
  for (const one of latest) {
    const found = answering(one, approval, {
      now: ports.clock(),
      sameRequester: await isSameAsker(ports, one, approval),
    })
    if (found !== null) return { found: { ...found, asked: one }, unread }
  }
  return { found: null, unread }
}

/** True if one person whom Slack knows asked for both. */
async function isSameAsker(ports: AnsweringPorts, { summary, ...asked }: Case, approval: Approval): Promise<boolean> {
  try {
    const userId = approval.userId ?? (await ownerOfTeamRun(ports, approval))
    if (userId === null || (await findRequester(ports, userId, ports.policy.identities)) === null) return false
    const before = summary.requester ?? (await ownerOfTeamRun(ports, asked.approval ?? asked.kept?.approval))
    return userId === before
  } catch (error) {
    if (!isPortError(error)) throw error
    return false
  }
}

/** Whose run a team's own call paused: its row never says who asked (`docs/platform-facts.md` 3). Null: nobody's. */
async function ownerOfTeamRun({ runs }: AnsweringPorts, approval: Approval | undefined): Promise<string | null> {
  if (approval === undefined || approval.sourceType !== "team" || approval.teamId === null) return null
  const { instance, teamId: component, sessionId, runId } = approval
  const run = await runs.get(instance)?.read({ runner: "teams", component, sessionId, runId })
  return run?.userId ?? null
}

/**
 * The cases of this run that the platform's own rows say were sent back, whatever Redis holds (R14). We ask only where
 * a proposer may have to count as a requester, and where we are the ones who tell the model. Null: nobody can tell.
 */
async function toldByPlatform(ports: AnsweringPorts, approval: Approval): Promise<readonly string[] | null> {
  const { instance, runId } = approval
  const { platforms, conduct, installation, policy } = ports
  const platform = platforms.get(instance)
  if (platform === undefined || conduct.get(instance)?.resume !== "decided" || !isStrict(policy)) return []
  try {
    const rows = await Promise.all(runsOf(approval).map((run) => platform.ofRun(run)))
    const sentBack = rows
      .flat()
      .filter((row) => row.status === "rejected" && row.resolutionData?.["proposal"] !== undefined)
    return sentBack.map((row) => caseIdOf(installation, instance, row.id))
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("run-unread", { instance, run: runId, error })
    return null
  }
}

function isStrict({ rules }: Policy): boolean {
  return rules.some(forbidsProposer)
}

/** The commit that opens a case, with what it answers; unchanged if it answers nothing. */
export function withEarlier(opened: Commit, { found, unread }: Earlier, at: number): Commit {
  const noted = unread ? andThen(opened, noteUnread) : opened
  if (found === null) return { ...opened, ...noted }
  const { next, events } = andThen(noted, (now) => noteAnswer(now, found.answer, at))
  const { asked, left } = found
  const besides: CaseChange = { next: { ...asked, sentBack: left }, events: [], expectedVersion: asked.version }
  return { ...opened, next, events, besides: [...(opened.besides ?? []), besides] }
}
