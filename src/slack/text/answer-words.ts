// Words for people: what became of what they did, or why they may not do it. All surfaces say the same.
import type { Outcome } from "../../domain/case/case.ts"
import type { Progress } from "../../domain/case/vote.ts"
import type { Judgement, Refusal, Verb } from "../../domain/policy/judge.ts"
import type { Answer, ReviewRefusal, ShowFailure } from "../../flow/ports/reply.ts"
import { code, joined, type Line, listedUpTo, mention, moment, type Span, say, sentence } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { nothingUndone } from "./case/glass-words.ts"
import { lockedOutWords, proposalOverLine } from "./case/proposal-words.ts"
import { past } from "./case/status-words.ts"
import { stopLines } from "./case/stop-words.ts"
import { questionAnswers } from "./question-words.ts"

/** How long the name of a rule or field may be, and how many of them one sentence names. Others wrote these names. */
const wordUnits = 255
const nameUnits = 80
const maxNamed = 10

type AnswerKind = Answer["kind"]
type AnswerOf<K extends AnswerKind> = Extract<Answer, { readonly kind: K }>

/** The sentence that answers one interaction. */
export function answerWords(answer: Answer): Line {
  return answerFor(answer.kind, answer)
}

function answerFor<K extends AnswerKind>(kind: K, answer: AnswerOf<K>): Line {
  const words: string | ((answer: AnswerOf<K>) => Line) = answers[kind]
  return typeof words === "string" ? [say(words)] : words(answer)
}

/** Fits both causes: AgentOS also answers 401 while its database is down (`docs/platform-facts.md`, trap 3). */
const credentialRefused =
  "Your press was fine: the agent's platform refuses Countersign's own credential now, or cannot check it."

const notConfirmed = {
  true: `Your vote counts. ${credentialRefused} Countersign sends it once that works again; you need not press again.`,
  false: "The platform has not confirmed it yet; the card will say how it ended.",
} as const

/** These words are true in any state of the case: others may have decided it meanwhile. */
const notYet = "your press is not carried out yet."
const byItself = "It is tried again by itself."

const refusedWords = {
  true: `Your press is not carried out yet. ${byItself}`,
  false: "Your press was not carried out. Please press again once whoever runs Countersign has fixed that.",
} as const

/** Why nothing is shown. It says nothing about the case: nobody looked, or we could not show it. */
function showFailureWords(failure: ShowFailure): Line {
  if (failure.cause !== "slack-refuses") return [say(`This cannot be shown now: ${showFailures[failure.cause]}`)]
  const then = "Trying again helps only after whoever runs Countersign has fixed that."
  return sentence`This cannot be shown: Slack refuses what Countersign asked of it (${code(failure.word)}). ${then}`
}

const showFailures = {
  "platform-down": "the platform does not answer at the moment. Please try again.",
  "slack-down": "Slack did not answer a question that Countersign has to ask first. Please try again.",
  "credential-refused":
    "the platform refuses Countersign's own credential at the moment, or cannot check it. " +
    "Please try again once whoever runs Countersign has fixed that.",
  failed: "something went wrong on our side. Please try again.",
} as const

const timeOver = {
  true: "Nobody had decided, so it was rejected.",
  false: "Its card says whether it is rejected or stays as it is.",
} as const

