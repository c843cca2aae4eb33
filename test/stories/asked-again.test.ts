// Rejected, and asked again: an agent asks the same 200 times; three are rejected by themselves, then the run stands
// still until a person says so.
import { describe, expect, it } from "vitest"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import {
  alarms,
  card,
  cardSaying,
  cards,
  formOf,
  ledgerOf,
  operate,
  placed,
  press,
  type Seen,
  startRun,
  threadSays,
  told,
  until,
} from "./acts.ts"
import { limitMs, plainRule, type Row, sandboxCast, type World } from "./world.ts"

const { alice, rita } = sandboxCast

const same = { tool: "refund", args: { amount: 500, to: "ann" } }
const other = { tool: "refund", args: { amount: 500, to: "anne" } }
const script: ScriptInput = {
  agents: [
    {
      id: "billing-agent",
      tools: [{ name: "refund", gated: true }],
      runs: [
        { name: "loop", turns: Array.from({ length: 200 }, () => [same]), answer: "Done." },
        { name: "honest", turns: [[same], [other]], answer: "Done." },
        { name: "once", turns: [[same]], answer: "Done." },
      ],
    },
  ],
}
const rules = `${plainRule}\n    after_rejection: {same_call: 10m}`

/** All records of the platform. */
async function rows(here: World): Promise<readonly Row[]> {
  const { body } = await operate(here, "GET /approvals?limit=100")
  return (body as { data: readonly Row[] }).data
}

async function run(here: World, message: string): Promise<string> {
  const response = await startRun(here, "agents/billing-agent", message)
  return ((await response.json()) as { run_id: string }).run_id
}

/** What the model read of the calls of a run. */
async function notesOf(here: World, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${here.env["RESUME_TOKEN"]}` }
  const read = await fetch(`${here.service.url}/agents/billing-agent/runs/${id}`, { headers })
  const { tools } = (await read.json()) as { tools: readonly Record<string, unknown>[] }
  return tools.map((one) => String(one["confirmation_note"])).join("\n")
}

/** Rejects a card for a while, too. */
async function rejectLasting(here: World, person: string, on: Seen) {
  await placed(here)
  await press(here, person, on, "reject")
  const form = await formOf(here, person)
  await here.sandbox.submit(person, form.id, { [formIds.reason]: "too much", [formIds.lasting]: ["lasting"] })
}

/** The records once so many are rejected and so many pending. */
function standing(here: World, wanted: { readonly rejected: number; readonly pending: number }) {
  return until(`${wanted.rejected} rejected and ${wanted.pending} pending`, async () => {
    const all = await rows(here)
    const count = (status: string) => all.filter((one) => one.status === status).length
    return count("rejected") === wanted.rejected && count("pending") === wanted.pending ? all : undefined
  })
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("a loop of 200 calls is rejected three times by itself, then stands still until a person says so", async () => {
    const here = await aWorld({ mode, script, resume: "decided", rules })
    await here.start()
    await run(here, "loop")
    const first = await card(here, "refund")

    await rejectLasting(here, alice, first)

    const all = await standing(here, { rejected: 4, pending: 1 })
    const again = all.filter(({ resolved_by: by }) => by === "countersign:again")
    expect(again).toHaveLength(3)
    const firstRow = all.find(({ resolved_by: by, status }) => status === "rejected" && by !== "countersign:again")
    expect(again[0]).toMatchObject({
      resolution_data: { countersign: { reason: "too much", approvers: [], again: decisionOf(firstRow) } },
    })
    await until("the alarm", () => (alarms(here).includes("asked-in-a-loop") ? true : undefined))
    expect(alarms(here).filter((code) => code === "asked-in-a-loop")).toHaveLength(1)
    const told4 = await cardSaying(here, "Asked again 3 times, rejected as before")
    expect(told4.ts).toBe(first.ts)
    await cardSaying(here, "the run stands still until somebody presses Ask Me Again")
    await threadSays(here, first, "Nothing is decided now")
    expect(cards(here, "refund")).toHaveLength(1)

    await here.sandbox.click(alice, { channel: first.channel, ts: first.ts }, actionIds.askAgain)
    await told(here, alice, "people are asked about this call again")
    const second = await here.sandbox.waitFor(() => cards(here, "refund").find(({ ts }) => ts !== first.ts), {
      limitMs,
      what: "a second card",
    })
    expect(second.buttons).toContain(actionIds.approve)
    const kinds = (await ledgerOf(here)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "repeated")).toHaveLength(3)
    expect(kinds.filter((kind) => kind === "asks-again")).toHaveLength(2)
  })

  it("the model is told why, and when it may ask again; one changed character asks people", async () => {
    const here = await aWorld({ mode, script, resume: "decided", rules })
    await run(here, "once")
    await rejectLasting(here, alice, await card(here, "refund"))
    await standing(here, { rejected: 1, pending: 0 })

    const honest = await run(here, "honest")

    const asked = await cardSaying(here, "anne")
    expect(asked.buttons).toContain(actionIds.approve)
    const all = await standing(here, { rejected: 2, pending: 1 })
    expect(all.filter(({ resolved_by: by }) => by === "countersign:again")).toHaveLength(1)
    expect(await notesOf(here, honest)).toContain(
      'A person rejected this same call before. {"note":"too much"} It may be asked again after 2',
    )
  })

  it("without the tick, and for another requester, people are asked", async () => {
    const here = await aWorld({ mode, script, resume: "decided", rules })
    await run(here, "once")
    await placed(here)
    await press(here, alice, await card(here, "refund"), "reject")
    const form = await formOf(here, alice)
    await here.sandbox.submit(alice, form.id, { [formIds.reason]: "no" })
    await standing(here, { rejected: 1, pending: 0 })
    await run(here, "once")
    const second = await here.sandbox.waitFor(
      () => cards(here, "refund").find(({ buttons }) => buttons.includes(actionIds.approve)),
      { limitMs, what: "a second card" },
    )
    expect(second.buttons).toContain(actionIds.reject)
  })

  it("only who may reject it can say that people are asked again", async () => {
    const here = await aWorld({ mode, script, resume: "decided", rules })
    await run(here, "once")
    const first = await card(here, "refund")
    await rejectLasting(here, alice, first)
    await cardSaying(here, "is rejected by itself")

    await here.sandbox.click(rita, { channel: first.channel, ts: first.ts }, actionIds.askAgain)
    await told(here, rita, "not one of the approvers")

    await here.sandbox.click(alice, { channel: first.channel, ts: first.ts }, actionIds.askAgain)
    await told(here, alice, "people are asked about this call again")
    await threadSays(here, first, "pressed Ask Me Again")
  })
})

function decisionOf(row: Row | undefined): unknown {
  const data = row?.["resolution_data"] as { countersign?: { decision_id?: unknown } } | undefined
  return data?.countersign?.decision_id
}
