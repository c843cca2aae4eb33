// Who is asked, and where: people, groups and channels, as rules name them; and who may approve without them.
import { z } from "zod"
import { duration, hourMs, integer, text } from "./values.ts"

const channelId = /^[CG][A-Z0-9]{1,20}$/
const personId = /^[UW][A-Z0-9]{1,20}$/
const approverId = /^(?:[TE][A-Z0-9]{1,20}:[UW][A-Z0-9]{1,20}|[UWS][A-Z0-9]{1,20}|[^\s@<>,]+@[^\s@<>,]+)$/

/** The id of a channel. */
export const channel = text.regex(channelId, "must be a channel id; Slack shows it at the end of the channel's details")
const person = text.regex(personId, "must be a Slack user id; Slack shows it in the person's profile")

/** Where a card goes. */
export const route = z.union(
  [
    text.regex(channelId),
    text.regex(personId),
    z.strictObject({ channel: channel.meta({ description: "The id of a channel.", example: "C012ABCDEF" }) }),
    z.strictObject({
      person: person.meta({ description: "The id of a person, by direct message.", example: "U012ABCDEF" }),
    }),
  ],
  { error: "must be the id of a channel (C…) or of a person (U…), not a name" },
)

/** Who may decide. */
export const approver = text.regex(
  approverId,
  "must be a Slack user id (U…; of another workspace T…:U…), an e-mail address or the id of a user group (S…)",
)

/** People who may stand in for approvers: never a group, so that everybody can read who they are. */
export const standIns = z.array(
  approver.refine((one) => !one.startsWith("S") || one.includes("@"), {
    error: "must be one person: a Slack user id (U…; of another workspace T…:U…) or an e-mail address, no group (S…)",
  }),
)

/** A list of approvers, which may be empty. */
export const approvers = z.array(approver)

/** Routes, at least one. */
export const routes = z.array(route).min(1, "must list at least one channel or person")

const someApprovers = approvers.min(1, "must list at least one person or group")

/** Who may stop agents, who may end a stop, and who is told. */
export const stopSettings = z.strictObject({
  by: someApprovers.optional().meta({
    description: `Who may stop: people, e-mail addresses, user groups. Left out: every approver of any rule, whatever
      the rule covers. Guests and people of other companies never may.`,
    example: "[U012ABCDEF, jane@corp.example, S012ABCDEF]",
  }),
  lift_by: someApprovers.optional().meta({
    description: `Who may end a stop that somebody else made. Left out: who may stop. It is never the one who asked for
      a run that the stop covers. Who stopped may take that back within 10 minutes.`,
    example: "[S012ABCDEF]",
  }),
  routes: routes.optional().meta({
    description: `Where a stop is told, once: channels (C…) and people (U…, by direct message). Left out: where
      the approvals that it covers have their cards, in at most 20 places.`,
    example: "[C012ABCDEF]",
  }),
})

/** How many people must approve. */
export const maxQuorum = 20

/** Breaking glass. `rule-checks.ts` checks its reviewers together with its approvers. */
export const breakGlass = z.strictObject({
  approvers: approvers.min(1, "must list at least one person or group; leave out break_glass for nobody").meta({
    description: "Who may break the glass. Their approval alone meets the rule; the requester's never does.",
    example: "[U012ABCDEF, jane@corp.example, S012ABCDEF]",
  }),
  reviewers: approvers.min(1, "must list at least one person or group: somebody has to look at it afterwards").meta({
    description: `Who says afterwards whether it was right: somebody other than who broke the glass and than who asked.
      At least one must be none of the approvers above.`,
    example: "[S034SECURE]",
  }),
  route: route.meta({
    description: "Where the reviewers are asked: a channel (C…) or a person (U…, by direct message).",
    example: "C056REVIEW",
    sample: "{channel: C056REVIEW}",
  }),
  within: duration({ min: 60_000, max: 30 * 24 * hourMs, words: "must be at least 1m and at most 30d" })
    .prefault("24h")
    .describe("If no reviewer has said so by then, the alarm glass-unreviewed stands until one does."),
})

/** Who approves changes of the config itself. */
export const rulesChange = z.strictObject({
  approvers: approvers
    .min(1, "must list at least one person or group; without one nobody could change the rules")
    .meta({
      description: "Who may decide: people (U…; of another workspace T…:U…), e-mail addresses, Slack user groups (S…).",
      example: "[S012ABCDEF]",
    }),
  quorum: integer({ min: 1, max: maxQuorum })
    .default(2)
    .describe("How many different people must approve. One rejection always decides."),
  route: route.meta({
    description: "Where the card is shown: a channel (C…), or a person (U…, by direct message).",
    example: "C012ABCDEF",
  }),
  expire_after: duration({ min: hourMs, max: 90 * 24 * hourMs, words: "must be between 1h and 90d" })
    .prefault("24h")
    .describe(`For how long people can approve a proposal. A start does not propose again what expired or was rejected:
      countersign activate does.`),
})
