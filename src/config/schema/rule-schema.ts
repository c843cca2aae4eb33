// The keys of one rule of countersign.yaml: what it is about, who is asked where, who may decide, and by when.
import { z } from "zod"
import { partsOfSentence } from "../../domain/policy/sentence.ts"
import { isPattern } from "../../domain/text/masker.ts"
import { patternProblem } from "../../domain/text/pattern.ts"
import { approvers, breakGlass, maxQuorum, routes, standIns } from "./asked-schema.ts"
import { limit } from "./limit-schema.ts"
import { choice, condition, duration, hourMs, integer, switched, text, words } from "./values.ts"
import { timeZone, workingHours } from "./working-hours-schema.ts"

const match = z.strictObject({
  instance: words.optional().meta({ description: "The instance's name.", example: "main" }),
  agent: words.optional().meta({
    description: "The id of the agent that calls.",
    example: "payments-agent",
    sample: "[payments-agent, refunds-agent]",
  }),
  team: words.optional().meta({ description: "The id of its team.", example: "finance-team" }),
  workflow: words.optional().meta({ description: "The id of the workflow.", example: "month-end" }),
  tool: words
    .optional()
    .meta({ description: "The tool's name; takes * and ?.", example: '"send_*"', sample: '["refund_*", "credit_*"]' }),
  pause: words.optional().meta({
    description: "What the call waits for: confirmation, user_input or external_execution.",
    example: "confirmation",
    sample: "[confirmation, user_input]",
  }),
  source: words.optional().meta({
    description: "What paused: agent, team or workflow.",
    example: "agent",
    sample: "[agent, team, workflow]",
  }),
})

/** The name of a key, or a valid pattern between slashes. */
const maskWord = text.superRefine((word, context) => {
  if (!word.startsWith("/")) return
  const problem = isPattern(word)
    ? patternProblem(word.slice(1, -1))
    : "must be the name of a key, or a regular expression between slashes, such as /sk-[a-z0-9]+/"
  if (problem !== null) context.addIssue({ code: "custom", message: problem })
})

/** Words, and names of arguments in braces. */
const spoken = text
  .max(200, "must be at most 200 characters")
  .regex(/^[^\p{Cc}]*$/u, "must be one line")
  .superRefine((word, context) => {
    const parts = partsOfSentence(word)
    if (typeof parts === "string") context.addIssue({ code: "custom", message: parts })
  })

const span = duration({
  min: 1,
  max: 90 * 24 * hourMs,
  words: "must be more than nothing and at most 90d",
})

/** One step of an escalation. */
const escalationStep = z.strictObject({
  after: span.meta({ description: "When: how long after Countersign first saw the approval.", example: "2h" }),
  to: z
    .strictObject({
      routes: routes.optional().meta({ description: "Where they get cards.", example: "[C012ABCDEF]" }),
      approvers: approvers
        .optional()
        .meta({ description: "Who they are.", example: "[U012ABCDEF, jane@corp.example, S012ABCDEF]" }),
    })
    .meta({
      description: "Whom to ask then. They get cards, and their votes count like those of approvers.",
      example: "{routes: [C012ABCDEF], approvers: [S012ABCDEF]}",
    }),
})

