// Words about stops as orders: what was stopped and what that means, who may not, and what goes on after an end (R21).
import { maxReason, maxValue, type StopRead } from "../../domain/order/read-stop.ts"
import { wordsOfStop } from "../../domain/order/stop.ts"
import type {
  EndOutcome,
  NamedCase,
  NotAllowed,
  Stop,
  StopEnding,
  StopOutcome,
  UnderStop,
  UnknownValue,
} from "../../flow/ports.ts"
import { bold, code, type Line, listedUpTo, moment, quote, say, sentence } from "../lines/spans.ts"
import { counted, createTextFitter, type TextFitter } from "../lines/text-fitter.ts"
import { stopper } from "./case/stop-words.ts"
import { waitWords } from "./list-words.ts"

const coverUnits = 300
const reasonUnits = 300
const nameUnits = 80
/** How many cases a line names before it only counts them. */
const maxNamed = 10

/** Titles, labels and buttons. */
export const orderLabels = {
  title: "Stop",
  submit: "Stop",
  what: "What to stop (required)",
  whatHint:
    "everything, or one or more of agent:NAME, tool:NAME, team:NAME, workflow:NAME, instance:NAME. All must hold. " +
    "A tool may have * and ?.",
  why: "Why (required)",
  whyHint: "Everybody who may not approve reads it.",
  forHow: "For how long",
  forHint: "A number with m, h or d, such as 2h. Left empty: until somebody ends it.",
  end: "End…",
  endTitle: "End a Stop",
  endSubmit: "End This Stop",
  reject: "Reject What Waits…",
  rejectTitle: "Reject What Waits",
  rejectSubmit: "Reject Them",
} as const

/** Why nothing was stopped, for somebody who typed it. */
export function notReadLine(read: Exclude<StopRead, { kind: "stop" }>): Line {
  const fitter = createTextFitter()
  const typed = (word: string) => code(fitter.word(word, nameUnits))
  switch (read.kind) {
    case "unknown-word":
      return sentence`Nothing is stopped yet: there is no word ${typed(read.word)}. Did you mean ${typed(read.likely)}?`
    case "no-words":
      return [say("Nothing is stopped yet: say first what to stop.")]
    case "no-reason":
      return [say("Nothing is stopped yet: say why.")]
    case "long-reason":
      return [say(`Nothing is stopped yet: say why in at most ${maxReason} characters.`)]
    case "two-times":
      return [say("Nothing is stopped yet: it says twice for how long. Say that once.")]
    case "long-value":
      return sentence`Nothing is stopped yet: ${typed(read.word)} is longer than ${String(maxValue)} characters.`
    case "not-alone":
      return [say("Nothing is stopped yet: everything leaves nothing over, so give no other word beside it.")]
    case "no-value":
      return sentence`Nothing is stopped yet: ${typed(read.word)} names nothing. Write a name behind it.`
    case "bad-time":
      return sentence`Nothing is stopped yet: ${typed(read.word)} is no time. Write a number with m, h or d, to 180d.`
  }
}

/** What a stop covers, as it is typed. */
function covers({ match }: Pick<Stop, "match">, fitter: TextFitter): Line {
  return [code(fitter.word(wordsOfStop(match), coverUnits))]
}

/** One stop in one line: what, by whom, since and until when, and why. */
export function stopLine(stop: Stop, fitter: TextFitter): Line {
  const { at, until, reason } = stop
  const end = until === null ? [] : sentence`, until ${moment(until)}`
  const why = quote(fitter.word(reason, reasonUnits))
  return sentence`${bold("Stopped:")} ${covers(stop, fitter)} by ${stopper(stop, fitter)} ${moment(at)}${end}: ${why}`
}

/** The answer to whoever stopped, in the order in which it matters to them. */
export function stopOutcomeLines(outcome: StopOutcome, command: string): readonly Line[] {
  const fitter = createTextFitter()
  switch (outcome.kind) {
    case "too-many":
      return [sentence`Nothing is stopped: 50 stops are in force already. End one first: ${code(`${command} stops`)}.`]
    case "not-allowed":
      return [[say(`Nothing is stopped. ${mayNotStop[outcome.why]}`)]]
    case "stopped":
    case "again": {
      const { stop, under, unknown } = outcome
      const again: readonly Line[] =
        outcome.kind === "again" ? [[say("This is stopped already; nothing changed.")]] : []
      return [
        ...again,
        stopLine(stop, fitter),
        ...unknown.map((one) => unknownValueLine(one, fitter)),
        ...(under === null ? [[say(notCounted)]] : underLines(under, fitter)),
        [say(goOnWords)],
        sentence`${takeBackWords} ${code(`${command} stops`)} lists what is stopped.`,
      ]
    }
  }
}

const goOnWords = "Calls that need no approval, and runs that the platform continues by itself, go on."
const takeBackWords =
  "You can take this back within 10 minutes, by the button below. After that somebody else has to end it, or whoever " +
  "runs Countersign."
const notCounted = "It holds. What is under it could not be counted just now."

