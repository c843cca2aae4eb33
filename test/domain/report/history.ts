// Histories of cases, made by the domain's own steps. While they are made, it is noted from the cases' records how each
// of them stands, so that a report, which reads the events alone, has something to be compared with.
import fc from "fast-check"
import { type Case, owesReview, type ProposalOutcome, rulesToReview, type Step } from "../../../src/domain/case/case.ts"
import { expire, leavePending } from "../../../src/domain/case/deadline-steps.ts"
import { noteAnswer, notice } from "../../../src/domain/case/notice.ts"
import { comeBack, isGone, renew } from "../../../src/domain/case/renewal-steps.ts"
import {
  castVote,
  heldBy,
  noteHeld,
  openCase,
  revise,
  takeUpAgain,
  voidVote,
  withdrawVote,
} from "../../../src/domain/case/steps.ts"
import { close, decide, freeze, reopen, settle } from "../../../src/domain/case/verdict.ts"
import type { Vote } from "../../../src/domain/case/vote.ts"
import { type Approval, openGatedCalls } from "../../../src/domain/content/approval.ts"
import { isJsonObject, type Json, parseJson } from "../../../src/domain/content/json.ts"
import { addGlassReview, breakGlass, leaveGlass } from "../../../src/domain/glass/glass.ts"
import type { Policy } from "../../../src/domain/policy/policy.ts"
import type { End } from "../../../src/domain/report/course.ts"
import { anApproval, aPolicy, aRule, aTiming, aVote, installation } from "../../support/builders.ts"

/** How a case stands from a moment on, by its record. */
export interface Standing {
  readonly at: number
  readonly is: End | "open"
  /** When people decided; null: they did not, or no entry tells. */
  readonly decidedAt: number | null
  readonly held: boolean
  readonly onItsWay: boolean
  readonly rules: readonly string[]
  readonly tool: string | null
  readonly team: string | null
}

/** One asking of a case: from `opened` on, until it is asked anew. */
export interface Asking {
  readonly openedAt: number
  readonly standings: Standing[]
  readonly ranOtherwise: number[]
  readonly outsideRules: number[]
  readonly broken: number[]
  readonly notRight: number[]
  readonly left: number[]
  readonly stoodIn: number[]
  readonly sentBack: number[]
  readonly taken: number[]
  removed: boolean
  texts: number
  receipts: number
}

/** A vote, or one taken back. */
export interface Act {
  readonly at: number
  readonly person: string
  readonly what: "approved" | "rejected" | "calledBack" | "withdrawn"
  /** Since when people were asked about what it was about. */
  readonly since: number
}

/** What happened to one case. */
export interface CaseHistory {
  readonly chain: string
  readonly events: readonly { readonly at: number; readonly event: Readonly<Record<string, Json>> }[]
  readonly askings: readonly Asking[]
  readonly acts: readonly Act[]
}

/** What happens to one case, each after a while. */
export interface Script {
  readonly at: number
  readonly tool: string | null
  readonly team: string | null
  readonly rejects: boolean
  readonly steps: readonly { readonly what: Happening; readonly ms: number; readonly user: string }[]
}

const glassRule = aRule({
  name: "wide",
  breakGlass: { approvers: [], reviewers: [], route: { kind: "channel", id: "C9" }, withinMs: 1 },
})

/** Scripts that begin within this many ms after `from`. */
export function aScript(from: number, ms: number): fc.Arbitrary<Script> {
  const often: readonly Happening[] = ["approve", "expire", "take", "take", "close", "close"]
  const step = fc.record({
    what: fc.constantFrom(...happenings, ...often),
    ms: fc.integer({ min: 0, max: ms / 4 }),
    user: fc.constantFrom("U1", "U2", "U3"),
  })
  return fc.record({
    at: fc.integer({ min: from, max: from + ms }),
    tool: fc.constantFrom("pay", "send", null),
    team: fc.constantFrom("x", "y", null),
    rejects: fc.boolean(),
    steps: fc.array(step, { maxLength: 12 }),
  })
}

function policyOf(rejects: boolean, name: string): Policy {
  const timing = aTiming({ expireAfter: 1, onExpiry: rejects ? "reject" : "leave" })
  return aPolicy([aRule({ name: "narrow", match: { team: ["x"] }, timing }), aRule({ name, timing })])
}

/** Plays a script by the steps of the domain. What is not possible when it is due does not happen. */
export function played(script: Script, number: number): CaseHistory {
  const play = begin(script, number)
  for (const { what, ms, user } of script.steps) {
    play.at += ms
    happens[what](play, user)
    noteStanding(play)
  }
  const { events, askings, acts } = play
  return { chain: `case:${number}`, events, askings, acts }
}

