// Counterproposals of cases: what a case that was sent back still proposes, and how another case answers it. Pure.
import type { z } from "zod"
import { type Approval, type Call, openGatedCalls } from "../content/approval.ts"
import { sha256 } from "../content/canonical.ts"
import type { Json, JsonObject } from "../content/json.ts"
import type { Frozen } from "../content/record/frozen.ts"
import { isSameJson, memberRunsIn } from "../content/run.ts"
import { type Identity, idsOf } from "../people/human.ts"
import { personKey, type SlackId } from "../people/person.ts"
import { maskApproval } from "../text/mask.ts"
import { hasMask } from "../text/masker.ts"
import { counterproposalIn } from "./counterproposal.ts"
import { offeredArguments } from "./editable.ts"
import type {
  answeredCallSchema,
  counterproposalAnswerSchema,
  earlierProposalSchema,
  sentBackSchema,
} from "./record/answer-record.ts"

/** What a case that was sent back keeps, so that the agent's next calls find it. */
export interface SentBackNote extends Frozen<z.infer<typeof sentBackSchema>> {}

/** How a case answers a counterproposal. */
export interface CounterproposalAnswer extends Frozen<z.infer<typeof counterproposalAnswerSchema>> {}

/** One call of such a case, and what was proposed for it. */
export interface AnsweredCall extends Frozen<z.infer<typeof answeredCallSchema>> {}

/** Values that somebody proposed for a call of a case. */
export interface EarlierProposal extends Frozen<z.infer<typeof earlierProposalSchema>> {}

/** What is looked at of a case that was sent back, or may have been. */
interface SentBackCase {
  readonly id: string
  readonly instance: string
  readonly approval: Approval | null
  readonly kept?: {
    readonly approval: Approval
    readonly filled?: JsonObject
    readonly earlier?: readonly EarlierProposal[]
  }
  readonly answers?: CounterproposalAnswer
  readonly sentBack?: SentBackNote
  readonly decision: { readonly votes: readonly SendingBack[] } | null
  readonly outcome: { readonly kind: string; readonly at: number } | null
  readonly revision: { readonly look: { readonly mask: readonly string[] } }
}

/** The vote that sent it back. */
interface SendingBack {
  readonly sentBack?: true
  readonly values: JsonObject | null
  readonly person: SlackId
  readonly rules: readonly { readonly name: string }[]
  readonly at: number
}

/** What is looked at of a case that answers a counterproposal, or may. */
interface AnsweringCase {
  readonly approval: Approval | null
  readonly answers?: CounterproposalAnswer
  readonly proposerUnread?: true
}

/** For this many ms a call may answer a counterproposal. So long its case keeps what the rules do not mask, too. */
export const answerableMs = 86_400_000

/** A session, as the cases that were sent back in it are found: 20 hex characters. */
export function sessionKey(sessionId: string): string {
  return sha256(sessionId).slice(0, 20)
}

/** What to keep of a case that settles; nothing unless it was sent back, and the platform took that. */
export function sentBackNote(
  { approval, decision }: Pick<SentBackCase, "approval" | "decision">,
  outcome: { readonly kind: string },
): { readonly sentBack?: SentBackNote } {
  const sentBack = outcome.kind === "ours" && decision?.votes.at(-1)?.sentBack === true
  return approval !== null && sentBack ? { sentBack: { session: sessionKey(approval.sessionId), answered: [] } } : {}
}

/** What a case filled in that was sent back, as it is kept with its content; nothing for another case. */
export function proposalKept({ sentBack, decision, answers }: SentBackCase): {
  readonly filled?: JsonObject
  readonly earlier?: readonly EarlierProposal[]
} {
  const filled = decision?.votes.at(-1)?.values ?? null
  const earlier = allProposed(answers)
  return sentBack === undefined || filled === null ? {} : { filled, ...(earlier.length > 0 && { earlier }) }
}

