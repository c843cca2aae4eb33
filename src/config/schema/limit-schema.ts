// The limit of a rule: what it adds up, for which owner, over which time, and who must agree above it.
import { z } from "zod"
import { readPath } from "../../domain/condition/condition.ts"
import { amountOf } from "../../domain/limit/amount.ts"
import { approvers, maxQuorum, routes } from "./asked-schema.ts"
import { dayMs, duration, integer, text } from "./values.ts"

/** A path below one of these roots. */
function path(roots: readonly ("args" | "call")[], words: string) {
  return text.superRefine((written, context) => {
    const read = readPath(written)
    const fits = read.ok && roots.some((root) => root === read.path.root)
    const listed = read.ok && read.path.root === "call" && read.path.names[0] === "classes"
    const message = read.ok ? words : `at column ${read.flaw.column} ${read.flaw.words}`
    if (!fits || listed) context.addIssue({ code: "custom", message })
  })
}

/** YAML reads a number as a double. A number with more digits than a double keeps has to be a text. */
const maxDigits = 15

const amount = z
  .union([z.number(), text], { error: "must be a number, 0 or more" })
  .superRefine((given, context) => {
    const written = String(given)
    const inexact = typeof given === "number" && written.replaceAll(/\D/g, "").length > maxDigits
    if (amountOf(written) === null) context.addIssue({ code: "custom", message: "must be a number, 0 or more" })
    else if (inexact)
      context.addIssue({ code: "custom", message: 'has more digits than YAML keeps: write it in quotes, as in "5000"' })
  })
  .transform(String)
  .meta({ kind: "number" })

const asks = z.strictObject({
  quorum: integer({ min: 1, max: maxQuorum }).optional().meta({
    description: "How many different people must approve. Left out: as many as for the rule.",
    example: "2",
    sample: "3",
  }),
  approvers: approvers
    .min(1, "must list at least one person or group; left out, the rule's approvers count")
    .optional()
    .meta({
      description: "Who may decide. Left out: the rule's approvers.",
      example: "[U012ABCDEF, jane@corp.example, S012ABCDEF]",
    }),
  routes: routes
    .optional()
    .meta({ description: "Where a card is shown besides. Left out: the rule's routes.", example: "[C012ABCDEF]" }),
})

/** The limit. `rule-checks.ts` checks its approvers together with its rule. */
export const limit = z.strictObject({
  sum: path(["args"], "is no argument: write args.name, as in args.amount").meta({
    description: `Where the amount stands that a call adds. A call without one, or with one below 0, adds nothing and
      counts as above the limit.`,
    example: "args.amount",
    kind: "path",
  }),
  per: path(["args", "call"], "is no argument and nothing of the call: write args.name or call.agent")
    .optional()
    .meta({
      description: `Whose sum it is: there is one for each value that stands there. Left out: one for all calls.
        Capitals, spaces around, letters that only look different, and how an account is grouped make no difference;
        calls without a value share one sum. An agent can write an argument in many ways.`,
      example: "call.agent",
      kind: "path",
    }),
  window: duration({ min: 60_000, max: 90 * dayMs, words: "must be at least 1m and at most 90d" }).meta({
    description: "For how long an approved amount counts. It leaves a hundredth of that late at most, never early.",
    example: "24h",
  }),
  above: amount.meta({
    description: "The sum above which more people must agree. A sum of just this much is not above it.",
    example: "5000",
  }),
  // oxlint-disable-next-line unicorn/no-thenable -- a map of the file, which nobody awaits
  then: asks.meta({
    description: `Who must agree above it, besides those whom the rule asks already. Their earlier approval counts.`,
    example: "{quorum: 2}",
    sample: "{quorum: 2, approvers: [S012ABCDEF]}",
  }),
})
