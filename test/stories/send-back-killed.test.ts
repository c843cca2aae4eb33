// Send back over two replicas, of which one is killed: one rejection, heard once, and one card that is compared.
import { expect, it, onTestFinished } from "vitest"
import { formIds } from "../../src/slack/ids.ts"
import { ask, cards, ledgerOf, operate, press, resolves, threadSays, until } from "./acts.ts"
import { aWorldOfProcesses, kill } from "./processes.ts"
import { callsOfRun, notesOf, refundRules, refundScript, sendBackForm, startedRun } from "./sending-back.ts"
import { type Row, sandboxCast, type World } from "./world.ts"

const { alice, bob } = sandboxCast
/** How long it may take after a replica died, in ms. */
const afterMs = 60_000
const compared = "proposed these arguments"

/** A run that waits for its first call, the form to send that back, and two replicas: `taking` takes the presses. */
async function aForm() {
  const { here, start } = await aWorldOfProcesses(
    { mode: "http", timeoutMs: 30_000, script: refundScript, resume: "decided", rules: refundRules },
    onTestFinished,
  )
  const [other, taking] = [await start(), await start()]
  const run = await startedRun(here, "listens")
  await until("the place of the card to be known", async () =>
    (await kindsOf(here)).includes("placed") ? true : undefined,
  )
  const form = await sendBackForm(here, alice)
  const sendBack = () => here.sandbox.submit(alice, form.id, { field_0_0: "50", [formIds.reason]: "too much" })
  return { here, other, taking, run, sendBack }
}

async function kindsOf(here: World): Promise<readonly unknown[]> {
  return (await ledgerOf(here)).map(({ kind }) => kind)
}

async function countOf(here: World, kind: string): Promise<number> {
  return (await kindsOf(here)).filter((one) => one === kind).length
}

function continues(here: World): number {
  return here.proxy.passed.filter((one) => one.path.endsWith("/continue") && one.forwarded).length
}

/** Waits until a request is there that nobody gets an answer to. */
function swallowed(here: World, forwarded: boolean): Promise<true> {
  const isThere = () => here.proxy.passed.some((one) => one.fault === "swallow" && one.forwarded === forwarded)
  return until("the request to be there", () => (isThere() ? true : undefined))
}

/** The card that is compared with what Alice proposed. */
function comparedCard(here: World) {
  return until("the next card, with the comparison", () => cards(here, compared)[0], afterMs)
}

/** All that must hold once one replica died: Bob approves what Alice proposed, and it runs. */
async function endsWell(here: World, run: string): Promise<void> {
  const card = await comparedCard(here)
  expect(card.words).toContain(`<@${alice}>`)
  const thread = await threadSays(here, card, "This answers what", afterMs)
  expect(thread.join("\n")).toContain(`<@${alice}>`)
  const { body } = await operate(here, "GET /approvals?limit=100")
  const rows = (body as { readonly data: readonly Row[] }).data
  expect(rows.map(({ status }) => status).toSorted()).toEqual(["pending", "rejected"])
  expect(rows.find(({ status }) => status === "rejected")).toMatchObject({
    resolved_by: "alice@sandbox.example",
    resolution_data: { proposal: { calls: [{ tool: "refund", choice: "changed", args: { amount: 50 } }] } },
  })
  expect((await notesOf(here, run))["refund"]).toBeNull()
  const [heard, ...later] = await callsOfRun(here, run)
  expect(heard?.["confirmation_note"]).toContain('{"proposed":{"amount":50},"note":"too much"}')
  expect(later).toHaveLength(1)
  expect(continues(here)).toBe(1)

  await press(here, bob, card, "approve")
  await threadSays(here, card, "is completed", afterMs)
  expect(here.service.executions().map(({ toolArgs }) => JSON.parse(toolArgs))).toMatchObject([{ amount: 50 }])
  expect(continues(here)).toBe(2)
  // Nothing is left of the proposal for another call of the session.
  const asked = { tool_name: "refund", agent_id: "billing-agent", session_id: "s-1", user_id: "rita@sandbox.example" }
  await ask(here, { ...asked, tool_args: { amount: 50, to: "zoe" } })
  const another = await until("a third card", () => cards(here, "zoe")[0], afterMs)
  expect(another.words).not.toContain("proposed")
  const kinds = await kindsOf(here)
  const ofFirst = ["voted", "decided", "resolved"].map((kind) => kinds.filter((one) => one === kind).length)
  expect(ofFirst).toEqual([2, 2, 2])
  expect(kinds.filter((kind) => kind === "counterproposal-answered")).toHaveLength(1)
}

