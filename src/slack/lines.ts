// Lines: what happened to a case, one line each in its card's thread.
import { shortDigest } from "../domain/digest.ts"
import type { CaseEvent } from "../domain/event.ts"
import type { Message } from "./card.ts"
import { createLens, type Lens } from "./lens.ts"
import { code, type Line, listed, mention, mrkdwn, quote, rich, say } from "./spans.ts"
import { past } from "./status.ts"

const REASON_UNITS = 1_500
const WORD_UNITS = 300

/** The message of an event's line. What others wrote in it is literal and bounded. */
export function lineOf(event: CaseEvent): Message {
  const line = wordsOf(event, createLens())
  return { text: mrkdwn(line), blocks: [rich(line)] }
}

function wordsOf(event: CaseEvent, lens: Lens): Line {
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
      return [
        say(`Decided: ${past(event.verb)} by `),
        ...listed(event.people.map((key) => [person(key)])),
        say(". It is sent to the platform."),
      ]
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
    case "revised":
      return revised(event)
    case "frozen":
      return [say("Frozen, an operator must look: "), code(lens.word(event.why, WORD_UNITS))]
    case "refused":
      return [person(event.person), say(` may not ${event.verb} this: `), code(lens.word(event.why, WORD_UNITS))]
    case "opened":
    case "placed":
    case "attempted":
    case "missed":
    case "found":
    case "revealed":
    case "closed":
      return [say(event.kind)]
  }
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

function revised(event: Extract<CaseEvent, { kind: "revised" }>): Line {
  const why = event.why === "content" ? "What would run has changed" : "Other rules are in force"
  const rest = `: revision ${event.revision}, digest ${shortDigest(event.digest)}`
  if (event.voided.length === 0) return [say(`${why}${rest}`)]
  const who = listed(event.voided.map((key) => [person(key)]))
  return [say(`${why}${rest}. Please decide anew, `), ...who, say(": the earlier votes do not count")]
}

function because(reason: string | null, lens: Lens): Line {
  return reason === null ? [] : [say(": "), quote(lens.word(reason, REASON_UNITS))]
}

function recorded(resolvedBy: string | null, lens: Lens): Line {
  return resolvedBy === null ? [] : [say(", resolved by "), code(lens.word(resolvedBy, WORD_UNITS))]
}

function marked(sandbox: boolean): Line {
  return sandbox ? [say(" (made in the sandbox)")] : []
}

/** People are `team:user` in events. */
function person(key: string) {
  return mention(key.slice(key.indexOf(":") + 1))
}
