// What happened to a case, one sentence for each kind of event.
import type { CaseEvent, Eligible } from "../../domain/case/event.ts"
import { mustLook } from "../../domain/case/resumption.ts"
import { shortDigest } from "../../domain/content/digest.ts"
import type { Asked } from "../../domain/policy/asked.ts"
import {
  code,
  group,
  joined,
  type Line,
  link,
  listed,
  listedUpTo,
  mention,
  mentionOf,
  moment,
  quote,
  type Span,
  say,
  sentence,
  voterLine,
} from "../lines/spans.ts"
import { counted, createTextFitter, type TextFitter } from "../lines/text-fitter.ts"
import { askingAgainLine, loopingLine } from "./case/again-words.ts"
import { nothingUndone } from "./case/glass-words.ts"
import { proposalOverLine } from "./case/proposal-words.ts"
import { endLines, withheldLine } from "./case/run-words.ts"
import { past } from "./case/status-words.ts"
import { answeredEvent, askedEvent } from "./question-words.ts"

const reasonUnits = 1_500
const wordUnits = 300
const maxRules = 5
const maxApprovers = 10
const maxPeople = 20
const maxDeviations = 5

type EventKind = CaseEvent["kind"]
type EventOf<K extends EventKind> = Extract<CaseEvent, { readonly kind: K }>

/** What happened, in words. What others wrote is literal and bounded. */
function eventWords(event: CaseEvent, fitter: TextFitter): Line {
  return wordsFor(event.kind, event, fitter)
}

/** One line of a thread, and how many events it tells. */
interface Fact {
  readonly line: Line
  readonly told: number
}

/** What people need to know of the events, a line each. A vote, its decision and the decision's end share one line. */
export function factsOf(events: readonly CaseEvent[]): readonly Fact[] {
  const facts: Fact[] = []
  for (let at = 0; at < events.length; at += facts.at(-1)?.told ?? 1) facts.push(factAt(events.slice(at, at + 3)))
  return facts
}

/** The line of the first event. Later events that continue it are part of the line. */
function factAt([first, ...after]: readonly CaseEvent[]): Fact {
  const fitter = createTextFitter()
  if (first === undefined) return { line: [], told: 0 }
  const [next] = after
  const isVote = first.kind === "voted" || first.kind === "called-back"
  const says = isVote || (first.kind === "expired" && first.rejects)
  if (isVote && next?.kind === "held")
    return {
      line: sentence`${eventWords(first, fitter)}. Held: the platform would run it all the same${heldWords}`,
      told: 2,
    }
  if (first.kind !== "decided" && !(says && next?.kind === "decided"))
    return { line: eventWords(first, fitter), told: 1 }
  const told = first.kind === "decided" ? 1 : 2
  const line = first.kind === "decided" ? decidedWords(first) : eventWords(first, fitter)
  const end = after[told - 1]
  if (end?.kind !== "resolved") return { line: sentence`${line}. It is sent to the platform`, told }
  return { line: sentence`${line}. The platform has it${resolvedWords(end, fitter)}`, told: told + 1 }
}

function decidedWords({ by, as, verb, people: voters, glass }: EventOf<"decided">): Line {
  if (as !== undefined) return sentence`Rejected by itself: ${mentionOf(as.person)} rejected the same call before`
  if (glass === true) return sentence`Decided: ${people(voters)} broke the glass and approved this`
  return by === "expiry"
    ? sentence`Time is up: rejected, as the rule says`
    : sentence`Decided: ${past(verb)} by ${people(voters)}`
}

/** Everybody who was asked and had not agreed: each is mentioned, however many they are. */
function passedWords(asked: readonly Asked[]): Line {
  const ids = [...new Set(asked.flatMap(({ approvers }) => approvers))]
  return ids.length === 0 ? [say("nobody else was asked")] : listed(ids.map(approverById))
}

const heldWords = ", so it was not told. Its record stays pending, and that keeps the run stopped"

function resolvedWords({ resolvedBy, sandbox }: EventOf<"resolved">, fitter: TextFitter): Line {
  return sentence`${resolverWords(resolvedBy, fitter)}${sandbox ? " (demo only)" : ""}`
}

function wordsFor<K extends EventKind>(kind: K, event: EventOf<K>, fitter: TextFitter): Line {
  const words: string | ((event: EventOf<K>, fitter: TextFitter) => Line) = sentences[kind]
  return typeof words === "string" ? [say(words)] : words(event, fitter)
}

