// Hostile input: whatever an agent, a platform or a person may write, as models; and whether anything of it became
// active.
import fc from "fast-check"
import type { CardModel } from "../../src/domain/case/card-model.ts"
import { type Approval, openGatedCalls } from "../../src/domain/content/approval.ts"
import type { Json, JsonObject } from "../../src/domain/content/json.ts"
import { fieldsOf } from "../../src/domain/fingerprint/call-fields.ts"
import type { News, NewsItem } from "../../src/domain/fingerprint/news.ts"
import { runsOf } from "../support/runs.ts"
import { aCardModel, anApproval, aVote, changedFrom, everyState } from "./card-models.ts"

const nasty = fc.constantFrom(
  "<!channel>",
  "<@U0CTO>",
  "<!subteam^S1|@all>",
  "<https://evil.example|https://good.example>",
  "<!date^1^{date}^https://evil.example|today>",
  "&amp;lt;",
  "```",
  "*bold* _it_ ~x~ `y` :white_check_mark:",
  "\u202Egnp.exe",
  "\u200B\u0000\uFEFF",
  "\ud800",
  "\n\nApproved by <@U0CTO>",
)
/** Longer than any limit, and seldom: a thousand small inputs find more than one large one. */
const large = fc.constantFrom("&".repeat(4_000), "😀".repeat(3_000), "a\n".repeat(2_000), "<!channel>".repeat(900))
export const text = fc.oneof(
  { weight: 60, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 80, arbitrary: nasty },
  { weight: 20, arbitrary: fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: large },
)
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(JSON.rawJSON("12345678901234567890.123")),
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(text, tie("value"), { maxKeys: 5 }),
  ),
})).value
const args = fc.dictionary(text, json, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>
const field = fc.record({ name: text, field_type: text, description: text, value: json }) as fc.Arbitrary<JsonObject>
const requirement = fc.record({
  id: text,
  member_agent_name: fc.option(text),
  user_input_schema: fc.option(fc.array(field, { maxLength: 4 })),
  tool_execution: fc.record({
    tool_call_id: text,
    tool_name: fc.option(text),
    tool_args: args,
    approval_type: fc.constantFrom("required", null),
    requires_confirmation: fc.boolean(),
    confirmed: fc.constantFrom(null, true),
    surprise: json,
  }),
}) as fc.Arbitrary<JsonObject>
const approval: fc.Arbitrary<Approval> = fc
  .record({
    sourceName: fc.option(text),
    agentId: fc.option(text),
    teamId: fc.option(text),
    userId: fc.option(text),
    toolName: fc.option(text),
    toolArgs: fc.option(args),
    requirements: fc.option(
      fc.oneof(
        { weight: 40, arbitrary: fc.array(requirement, { maxLength: 3 }) },
        { weight: 1, arbitrary: fc.array(requirement, { minLength: 15, maxLength: 25 }) },
      ),
    ),
    runId: text,
    id: text,
  })
  .map((more) => anApproval(more))

/** The one link that may stand anywhere: to a message of ours, as Slack gave it. */
export const LINK = "https://slack.example/archives/C1/p1"

/** Every link in it becomes that one. */
function withOurLink(status: CardModel["status"]): CardModel["status"] {
  return JSON.parse(JSON.stringify(status).replaceAll(/https:[^"]+/g, LINK))
}

const statuses = Object.values(everyState()).map(({ status }) => withOurLink(status))
export const model: fc.Arbitrary<CardModel> = fc
  .record({
    approval,
    status: fc.constantFrom(...statuses),
    reason: text,
    votes: fc.nat(12),
    mask: fc.constantFrom([], ["*a*"], ["/./"]),
    rules: fc.array(text, { maxLength: 12 }),
    related: fc.boolean(),
    before: fc.option(approval),
    first: fc.array(text, { maxLength: 2 }),
    say: fc.constantFrom(null, "Do {a} now", `{${"&".repeat(190)}}`, "{} {{ <!channel>", "All of it"),
    kept: fc.constantFrom({}, {}, { argumentsInDetails: true as const }),
  })
  .map(({ approval: one, status, reason, votes, rules, mask, related, before, first, say, kept }) =>
    aCardModel(one, {
      digest: "ab".repeat(32),
      status,
      look: { mask, risk: "high", danger: true, reasons: [], showFirst: first, say: [say, say], ...kept },
      failure: reason,
      related: related ? [{ caseId: "0123456789abcdef0123", of: "team", link: LINK }] : [],
      ...(before === null ? {} : { changed: { ...changedFrom(before, one), rulesAt: 1 } }),
      news: newsOf(one, reason),
      troubles: [{ route: `channel:${reason}`, why: reason }],
      instance: one.id,
      votes: Array.from({ length: votes }, () => aVote({ reason, user: reason })),
      rules: rules.map((name) => ({ name, quorum: 2, approvers: [name, "S0FINANCE", reason] })),
    }),
  )

const kinds: readonly NewsItem["kind"][] = ["new", "changed", "more", "field", "gone", "less", "back"]

/** All that an approval says is new, and one like it was rejected with these words. */
function newsOf(one: Approval, words: string): News {
  const fields = openGatedCalls(one).flatMap((call, at) => fieldsOf(call, []).map((field) => ({ call: at, ...field })))
  const items = fields.slice(0, 20).map(({ call, path, values: [first] }, at): NewsItem => {
    return { call, path, kind: kinds[at % kinds.length] ?? "new", ...(first && { place: first.place }) }
  })
  const rejected = { at: 0, times: 2, routes: ["channel:C0APPROVALS"], by: words, reason: words }
  return { items, more: 3, rejected, ...(items.length % 2 === 0 ? {} : { unread: true }) }
}

const ours = new RegExp(
  [
    /<@[UW][A-Z0-9]{1,30}>|<!subteam\^S[A-Z0-9]{1,30}>/,
    /<https:\/\/slack\.example\/archives\/C1\/p1\|[^<>]*>/,
    /<!date\^\d+\^\{date_short_pretty\} at \{time\}\|[^<>]*>/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
)

/** Slack's markup that is not ours: our own mentions, dates and links are known by their shape. */
export function activeMarkup(mrkdwn: string): string {
  return mrkdwn.replace(ours, "").replace(/[^<>]/g, "")
}

/** True if no element is of a kind that only we may make, but for mentions of ids and our own links. */
export function onlyLiteral(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(onlyLiteral)
  if (typeof part !== "object" || part === null) return true
  const { type, ...rest } = part as Readonly<Record<string, unknown>>
  // These words of ours lead to a date or a link.
  if (type === "mrkdwn") return /^(?:(?:since|decide by|in) )?$/.test(String(rest["text"]).replace(ours, ""))
  if (["broadcast", "emoji", "image", "markdown"].includes(String(type))) return false
  if (type === "link") return rest["url"] === LINK
  if (type === "user") return /^[UW][A-Z0-9]+$/.test(String(rest["user_id"]))
  if (type === "usergroup") return /^S[A-Z0-9]+$/.test(String(rest["usergroup_id"]))
  if (type === "channel") return /^[CGD][A-Z0-9]+$/.test(String(rest["channel_id"]))
  return Object.values(part).every(onlyLiteral)
}

/** So many inputs for every surface. */
export const runs = { numRuns: runsOf(500) }
/** How long they may take on a machine that is busy with other tests, in ms. */
export const patienceMs = 600_000
