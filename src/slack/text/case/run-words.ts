// What follows a decision, in words: what became of its run, and what somebody has to do. Card and thread say the
// same.
import type { CardModel, CardStatus } from "../../../domain/case/card-model.ts"
import type { Outcome } from "../../../domain/case/case.ts"
import {
  type CardRun,
  continuedByOthers,
  type RunEnd,
  runEndWords,
  type Withheld,
} from "../../../domain/case/resumption.ts"
import { approvalTakes } from "../../../domain/content/inputs.ts"
import type { Verb } from "../../../domain/policy/judge.ts"
import { builtInInstance } from "../../../domain/rule/rules-change.ts"
import { firstLines } from "../../lines/fit-lines.ts"
import { bold, code, type Line, link, listed, listedUpTo, moment, say, sentence } from "../../lines/spans.ts"
import type { FittedLines, TextFitter } from "../../lines/text-fitter.ts"
import { askerOf } from "./case-facts.ts"
import { afterProposal } from "./proposal-words.ts"
import { heldUpLines } from "./stop-words.ts"

const wordUnits = 300
const maxDeviations = 5

/**
 * What to know of a case after its end: what its run does, and what somebody has to do. Details also say until when a
 * gate lets the calls begin.
 */
export function afterwards(model: CardModel, fitter: TextFitter, left: "tell" | "omit" = "tell"): readonly Line[] {
  const { status, time } = model
  if (status.kind !== "settled") return []
  const { outcome, run } = status
  if (model.instance === builtInInstance) return [[say(afterProposal(outcome))]]
  const isLeft = outcome.kind === "ours" && outcome.verb === "approve" && run?.kind === "left"
  if (isLeft && left === "omit") return [[say(`${leftWords(model)} Nothing to do here.`)]]
  const told = outcome.kind === "ours" ? runLines(run, { verb: outcome.verb, who: askerOf(model) }, fitter) : []
  const after = outcome.kind === "ours" && outcome.verb === "reject" && run?.kind === "left" ? [] : told
  return [...after, ...restLines(model, outcome), ...(left === "tell" ? gateLines(time) : [])]
}

/** Words for an approval after which we continue no run. */
function leftWords({ approval, summary }: CardModel): string {
  if (approvalTakes(approval) === "result") return "The result went to the agent's platform."
  return summary.calls > 1 ? "They may run now." : "It may run now."
}

/** After a case that was not approved: whether anybody has to do something. */
function restLines({ time, status, votes }: CardModel, outcome: Outcome): readonly Line[] {
  const wasRun = votes.some(({ values }) => values !== null && values["result"] !== undefined)
  const askAgain = wasRun
    ? "The result that was entered did not reach the agent: do not have it run again without looking."
    : "Whoever needs it has to ask again."
  const runs = status.kind === "settled" && status.run !== undefined && status.run.kind !== "left"
  switch (outcome.kind) {
    case "ours":
      if (outcome.verb === "approve" || runs) return []
      return [[say(`The agent's platform was told no. ${time.ranOut ? askAgain : "Nothing to do."}`)]]
    case "vanished":
      return [[say("Nobody can decide it any more. Nothing to do.")]]
    case "elsewhere":
      if (outcome.status === "expired") return [[say(`It cannot be approved any more. ${askAgain}`)]]
      return [[say(`${platformEndWords(outcome.status)} Nothing to do here.`)]]
  }
}

/** What an end on the platform means for the people who were asked here. */
function platformEndWords(status: string): string {
  if (status === "cancelled") return "It was cancelled on the agent's platform, so nobody can approve it any more."
  if (byPeople.has(status)) return "It was settled on the agent's platform, not in Slack."
  return "Countersign does not know that status. Look on the agent's platform whether it ran."
}

/** The ends that only people bring about. */
export const byPeople: ReadonlySet<string> = new Set(["approved", "rejected"])

/** What a card says about its run after a verdict of ours; else no line. `who`: the platform's requester. */
function runLines(
  run: CardRun | undefined,
  { verb, who }: { readonly verb: Verb; readonly who: string | null },
  fitter: TextFitter,
): readonly Line[] {
  const goesOn = verb === "approve" ? "The agent goes on" : "The agent is told no, and goes on without it"
  switch (run?.kind) {
    case undefined:
      return []
    case "left":
      return [sentence`The run does not go on by itself: ${starter(who, fitter)} has to continue it.`]
    case "waiting":
      return waitingLines(goesOn, run, fitter)
    case "continuing":
      return verb === "approve"
        ? [sentence`The agent is going on (since ${moment(run.since)}); how its run ends will stand here.`]
        : [sentence`The agent was told no, and goes on without it since ${moment(run.since)}.`]
    case "ended":
      return endLines(run.end, verb, fitter)
    case "withheld":
      return [withheldLine(run, who, fitter)]
  }
}