/** The words of each answer: a plain text if they are always the same. */
const answers: { readonly [K in AnswerKind]: string | ((answer: AnswerOf<K>) => Line) } = {
  counted: ({ verb, progress }) => sentence`Thank you: you ${past(verb)} this. ${progressWords(progress)}`,
  again: ({ verb, progress }) => sentence`You already ${past(verb)}. ${neededWords(progress)}`,
  resolved: ({ verb, calledBack, result, resolvedBy }) => {
    const what = result === true ? "your result is sent" : `this is ${past(verb, calledBack)}`
    return sentence`Thank you: ${say(what)}. ${recordWords(resolvedBy)}`
  },
  "unknown-outcome": ({ verb, barred }) => [say(`You ${past(verb)} this. ${notConfirmed[`${barred}`]}`)],
  reopened: ({ why }) => sentence`The platform did not take the decision, so it is open again: ${name(why)}`,
  refused: ({ refusal }) => refusalWords(refusal),
  already: alreadyWords,
  elsewhere: ({ outcome }) => elsewhereWords(outcome),
  "not-shown": ({ failure }) => showFailureWords(failure),
  "platform-down": `The platform does not answer at the moment, so ${notYet} ${byItself}`,
  "credential-refused": ({ retrying }) => [say(`${credentialRefused} ${refusedWords[`${retrying}`]}`)],
  failed: `Something went wrong on our side, so ${notYet} ${byItself}`,
  "slack-refuses": ({ word }) => [
    say("Slack refuses a question that Countersign has to ask before anybody decides ("),
    code(word),
    say("), so your press was not carried out. Pressing again helps only after whoever runs Countersign has "),
    say("fixed that."),
  ],
  expired: ({ rejected }) => [say(`Time is up, so your press was not counted. ${timeOver[`${rejected}`]}`)],
  stopped: (stop) => sentence`Your press was not counted. ${joined(stopLines(stop, createTextFitter()), ". ")}`,
  "stop-ended": ({ at }) =>
    sentence`Not counted: a stop covered this when you pressed. It ended ${moment(at)}. Press again if you want to.`,
  "reason-missing": ({ verb }) => sentence`Please give a reason to ${verb} this. Nothing was counted; press again.`,
  "input-missing": ({ names }) => {
    const fields = someOf(nameSpans(names), "in Details")
    return sentence`Please fill in ${fields} to approve this. Nothing was counted; press Approve again.`
  },
  "subject-too-long": ({ length }) => {
    const found = `The name that the platform would record for you has ${length} characters`
    const then = "Nothing was counted; whoever runs Countersign has to change resolved_by."
    return sentence`${found}, and at most 255 are allowed. ${then}`
  },
  held:
    "You rejected this, and it does not run. The platform would run it all the same if it heard of that, so " +
    "Countersign has not told it: while the platform waits for an answer, nothing runs. You can withdraw your vote.",
  withdrawn: "Your vote is withdrawn. You can vote again while this is open.",
  "glass-reviewed": ({ right, left }) => [
    say(
      right ? "Thank you: you said that it was right." : `Thank you: you said that it was not right. ${nothingUndone}`,
    ),
    say(left === 0 ? "" : " Reviewers of other rules are still asked."),
  ],
  "asks-again": "Thank you: from now on people are asked about this call again.",
  "not-lasting": "People are asked about this call already.",
  "review-refused": ({ why }) => [say(reviewRefusals[why])],
  ...questionAnswers,
  "no-vote": "You have no vote here to withdraw.",
  changed: "What would run has changed since this was shown, so your press was not counted. Please look at it again.",
  replaced: "This approval is decided on another card now. Your press was not counted; please use that card.",
  "shared-channel":
    "This channel is shared with another company now, so your press was not counted and the request is hidden here. " +
    "Please decide it by command or from Home.",
  "run-over": ({ status }) =>
    sentence`The run is over (${name(status)}), so nothing is left to approve. You can reject it to close its card.`,
  "locked-out": (found) => [say(`This was not approved: ${lockedOutWords(found)}`)],
  unapprovable: "This cannot be approved; its card says why. It can be rejected.",
  unseen:
    "Not everything that would run was shown where you approved this, so nothing was counted. Please open Details, " +
    "read it to the end, reveal what is masked if it says so, and press Approve there.",
  late: "Your press arrived too late to be counted. Please press again.",
  "asked-anew":
    "Redis lost its last second, or may have, so your press was not counted. Please look at it again and press again.",
  "rolled-back":
    "Redis holds an older state than Countersign knew, so nobody can approve until whoever runs Countersign has " +
    "looked. " +
    "You can reject.",
  missing: `The platform does not know this approval at the moment, so ${notYet} ${byItself}`,
  frozen:
    "This approval is frozen: what is stored about it is not what Countersign wrote last. Whoever runs Countersign " +
    "has to look; nothing was counted.",
  "unknown-case": "There is no approval with that id, or it is not yours to see.",
  hidden: ({ why }) => [say(hiddenWords[why])],
  "failed-for-good":
    "Something went wrong on our side. Your press was not carried out, and pressing again does not help. " +
    "Whoever runs Countersign has to look: the log has the alarm press-failed.",
  "slack-down":
    `Slack did not answer a question that Countersign has to ask first, so ${notYet} ` +
    "Please press again if nothing happens.",
  "other-config":
    "Countersign may not decide under the configuration that is active at the moment. Your press is kept, " +
    "and counts as soon as Countersign may decide.",
  early: "You were quick: this was posted a moment ago. Your press is kept and taken up within seconds.",
}