/** A case while its script is played. */
interface Play {
  readonly number: number
  readonly rejects: boolean
  policy: Policy
  approval: Approval
  now: Case
  at: number
  /** Since when people are asked about what they see. */
  since: number
  /** When people decided; null: they did not, or nobody knows. */
  decidedAt: number | null
  asking: Asking
  readonly askings: Asking[]
  readonly acts: Act[]
  readonly events: { readonly at: number; readonly event: Readonly<Record<string, Json>> }[]
}

function begin({ at, tool, team, rejects }: Script, number: number): Play {
  const policy = policyOf(rejects, "wide")
  const approval = anApproval({ id: `a-${number}`, toolName: tool, teamId: team })
  const step = openCase({ installation, approval, policy, epoch: "e", at })
  const asking = anAsking(at)
  const moments = { at, since: at, decidedAt: null }
  const lists = { asking, askings: [asking], acts: [], events: [] }
  const play: Play = { number, rejects, policy, approval, now: step.next, ...moments, ...lists }
  go(play, step)
  if (number % 7 === 0) answerProposal(play)
  noteStanding(play)
  return play
}

/** The case answers a counterproposal: every second time as it was proposed. */
function answerProposal(play: Play): void {
  const { now, at, number } = play
  const [call] = now.approval === null ? [] : openGatedCalls(now.approval)
  const taken = number % 2 === 0
  const expected = taken ? (call?.args ?? {}) : { other: 1 }
  const calls = [{ call: 0, expected, masked: [], changed: [] }]
  go(play, noteAnswer(now, { case: "sent-back", by: "T1:UALICE", rules: ["all"], at, calls }, at))
  if (taken) play.asking.taken.push(at)
}

function anAsking(openedAt: number): Asking {
  const glass = { broken: [], notRight: [], left: [] }
  const lists = { standings: [], ranOtherwise: [], outsideRules: [], stoodIn: [], sentBack: [], taken: [], ...glass }
  return { openedAt, ...lists, removed: false, texts: 0, receipts: 0 }
}

function noteStanding({ asking, now, at, decidedAt }: Play): void {
  asking.standings.push(standing(now, at, decidedAt))
}

/** Takes a step; false: there is none. */
function go(play: Play, step: Step | null): boolean {
  if (step === null) return false
  play.now = step.next
  tell(play, step.events)
  return true
}

function tell({ events, at }: Play, told: readonly { readonly kind: string }[]): void {
  for (const event of told) {
    const read = parseJson(JSON.stringify({ ...event, at }))
    if (isJsonObject(read)) events.push({ at, event: read })
  }
}

function isVotable({ now }: Play): boolean {
  return now.state === "open" && now.time.expired === null && heldBy(now) === null
}

function isPending({ now }: Play): boolean {
  return now.state === "open" || now.state === "sending"
}

/** True if the case has expired, and its rejection is owed. */
function isOwed({ now }: Play): boolean {
  return now.state === "open" && now.time.expired !== null && now.time.expired.rejectAt !== null
}

function vote(play: Play, user: string, what: Exclude<Act["what"], "withdrawn">): Vote {
  const { now, number, at, since, events } = play
  const { number: revision, digest, quotas } = now.revision
  // Every fifth votes for somebody who is away.
  const away = number % 5 === 0 && what !== "calledBack" ? { for: "T1:UAWAY" } : {}
  const rules = what === "calledBack" ? [] : quotas.map(({ name, hash }) => ({ name, hash, ...away }))
  if ("for" in away) play.asking.stoodIn.push(at)
  const about = { caseId: now.id, revision, digest, rules, interaction: `${number} ${events.length}` }
  const verb = what === "approved" ? ("approve" as const) : ("reject" as const)
  const sentBack = what === "rejected" && number % 3 === 0 ? { sentBack: true as const } : {}
  if ("sentBack" in sentBack) play.asking.sentBack.push(at)
  const manner = what === "calledBack" ? { calledBack: true as const } : sentBack
  const cast = aVote({ user, verb, at, ...about, ...manner })
  go(play, castVote(now, cast, quotas))
  play.acts.push({ at, person: `T1:${user}`, what, since })
  return cast
}

function decideBy(play: Play, cast: Vote, decidedAt: number): void {
  const { now, at, events } = play
  go(play, decide(now, { id: `d-${events.length}`, verb: cast.verb, votes: [cast], at }, "{}"))
  play.decidedAt = decidedAt
}

/** People are asked anew, on the same chain. */
function askAnew(play: Play, step: Step): void {
  play.since = play.at
  play.decidedAt = null
  play.asking = anAsking(play.at)
  play.askings.push(play.asking)
  go(play, step)
}

/** Takes a step after which people are asked about something else, or once more. */
function goAnew(play: Play, step: Step): void {
  go(play, step)
  play.since = play.at
}