/** Words for a run that ended while its approval is pending: what ran all the same, and what is left to do. */
export function overLines(over: Extract<CardStatus, { kind: "run-over" }>, fitter: TextFitter): readonly Line[] {
  const what = { COMPLETED: "ended", CANCELLED: "was cancelled", ERROR: "failed" }[over.status]
  const then = "so an approval would let nothing run. Please reject it: that closes this card."
  return [...oddLines(over.ran, fitter), [say(`The run ${what} without waiting for this, ${then}`)]]
}

/** A line for each thing that did not run as decided. */
function oddLines(said: readonly string[], fitter: TextFitter): readonly Line[] {
  const odd = said.map((one): Line => [bold("⚠ "), code(fitter.word(one, wordUnits))])
  return firstLines(odd, maxDeviations, { noun: "deviation", where: [say("all of them in the ledger")] })
}

/** Until when a gate at the tool lets the approved calls begin; no line if none is left to begin. */
export function gateLines({ runBy }: { readonly runBy?: number | undefined }): readonly Line[] {
  return runBy === undefined
    ? []
    : [sentence`Where a gate stands before the tool: the approval is valid until ${moment(runBy)}.`]
}

function waitingLines(goesOn: string, run: WaitingRun, fitter: TextFitter): readonly Line[] {
  if (run.beside > 0) return [besideWords(goesOn, run)]
  return run.stopped === undefined ? [[say("The agent is about to go on.")]] : heldUpLines(run.stopped, fitter)
}

type WaitingRun = Extract<CardRun, { kind: "waiting" }>

function besideWords(goesOn: string, { beside, links = [] }: WaitingRun): Line {
  const others = beside === 1 ? "another approval of the same run is" : `${beside} other approvals of the same run are`
  const cards = links.map((url, at) => link(url, beside === 1 ? "its card" : `card ${at + 1}`))
  const without = cards.length > 0 && cards.length < beside ? [say(withoutCard(beside - cards.length))] : []
  return sentence`${goesOn} once ${others} decided${cards.length === 0 ? "" : ": "}${listed([...cards, ...without])}.`
}

function withoutCard(others: number): string {
  return others === 1 ? "one more that has no card in Slack" : `${others} more that have no card in Slack`
}

const completedWords = {
  approve: "The run went on and is completed",
  reject: "The agent was told no, went on without it, and its run is completed. Nothing to do",
  unknown: runEndWords.completed,
} as const

/** How a run ended, in one line. Above it stands a line for each call that did not run as decided. */
export function endLines(
  { kind, by, detail, deviations, ran = [] }: RunEnd,
  verb: Verb | "unknown",
  fitter: TextFitter,
): readonly Line[] {
  const others = by === "others" ? [say(`. ${continuedByOthers}`)] : []
  const words = detail === null ? [] : sentence`: ${code(fitter.word(detail, wordUnits))}`
  const end = sentence`${kind === "completed" ? completedWords[verb] : runEndWords[kind]}${ranWords(ran, fitter)}`
  const told = deviations.length === 0 ? [] : [[say("Whoever runs Countersign was told, and has to look")]]
  return [...oddLines(deviations, fitter), sentence`${end}${others}${words}`, ...told]
}

/** Which tools had already run. Whoever approved them needs this more than how the run ended. */
function ranWords(ran: readonly string[], fitter: TextFitter): Line {
  if (ran.length === 0) return []
  const names = ran.map((tool) => code(fitter.word(tool, wordUnits)))
  return sentence`, after ${listedUpTo(names, maxDeviations)} had run`
}

/** Why we do not continue the run, and who has to. */
export function withheldLine({ why, nobody, late }: Withheld, who: string | null, fitter: TextFitter): Line {
  if (late === true)
    return sentence`The run does not go on: ${code(fitter.word(why, wordUnits))}. Whoever wants it has to start it anew`
  if (nobody === true)
    return sentence`The run cannot go on, and nobody can continue it: ${code(fitter.word(why, wordUnits))}`
  const by = starter(who, fitter)
  const reason = code(fitter.word(why, wordUnits))
  return sentence`Countersign does not continue the run: ${reason}. On the agent's platform ${by} has to continue it`
}

function starter(who: string | null, fitter: TextFitter): Line {
  return who === null ? [say("whoever started it")] : [code(fitter.word(who, wordUnits)), say(", who started it,")]
}

/** The label of what a run answered. `shown`: what stands below it; null if it answered nothing. */
export function answerLabel(shown: FittedLines | null | "unread"): Line {
  const label = bold("What the run answered")
  if (shown === "unread") return [label, say(": it could not be read")]
  if (shown === null) return [label, say(": nothing")]
  return shown.left === null ? [label] : [label, say(` · ${shown.left} left out`)]
}