/** Stands in an open modal until we know more. */
export const loadingLine: Line = [say("Loading…")]

/** Covers a card in a channel that another company also reads. It says nothing about the case. */
export const coverWords =
  "Not shown here: this channel is shared with another company. Who may decide finds what waits by command and on Home."

const hiddenWords = {
  bot: "Bots and workflows cannot open this.",
  deactivated: "Your Slack account is deactivated, so you cannot open this.",
  guest: "Guests cannot open this.",
  external: "People of other workspaces cannot open this.",
  stranger: "Only those who are asked, whoever asked for it, and the members of its channels can open this.",
} as const

type RefusalCode = Refusal["code"]
type RefusalOf<C extends RefusalCode> = Extract<Refusal, { readonly code: C }>

/** Why somebody may not vote. */
export function refusalWords(refusal: Refusal): Line {
  return refusalFor(refusal.code, refusal)
}

function refusalFor<C extends RefusalCode>(why: C, refusal: RefusalOf<C>): Line {
  const words: string | ((refusal: RefusalOf<C>) => Line) = refusals[why]
  return typeof words === "string" ? [say(words)] : words(refusal)
}

const reviewRefusals: Readonly<Record<ReviewRefusal, string>> = {
  breaker: "You broke the glass yourself, so somebody else says whether it was right.",
  requester: "You asked for this yourself, so somebody else says whether breaking the glass was right.",
  linked: "One of you stands in for the other, so somebody else says whether breaking the glass was right.",
  "not-reviewer": "You are not one of those who say whether breaking the glass was right.",
  "none-owed": "Somebody has said already whether that was right, or it is not asked any more.",
  unsettled: "Nobody knows yet whether this decision took effect. Please say so once the card knows.",
}

const untilLooked = "Nobody can break it again until a reviewer has."

const refusals: { readonly [C in RefusalCode]: string | ((refusal: RefusalOf<C>) => Line) } = {
  requester: ({ rule }) =>
    sentence`You asked for this yourself, so somebody else has to approve it (rule ${name(rule)}). You may reject it.`,
  proposer: ({ rule }) =>
    sentence`You proposed this yourself, so somebody else has to approve it (rule ${name(rule)}). You may reject it.`,
  "unknown-requester": ({ rule }) =>
    sentence`Nobody knows who asked for this, so it cannot be approved (rule ${name(rule)}). It can be rejected.`,
  "conflicting-email": ({ email }) => [
    say("The address "),
    name(email),
    say(" belongs to somebody else now. It decides nothing until whoever runs Countersign links it again."),
  ],
  bot: "Bots and workflows may not decide.",
  deactivated: "Your Slack account is deactivated, so you may not decide.",
  "not-covered": "No rule covers everything that would run, so nobody may decide this here.",
  "no-approvers":
    "A rule that this needs has no approvers at the moment, so nobody may decide this. Whoever runs Countersign has " +
    "to look.",
  "not-approver": "You are not one of the approvers of this.",
  "no-glass": ({ rule }) => sentence`The rule ${name(rule)} does not let you break the glass.`,
  "open-reviews": ({ rule }) =>
    sentence`Five times the glass of rule ${name(rule)} was broken and nobody has looked at it. ${untilLooked}`,
  "not-requester": "Only whoever asked for this can call it back, and it is not certain that this was you.",
  guest: "Guests may not decide this.",
  external: "People of other workspaces may not decide this.",
  "no-subject":
    "The platform records decisions under your own name there. Countersign does not know that name, because " +
    "Slack shows no e-mail of yours. Whoever runs Countersign has to list you under identities.",
}

