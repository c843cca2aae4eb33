// What became of a run after the decision, in words: the same on the card and in its thread.
import type { CardRun } from "../../domain/case/card-model.ts"
import type { RunEnd } from "../../domain/case/resumption.ts"
import { firstLines } from "./fit-lines.ts"
import { bold, code, type Line, moment, say, sentence } from "./spans.ts"
import type { TextFitter } from "./text-fitter.ts"

const wordUnits = 300
const maxDeviations = 5

/** The lines of a card about its run; none after a decision that is not ours. `who`: the platform's requester. */
export function runLines(run: CardRun | undefined, who: string | null, fitter: TextFitter): readonly Line[] {
  switch (run?.kind) {
    case undefined:
      return []
    case "left":
      return [sentence`The run does not go on by itself: that is up to ${starter(who, fitter)}.`]
    case "waiting":
      return [[say(run.beside === 0 ? "The agent is about to go on." : besideWords(run.beside))]]
    case "continuing":
      return [[say("The agent goes on; how it ends will stand here.")]]
    case "ended":
      return endLines(run.end, fitter)
    case "withheld":
      return [withheldLine(run.why, who, fitter)]
  }
}

/** Until when a gate at the tool lets the approved calls begin, while they may still have to. */
export function gateLines({ runBy }: { readonly runBy?: number | undefined }): readonly Line[] {
  return runBy === undefined ? [] : [sentence`If the tool has a gate, it must run by ${moment(runBy)}.`]
}

function besideWords(count: number): string {
  if (count === 1) return "The agent goes on once another approval of the same run is decided."
  return `The agent goes on once ${count} other approvals of the same run are decided.`
}

const ends: Readonly<Record<RunEnd["kind"], string>> = {
  completed: "The run went on and is completed",
  failed: "The run went on and failed",
  cancelled: "The run was cancelled",
  paused: "The run went on and has paused again: its next approval is asked for by itself",
  unasked: "The run went on and has paused again, and nobody is asked for its next call: an operator must look",
  forked: "Another run answered than the one that was decided: an operator must look",
  refused: "The platform did not continue the run; it has to be continued by hand",
  unknown: "Nobody can tell what became of the run. It is not continued again; an operator must look",
}

/** How a run ended: one line, and one for each call that ran otherwise than it was decided. */
export function endLines({ kind, by, detail, deviations }: RunEnd, fitter: TextFitter): readonly Line[] {
  const others = by === "others" ? [say(". Somebody else continued it, not Countersign")] : []
  const words = detail === null ? [] : sentence`: ${code(fitter.word(detail, wordUnits))}`
  const odd = deviations.map((one): Line => [bold("Look at this: "), code(fitter.word(one, wordUnits))])
  const rest = { noun: "deviation", where: [say("all of them in the ledger")] }
  return [sentence`${ends[kind]}${others}${words}`, ...firstLines(odd, maxDeviations, rest)]
}

/** Why we do not continue the run here, and who has to. */
export function withheldLine(why: string, who: string | null, fitter: TextFitter): Line {
  return [
    say("Countersign does not continue its run: "),
    code(fitter.word(why, wordUnits)),
    say(". "),
    ...(who === null ? [say("Whoever started it")] : starter(who, fitter)),
    say(who === null ? " has to continue it" : ", has to continue it"),
  ]
}

function starter(who: string | null, fitter: TextFitter): Line {
  return who === null ? [say("whoever started it")] : [code(fitter.word(who, wordUnits)), say(", who started it")]
}