function reviseTo(play: Play, change: Partial<Pick<Play, "approval" | "policy">>): void {
  if (play.now.state !== "open") return
  Object.assign(play, change)
  goAnew(play, revise(play.now, play.approval, play.policy, play.at))
}

/** What may happen to a case, if it can. */
const happens = {
  vote: (play, user) => {
    if (isVotable(play)) vote(play, user, "approved")
  },
  approve: (play, user) => {
    if (isVotable(play)) decideBy(play, vote(play, user, "approved"), play.at)
  },
  reject: (play, user) => {
    if (isVotable(play)) decideBy(play, vote(play, user, "rejected"), play.at)
  },
  callBack: (play, user) => {
    if (isVotable(play)) decideBy(play, vote(play, user, "calledBack"), play.at)
  },
  hold: (play, user) => {
    if (!isVotable(play)) return
    const { person } = vote(play, user, "rejected")
    go(play, noteHeld(play.now, person, play.at))
    play.decidedAt = play.at
  },
  /** The platform enforces it by now: the rejection that was held is sent. */
  sendHeld: (play) => {
    const held = heldBy(play.now)
    if (held !== null && play.now.time.expired === null) decideBy(play, held, play.decidedAt ?? play.at)
  },
  withdraw: (play) => {
    const { now, at, since, events } = play
    const [cast] = now.votes
    if (now.state !== "open" || now.time.expired !== null || cast === undefined) return
    go(play, withdrawVote(now, cast.person, `w ${events.length}`, at))
    play.acts.push({ at, person: `T1:${cast.person.user}`, what: "withdrawn", since })
  },
  void: (play) => {
    const cast = play.now.votes.at(-1)
    if (play.now.state === "open" && cast !== undefined)
      go(play, voidVote(play.now, cast.person, "deactivated", play.at))
  },
  revise: (play) => reviseTo(play, { approval: { ...play.approval, toolName: `tool ${play.events.length}` } }),
  rerule: (play) => reviseTo(play, { policy: policyOf(play.rejects, `wide ${play.events.length}`) }),
  renew: (play) => {
    if (play.now.state !== "frozen" && play.now.state !== "sending") goAnew(play, renew(play.now, play.at))
  },
  expire: (play) => {
    if (play.now.state === "open" && play.now.time.expired === null) go(play, expire(play.now, play.at))
  },
  byExpiry: (play) => {
    if (!isOwed(play)) return
    const { now, at, events } = play
    go(play, decide(now, { id: `d-${events.length}`, verb: "reject", votes: [], at, by: "expiry" }, "{}"))
    play.decidedAt = null
  },
  leave: (play) => {
    if (isOwed(play)) go(play, leavePending(play.now, play.at))
  },
  take: (play) => {
    if (play.now.state === "sending") go(play, taken(play.now, "resolved", play.at))
  },
  /** The record has a decision of ours that Redis lost. */
  recover: (play) => {
    if (play.now.state !== "open" || heldBy(play.now) !== null) return
    play.decidedAt = null
    go(play, taken(play.now, "recovered", play.at))
  },
  refuse: (play) => {
    if (play.now.state === "sending") goAnew(play, reopen(play.now, "refused", play.at))
  },
  elsewhere: (play) => {
    if (isPending(play)) go(play, settledElsewhere(play.now, play.at))
  },
  replace: (play) => {
    if (isPending(play)) go(play, settledElsewhere(play.now, play.at, { how: "replaced", newer: "b" }))
  },
  outdate: (play) => {
    if (isPending(play)) go(play, settledElsewhere(play.now, play.at, { how: "outdated" }))
  },
  runOut: (play) => {
    if (isPending(play)) go(play, settledElsewhere(play.now, play.at, { how: "expired", newer: "b" }))
  },
  vanish: (play) => {
    const gone = { kind: "vanished", at: play.at } as const
    if (isPending(play)) go(play, settle(play.now, gone, gone))
  },
  comeBack: (play) => {
    const { now, approval, at } = play
    if (now.state === "closed" && isGone(now)) goAnew(play, comeBack(now, approval, { votes: now.votes, at }))
  },
  askAgain: (play) => {
    const { now, approval, policy, at } = play
    if (now.state === "closed") askAnew(play, takeUpAgain(now, approval, policy, at))
  },
  close: (play) => {
    if (play.now.state === "settled" && !owesReview(play.now)) go(play, close(play.now, play.at))
  },
  freeze: (play) => {
    if (play.now.state !== "frozen") go(play, freeze(play.now, "changed", play.at))
  },
  ranOtherwise: (play) => {
    const { now, at, asking } = play
    if (go(play, notice(now, { kind: "ran-otherwise", at, deviations: ["ran"] }))) asking.ranOtherwise.push(at)
  },
  runEnded: (play) => {
    if (play.now.state !== "settled") return
    tell(play, [{ kind: "run-ended", deviations: ["ran"] } as { kind: string }])
    play.asking.ranOtherwise.push(play.at)
  },
  outsideRules: (play) => {
    const { now, at, asking } = play
    if (go(play, notice(now, { kind: "decided-outside-rules", at, why: "not" }))) asking.outsideRules.push(at)
  },
  breakGlass: (play, user) => {
    if (!isVotable(play)) return
    const cast = vote(play, user, "approved")
    decideBy(play, cast, play.at)
    const breaking = { vote: cast, rules: [glassRule], passed: [], linked: [] }
    if (go(play, breakGlass(play.now, breaking, play.at))) play.asking.broken.push(play.at)
  },
  review: (play, user) => {
    const [rule] = rulesToReview(play.now)
    const { at, now } = play
    if (now.state !== "settled" || rule === undefined) return
    const right = user === "U1"
    const said = { rules: [rule], person: { team: "T1", user }, name: "", right, reason: null, at }
    go(play, addGlassReview(now, said, `r ${at}`))
    if (!right) play.asking.notRight.push(at)
  },
  leaveGlass: (play) => {
    if (go(play, leaveGlass(play.now, play.at))) play.asking.left.push(play.at)
  },
  erase: (play) => {
    if (play.now.state !== "closed") return
    const gone = { kind: "erased", person: "T1:U1", by: "root", erasables: ["1", "2"], receipts: ["3"] }
    tell(play, [gone])
    play.asking.texts += 2
    play.asking.receipts += 1
  },
  /** The case is past its retention, and its approval is pending again. */
  remove: (play) => {
    if (play.now.state !== "closed") return
    tell(play, [{ kind: "removed" }])
    play.asking.removed = true
    const { approval, policy, at } = play
    askAnew(play, openCase({ installation, approval, policy, epoch: "e", at }))
  },
} satisfies Readonly<Record<string, (play: Play, user: string) => void>>