/** The words of each event: a plain text if they are always the same. */
const sentences: { readonly [K in EventKind]: string | ((event: EventOf<K>, fitter: TextFitter) => Line) } = {
  opened: ({ asked }, fitter) =>
    asked.length === 0
      ? sentence`No rule covers this, so nobody was asked`
      : sentence`Asked: ${askedWords(asked, fitter)}`,
  voted: ({ person: who, for: away, verb, reason, glass, sentBack }, fitter) => {
    const because = reason === null ? [] : sentence`: ${quote(fitter.word(reason, reasonUnits))}`
    const voter = voterLine(mentionOf(who), away)
    const did =
      sentBack === true ? "sent this back" : `${glass === true ? "broke the glass and " : ""}${past(verb)} this`
    return sentence`${voter} ${did}${because}`
  },
  "counterproposal-answered": ({ person: who }) => sentence`This answers what ${mentionOf(who)} proposed`,
  "called-back": ({ person: who, reason }, fitter) => {
    const because = reason === null ? [] : sentence`: ${quote(fitter.word(reason, reasonUnits))}`
    return sentence`${mentionOf(who)} asked for this and called it back${because}`
  },
  voided: ({ person: who, why }, fitter) =>
    sentence`The vote of ${mentionOf(who)} does not count any more: ${voidedWords(why, fitter)}`,
  withdrawn: ({ person: who }) => sentence`${mentionOf(who)} withdrew their vote`,
  refused: ({ person: who, verb, why }, fitter) =>
    sentence`${mentionOf(who)} may not ${verb} this: ${word(why, fitter)}`,
  decided: (event) => sentence`${decidedWords(event)}. It is sent to the platform`,
  "glass-broken": ({ person: who, asked }) =>
    sentence`⚠ ${mentionOf(who)} approved this by breaking glass, without ${passedWords(asked)}`,
  "glass-reviewed": ({ person: who, right, reason }, fitter) => {
    if (right) return sentence`${mentionOf(who)} says that breaking the glass was right`
    const why = quote(fitter.word(reason ?? "", reasonUnits))
    return sentence`${mentionOf(who)} says that breaking the glass was not right: ${why}. ${nothingUndone.slice(0, -1)}`
  },
  asked: askedEvent,
  answered: answeredEvent,
  looping: ({ case: other }) => loopingLine(other),
  "asks-again": ({ person: who, asked = [] }, fitter) => askingAgainLine(who, askedWords(asked, fitter)),
  "glass-left": "Nobody said within 30 days whether breaking the glass was right",
  resolved: (event, fitter) => sentence`The platform has it: ${past(event.verb)}${resolvedWords(event, fitter)}`,
  recovered: ({ verb, resolvedBy }, fitter) => [
    say(`Taken up again after an interruption: the platform's record holds our decision, ${past(verb)}`),
    ...resolverWords(resolvedBy, fitter),
  ],
  reopened: ({ why }, fitter) =>
    sentence`The platform did not take the decision, so this is open again: ${word(why, fitter)}`,
  elsewhere: ({ status, resolvedBy, claimsToBeOurs, proposal }, fitter) => {
    if (proposal !== undefined) return proposalOverLine(proposal)
    const claim = claimsToBeOurs ? ". It claims to be ours and is not: whoever runs Countersign has to look" : ""
    const by = resolverWords(resolvedBy, fitter)
    return sentence`Decided outside Countersign: the platform says ${word(status, fitter)}${by}${claim}`
  },
  "decided-outside-rules": ({ why }) => [
    say("The rules do not allow this decision; whoever runs Countersign has to look: "),
    say(why),
  ],
  vanished: "The platform does not know this approval any more: it was deleted there",
  returned: ({ voided }) => {
    const back = "The platform knows this approval again, as it was, so this goes on. Votes from before still count"
    return voided.length === 0 ? [say(back)] : sentence`${back}, but for ${people(voided)}`
  },
  revised: ({ why, revision, digest, voided, asked = [] }, fitter) => {
    const what = why === "content" ? "What would run has changed" : "Other rules are in force"
    const now = `${what}: revision ${revision}, digest ${shortDigest(digest)}`
    const before = voided.length === 0 ? [say(now)] : decideAnew(now, voided)
    return asked.length === 0 ? before : sentence`${before}. Asked now: ${askedWords(asked, fitter)}`
  },
  raised: ({ asked }, fitter) =>
    sentence`A limit is exceeded by now, so others are asked too: ${askedWords(asked, fitter)}`,
  renewed: ({ voided, held }) => {
    const lost = "Redis lost its last second, or may have"
    if (held) return sentence`${lost}. The rejection stays held; other votes do not count`
    if (voided.length > 0) return decideAnew(lost, voided)
    return sentence`${lost}. If you voted here just before, please look and vote again`
  },
  reminded: (event) => sentence`Still waiting for a decision. ${eligible(event)}${until(event.by)}`,
  escalated: (event) => sentence`Nobody has decided yet, so others are asked too. ${eligible(event)}${until(event.by)}`,
  expired: ({ rejects }) => [
    say(`Time is up. ${rejects ? "It is rejected, as the rule says" : "Nobody can decide this here any more"}`),
    say(rejects ? "" : ". The platform's record stays as it is"),
  ],
  held: ({ person: who }) => [
    say("Held: the platform would run this although "),
    ...(who === null ? [say("the rules reject it now")] : sentence`${mentionOf(who)} rejected it`),
    say(heldWords),
  ],
  frozen: ({ why }, fitter) => sentence`Frozen, whoever runs Countersign has to look: ${word(why, fitter)}`,
  doubtful: ({ why }) => [
    say(why === undefined ? "Redis lost its last second" : "This was on its way when it was stopped"),
    say(". Whether this was sent is not known, so it is not sent again: the platform says how it ended"),
  ],
  "run-ended": (event, fitter) => joined(endLines({ ...event, kind: event.end }, "unknown", fitter), ". "),
  "not-resumed": (event, fitter) => withheldLine(event, event.who, fitter),
  "without-effect": ({ runStatus }, fitter) =>
    sentence`The run had ended before (${word(runStatus, fitter)}): nothing will run`,
  "paused-again":
    "The run was continued and has paused again, and nobody is asked for its next call: whoever runs Countersign has " +
    "to look",
  "run-over": ({ team, status }, fitter) => {
    const who = team === null ? sentence`The run` : sentence`The team ${word(team, fitter)}`
    const how = team === null ? sentence` (${word(status, fitter)})` : []
    return sentence`${who} ended without waiting for this${how}: deciding it has no effect any more`
  },
  "ran-otherwise": ({ deviations }, fitter) => {
    const words = deviations.map((one) => word(one, fitter))
    return sentence`What ran is not what was decided, ${mustLook}: ${listedUpTo(words, maxDeviations)}`
  },
  // Threads do not tell the events below.
  repeated: "repeated",
  admitted: "admitted",
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

/** Why a vote counts no more. Most reasons stand as the ledger has them. */
function voidedWords(why: string, fitter: TextFitter): Line {
  if (why === "voted-themselves") return [say("the one they stood in for has voted")]
  return why === "not-standing-in" ? [say("they do not stand in any more")] : [word(why, fitter)]
}

function decideAnew(why: string, voided: readonly string[]): Line {
  return sentence`${why}. Please decide anew, ${people(voided)}: the earlier votes do not count`
}

function eligible({ people: keys, more }: Eligible): Line {
  if (keys.length === 0) return sentence`Nobody can decide it at the moment: ${mustLook}`
  const named = keys.map(mentionOf)
  return sentence`${listed(more === 0 ? named : [...named, say(`${more} more`)])} can decide it`
}

function until(by: number | null): Line {
  return by === null ? [] : sentence`, by ${moment(by)}`
}

/** Whom each rule asks, as far as Slack says. People whom the card mentions are named here without a mention. */
function askedWords(asked: readonly Asked[], fitter: TextFitter): Line {
  const shown = asked.slice(0, maxRules).map(({ rule, quorum, approvers, names = [] }) => {
    const all = [...names.map((name) => say(fitter.word(name, wordUnits))), ...approvers.map(approverById)]
    const who: Line = all.length === 0 ? [] : [...listedUpTo(all, maxApprovers), say(", ")]
    return sentence`${who}${counted(quorum, "approval")} needed under rule ${word(rule, fitter)}`
  })
  const rest = asked.length - shown.length
  return joined(rest > 0 ? [...shown, say(`and ${counted(rest, "more rule")}`)] : shown, "; ")
}

function approverById(id: string): Span {
  return id.startsWith("S") ? group(id) : mention(id)
}

/** The platform's own word for who resolved the approval; it may differ from the one we sent. */
function resolverWords(resolvedBy: string | null, fitter: TextFitter): Line {
  if (resolvedBy === null) return sentence`, and names nobody who resolved it`
  return sentence`, resolved by ${word(resolvedBy, fitter)}`
}

function people(keys: readonly string[]): Line {
  return listedUpTo(keys.map(mentionOf), maxPeople)
}

/** A text of others as one literal word. */
function word(text: string, fitter: TextFitter): Span {
  return code(fitter.word(text, wordUnits))
}

/** Stands in place of a line that Slack does not accept. */
export const unshowableLine: Line = [
  say("Slack did not take a line that belongs here. The ledger holds what happened."),
]

/** The link from a line to the card that it is about. */
export function cardLink(url: string): Span {
  return link(url, "card")
}
