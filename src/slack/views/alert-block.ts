// Alerts: what went wrong, made visible in a modal. Slack accepts alert blocks only in modals.
import type { KnownBlock } from "@slack/types"
import { blockLimits } from "../../blockkit/limits.ts"
import { escapedLength, plain } from "../../blockkit/text.ts"
import type { Answer } from "../../flow/ports/reply.ts"
import { type Line, plainWords, rich } from "../lines/spans.ts"
import { answerWords } from "../text/answer-words.ts"

/** How much an alert stands out. */
type Level = "warning" | "error"

/** Words of ours as an alert, which never holds text of others. If they do not fit, they become an ordinary block. */
export function alertBlock(line: Line, level: Level): KnownBlock {
  const words = plainWords(line)
  const ours = line.every((span) => span.kind === "text" && (span.style === undefined || span.style === "bold"))
  if (!ours || escapedLength(words) > blockLimits.alert) return rich(line)
  return { type: "alert", level, text: plain(words) }
}

/** An answer in a modal. */
export function answerBlock(answer: Answer): KnownBlock {
  const level = levels[answer.kind]
  const line = answerWords(answer)
  return level === null ? rich(line) : alertBlock(line, level)
}

/** How much each answer stands out. Null: nothing went wrong. */
const levels: Readonly<Record<Answer["kind"], Level | null>> = {
  counted: null,
  again: null,
  hidden: "warning",
  resolved: null,
  held: null,
  "unknown-outcome": null,
  withdrawn: null,
  "glass-reviewed": null,
  "asks-again": null,
  "not-lasting": "warning",
  "review-refused": "warning",
  "question-asked": null,
  "not-asked": "warning",
  "answer-given": null,
  "not-answered": "warning",
  already: null,
  elsewhere: null,
  early: null,
  "other-config": null,
  reopened: "error",
  refused: "warning",
  changed: "warning",
  replaced: "warning",
  "shared-channel": "warning",
  "locked-out": "warning",
  unapprovable: "warning",
  "run-over": "warning",
  unseen: "warning",
  late: "warning",
  "asked-anew": "warning",
  "reason-missing": "warning",
  "input-missing": "warning",
  expired: "warning",
  "no-vote": "warning",
  "unknown-case": "warning",
  "subject-too-long": "error",
  "rolled-back": "error",
  stopped: "warning",
  "stop-ended": "warning",
  frozen: "error",
  "not-shown": "error",
  missing: "error",
  "platform-down": "error",
  "slack-down": "error",
  "slack-refuses": "error",
  "credential-refused": "error",
  "failed-for-good": "error",
  failed: "error",
}