function unknownValueLine({ word, value, nearest }: UnknownValue, fitter: TextFitter): Line {
  const said = code(fitter.word(`${word}:${value}`, nameUnits))
  const near = nearest.map((name) => code(fitter.word(name, nameUnits)))
  const known = near.length === 0 ? [] : sentence` The nearest: ${listedUpTo(near, maxNamed)}.`
  const literal = word !== "tool" && /[*?]/.test(value) ? " Only a tool may have * and ?." : ""
  return sentence`⚠ No approval of the last 30 days had ${said}.${literal}${known} It is stopped all the same.`
}

function underLines({ waiting, perhaps, runs, onWay, gates }: UnderStop, fitter: TextFitter): readonly Line[] {
  const doubt = perhaps === 0 ? "" : `, ${perhaps} of them only because the platform leaves a field empty`
  const left = onWay.map((one) => sentence`${nameOf(one, fitter)} (decided ${moment(one.at)})`)
  return [
    [say(`${waitWords(waiting)} under it${doubt}.`)],
    ...(runs.length === 0
      ? []
      : [
          sentence`Not continued meanwhile: ${listedUpTo(
            runs.map((one) => nameOf(one, fitter)),
            maxNamed,
          )}.`,
        ]),
    ...(gates === 0 ? [] : [[say(gateWords(gates))]]),
    ...(left.length === 0 ? [] : [sentence`On the way already, so it may have run: ${listedUpTo(left, maxNamed)}.`]),
  ]
}

function gateWords(approvals: number): string {
  const allowed = approvals === 1 ? "an approval" : `${approvals} approvals`
  return `Gates at the tools refuse meanwhile what ${allowed} allowed before.`
}

/** A case in few words: its tool, and its agent. */
export function nameOf({ tool, agent, caseId }: NamedCase, fitter: TextFitter): Line {
  const what = code(fitter.word(tool ?? caseId, nameUnits))
  return agent === null ? [what] : sentence`${what} of ${code(fitter.word(agent, nameUnits))}`
}

const mayNotStop: Readonly<Record<NotAllowed, string>> = {
  bot: "A bot stops nothing.",
  deactivated: "This account is deactivated.",
  guest: "Guests stop nothing: ask a member who approves.",
  external: "People of other companies stop nothing: ask somebody here who approves.",
  "not-listed": "You are not among those who may stop. Ask an approver, or whoever runs Countersign.",
  own: "",
  requester: "",
}

const mayNotEnd: Readonly<Record<NotAllowed, string>> = {
  bot: "A bot ends no stop.",
  deactivated: "This account is deactivated.",
  guest: "Guests end no stop: ask a member who approves.",
  external: "People of other companies end no stop: ask somebody here who approves.",
  "not-listed": "You are not among those who may end a stop. Ask whoever made it, or whoever runs Countersign.",
  own: "You made this stop more than 10 minutes ago, so somebody else has to end it.",
  requester: "You asked for something that it covers, so somebody else has to end it.",
}

/** What goes on if a stop ends, or why it goes on itself. */
export function endingLines(ending: StopEnding | Exclude<EndOutcome, { kind: "ended" }>): readonly Line[] {
  const fitter = createTextFitter()
  switch (ending.kind) {
    case "other-config":
      return [[say("It goes on: other rules came into force just now. Press End… once more.")]]
    case "gone":
      return [[say("This stop has ended already.")]]
    case "rolled-back":
      return [
        [
          say(
            "It goes on: Redis holds an older state than Countersign knew. Whoever runs Countersign has to look first.",
          ),
        ],
      ]
    case "not-allowed":
      return [stopLine(ending.stop, fitter), [say(`It goes on. ${mayNotEnd[ending.why]}`)]]
    case "may": {
      const { stop, waiting, runs, late } = ending
      const names = (some: readonly NamedCase[]) =>
        listedUpTo(
          some.map((one) => nameOf(one, fitter)),
          maxNamed,
        )
      return [
        stopLine(stop, fitter),
        [say(`If you end it, ${counted(waiting, "approval")} can be approved again.`)],
        ...(runs.length === 0 ? [] : [sentence`Continued at once: ${names(runs)}.`]),
        ...(late.length === 0
          ? []
          : [sentence`Not continued any more, since the decision is too old: ${names(late)}.`]),
      ]
    }
  }
}

/** What an end came to. */
export function endedStopLine(stop: Stop): Line {
  return sentence`Ended: ${covers(stop, createTextFitter())} is not stopped any more. Nothing was approved by that.`
}

/** The head of the list of stops. */
export function stopsHead(count: number): string {
  return count === 0 ? "Nothing is stopped." : `${counted(count, "stop")} in force`
}

/** How many stops a list leaves out, and where they are. */
export function moreStopsLine(count: number, command: string): Line {
  return sentence`and ${counted(count, "more stop")}: ${code(`${command} stops`)}`
}

/** What a stop means for those who are told of it. */
export function noticeLine(command: string): Line {
  const lists = code(`${command} stops`)
  return sentence`Nobody can approve what it covers until it ends; it can be rejected. ${lists} lists what is stopped.`
}
