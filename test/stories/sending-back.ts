// What stories about sending back share: the agent's script, the form, and what the model reads.
import type { ScriptInput } from "../../src/service/components/script.ts"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import { card, formOf, type Screen, type Seen, settled, startRun, viewSays } from "./acts.ts"
import { plainRule, type World } from "./world.ts"

/** The arguments of the agent's first call. */
export const refundArgs = { amount: 500, to: "ann", password: "hunter2-hunter2" }

const refund = (args: object) => [{ tool: "refund", args: { ...refundArgs, ...args } }]

/** An agent that asks once (`go`), for two calls at once (`both`), or again: as proposed, otherwise, or in words. */
export const refundScript: ScriptInput = {
  agents: [
    {
      id: "billing-agent",
      tools: [
        { name: "refund", gated: true },
        { name: "tell", gated: true },
      ],
      runs: [
        { name: "go", turns: [refund({})], answer: "Done." },
        { name: "both", turns: [[...refund({}), { tool: "tell", args: { whom: "ann" } }]], answer: "Both." },
        { name: "listens", turns: [refund({})], answer: "Refunded.", listens: true },
        { name: "haggles", turns: [refund({}), refund({ amount: 60, why: "fees" })], answer: "Refunded 60." },
      ],
    },
  ],
}

/** A rule that masks the password. */
export const refundRules = `${plainRule}\n    mask: [password]`

/** Opens the form to send a card back, from Details. Default: the first card. */
export async function sendBackForm(here: Screen, person: string, on?: Seen) {
  const { channel, ts } = on ?? (await card(here, ""))
  await here.sandbox.click(person, { channel, ts }, actionIds.details)
  await viewSays(here, person, "Digest")
  await here.sandbox.click(person, here.sandbox.openView(person)?.id ?? "", actionIds.sendBack)
  return formOf(here, person)
}

/** Somebody sends the first card back and proposes this amount; gives the settled card. */
export async function proposeAmount(here: World, person: string, amount: number) {
  const form = await sendBackForm(here, person)
  await here.sandbox.submit(person, form.id, { field_0_0: String(amount), [formIds.reason]: "too much" })
  return settled(here, "Sent back by")
}

/** Starts a run of the agent; gives its id. */
export async function startedRun(here: World, message: string): Promise<string> {
  const response = await startRun(here, "agents/billing-agent", message)
  return ((await response.json()) as { run_id: string }).run_id
}

/** The calls of a run as the platform has them. */
export async function callsOfRun(here: World, run: string): Promise<readonly Record<string, unknown>[]> {
  const headers = { authorization: `Bearer ${here.env["RESUME_TOKEN"]}` }
  const read = await fetch(`${here.service.url}/agents/billing-agent/runs/${run}`, { headers })
  return ((await read.json()) as { tools: readonly Record<string, unknown>[] }).tools
}

/** What the model read of the calls of a run, by tool. */
export async function notesOf(here: World, run: string): Promise<Readonly<Record<string, unknown>>> {
  const calls = await callsOfRun(here, run)
  return Object.fromEntries(calls.map((one) => [String(one["tool_name"]), one["confirmation_note"]]))
}
