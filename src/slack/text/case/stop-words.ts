// A stop, in words: who stopped, when, why, and what is left to do (R21).
import type { StopNote } from "../../../domain/case/case.ts"
import { code, type Line, mention, moment, quote, say, sentence } from "../../lines/spans.ts"
import type { TextFitter } from "../../lines/text-fitter.ts"

const nameUnits = 80
const reasonUnits = 300

/** Who stopped what this is about, when and why. `perhaps`: only because the platform left a field null. */
export type ToldStop = Pick<StopNote, "by" | "at" | "reason"> & { readonly perhaps?: boolean }

/** Who stopped it, when and why, and what that means for whoever would approve. */
export function stopLines(stop: ToldStop, fitter: TextFitter): readonly Line[] {
  const { perhaps = false } = stop
  return [
    stoppedLine(stop, fitter),
    [say(`${perhaps ? perhapsWords : ""}Nobody can approve this until that stop ends. It can be rejected.`)],
  ]
}

/** Who stopped an approved run, when and why, and that it does not go on meanwhile. */
export function heldUpLines(stop: ToldStop, fitter: TextFitter): readonly Line[] {
  const { perhaps = false } = stop
  return [
    stoppedLine(stop, fitter),
    [say(`${perhaps ? perhapsWords : ""}The approved run does not go on until that stop ends.`)],
  ]
}

function stoppedLine(stop: ToldStop, fitter: TextFitter): Line {
  const { at, reason } = stop
  return sentence`Stopped by ${stopper(stop, fitter)} ${moment(at)}: ${quote(fitter.word(reason, reasonUnits))}`
}

/** Who gave an order, as people in Slack read it. */
export function stopper({ by }: Pick<ToldStop, "by">, fitter: TextFitter): Line {
  switch (by.kind) {
    case "person":
      return [mention(by.user)]
    case "operator":
    case "caller":
      return by.name === null ? [say("somebody")] : [code(fitter.word(by.name, nameUnits))]
    case "countersign":
      return [say("Countersign itself")]
  }
}

const perhapsWords = "The platform does not say all that the stop asks for, so it may be meant. "