/** All that was proposed for the calls of a case: in the counterproposal that it answers, and before that. */
function allProposed(answers: CounterproposalAnswer | undefined): readonly EarlierProposal[] {
  if (answers === undefined) return []
  const own = answers.calls.map(({ call, expected, changed }) => {
    return { call, by: answers.by, values: Object.fromEntries(changed.map((name) => [name, expected[name] ?? null])) }
  })
  return [...(answers.earlier ?? []), ...own]
}

/** True while calls may find the counterproposal of a case. */
export function isAnswerable(current: SentBackCase): boolean {
  return proposedCalls(current).length > 0
}

/** A call that somebody wants in place of another one. */
interface ProposedInstead extends Omit<AnsweredCall, "call"> {
  /** The place of the call that was sent back. */
  readonly at: number
  readonly call: Call
}

/** The calls that a case proposes and that nobody has asked yet. */
function proposedCalls(current: SentBackCase): readonly ProposedInstead[] {
  const { sentBack, approval, kept, decision, revision } = current
  const filled = approval === null ? kept?.filled : decision?.votes.at(-1)?.values
  const shown = approval === null ? kept?.approval : maskApproval(approval, revision.look.mask).approval
  if (sentBack === undefined || shown === undefined || filled === undefined) return []
  const proposal = counterproposalIn(filled)?.calls ?? []
  return openGatedCalls(shown).flatMap((call, at): ProposedInstead[] => {
    const proposed = proposal[at]
    if (proposed === undefined || proposed.choice === "not-at-all" || sentBack.answered.includes(at)) return []
    const before = Object.entries(offeredArguments(call))
    const masked = before.filter(([, value]) => hasMask(JSON.stringify(value))).map(([name]) => name)
    const plain = Object.fromEntries(before.filter(([name]) => !masked.includes(name)))
    return [{ at, call, expected: { ...plain, ...proposed.args }, masked, changed: Object.keys(proposed.args) }]
  })
}

/** How a new approval answers the counterproposal of a case, and what that case then keeps. */
export interface AnswerFound {
  readonly answer: CounterproposalAnswer
  readonly left: SentBackNote
}

/**
 * Compares a new approval with what a case proposes: by instance, session, tool and agent. Null if it answers nothing.
 * `sameRequester`: true if both were asked by one known person; else only a call of the same run answers.
 */
export function answering(
  asked: SentBackCase,
  approval: Approval,
  { now, sameRequester }: { readonly now: number; readonly sameRequester: boolean },
): AnswerFound | null {
  const { outcome, decision, sentBack } = asked
  const by = decision?.votes.at(-1)
  const timely = outcome !== null && now < outcome.at + answerableMs && asked.instance === approval.instance
  if (!timely || by === undefined || sentBack === undefined) return null
  const askedRun = (asked.approval ?? asked.kept?.approval)?.runId
  const sameRun = askedRun !== undefined && runsOf(approval).includes(askedRun)
  if (sentBack.session !== sessionKey(approval.sessionId) || !(sameRun || sameRequester)) return null
  const answered = pairs(openGatedCalls(approval), proposedCalls(asked))
  if (answered.length === 0) return null
  // Who proposed a value has proposed it, whoever changed another one since.
  const before = asked.approval === null ? (asked.kept?.earlier ?? []) : allProposed(asked.answers)
  const earlier = answered.flatMap(({ call, proposed }) =>
    before.filter((one) => one.call === proposed.at).map((one) => ({ ...one, call })),
  )
  const answer: CounterproposalAnswer = {
    case: asked.id,
    by: personKey(by.person),
    rules: by.rules.map(({ name }) => name),
    at: by.at,
    ...(sameRun ? {} : { otherRun: true }),
    calls: answered.map(({ call, proposed: { expected, masked, changed } }) => ({ call, expected, masked, changed })),
    ...(earlier.length > 0 && { earlier }),
  }
  const used = [...sentBack.answered, ...answered.map(({ proposed }) => proposed.at)]
  return { answer, left: { ...sentBack, answered: used } }
}

/**
 * The runs whose calls an approval is about. Before 3.1.2 a member's second call stands in a row of its team, with the
 * team's run (`docs/platform-facts.md` 3.3).
 */
export function runsOf(approval: Approval): readonly string[] {
  return [...new Set([approval.runId, ...memberRunsIn(approval)])]
}

