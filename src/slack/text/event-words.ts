// What happened to a case, one sentence for each kind of event.
import type { Asked } from "../../domain/asked.ts"
import { shortDigest } from "../../domain/digest.ts"
import type { Able, CaseEvent } from "../../domain/event.ts"
import { counted } from "./headline.ts"
import { endLines, withheldLine } from "./run-words.ts"
import { code, group, joined, type Line, listed, listedUpTo, mention, moment, quote, type Span, say } from "./spans.ts"
import { past } from "./status-words.ts"
import type { TextFitter } from "./text-fitter.ts"

const reasonUnits = 1_500
const wordUnits = 300
const maxRules = 5
const maxApprovers = 10
const maxPeople = 20
const maxDeviations = 5

type EventKind = CaseEvent["kind"]
type EventOf<K extends EventKind> = Extract<CaseEvent, { readonly kind: K }>

/** What happened, in words: literal and bounded where others wrote it. */
export function wordsOf(event: CaseEvent, fitter: TextFitter): Line {
  return wordsFor(event.kind, event, fitter)
}

function wordsFor<K extends EventKind>(kind: K, event: EventOf<K>, fitter: TextFitter): Line {
  const words: string | ((event: EventOf<K>, fitter: TextFitter) => Line) = sentences[kind]
  return typeof words === "string" ? [say(words)] : words(event, fitter)
}

/** A text where it is the same each time. */
const sentences: { readonly [K in EventKind]: string | ((event: EventOf<K>, fitter: TextFitter) => Line) } = {
  opened: ({ asked }, fitter) =>
    asked.length === 0
      ? [say("No rule covers this, so nobody was asked")]
      : [say("Asked: "), ...askedWords(asked, fitter)],
  voted: ({ person: who, verb, reason }, fitter) => [
    person(who),
    say(` ${past(verb)} this`),
    ...(reason === null ? [] : [say(": "), quote(fitter.word(reason, reasonUnits))]),
  ],
  voided: ({ person: who, why }, fitter) => [
    say("The vote of "),
    person(who),
    say(" does not count any more: "),
    word(why, fitter),
  ],
  withdrawn: ({ person: who }) => [person(who), say(" withdrew their vote")],
  refused: ({ person: who, verb, why }, fitter) => [person(who), say(` may not ${verb} this: `), word(why, fitter)],
  decided: ({ by, verb, people: voters }) =>
    by === "expiry"
      ? [say("Nobody decided in time: rejected, as the rules want. It is sent to the platform")]
      : [say(`Decided: ${past(verb)} by `), ...people(voters), say(". It is sent to the platform")],
  resolved: ({ verb, resolvedBy, sandbox }, fitter) => [
    say(`The platform has it: ${past(verb)}`),
    ...recorded(resolvedBy, fitter),
    ...(sandbox ? [say(" (made in the sandbox)")] : []),
  ],
  recovered: ({ verb, resolvedBy }, fitter) => [
    say(`The platform's record holds our decision, ${past(verb)}, which was taken up again after an interruption`),
    ...recorded(resolvedBy, fitter),
  ],
  reopened: ({ why }, fitter) => [
    say("The platform did not take the decision, so this is open again: "),
    word(why, fitter),
  ],
  elsewhere: ({ status, resolvedBy, claimsToBeOurs }, fitter) => [
    say("Decided outside Countersign: the platform says "),
    word(status, fitter),
    ...recorded(resolvedBy, fitter),
    ...(claimsToBeOurs ? [say(". It claims to be ours and is not: an operator must look")] : []),
  ],
  "decided-outside-rules": ({ why }) => [
    say("The rules would not have admitted this decision, an operator must look: "),
    say(why),
  ],
  vanished: "The platform does not know this approval any more: it was deleted there",
  returned: ({ voided }) => {
    const back = "The platform knows this approval again, as it was, so this goes on. Votes from before still count"
    return voided.length === 0 ? [say(back)] : [say(`${back}, but for `), ...people(voided)]
  },
  revised: ({ why, revision, digest, voided, asked = [] }, fitter) => {
    const what = why === "content" ? "What would run has changed" : "Other rules are in force"
    const now = `${what}: revision ${revision}, digest ${shortDigest(digest)}`
    return [
      ...(voided.length === 0 ? [say(now)] : decideAnew(now, voided)),
      ...(asked.length === 0 ? [] : [say(". Asked now: "), ...askedWords(asked, fitter)]),
    ]
  },
  renewed: ({ voided, held }) => {
    const lost = "Redis lost its last second, or may have"
    if (held) return [say(`${lost}. The rejection stays held; other votes do not count`)]
    if (voided.length > 0) return decideAnew(lost, voided)
    return [say(`${lost}. Who voted here just before, please look and vote again`)]
  },
  reminded: (event) => [say("Still waiting for a decision. "), ...eligible(event), ...until(event.by)],
  escalated: (event) => [
    say("Nobody has decided yet, so others are asked too. "),
    ...eligible(event),
    ...until(event.by),
  ],
  expired: ({ rejects }) => [
    say("The time is over: nobody can decide this here any more. "),
    say(rejects ? "It is rejected now, as the rules want" : "The platform's record stays as it is"),
  ],
  held: ({ person: who }) => [
    say("Held: the platform would run this although "),
    ...(who === null ? [say("the rules reject it now")] : [person(who), say(" rejected it")]),
    say(", so it was not told. Its record stays pending, and that keeps the run stopped"),
  ],
  frozen: ({ why }, fitter) => [say("Frozen, an operator must look: "), word(why, fitter)],
  doubtful:
    "Redis lost its last second. Whether this was sent is not known, so it is not sent again: the platform says how it ended",
  "run-ended": (event, fitter) => joined(endLines({ ...event, kind: event.end }, fitter), ". "),
  "not-resumed": ({ why, who }, fitter) => withheldLine(why, who, fitter),
  "without-effect": ({ runStatus }, fitter) => [
    say("The run had ended before ("),
    word(runStatus, fitter),
    say("): nothing will run"),
  ],
  "paused-again":
    "The run was continued and has paused again, and nobody is asked for its next call: an operator must look",
  "run-over": ({ team }, fitter) => [
    say("The team "),
    word(team, fitter),
    say(" ended without waiting for this: deciding it has no effect any more"),
  ],
  "ran-otherwise": ({ deviations }, fitter) => [
    say("What ran is not what was decided, an operator must look: "),
    ...listedUpTo(
      deviations.map((one): Line => [word(one, fitter)]),
      maxDeviations,
    ),
  ],
  // Threads do not tell these.
  roomed: "roomed",
  summarised: "summarised",
  placed: "placed",
  attempted: "attempted",
  sent: "sent",
  unheard: "unheard",
  missed: "missed",
  found: "found",
  revealed: "revealed",
  continued: "continued",
  closed: "closed",
}

