// Line words: what happened to a case, one sentence each.
import type { Asked } from "../../domain/asked.ts"
import { shortDigest } from "../../domain/digest.ts"
import type { Able, CaseEvent } from "../../domain/event.ts"
import { counted } from "./headline.ts"
import { endLines, withheldLine } from "./run-words.ts"
import { code, group, type Line, listed, listedUpTo, mention, moment, quote, say } from "./spans.ts"
import { past } from "./status-words.ts"
import type { Lens } from "./text-fitter.ts"

const REASON_UNITS = 1_500
const WORD_UNITS = 300
const RULES_SHOWN = 5
const APPROVERS_SHOWN = 10
const PEOPLE_SHOWN = 20
const DEVIATIONS_SHOWN = 5

/** What happened, in words: literal and bounded where others wrote it. */
export function wordsOf(event: CaseEvent, lens: Lens): Line {
  switch (event.kind) {
    case "voted":
      return [person(event.person), say(` ${past(event.verb)} this`), ...because(event.reason, lens)]
    case "voided":
      return [
        say("The vote of "),
        person(event.person),
        say(" does not count any more: "),
        code(lens.word(event.why, WORD_UNITS)),
      ]
    case "withdrawn":
      return [person(event.person), say(" withdrew their vote")]
    case "decided":
      if (event.by === "expiry")
        return [say("Nobody decided in time: rejected, as the rules want. It is sent to the platform")]
      return [say(`Decided: ${past(event.verb)} by `), ...people(event.people), say(". It is sent to the platform")]
    case "resolved":
      return [
        say(`The platform has it: ${past(event.verb)}`),
        ...recorded(event.resolvedBy, lens),
        ...marked(event.sandbox),
      ]
    case "recovered":
      return [
        say(
          `The platform's record holds our decision, ${past(event.verb)}, which was taken up again after an interruption`,
        ),
        ...recorded(event.resolvedBy, lens),
      ]
    case "reopened":
      return [
        say("The platform did not take the decision, so this is open again: "),
        code(lens.word(event.why, WORD_UNITS)),
      ]
    case "elsewhere":
      return elsewhere(event, lens)
    case "vanished":
      return [say("The platform does not know this approval any more: it was deleted there")]
    case "returned":
      return returned(event)
    case "revised":
      return revised(event, lens)
    case "reminded":
      return [say("Still waiting for a decision. "), ...able(event), ...until(event.by)]
    case "escalated":
      return [say("Nobody has decided yet, so others are asked too. "), ...able(event), ...until(event.by)]
    case "expired":
      return [say("The time is over: nobody can decide this here any more. "), say(THEN[`${event.rejects}`])]
    case "frozen":
      return [say("Frozen, an operator must look: "), code(lens.word(event.why, WORD_UNITS))]
    case "renewed":
      return renewed(event)
    case "doubtful":
      return [
        say(
          "Redis lost its last second. Whether this was sent is not known, so it is not sent again: the platform says how it ended",
        ),
      ]
    case "without-effect":
      return [
        say("The run had ended before ("),
        code(lens.word(event.runStatus, WORD_UNITS)),
        say("): nothing will run"),
      ]
    case "paused-again":
      return [
        say("The run was continued and has paused again, and nobody is asked for its next call: an operator must look"),
      ]
    case "run-over":
      return [
        say("The team "),
        code(lens.word(event.team, WORD_UNITS)),
        say(" ended without waiting for this: deciding it has no effect any more"),
      ]
    case "ran-otherwise":
      return [
        say("What ran is not what was decided, an operator must look: "),
        ...listedUpTo(
          event.deviations.map((one): Line => [code(lens.word(one, WORD_UNITS))]),
          DEVIATIONS_SHOWN,
        ),
      ]
    case "decided-outside-rules":
      return [say("The rules would not have admitted this decision, an operator must look: "), say(event.why)]
    case "held":
      return [
        say("Held: the platform would run this although "),
        ...(event.person === null ? [say("the rules reject it now")] : [person(event.person), say(" rejected it")]),
        say(", so it was not told. Its record stays pending, and that keeps the run stopped"),
      ]
    case "run-ended":
      return joined(endLines({ ...event, kind: event.end }, lens))
    case "not-resumed":
      return withheldLine(event.why, event.who, lens)
    case "refused":
      return [person(event.person), say(` may not ${event.verb} this: `), code(lens.word(event.why, WORD_UNITS))]
    case "opened":
      return event.asked.length === 0
        ? [say("No rule covers this, so nobody was asked")]
        : [say("Asked: "), ...askedWords(event.asked, lens)]
    case "roomed":
    case "summarised":
    case "placed":
    case "attempted":
    case "sent":
    case "unheard":
    case "missed":
    case "found":
    case "revealed":
    case "continued":
    case "closed":
      return [say(event.kind)]
  }
}

