// What became of a run after the decision, in words. The card and its thread say the same.
import type { CardRun, CardStatus } from "../../domain/case/card-model.ts"
import type { RunEnd, Withheld } from "../../domain/case/resumption.ts"
import type { Verb } from "../../domain/policy/judge.ts"
import { firstLines } from "./fit-lines.ts"
import { bold, code, type Line, link, listed, listedUpTo, moment, say, sentence } from "./spans.ts"
import type { TextFitter } from "./text-fitter.ts"

const wordUnits = 300
const maxDeviations = 5

/** What a card says about its run after a verdict of ours; else no line. `who`: the platform's requester. */
export function runLines(
  run: CardRun | undefined,
  { verb, who }: { readonly verb: Verb; readonly who: string | null },
  fitter: TextFitter,
): readonly Line[] {
  const goesOn = verb === "approve" ? "The agent goes on" : "The agent is told no, and goes on without it"
  switch (run?.kind) {
    case undefined:
      return []
    case "left":
      return [sentence`The run does not go on by itself: that is up to ${starter(who, fitter)}.`]
    case "waiting":
      return [run.beside === 0 ? [say("The agent is about to go on.")] : besideWords(goesOn, run)]
    case "continuing":
      return verb === "approve"
        ? [sentence`It is being continued since ${moment(run.since)}; how it ends will stand here.`]
        : [sentence`The agent is told no: it is being continued without it since ${moment(run.since)}.`]
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
  return runBy === undefined ? [] : [sentence`If the tool has a gate, it must run by ${moment(runBy)}.`]
}

function besideWords(goesOn: string, { beside, links = [] }: Extract<CardRun, { kind: "waiting" }>): Line {
  const others = beside === 1 ? "another approval of the same run is" : `${beside} other approvals of the same run are`
  const cards = links.map((url, at) => link(url, beside === 1 ? "its card" : `card ${at + 1}`))
  const without = cards.length > 0 && cards.length < beside ? [say(withoutCard(beside - cards.length))] : []
  return sentence`${goesOn} once ${others} decided${cards.length === 0 ? "" : ": "}${listed([...cards, ...without])}.`
}

function withoutCard(others: number): string {
  return others === 1 ? "another one that has no card here" : `${others} others that have no card here`
}

const mustLook = "whoever runs Countersign has to look"

const ends: Readonly<Record<RunEnd["kind"], string>> = {
  completed: "The run went on and is completed",
  failed: "The run went on and failed",
  cancelled: "The run was cancelled",
  paused: "The run went on and has paused again: its next approval is asked for by itself",
  unasked: `The run went on and has paused again, and nobody is asked for its next call: ${mustLook}`,
  forked: `Another run answered than the one that was decided: ${mustLook}`,
  refused: "The platform did not continue the run; it has to be continued by hand",
  unknown: `Nobody can tell what became of the run. It is not continued again; ${mustLook}`,
}

const completedWords = {
  approve: ends.completed,
  reject: "The agent was told no, went on without it, and its run is completed. Nothing to do",
  unknown: "The run is completed",
} as const

/** How a run ended, in one line. Above it stands a line for each call that did not run as decided. */
export function endLines(
  { kind, by, detail, deviations, ran = [] }: RunEnd,
  verb: Verb | "unknown",
  fitter: TextFitter,
): readonly Line[] {
  const others = by === "others" ? [say(". Somebody else continued it, not Countersign")] : []
  const words = detail === null ? [] : sentence`: ${code(fitter.word(detail, wordUnits))}`
  const end = sentence`${kind === "completed" ? completedWords[verb] : ends[kind]}${ranWords(ran, fitter)}`
  const told = deviations.length === 0 ? [] : [[say("Whoever runs Countersign was told, and has to look")]]
  return [...oddLines(deviations, fitter), sentence`${end}${others}${words}`, ...told]
}

/** Which tools had already run. Whoever approved them needs this more than how the run ended. */
function ranWords(ran: readonly string[], fitter: TextFitter): Line {
  if (ran.length === 0) return []
  const names = ran.map((tool) => code(fitter.word(tool, wordUnits)))
  return sentence`, but only after ${listedUpTo(names, maxDeviations)} had run`
}

/** Why we do not continue the run, and who has to. */
export function withheldLine({ why, nobody }: Withheld, who: string | null, fitter: TextFitter): Line {
  if (nobody === true)
    return sentence`The run cannot go on, and nobody can continue it: ${code(fitter.word(why, wordUnits))}`
  const by = sentence`${starter(who, fitter)}${who === null ? "" : ","}`
  const reason = code(fitter.word(why, wordUnits))
  return sentence`The run goes on only when ${by} continues it on the agent's platform. Countersign does not: ${reason}`
}

function starter(who: string | null, fitter: TextFitter): Line {
  return who === null ? [say("whoever started it")] : [code(fitter.word(who, wordUnits)), say(", who started it")]
}
