// The shape of one rule of countersign.yaml.
import { z } from "zod"
import { isPattern } from "../../domain/masker.ts"
import { patternProblem } from "../../domain/pattern.ts"
import { timingKeys } from "../parts/timing.ts"
import { choice, integer, switched, text, words } from "./values.ts"

const CHANNEL = /^[CG][A-Z0-9]{1,20}$/
const PERSON = /^[UW][A-Z0-9]{1,20}$/
const APPROVER = /^(?:[TE][A-Z0-9]{1,20}:[UW][A-Z0-9]{1,20}|[UWS][A-Z0-9]{1,20}|[^\s@<>,]+@[^\s@<>,]+)$/

/** The id of a channel. */
export const channel = text.regex(CHANNEL, "must be a channel id; Slack shows it at the end of the channel's details")
const person = text.regex(PERSON, "must be a Slack user id; Slack shows it in the person's profile")

const route = z.union(
  [text.regex(CHANNEL), text.regex(PERSON), z.strictObject({ channel }), z.strictObject({ person })],
  { error: "must be the id of a channel (C…) or of a person (U…), not a name" },
)

const approver = text.regex(
  APPROVER,
  "must be a Slack user id (U…; of another workspace T…:U…), an e-mail address or the id of a user group (S…)",
)

const match = z.strictObject({
  instance: words.optional(),
  agent: words.optional(),
  team: words.optional(),
  workflow: words.optional(),
  tool: words.optional(),
  pause: words.optional(),
  source: words.optional(),
})

/** The name of a key, or a pattern between slashes that must be one. */
const maskWord = text.superRefine((word, context) => {
  if (!word.startsWith("/")) return
  const problem = isPattern(word)
    ? patternProblem(word.slice(1, -1))
    : "must be the name of a key, or a regular expression between slashes, such as /sk-[a-z0-9]+/"
  if (problem !== null) context.addIssue({ code: "custom", message: problem })
})

const routes = z.array(route).min(1, "must list at least one channel or person")
const approvers = z.array(approver)

/** One rule. `unknown_requester` may be left out only where `forbid_self_approval` is off (R6; `checks.ts`). */
export const rule = z.strictObject({
  name: text.max(60, "must be at most 60 characters"),
  match: match.optional(),
  match_unknown: switched.optional(),
  routes,
  approvers: approvers.min(1, "must list at least one person or group; without one nobody may decide"),
  quorum: integer({ min: 1, max: 20 }).optional(),
  forbid_self_approval: switched.optional(),
  unknown_requester: choice(["refuse", "two", "allow"]).optional(),
  require_reason: choice(["never", "reject", "approve", "always"]).optional(),
  reasons: z.array(text.max(75, "must be at most 75 characters")).max(50, "must list at most 50 reasons").optional(),
  mask: z.array(maskWord).optional(),
  risk: choice(["low", "medium", "high"]).optional(),
  danger: switched.optional(),
  allow_guests: switched.optional(),
  allow_external: switched.optional(),
  allow_shared_channel: switched.optional(),
  ...timingKeys(routes, approvers),
})

/** A checked rule, names as in the file. */
export type RuleSettings = z.infer<typeof rule>