/** Each new call with the first proposed one of its tool and agent. */
function pairs(calls: readonly Call[], proposed: readonly ProposedInstead[]) {
  const left = [...proposed]
  return calls.flatMap((call, at) => {
    const found = left.findIndex((one) => one.call.tool === call.tool && one.call.agentId === call.agentId)
    const [one] = found < 0 ? [] : left.splice(found, 1)
    return one === undefined ? [] : [{ call: at, proposed: one }]
  })
}

/** One argument that is not as proposed. `proposed`: what it should be; absent if it should not be there. */
export interface ArgumentDifference {
  readonly name: string
  readonly proposed?: Json
}

/** How a call that answers a counterproposal differs from it; empty if all that can be compared is as proposed. */
function differencesOf({ expected, masked }: AnsweredCall, call: Call): readonly ArgumentDifference[] {
  const actual = offeredArguments(call)
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].filter((one) => !masked.includes(one))
  return names.flatMap((name): ArgumentDifference[] => {
    const { [name]: wanted } = expected
    if (wanted !== undefined && Object.hasOwn(actual, name) && isSameJson(wanted, actual[name])) return []
    return [wanted === undefined ? { name } : { name, proposed: wanted }]
  })
}

/** What a card says of the counterproposal that its case answers. */
export interface CardAnswer extends Pick<CounterproposalAnswer, "by" | "rules" | "otherRun"> {
  readonly calls: readonly {
    readonly call: number
    /** True if some arguments cannot be compared, because rules mask them. */
    readonly masked: boolean
    readonly differences: readonly ArgumentDifference[]
  }[]
}

/** What the cards of a case say of counterproposals; nothing if it has to do with none. */
export function answerOn({ answers, proposerUnread, approval }: AnsweringCase): {
  readonly answers?: CardAnswer
  readonly proposerUnread?: true
} {
  const unread = proposerUnread === undefined ? {} : { proposerUnread }
  if (answers === undefined || approval === null) return unread
  const { by, rules, otherRun } = answers
  const open = openGatedCalls(approval)
  const calls = answers.calls.flatMap((one) => {
    const call = open[one.call]
    const differences = call === undefined ? [] : differencesOf(one, call)
    return call === undefined ? [] : [{ call: one.call, masked: one.masked.length > 0, differences }]
  })
  return { ...unread, answers: { by, rules, ...(otherRun && { otherRun }), calls } }
}

/** True if all that can be compared is as proposed. */
export function isAsProposed({ calls }: CardAnswer): boolean {
  return calls.every(({ differences }) => differences.length === 0)
}

/**
 * True if somebody proposed a value that a call of this case has now: they are one of those who ask for it. Once nobody
 * knows any more what they proposed, they count as one for all of it.
 */
export function isProposedBy(
  { answers, approval }: AnsweringCase,
  person: SlackId,
  identities: readonly Identity[],
): boolean {
  if (answers === undefined || approval === null) return false
  const ids = idsOf(person, identities).map(personKey)
  const isTheirs = ({ by }: { readonly by: string }) => ids.includes(by)
  const { earlier = [] } = answers
  if (answers.calls.length === 0) return [answers, ...earlier].some(isTheirs)
  const calls = openGatedCalls(approval)
  return allProposed(answers)
    .filter(isTheirs)
    .some(({ call, values }) => {
      const asked = calls[call]
      const actual: JsonObject = asked === undefined ? {} : offeredArguments(asked)
      return Object.entries(values).some(
        ([name, value]) => Object.hasOwn(actual, name) && isSameJson(value, actual[name]),
      )
    })
}

/** The answer without what was proposed: only whose counterproposals these were stays. */
export function withoutProposed({ answers }: Pick<AnsweringCase, "answers">): Pick<AnsweringCase, "answers"> {
  if (answers === undefined) return {}
  const { earlier, ...own } = answers
  const whose = earlier === undefined ? {} : { earlier: earlier.map((one) => ({ ...one, values: {} })) }
  return { answers: { ...own, calls: [], ...whose } }
}
