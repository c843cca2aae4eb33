// How a case compares with the counterproposal that it answers, in words of ours. It stands beside the arguments, never
// in their place (R4).
import type { CardModel, CardStatus } from "../../../domain/case/card-model.ts"
import { openGatedCalls } from "../../../domain/content/approval.ts"
import { wordOf } from "../../../domain/content/inputs.ts"
import { slackIdOf } from "../../../domain/people/person.ts"
import { counterproposalIn } from "../../../domain/send-back/counterproposal.ts"
import type { ArgumentDifference, CardAnswer } from "../../../domain/send-back/proposals.ts"
import { refusalNote } from "../../../domain/send-back/refusal-note.ts"
import { bold, code, type Line, listed, listedUpTo, mention, say, sentence } from "../../lines/spans.ts"
import { counted, createTextFitter } from "../../lines/text-fitter.ts"

/** How many arguments one line names. */
const maxNamed = 4
const nameUnits = 60
const valueUnits = 200

/** What the card says: whose counterproposal it is, and whether the arguments are as proposed. The model is masked. */
export function counterproposalLines(model: CardModel): readonly Line[] {
  return answerLines(model, (differences) =>
    model.look.argumentsInDetails === true
      ? [say(`${counted(differences.length, "argument")}, named in Details`)]
      : listedUpTo(differences.map(argumentName), maxNamed),
  )
}

/** The same in Details, with a line for each argument that is not as proposed. */
export function counterproposalLinesInDetails(model: CardModel): readonly Line[] {
  const { answers } = model
  const own = answers === undefined || !isCompared(model) ? [] : answers.calls.flatMap(({ differences }) => differences)
  return [...answerLines(model, (differences) => listed(differences.map(argumentName))), ...own.map(differenceLine)]
}

function answerLines(model: CardModel, named: (differences: readonly ArgumentDifference[]) => Line): readonly Line[] {
  const { answers, proposerUnread } = model
  if (!isCompared(model)) return []
  const unread: readonly Line[] = proposerUnread === true ? [[bold("⚠ "), say(unreadWords)]] : []
  if (answers === undefined) return unread
  const several = model.approval !== null && openGatedCalls(model.approval).length > 1
  return [
    ...unread,
    ...answers.calls.map(({ call, differences, masked }) => {
      const which = several ? `Call ${call + 1}: ` : ""
      const but = masked ? ", but for what the rules mask" : ""
      const what =
        differences.length === 0
          ? sentence`proposed these arguments${but}`
          : sentence`proposed other arguments. Not as proposed: ${named(differences)}`
      return sentence`${which}${whoProposed(answers)} ${what}`
    }),
  ]
}

function isCompared({ status }: CardModel): boolean {
  return status.kind !== "settled" && status.kind !== "replaced"
}

function whoProposed({ by, rules, otherRun }: CardAnswer): Line {
  const names = listed(rules.map((rule) => code(createTextFitter().word(rule, nameUnits))))
  const under = rules.length === 1 ? "rule" : "rules"
  return sentence`${mention(slackIdOf(by).user)} (${under} ${names})${otherRun === true ? " in another run" : ""}`
}

function argumentName({ name }: ArgumentDifference) {
  return code(createTextFitter().word(name, nameUnits))
}

function differenceLine(difference: ArgumentDifference): Line {
  const { proposed } = difference
  if (proposed === undefined) return sentence`${argumentName(difference)}: not proposed`
  return sentence`${argumentName(difference)}: proposed ${code(createTextFitter().word(wordOf(proposed), valueUnits))}`
}

/** The longest sentence that a card gives people to pass on, in UTF-16 units. */
const passedOnUnits = 1_500

/**
 * What people can pass on to an agent that was sent back and is not told by us; no line if we tell it. If arguments
 * stand in Details alone, so does this.
 */
export function untoldLines(model: CardModel): readonly Line[] {
  const lines = untoldLinesInDetails(model)
  return lines.length > 0 && model.look.argumentsInDetails === true ? [[say(untoldElsewhere)]] : lines
}

const untoldElsewhere = "No agent was told. Details have the text to pass on."

/** The same in Details. */
export function untoldLinesInDetails({ status, votes }: CardModel): readonly Line[] {
  const vote = votes.at(-1)
  const proposal = vote?.sentBack === true ? counterproposalIn(vote.values) : null
  if (vote === undefined || proposal === null || !isUntold(status)) return []
  const sentences = proposal.calls.map((proposed) => refusalNote({ proposed, note: vote.reason, mayAskAgain: false }))
  return [
    sentence`No agent was told. To tell it, give its platform this as the call's ${code("confirmation_note")}:`,
    ...sentences.map((one): Line => [code(createTextFitter().word(one, passedOnUnits))]),
  ]
}

function isUntold(status: CardStatus): boolean {
  if (status.kind === "held") return true
  const run = status.kind === "settled" && status.outcome.kind === "ours" ? (status.run ?? null) : null
  return run?.kind === "left" || run?.kind === "withheld"
}

const unreadWords =
  "An earlier call of this run was sent back, and nobody can read by whom: where people may not approve what they " +
  "asked for, two have to agree."