/** Whether somebody may vote so on a case, or at all, and under which rules. */
export function judgementWords(verb: Verb | "decide", judgement: Judgement): Line {
  if (!judgement.ok) return sentence`You may not ${verb} this. ${refusalWords(judgement.refusal)}`
  const { rules } = judgement
  const named = someOf(nameSpans(rules), "named by the command why")
  return sentence`You may ${verb} this under ${rules.length === 1 ? "rule " : "rules "}${named}.`
}

function progressWords(progress: readonly Progress[]): Line {
  const open = progress.filter((one) => one.have < one.need)
  if (open.length === 0) return sentence`It waits for the others.`
  const parts = open.map((one) => sentence`${one.have} of ${one.need} under rule ${name(one.rule, nameUnits)}`)
  return sentence`So far ${someOf(parts, "named by the command why")}.`
}

/** How many more people have to agree; for each rule if there are several. */
export function neededWords(progress: readonly Progress[]): Line {
  const open = progress.filter((one) => one.have < one.need)
  const [one] = open
  if (one === undefined) return sentence`It waits for the others.`
  const left = (rule: Progress) => rule.need - rule.have
  if (progress.length === 1) return sentence`${left(one) === 1 ? "One more is" : `${left(one)} more are`} needed.`
  const parts = open.map((rule) => sentence`${left(rule)} more under rule ${name(rule.rule, nameUnits)}`)
  return sentence`Needed: ${someOf(parts, "named by the command why")}.`
}

function recordWords(resolvedBy: string | null): Line {
  return resolvedBy === null ? [] : sentence`The platform recorded ${name(resolvedBy)}.`
}

function alreadyWords({ verb, calledBack, users, pending }: AnswerOf<"already">): Line {
  const who = users.length === 0 ? say("somebody") : listedUpTo(users.map(mention), maxNamed)
  const end = pending ? ", and the platform has not confirmed it yet" : ""
  return sentence`This was already ${past(verb, calledBack)} by ${who}${end}. Your press was not counted.`
}

function elsewhereWords(outcome: Outcome): Line {
  if (outcome.kind === "vanished")
    return sentence`The platform does not know this approval any more: it was deleted there.`
  if (outcome.kind === "ours") return sentence`This was already ${past(outcome.verb)}.`
  if (outcome.proposal !== undefined) return sentence`${proposalOverLine(outcome.proposal)}.`
  const by = outcome.resolvedBy === null ? [] : sentence` by ${name(outcome.resolvedBy)}`
  return sentence`This was decided outside Countersign: the platform says ${name(outcome.status)}${by}.`
}

function nameSpans(names: readonly string[]): readonly Span[] {
  return names.map((one) => name(one, nameUnits))
}

/** Names only some of many. `where`: where people find all of them. */
function someOf(parts: readonly (Span | Line)[], where: string): Line {
  const some = listedUpTo(parts, maxNamed)
  return parts.length > maxNamed ? [...some, say(` (all of them ${where})`)] : some
}

/** A text of others as one literal word of a bounded length. */
function name(text: string, units = wordUnits): Span {
  return code(createTextFitter().word(text, units))
}