const THEN = {
  true: "It is rejected now, as the rules want",
  false: "The platform's record stays as it is",
} as const

function able({ people, more }: Able): Line {
  if (people.length === 0) return [say("Nobody can decide it at the moment: an operator must look")]
  const named = people.map((key): Line => [person(key)])
  return [...listed(more === 0 ? named : [...named, [say(`${more} more`)]]), say(" can decide it")]
}

function until(by: number | null): Line {
  return by === null ? [] : [say(", by "), moment(by)]
}

function elsewhere(event: Extract<CaseEvent, { kind: "elsewhere" }>, lens: Lens): Line {
  const claims = event.claimsToBeOurs ? [say(". It claims to be ours and is not: an operator must look")] : []
  const status = code(lens.word(event.status, WORD_UNITS))
  return [
    say("Decided outside Countersign: the platform says "),
    status,
    ...recorded(event.resolvedBy, lens),
    ...claims,
  ]
}

function revised(event: Extract<CaseEvent, { kind: "revised" }>, lens: Lens): Line {
  const why = event.why === "content" ? "What would run has changed" : "Other rules are in force"
  const rest = `: revision ${event.revision}, digest ${shortDigest(event.digest)}`
  const { asked = [] } = event
  const now: Line = asked.length === 0 ? [] : [say(". Asked now: "), ...askedWords(asked, lens)]
  if (event.voided.length === 0) return [say(`${why}${rest}`), ...now]
  const who = people(event.voided)
  return [say(`${why}${rest}. Please decide anew, `), ...who, say(": the earlier votes do not count"), ...now]
}

function renewed({ voided, held }: Extract<CaseEvent, { kind: "renewed" }>): Line {
  const lost = "Redis lost its last second, or may have"
  if (held) return [say(`${lost}. The rejection stays held; other votes do not count`)]
  if (voided.length === 0) return [say(`${lost}. Who voted here just before, please look and vote again`)]
  return [say(`${lost}. Please decide anew, `), ...people(voided), say(": the earlier votes do not count")]
}

function returned({ voided }: Extract<CaseEvent, { kind: "returned" }>): Line {
  const back = "The platform knows this approval again, as it was, so this goes on"
  if (voided.length === 0) return [say(`${back}. Votes from before still count`)]
  return [say(`${back}. Votes from before still count, but for `), ...people(voided)]
}

/** Each rule with how many of whom; an approver is mentioned where their Slack id is known. */
function askedWords(asked: readonly Asked[], lens: Lens): Line {
  const shown = asked.slice(0, RULES_SHOWN).map(({ rule, quorum, approvers }): Line => {
    const who = listedUpTo(
      approvers.map((name): Line => [approver(name, lens)]),
      APPROVERS_SHOWN,
    )
    const of = who.length === 0 ? [say("nobody")] : who
    return [...of, say(`, ${counted(quorum, "approval")} needed under rule `), code(lens.word(rule, WORD_UNITS))]
  })
  const rest = asked.length - shown.length
  const all = rest > 0 ? [...shown, [say(`and ${counted(rest, "more rule")}`)]] : shown
  return all.flatMap((line, index) => (index === 0 ? line : [say("; "), ...line]))
}

function approver(name: string, lens: Lens) {
  if (/^[UW][A-Z0-9]+$/.test(name)) return mention(name)
  return name.includes("@") ? code(lens.word(name, WORD_UNITS)) : group(name)
}

function joined(lines: readonly Line[]): Line {
  return lines.flatMap((line, index) => (index === 0 ? line : [say(". "), ...line]))
}

function because(reason: string | null, lens: Lens): Line {
  return reason === null ? [] : [say(": "), quote(lens.word(reason, REASON_UNITS))]
}

/** The platform's own word for who resolved it, which may be another than the one we sent. */
function recorded(resolvedBy: string | null, lens: Lens): Line {
  if (resolvedBy === null) return [say(", and names nobody who resolved it")]
  return [say(", resolved by "), code(lens.word(resolvedBy, WORD_UNITS))]
}

function marked(sandbox: boolean): Line {
  return sandbox ? [say(" (made in the sandbox)")] : []
}

function people(keys: readonly string[]): Line {
  return listedUpTo(
    keys.map((key): Line => [person(key)]),
    PEOPLE_SHOWN,
  )
}

/** People are `team:user` in events. */
function person(key: string) {
  return mention(key.slice(key.indexOf(":") + 1))
}