/** The same, sent back, once the run waits for its next call, which no replica has seen. `other` stands still. */
async function anUnseenCall() {
  const { sendBack, ...formed } = await aForm()
  const { here, other } = formed
  const list = { method: "GET", path: /\/approvals$/, query: /status=pending/ }
  here.proxy.fail({ ...list, fault: { kind: "answer", status: 503, body: { detail: "down" } } })
  await sendBack()
  const first = await until("the first card, sent back", () => cards(here, "Sent back by")[0])
  await threadSays(here, first, "has paused again", afterMs)
  other.kill("SIGSTOP")
  return formed
}

/** Waits until so many polls look for what was proposed before. */
function looking(looks: readonly unknown[], count: number): Promise<true> {
  return until(`${count} polls to look`, () => (looks.length === count ? true : undefined), afterMs)
}

it("a replica that is killed between the press and the POST leaves the rejection to the other, with its proposal", async () => {
  const { here, other, taking, run, sendBack } = await aForm()
  here.proxy.fail({ method: "POST", path: /\/resolve$/, times: 1, fault: { kind: "swallow", forwarded: false } })

  await sendBack()
  await swallowed(here, false)
  await kill(taking)
  other.takesPresses()

  await endsWell(here, run)
  const [first, second] = here.proxy.passed.filter(({ path }) => path.endsWith("/resolve"))
  expect(second?.body).toBe(first?.body)
  expect(resolves(here)).toBe(3)
})

it.for([
  ["before it read the run", { method: "GET", path: /\/runs\//, fault: { kind: "swallow", forwarded: false } }],
  ["while the run goes on", { method: "POST", path: /\/continue$/, fault: { kind: "swallow", forwarded: true } }],
] as const)(
  "a replica that is killed after the POST, %s, leaves it to the other that the model hears it, once",
  async ([, fault]) => {
    const { here, other, taking, run, sendBack } = await aForm()
    here.proxy.fail({ ...fault, times: 1 })

    await sendBack()
    await swallowed(here, fault.fault.forwarded)
    await kill(taking)
    other.takesPresses()

    await endsWell(here, run)
    expect(resolves(here)).toBe(2)
  },
)

it("a replica that is killed once the next call was found, before its card hangs, leaves the card to the other", async () => {
  const { here, other, taking, run } = await anUnseenCall()
  here.sandbox.faults.web("chat.postMessage", { kind: "never_answer" }, { times: Number.POSITIVE_INFINITY })

  here.proxy.heal()
  await until("the call to be found", async () => ((await countOf(here, "opened")) === 2 ? true : undefined), afterMs)
  await kill(taking)
  expect(cards(here, compared)).toEqual([])
  here.sandbox.faults.clear()
  other.kill("SIGCONT")
  other.takesPresses()

  await endsWell(here, run)
})

it("of two replicas that see the next call at once, one opens its case, and one card is compared", async () => {
  const { here, other, taking, run } = await anUnseenCall()
  const looks: (() => void)[] = []
  const until = () => new Promise<void>((resolve) => looks.push(resolve))
  const ofRun = { method: "GET", path: /\/approvals$/, query: /run_id=/ }
  here.proxy.heal()
  here.proxy.fail({ ...ofRun, times: 2, fault: { kind: "hold", until } })

  // Whoever polls stands still until its turn is over, so that the other one polls as well.
  await looking(looks, 1)
  taking.kill("SIGSTOP")
  other.kill("SIGCONT")
  await looking(looks, 2)
  taking.kill("SIGCONT")
  for (const go of looks) go()

  await endsWell(here, run)
  expect(await countOf(here, "opened")).toBe(3)
})
