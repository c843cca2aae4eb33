// Calls that pay somebody, also with a form, and under which rules they were decided.
import { cards, type Seen } from "./acts.ts"
import { limitMs, type Row, type World } from "./world.ts"

/** A call that pays. */
export function payment(amount: unknown, to = "ann"): Record<string, unknown> {
  return { tool_name: "send_money", tool_args: { amount, to } }
}

/** A call that pays, with these arguments, once people filled in these fields. */
export function formFor(fields: readonly object[], args: object = { amount: 50, to: "ann" }): Record<string, unknown> {
  const call = { tool_name: "send_money", tool_args: args }
  const asks = { tool_call_id: "c1", requires_user_input: true, approval_type: "required" }
  const execution = { ...call, ...asks, user_input_schema: fields }
  const requirements = [{ id: "r1", user_input_schema: fields, tool_execution: execution }]
  return { ...call, pause_type: "user_input", requirements }
}

/** The names of the rules under which a record was decided. */
export function decidedUnder(row: Row): unknown {
  const { countersign } = row["resolution_data"] as { countersign: { rules: readonly { name: string }[] } }
  return countersign.rules.map(({ name }) => name)
}

/** The first open card whose words are like this, spaces apart. */
export function cardLike(here: World, pattern: RegExp): Promise<Seen> {
  const look = () => cards(here, "").find(({ words }) => pattern.test(words.replaceAll(/\s+/g, " ")))
  return here.sandbox.waitFor(look, { limitMs, what: `a card like ${pattern}` })
}