/** One rule. `unknown_requester` may be left out only where `forbid_self_approval` is off (R6; `rule-checks.ts`). */
export const rule = z.strictObject({
  name: text.max(60, "must be at most 60 characters").meta({
    description: "What the rule is called on cards and in the ledger, at most 60 characters.",
    example: "payments",
  }),
  match: match.default({}).meta({
    description: `Which calls the rule is about. Every key must match; of a list, one value is enough. Left out: all
      calls.`,
    example: "{tool: [send_*]}",
  }),
  when: condition.optional().meta({
    description: `What must be true of a call's arguments besides (docs/policy.md). If nobody can tell, since a value is
      missing or of another type, the rule is asked too, and the one that applies after it.`,
    example: "args.amount > 1000",
    sample: `args.amount > 1000 && args.currency == "EUR"`,
    kind: "condition",
  }),
  time_zone: timeZone.optional().meta({
    description: "Where the clock is that when looks at with time.weekday and time.hour.",
    example: "Europe/Berlin",
    off: true,
  }),
  match_unknown: switched
    .default(true)
    .describe(`The platform leaves some of these fields empty (a member's call does not name its team). true: the rule
      then applies too, to be safe. false: it does not apply.`),
  routes: routes.meta({
    description: "Where a card is shown: channels (C…) and people (U…, by direct message).",
    example: "[C012ABCDEF]",
    sample: "[{channel: C012ABCDEF}, {person: U012ABCDEF}]",
    env: "APPROVALS_CHANNEL",
  }),
  approvers: approvers.min(1, "must list at least one person or group; without one nobody may decide").meta({
    description: "Who may decide: people (U…; of another workspace T…:U…), e-mail addresses, Slack user groups (S…).",
    example: "[U012ABCDEF, jane@corp.example, S012ABCDEF]",
    env: "APPROVERS",
  }),
  stand_ins: standIns
    .min(1, "must list at least one person; without it nobody stands in")
    .optional()
    .meta({
      description: `Who may vote for an approver who said that they are away (docs/approving.md): people, no groups.
        Left out: nobody.`,
      example: "[U012ABCDEF, jane@corp.example]",
    }),
  quorum: integer({ min: 1, max: maxQuorum }).default(1).meta({
    description: "How many different people must approve. One rejection always decides.",
    example: "1",
    sample: "2",
  }),
  limit: limit.optional().meta({
    description: `A limit over many calls (docs/policy.md): what this rule let through within a while is added up, and
      above an amount more people must agree.`,
    example: "{sum: args.amount, per: args.recipient, window: 24h, above: 5000, then: {quorum: 2}}",
  }),
  break_glass: breakGlass.optional().meta({
    description: `Who may approve in an emergency without those whom the rule asks (docs/policy.md): in Details, with a
      reason. Whoever is asked learns of it, and somebody else says afterwards whether it was right. Every rule that
      asks about a call must list the person. Left out: nobody.`,
    example: "{approvers: [U012ABCDEF], reviewers: [S034SECURE], route: C056REVIEW}",
  }),
  ask: routes.optional().meta({
    description: `Who answers questions about a call (Ask…, docs/approving.md) if whoever asked for the run is not one
      known person in Slack: channels (C…) and people (U…, by direct message). Left out: nobody, and then nothing can be
      asked.`,
    example: "[U012ABCDEF]",
    sample: "[{channel: C012ABCDEF}, {person: U012ABCDEF}]",
  }),
  after_rejection: z
    .strictObject({
      same_call: duration({ min: 60_000, max: 24 * hourMs, words: "must be at least 1m and at most 24h" }).meta({
        description: `For how long whoever rejects a call may also reject the same call, asked again by the same
          requester, without being asked.`,
        example: "10m",
      }),
    })
    .optional()
    .meta({
      description: `What whoever rejects may choose besides (docs/policy.md). Every rule that asks about a call must
        have the key; the shortest time counts. Left out: people are asked each time.`,
      example: "{same_call: 10m}",
    }),
  forbid_self_approval: switched
    .default(true)
    .describe("true: whoever asked for the run may not approve it. They may reject."),
  proposer_may_approve: switched.default(false).meta({
    description: `true: whoever sent a call back and proposed a value may approve the call that has it. Else they count
      as one who asked, where forbid_self_approval is true.`,
    example: "true",
  }),
  unknown_requester: choice(["refuse", "two", "allow"])
    .optional()
    .meta({
      description: `Who may approve if nobody knows who asked: refuse (nobody), two (at least two people have to agree),
        allow (as always). Needed unless forbid_self_approval is false.`,
      example: "allow",
      sample: "two",
    }),
  require_reason: choice(["never", "reject", "approve", "always"]).default("reject").meta({
    description: "For which votes people must give a reason: never, reject, approve or always.",
    example: "reject",
    sample: "always",
  }),
  reasons: z
    .array(text.max(75, "must be at most 75 characters"))
    .max(50, "must list at most 50 reasons")
    .default([])
    .meta({
      description: `Reasons that the form offers. People may always write their own. At most 75 characters each.`,
      example: '["Wrong amount", "Not now"]',
    }),
  mask: z
    .array(maskWord)
    .default([])
    .meta({
      description: `Which values to mask: names of keys (* and ? stand for anything, upper and lower case are the same),
        and regular expressions between slashes (RE2's, see docs/policy.md) for parts of any text, names and
        descriptions too. Cards show the mask and the length. Approvers can reveal the values in Details, and the ledger
        records it.`,
      example: '[password, "*_token", "/sk-[a-z0-9]+/"]',
    }),
  risk: choice(["low", "medium", "high"])
    .optional()
    .meta({ description: "A mark on the card: low, medium or high. Left out: none.", example: "high" }),
  danger: switched.default(false).meta({
    description: "true: the call destroys something. Approve then does not stand out, and asks once more.",
    example: "true",
  }),
  show_first: z
    .array(text)
    .max(20, "must list at most 20 names")
    .default([])
    .meta({
      description: `Which arguments a card shows first, by name. Those that the rule's condition and limit look at
        follow, then the others in the order in which the agent gave them.`,
      example: "[amount, invoice]",
    }),
  say: spoken.optional().meta({
    description: `A sentence that says what a call is about, with names of its arguments in braces. It is the first line
      of the card; all arguments follow below it as always. If an argument is missing, or the whole has more than 140
      characters, the card leaves the sentence out and says so. At most 200 characters.`,
    example: '"Pay back {amount} {currency} for the invoice {invoice}"',
  }),
  arguments: choice(["card", "details"])
    .default("card")
    .describe(`Where the arguments are shown. card: in the channel. details: only in Details, for each person who may
      see the case and opens it. The card then says so, and people approve in Details.`),
  context: choice(["none", "request"])
    .default("none")
    .describe(`What Details shows besides the calls. request: what the requester wrote to start the run. It is not part
      of what is approved, it is read from the platform when somebody opens Details, and nothing keeps it. The
      instance's token then needs the scope sessions:read.`),
  show_result: choice(["nobody", "requester"])
    .default("nobody")
    .describe(`Who is sent the answer of a run that Countersign continued and that is completed now. requester: whoever
      asked, if they are told how it ended, in the same direct message; masked, and cut where it is long. Nothing keeps
      it. Counts where the instance has resume.`),
  what_is_new: switched
    .default(true)
    .describe(`true: a card says in at most three lines what is new of a call, by keyed hashes of what was approved of
      the same tool and agent before: fields that changed, values that were never there, numbers outside all of them, a
      rejected call like it. Nothing is kept longer than retain_arguments. false: nothing is said, and nothing is
      remembered of the rule's calls.`),
  allow_guests: switched.default(false).describe("May guests of the workspace decide if they are listed?"),
  allow_external: switched.default(false).describe("May people of other workspaces decide if they are listed?"),
  allow_shared_channel: switched
    .default(false)
    .describe(`May a channel of this rule be shared with another company (Slack Connect)? Then its people read every
      call, with its arguments, and every reason. false: nothing is posted in such a channel, nor in one with an open
      invitation; an alarm says so, and the case waits in lists and on Home. Rules that have a channel in common must
      say the same.`),
  remind_after: z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      z.array(span).min(1, "must list at least one duration").max(10, "must list at most 10 durations").optional(),
    )
    .optional()
    .meta({
      description: `When a line in the card's thread reminds those who can still decide: one duration or a list (s, m
        and h are understood). All these times count from when Countersign first saw the approval; new content does not
        move them. Left out: never.`,
      example: "[15m, 1h]",
      kind: "duration or list",
    }),
  escalate: z
    .array(escalationStep)
    .min(1, "must list at least one step")
    .max(10, "must list at most 10 steps")
    .optional()
    .meta({
      description: `Whom else to ask when nobody has decided for so long, step by step. Each step adds people: whoever
        was asked before can still decide, and their votes stay. Left out: nobody.`,
      example: "[{after: 2h, to: {approvers: [S012ABCDEF]}}]",
    }),
  expire_after: span.optional().meta({
    description: `When nobody can decide any more. Left out: never. If several rules apply, the earliest deadline
      wins.`,
    example: "8h",
  }),
  on_expiry: choice(["leave", "reject"])
    .optional()
    .meta({
      description: `What happens then. leave: the platform's record stays pending, so the run stays paused. reject:
        Countersign rejects, as resolved_by countersign:expiry. It never approves. If several rules expire, it rejects
        only if all of them say reject.`,
      example: "leave",
    }),
  review_by: z.iso
    .date('must be a date such as "2027-06-30"')
    .optional()
    .meta({
      description: `Until when somebody has to look at the rule again. Once that day is over in all time zones, the
        alarm rule-review-overdue names the rule; it counts as before. Left out: never.`,
      example: "2027-06-30",
    }),
  working_hours: workingHours.optional().meta({
    description: "Only these hours count for the times above. Left out: all hours count.",
    example: '{time_zone: Europe/Berlin, days: [mon, tue], from: "09:00", to: "17:00"}',
  }),
})

/** A checked rule, names as in the file. */
export type RuleSettings = z.infer<typeof rule>