type Happening = keyof typeof happens
const happenings = Object.keys(happens).filter((one): one is Happening => one in happens)

function taken(now: Case, kind: "resolved" | "recovered", at: number): Step {
  const verb = now.decision?.verb ?? "approve"
  const ours = { decision: "d", verb, resolvedBy: "u1" }
  const event = kind === "resolved" ? { kind, at, sandbox: false, ...ours } : { kind, at, ...ours }
  return settle(now, { kind: "ours", verb, decisionId: "d", resolvedBy: "u1", at }, event)
}

function settledElsewhere(now: Case, at: number, proposal?: ProposalOutcome): Step {
  const said = { kind: "elsewhere", status: "approved", resolvedBy: "root", at, ...(proposal && { proposal }) } as const
  return settle(now, said, { ...said, claimsToBeOurs: false })
}

/** How a case stands by its record. */
function standing(now: Case, at: number, decidedAt: number | null): Standing {
  const is = standingOf(now)
  const byPeople = is === "approved" || is === "rejected" || is === "calledBack"
  return {
    at,
    is,
    decidedAt: byPeople ? decidedAt : null,
    held: byPeople && heldBy(now) !== null,
    onItsWay: now.state === "sending",
    rules: now.revision.quotas.map(({ name }) => name),
    tool: now.summary.tool,
    team: now.summary.team ?? null,
  }
}

/** Under which end a case counts that no vote ended. */
const elsewhereAs = { replaced: "replaced", outdated: "replaced", expired: "expired", unapproved: "elsewhere" } as const

function standingOf({ state, outcome, decision, time, ...now }: Case): Standing["is"] {
  if (state === "frozen") return "frozen"
  if (outcome?.kind === "elsewhere") return elsewhereAs[outcome.proposal?.how ?? "unapproved"]
  if (outcome?.kind === "vanished") return "gone"
  if (decision?.by === "expiry") return "byExpiry"
  if (decision?.verb === "approve" || outcome?.verb === "approve") return "approved"
  const rejection = decision?.votes.at(-1) ?? heldBy({ state, outcome, decision, time, ...now })
  if (rejection !== null) return rejection.calledBack === true ? "calledBack" : "rejected"
  return time.expired !== null && time.expired.rejectAt === null ? "expired" : "open"
}

/** Audit rows: when, of which tool and team, and how they were confirmed. */
export interface AuditScript {
  readonly at: number
  readonly tool: string | null
  readonly team: string | null
  readonly status: string
}

/** Audit rows of this time. */
export function someAudits(from: number, ms: number): fc.Arbitrary<readonly AuditScript[]> {
  return fc.array(
    fc.record({
      at: fc.integer({ min: from, max: from + ms }),
      tool: fc.constantFrom("pay", "export", null),
      team: fc.constantFrom("x", null),
      status: fc.constantFrom("approved", "rejected", "cancelled"),
    }),
    { maxLength: 6 },
  )
}
