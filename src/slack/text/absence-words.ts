// Absences, in words: who is away, who stands in, what an act came to, and how it ends.
import type { AbsenceRefusal } from "../../domain/order/absence.ts"
import type { Absence, AwayOutcome, BackOutcome, NotedAbsence, PossibleStandIn } from "../../flow/ports.ts"
import { code, type Line, listedUpTo, mention, mentionOf, moment, say, sentence } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"

/** The labels of an absence's buttons and of its form. */
export const absenceLabels = {
  end: "End It",
  open: "Be Away…",
  title: "Be Away",
  submit: "Be Away",
  until: "Back when this day begins",
  untilHint: "tomorrow, a day such as monday, or a date such as 2026-12-01; at most 180 days ahead",
  standIn: "Who may vote for you meanwhile",
} as const

const ruleUnits = 80
const maxNamed = 10

/** What both people are told when an absence begins. */
export function awayLines(absence: Absence, rules: readonly string[]): readonly Line[] {
  const fitter = createTextFitter()
  const under = rules.map((rule) => code(fitter.word(rule, ruleUnits)))
  const [away, other] = [mentionOf(absence.person), mentionOf(absence.standIn)]
  const none = sentence`By the rules of now ${other} may not vote for them`
  const may = rules.length === 0 ? none : sentence`${other} may vote for them under ${listedUpTo(under, maxNamed)}`
  return [
    sentence`${away} is away until ${moment(absence.until)}. ${may}`,
    sentence`A vote for somebody who is away says so. ${away} can still vote: then that vote counts, and not the other`,
    ordered(absence),
  ]
}

function ordered({ by }: Absence): Line {
  if (by.kind === "person") return sentence`Said by ${mention(by.user)}`
  return [say("Whoever runs Countersign said so")]
}

/** What both people are told when it is over. */
export function overLine({ person, standIn }: NotedAbsence): Line {
  const over = sentence`${mentionOf(standIn)} does not stand in for them any more`
  return sentence`The absence of ${mentionOf(person)} is over: ${over}`
}

/** One line about an absence in force or to come, for Home. */
export function absenceLine({ person, standIn, until }: Absence): Line {
  return sentence`${mentionOf(person)} is away until ${moment(until)}; ${mentionOf(standIn)} stands in`
}

const refusals: Readonly<Record<AbsenceRefusal, string>> = {
  "no-time": "That day has begun already, so nothing has changed. Name a later one.",
  "too-long": "You can be away for at most 180 days, so nothing has changed. Name an earlier day.",
  own: "Nobody stands in for themselves, so nothing has changed. Name somebody else.",
  "too-many": "500 people are away already: whoever runs Countersign has to look. Nothing has changed.",
  "too-often": "You went and came back ten times today: more is possible tomorrow. Nothing has changed.",
}

/** What going away came to. */
export function awayAnswer(outcome: AwayOutcome, command: string): Line {
  switch (outcome.kind) {
    case "begun": {
      const { standIn, until } = outcome.absence
      const told = sentence`${mentionOf(standIn)} may vote for you, and both of you are told`
      const done = sentence`You are away until ${moment(until)}. ${told}`
      return "alsoAway" in outcome ? [...done, ...alsoAwayWords(standIn, outcome.alsoAway, command)] : done
    }
    case "away": {
      const { standIn, until } = outcome.absence
      const back = sentence`Type ${code(`${command} back`)} first to change that`
      return sentence`You are away already until ${moment(until)}, and ${mentionOf(standIn)} stands in. ${back}`
    }
    case "refused":
      return [say(refusals[outcome.why])]
    case "nobody":
      return sentence`No rule lets that person stand in for you. ${possibleWords(outcome.may)}`
    case "rolled-back":
      return [say("Redis is older than it should be: nobody can stand in before whoever runs Countersign has looked.")]
  }
}

function alsoAwayWords(standIn: string, until: number, command: string): Line {
  const away = sentence` ${mentionOf(standIn)} is away, too, until ${moment(until)}, and nobody votes for both of you`
  return [...away, ...sentence` Type ${code(`${command} back`)} to name somebody else`]
}

function possibleWords(may: readonly PossibleStandIn[]): Line {
  if (may.length === 0)
    return [say("No rule names anybody who may: whoever runs Countersign can add stand_ins to one.")]
  return sentence`These may: ${listedUpTo(
    may.map(({ id }) => mention(id.user)),
    maxNamed,
  )}`
}

/** Says that nobody may stand in for whoever asked. */
export const nobodyLine: Line = [
  say("No rule names anybody who may stand in for you: whoever runs Countersign can add stand_ins to one."),
]

/** What coming back came to. */
export function backAnswer({ kind }: BackOutcome): Line {
  switch (kind) {
    case "ended":
      return [say("That absence is over. Both of you are told.")]
    case "none":
      return [say("Nobody is away there, or not any more. Nothing has changed.")]
    case "not-yours":
      return [
        say("Only its two people can end an absence here, so nothing has changed. Ask them, or who runs Countersign."),
      ]
  }
}

/** What is wrong about a day that was typed into the form. */
export const noDay = "Write tomorrow, a day such as monday, or a date such as 2026-12-01."
