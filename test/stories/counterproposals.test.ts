// Counterproposals: what an agent asks after it was sent back is compared with what was proposed, and people vote anew.
import { describe, expect, it } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { testRedisUrl } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import {
  ask,
  card,
  cardSaying,
  cards,
  formOf,
  ledgerOf,
  operate,
  pausePolls,
  placed,
  press,
  settled,
  threadSays,
  told,
  until,
  viewSays,
  withRedis,
} from "./acts.ts"
import { callsOfRun, proposeAmount, refundArgs, refundRules, refundScript, startedRun } from "./sending-back.ts"
import { sandboxCast, type World } from "./world.ts"

const { alice, bob } = sandboxCast
const listening = { script: refundScript, resume: "decided", rules: refundRules } as const

const filledIn = (name: string, type: string) => ({ name, field_type: type, description: "" })
const pay = (args: { readonly amount: number; readonly to: string }) => [{ tool: "pay", args }]

/** An agent whose tool asks people for its arguments; it guesses twice. */
const payingScript: ScriptInput = {
  agents: [
    {
      id: "billing-agent",
      tools: [
        { name: "pay", gated: true, pause: "user_input", fields: [filledIn("amount", "int"), filledIn("to", "str")] },
      ],
      runs: [{ name: "go", turns: [pay({ amount: 500, to: "ann" }), pay({ amount: 50, to: "bob" })], answer: "Paid." }],
    },
  ],
}

/** The amounts of the calls that ran. */
async function ran(here: World, run: string): Promise<readonly unknown[]> {
  const calls = await callsOfRun(here, run)
  return calls.filter((one) => one["confirmed"] === true).map((one) => (one["tool_args"] as { amount: number }).amount)
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("a call as proposed says so, is put to the vote anew, and runs; whoever proposed may not approve it alone", async () => {
    const here = await aWorld({ mode, ...listening })
    const run = await startedRun(here, "listens")
    await proposeAmount(here, alice, 50)

    const anew = await cardSaying(here, "proposed these arguments, but for what the rules mask")
    expect(anew.words).toContain("(rule everything)")
    expect(anew.words).toContain("50")
    expect(anew.words).not.toContain("hunter2")
    await threadSays(here, anew, "This answers what")
    await press(here, alice, anew, "approve")
    await told(here, alice, "You proposed this yourself, so somebody else has to approve it (rule everything).")
    await press(here, bob, anew, "approve")

    await settled(here, "Approved by")
    await until("the call to run", async () => ((await ran(here, run)).length > 0 ? true : undefined))
    expect(await ran(here, run)).toEqual([50])
    const entries = await ledgerOf(here)
    expect(entries.filter(({ kind }) => kind === "counterproposal-answered")).toMatchObject([{ rules: ["everything"] }])
    expect(JSON.stringify(entries)).not.toContain("hunter2")
  })

  it("a call that differs names what differs; Details say what was proposed", async () => {
    const here = await aWorld({ mode, ...listening })
    await startedRun(here, "haggles")
    await proposeAmount(here, alice, 50)

    const anew = await cardSaying(here, "proposed other arguments. Not as proposed:")
    expect(anew.words).toMatch(/Not as proposed: +amount.*why/)
    await here.sandbox.click(bob, { channel: anew.channel, ts: anew.ts }, actionIds.details)

    const details = await viewSays(here, bob, "proposed other arguments")
    expect(details).toMatch(/amount *: proposed +50/)
    expect(details).toMatch(/why *: not proposed/)
    // Nothing of what Alice proposed is in it, so it is not hers.
    await press(here, alice, anew, "approve")
    await settled(here, "Approved by")
  })

  it("the next run of the session is compared if the same person asked; a proposal is answered once", async () => {
    const here = await aWorld({ mode, rules: refundRules })
    const call = { tool_name: "refund", session_id: "s-7", user_id: "rita@sandbox.example" }
    await ask(here, { ...call, tool_args: refundArgs, run_id: "r-1" })
    await proposeAmount(here, alice, 50)

    const other = await ask(here, { ...call, tool_args: { amount: 1 }, run_id: "r-2", user_id: "ann@sandbox.example" })
    await placed(here, other.id)
    expect(cards(here, "proposed")).toMatchObject([{ words: expect.stringContaining("Sent back by") }])
    await ask(here, { ...call, tool_args: { amount: 50, to: "ann", password: "x" }, run_id: "r-3" })
    await cardSaying(here, "(rule everything) in another run proposed these arguments")
    const again = await ask(here, { ...call, tool_args: { amount: 50, to: "ann" }, run_id: "r-4" })
    await placed(here, again.id)
    expect(cards(here, "in another run")).toHaveLength(1)
  })

  it("what people fill in is compared by its form: the values that the agent gives it next", async () => {
    const here = await aWorld({ mode, script: payingScript, resume: "decided" })
    const run = await startedRun(here, "go")
    await proposeAmount(here, alice, 50)

    const anew = await cardSaying(here, "proposed other arguments")
    expect(anew.words).toMatch(/Not as proposed: +to(?! *,)/)
    const [first] = await callsOfRun(here, run)
    expect(first).toMatchObject({
      confirmed: false,
      confirmation_note: expect.stringContaining('{"proposed":{"amount":50},"note":"too much"} If you agree, call pay'),
    })
    await press(here, bob, anew, "approve")
    const form = await formOf(here, bob)
    await here.sandbox.submit(bob, form.id, { field_0: "50", field_1: "ann" })

    await settled(here, "Approved by")
    await until("the call to run", async () => ((await ran(here, run)).length > 0 ? true : undefined))
    expect(await ran(here, run)).toEqual([50])
  })

  it("R14 a proposal that Redis lost: of a run's next call two have to approve", async () => {
    const here = await aWorld({ mode, ...listening })
    await startedRun(here, "listens")
    await card(here, "")
    const { body: listed } = await operate(here, "GET /approvals?status=pending")
    const [first] = (listed as { data: readonly { id: string }[] }).data
    const caseId = caseIdOf(here.installation, "main", first?.id ?? "")
    pausePolls(here)
    await proposeAmount(here, alice, 50)
    // The run is continued, and has paused again: nothing that was to be done needs the case any more.
    await until("the second call to wait", async () => {
      const { body } = await operate(here, "GET /approvals?status=pending")
      return (body as { data: readonly unknown[] }).data.length > 0 ? true : undefined
    })
    await withRedis({ url: testRedisUrl(), installation: here.installation }, async ({ commands }) => {
      const keys = createKeys(here.installation)
      await commands.del(keys.sentBack("main"), keys.case(caseId))
    })
    here.proxy.heal()

    const anew = await cardSaying(here, "nobody can read by whom")
    await press(here, alice, anew, "approve")
    await threadSays(here, anew, "approved this")
    expect(cards(here, "nobody can read by whom")[0]?.buttons).toContain(actionIds.approve)
    await press(here, bob, anew, "approve")
    await settled(here, "Approved by")
  })
})
