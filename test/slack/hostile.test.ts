// Hostile input: whatever an agent, a platform or a person writes, Slack takes what we make of it and nothing in it becomes active.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { textUnits } from "../../src/blockkit/totals.ts"
import type { Approval } from "../../src/domain/approval.ts"
import type { Json, JsonObject } from "../../src/domain/json.ts"
import { cardOf, safeCardOf } from "../../src/slack/card.ts"
import { detailsView } from "../../src/slack/details.ts"
import { lineOf } from "../../src/slack/lines.ts"
import { listMessage } from "../../src/slack/listing.ts"
import { AT, aFace, anApproval, aVote, everyState } from "./faces.ts"
import { labels, messageVerdict, viewVerdict } from "./sight.ts"

const nasty = fc.constantFrom(
  "<!channel>",
  "<@U0CTO>",
  "<!subteam^S1>",
  "<https://evil.example|https://good.example>",
  "<!date^1^{date}^https://evil.example|today>",
  "&amp;lt;",
  "```",
  "*bold* _it_ ~x~ `y` :white_check_mark:",
  "\u202Egnp.exe",
  "\u200B\u0000\uFEFF",
  "\ud800",
  "\n\nApproved by <@U0CTO>",
  "&".repeat(4_000),
  "😀".repeat(3_000),
)
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  nasty,
  fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join("")),
)
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(JSON.rawJSON("12345678901234567890.123")),
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(text, tie("value"), { maxKeys: 5 }),
  ),
})).value
const args = fc.dictionary(text, json, { maxKeys: 6 }) as fc.Arbitrary<JsonObject>
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
    requirements: fc.option(fc.array(requirement, { maxLength: 25 })),
    runId: text,
    id: text,
  })
  .map((more) => anApproval(more))
const statuses = Object.values(everyState()).map((face) => face.status)
const face = fc
  .record({
    approval,
    status: fc.constantFrom(...statuses),
    reason: text,
    votes: fc.nat(12),
    mask: fc.constantFrom([], ["*a*"], ["/./"]),
    rules: fc.array(text, { maxLength: 12 }),
  })
  .map(({ approval: one, status, reason, votes, rules, mask }) =>
    aFace(one, {
      status,
      look: { mask, risk: "high", danger: true, reasons: [] },
      failure: reason,
      instance: one.id,
      votes: Array.from({ length: votes }, () => aVote({ reason, user: reason })),
      rules: rules.map((name) => ({ name, quorum: 2 })),
    }),
  )

/** Slack's markup that is not ours: our own mentions and dates are known by their shape. */
function activeMarkup(mrkdwn: string): string {
  const ours = /<@[UW][A-Z0-9]{1,30}>|<!date\^\d+\^\{date_short_pretty\} at \{time\}\|[^<>]*>/g
  return mrkdwn.replace(ours, "").replace(/[^<>]/g, "")
}

/** True if no element is of a kind that only we may make, but for mentions of user ids. */
function onlyLiteral(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(onlyLiteral)
  if (typeof part !== "object" || part === null) return true
  const { type } = part as { type?: string }
  if (["mrkdwn", "link", "broadcast", "channel", "usergroup", "emoji", "image", "markdown"].includes(type ?? ""))
    return false
  if (type === "user") return /^[UW][A-Z0-9]+$/.test((part as { user_id: string }).user_id)
  return Object.values(part).every(onlyLiteral)
}

const runs = { numRuns: 1_000 }

describe("for any input", () => {
  it("the card is one that Slack takes, within the budget, with nothing active in it", () => {
    fc.assert(
      fc.property(face, (one) => {
        const card = cardOf(one)

        expect(messageVerdict(card)).toBe("ok")
        expect(textUnits(card.blocks)).toBeLessThanOrEqual(10_000)
        expect(card.text.length).toBeLessThanOrEqual(3_900)
        expect(onlyLiteral(card.blocks)).toBe(true)
        expect(activeMarkup(card.text)).toBe("")
        expect(labels(card.blocks).includes("Approve")).toBe(one.status.kind === "open" && card.complete)
        expect(messageVerdict(safeCardOf(one))).toBe("ok")
      }),
      runs,
    )
  })

  it("every page of Details is one that Slack takes, and together they hold every argument whole", () => {
    fc.assert(
      fc.property(face, (one) => {
        const details = {
          face: one,
          approve: { ok: true, rules: ["a"] },
          reject: { ok: true, rules: ["a"] },
          own: null,
        } as const
        let more = true
        for (let page = 1; more && page < 200; page++) {
          const view = detailsView({ details, page, seen: page - 1, place: null, revealed: true, changed: false })
          expect(viewVerdict(view)).toBe("ok")
          expect(onlyLiteral(view.blocks)).toBe(true)
          more = labels(view.blocks).includes("Next")
          expect(labels(view.blocks).includes("Approve")).toBe(one.status.kind === "open" && !more)
        }
        expect(more).toBe(false)
      }),
      { numRuns: 100 },
    )
  })

  it("a line in the thread is one that Slack takes, with nothing active in it", () => {
    fc.assert(
      fc.property(text, text, (reason, who) => {
        const common = { at: AT, decision: "d", person: who, name: who, subject: who, reason, why: reason }
        const events = [
          { ...common, kind: "voided" },
          { ...common, kind: "reopened" },
          { ...common, kind: "frozen" },
          { ...common, kind: "resolved", verb: "approve", resolvedBy: reason, sandbox: true },
          { ...common, kind: "elsewhere", status: reason, resolvedBy: who, claimsToBeOurs: true },
          { ...common, kind: "decided", verb: "reject", people: [who, who], digest: "ab" },
        ] as const
        for (const event of events) {
          const line = lineOf(event)
          expect(messageVerdict(line)).toBe("ok")
          expect(onlyLiteral(line.blocks)).toBe(true)
          expect(activeMarkup(line.text)).toBe("")
        }
      }),
      runs,
    )
  })

  it("a page of the list is one that Slack takes", () => {
    fc.assert(
      fc.property(fc.array(face, { maxLength: 5, minLength: 1 }), (faces) => {
        const message = listMessage({ faces, total: 23, more: true }, 2)

        expect(messageVerdict(message)).toBe("ok")
        expect(onlyLiteral(message.blocks)).toBe(true)
        expect(activeMarkup(message.text)).toBe("")
      }),
      { numRuns: 100 },
    )
  })
})
