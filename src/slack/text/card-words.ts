// The words that only a card says: what it has no room for, and what stands in place of what was removed. And the line
// for the thread in which a run began.
import type { CardModel } from "../../domain/case/card-model.ts"
import { bold, code, type Line, listedUpTo, moment, say, sentence } from "../lines/spans.ts"
import { counted, createTextFitter, type TextFitter } from "../lines/text-fitter.ts"
import { standsInDetails } from "./case/call-words.ts"
import { nameUnits, riskWords, toolOf } from "./case/headline.ts"
import { signed, statusWords } from "./case/status-words.ts"

/** Why a card has no Approve. */
export const partsHidden = "Parts are hidden. Open Details to read all and approve."

/** Stands for a card that Slack refused. */
export const cardRefused = "An approval waits. Its card could not be shown here: press Details."

/** Counts the lines below the calls that have no room. */
export function moreLines(count: number): string {
  return standsInDetails(`and ${counted(count, "more line")}`)
}

/** The title above the calls of a decided case; above each part of them if there are several parts. */
export function askedForTitle(part: number, parts: number): string {
  return parts === 1 ? "What was asked for" : `What was asked for, part ${part} of ${parts}`
}

/** The risk, and that one decision is about several calls. */
export function decisionLines(model: CardModel): readonly Line[] {
  const calls = model.summary.calls
  const risk = riskWords(model)
  return [
    ...(risk === null ? [] : [[bold(risk)]]),
    ...(model.status.kind === "open" && calls > 1
      ? [[bold(`One decision for ${counted(calls, "call")}: approving is all or nothing.`)]]
      : []),
  ]
}

/** For a card posted again because nobody knows whether Slack accepted the first post. */
export function replacingLines({ replaces, status }: CardModel): readonly Line[] {
  const words = "An earlier card of this approval may still be here. Votes count only on this one."
  return replaces && status.kind !== "settled" && status.kind !== "replaced" ? [[say(words)]] : []
}

/** How a case ended, with no names and nothing that anybody wrote; and why the card says no more. */
export function blankLines(model: CardModel, fitter: TextFitter): readonly [end: Line, note: Line] {
  const { status } = model
  const tool = code(fitter.word(toolOf(model.summary.tool), nameUnits))
  const when: Line = status.kind === "settled" ? sentence` · ${moment(status.outcome.at)}` : []
  const note: Line = [
    say("What was asked for and who decided were removed from this card, as the rules for keeping data want it. "),
    say("Whoever runs Countersign can still look up the decision."),
  ]
  return [sentence`${bold(signed(statusWords(model, fitter)))} · ${tool}${when}`, note]
}

/** What the test card says. With it an operator tests the way to a channel and back. */
export function testLines(installation: string): readonly Line[] {
  return [
    [bold("This is a test card.")],
    sentence`Installation ${code(installation)} can post here. Nothing is asked, and no press decides anything.`,
    [say("Press the button: if presses reach the bot, it answers you, and you alone.")],
  ]
}

/** The answer to a press on that card. */
export const testAnswered: Line = [bold("Your press arrived."), say(" It was on a test card: nothing was decided.")]

/** How long the name of a tool or person may be in a thread that is not ours. */
const shortNameUnits = 80
const maxNames = 5

/**
 * The line for the thread in which a run began: that people are asked, or how it ended. It holds no argument and
 * notifies nobody: those who read that thread see no more of the case. `model` is masked.
 */
export function originThreadLine(model: CardModel): Line {
  const fitter = createTextFitter()
  const { tool, calls } = model.summary
  const what = sentence`${code(fitter.word(toolOf(tool), shortNameUnits))}${calls > 1 ? ` and ${calls - 1} more` : ""}`
  if (model.status.kind !== "settled")
    return sentence`This run waits for an approval of ${what}. Those who may decide were asked`
  const names = model.votes.map(({ name }) => say(fitter.word(name, shortNameUnits)))
  const ours = model.status.outcome.kind === "ours" && names.length > 0 && !model.time.ranOut
  const by: Line = ours ? sentence` by ${listedUpTo(names, maxNames)}` : []
  return sentence`${bold(signed(statusWords(model, fitter)))}${by} · ${what}`
}