function decideAnew(why: string, voided: readonly string[]): Line {
  return [say(`${why}. Please decide anew, `), ...people(voided), say(": the earlier votes do not count")]
}

function eligible({ people, more }: Able): Line {
  if (people.length === 0) return [say("Nobody can decide it at the moment: an operator must look")]
  const named = people.map((key): Line => [person(key)])
  return [...listed(more === 0 ? named : [...named, [say(`${more} more`)]]), say(" can decide it")]
}

function until(by: number | null): Line {
  return by === null ? [] : [say(", by "), moment(by)]
}

/** Each rule with how many of whom; an approver is mentioned where their Slack id is known. */
function askedWords(asked: readonly Asked[], fitter: TextFitter): Line {
  const shown = asked.slice(0, maxRules).map(({ rule, quorum, approvers }): Line => {
    const who = listedUpTo(
      approvers.map((name): Line => [approver(name, fitter)]),
      maxApprovers,
    )
    const of = who.length === 0 ? [say("nobody")] : who
    return [...of, say(`, ${counted(quorum, "approval")} needed under rule `), word(rule, fitter)]
  })
  const rest = asked.length - shown.length
  return joined(rest > 0 ? [...shown, [say(`and ${counted(rest, "more rule")}`)]] : shown, "; ")
}

function approver(name: string, fitter: TextFitter) {
  if (/^[UW][A-Z0-9]+$/.test(name)) return mention(name)
  return name.includes("@") ? word(name, fitter) : group(name)
}

/** The platform's own word for who resolved it, which may be another than the one we sent. */
function recorded(resolvedBy: string | null, fitter: TextFitter): Line {
  if (resolvedBy === null) return [say(", and names nobody who resolved it")]
  return [say(", resolved by "), word(resolvedBy, fitter)]
}

function people(keys: readonly string[]): Line {
  return listedUpTo(
    keys.map((key): Line => [person(key)]),
    maxPeople,
  )
}

/** People are `team:user` in events. */
function person(key: string) {
  return mention(key.slice(key.indexOf(":") + 1))
}

/** What others wrote, as one literal word. */
function word(text: string, fitter: TextFitter): Span {
  return code(fitter.word(text, wordUnits))
}
