// Send Back at the real AgentOS: the model reads what was proposed and calls again; people compare that, and vote anew.
import { expect, test } from "vitest"
import { formIds } from "../../src/slack/ids.ts"
import { alarms, card, cardSaying, formOf, press, type Seen, settled, threadSays } from "../stories/acts.ts"
import { sendBackForm } from "../stories/sending-back.ts"
import { type Stage, sandboxCast } from "../stories/world.ts"
import { isAtLeast } from "./agentos.ts"
import { call, continueRun, type Run, root, startRun } from "./drive.ts"
import { aResumingStage } from "./resuming.ts"
import { describeAgentOs } from "./stages.ts"

const { alice, bob } = sandboxCast
const COMPLETED = "is completed"
const PAUSED_AGAIN = "its next approval is asked for by itself"

const letter = { to: "ann@example.com", subject: "Refund", body: "You get 500." }
const better = { ...letter, body: "You get 50." }
const writes = [{ name: "send_email", arguments: letter }]
const listens = [writes, { again: {} }, "Sent."]
const haggles = [writes, { again: { subject: "Your refund" } }, "Sent."]

const proposal = `A person did not approve this call. {"proposed":{"body":"${better.body}"},"note":"too much"}`
const askAgain =
  "If you agree, call send_email again with these arguments and all others as before; people are asked anew. If not, say why."
const endRun =
  "Do not call it again in this run, where nobody would be asked. Tell whoever asked what was proposed, and end."

const pays = (amount: number) => [{ name: "send_money", arguments: { amount, recipient: "ann", note: "refund" } }]

/** Who makes the calls of a script. */
interface Caller {
  readonly kind: "agents" | "teams"
  readonly of: string
  /** The message that brings them the script. */
  readonly message: (script: readonly unknown[]) => string
}

const agent: Caller = { kind: "agents", of: "scripted-agent", message: JSON.stringify }
const team: Caller = { kind: "teams", of: "scripted-team", message: JSON.stringify }
const member: Caller = {
  ...team,
  message: (script) => {
    const task = { member_id: "scripted-member", task: JSON.stringify(script) }
    return JSON.stringify([[{ name: "delegate_task_to_member", arguments: task }], "The team is done."])
  },
}

/** Alice sends a card back, and proposes a value for one of its fields; gives the card. */
async function propose(stage: Stage, words: string, value: Readonly<Record<string, string>>): Promise<Seen> {
  const open = await card(stage, words)
  const form = await sendBackForm(stage, alice, open)
  await stage.sandbox.submit(alice, form.id, { ...value, [formIds.reason]: "too much" })
  await settled(stage, "Sent back by")
  return open
}

function proposeBetter(stage: Stage): Promise<Seen> {
  return propose(stage, letter.body, { field_0_2: better.body })
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

describeAgentOs("sending back", {}, (here) => {
  const { version, os } = here
  const sent = () => os().executions()
  const start = ({ kind, of, message }: Caller, script: readonly unknown[], run: Partial<Run> = {}) =>
    startRun(os(), { kind, of, message: message(script), ...run })

  /** All texts that the platform keeps of a session's runs. */
  async function textsOf({ session }: { readonly session: string }, { kind }: Caller): Promise<readonly string[]> {
    const token = await root(os())
    const { os_database: db } = (await call(os(), "GET /config", { token })).body as { os_database: string }
    const type = kind.slice(0, -1)
    return stringsIn((await call(os(), `GET /sessions/${session}/runs?type=${type}&db_id=${db}`, { token })).body)
  }

  const callers = [
    ["an agent", agent],
    ["a team", team],
    ["a member of a team", member],
  ] as const
  const asksAgain = isAtLeast(version, "3.1.2")

  test.each(callers.filter(([, caller]) => asksAgain || caller === member))(
    "%s reads sentence and values, and calls as proposed: the card says so, people vote anew, and it runs",
    async (_, caller) => {
      const { stage } = await aResumingStage(here)
      const before = sent().length
      const run = await start(caller, listens)

      const first = await proposeBetter(stage)
      await threadSays(stage, first, PAUSED_AGAIN)
      const anew = await cardSaying(stage, "proposed these arguments")
      expect(anew.words).toContain(better.body)
      expect(anew.words).not.toContain("in another run")
      expect(sent()).toHaveLength(before)
      await press(stage, bob, anew, "approve")

      await threadSays(stage, anew, COMPLETED)
      expect(sent().slice(before)).toMatchObject([{ tool: "send_email", arguments: better }])
      expect(await textsOf(run, caller)).toContain(`${proposal} ${askAgain}`)
      expect(alarms(stage)).toEqual([])
    },
  )

  test.each(callers.filter(([, caller]) => asksAgain || caller === member))(
    "%s that changes more than was proposed: the card names that",
    async (_, caller) => {
      const { stage } = await aResumingStage(here)
      await start(caller, haggles)

      await proposeBetter(stage)

      const anew = await cardSaying(stage, "proposed other arguments")
      expect(anew.words).toMatch(/Not as proposed: +subject(?! *,)/)
      expect(anew.words).toContain(better.body)
    },
  )

  test.each(callers.filter(([, caller]) => !asksAgain && caller !== member))(
    "where a second call asks nobody, %s is told to end; nothing runs, and the session's next run asks people",
    async (_, caller) => {
      const { stage } = await aResumingStage(here)
      const before = sent().length
      const rita = "rita@sandbox.example"
      const run = await start(caller, listens, { user: rita })

      const first = await proposeBetter(stage)
      await threadSays(stage, first, COMPLETED)
      expect(await textsOf(run, caller)).toContain(`${proposal} ${endRun}`)
      await continueRun(os(), run, { ...caller, user: rita })
      expect(sent()).toHaveLength(before)
      const { session } = run
      await start(caller, [[{ name: "send_email", arguments: better }], "Sent."], { user: rita, session })

      const anew = await cardSaying(stage, "in another run proposed these arguments")
      await press(stage, bob, anew, "approve")
      await threadSays(stage, anew, COMPLETED)
      expect(sent().slice(before)).toMatchObject([{ tool: "send_email", arguments: better }])
      expect(alarms(stage)).toEqual([])
    },
  )

  test("R12 a form that is sent back never runs; called again all the same, people are asked, or it is refused once", async () => {
    const { stage, pushes } = await aResumingStage(here)
    const before = sent().length
    const run = await start(agent, [pays(500), pays(50), "Paid."])

    const first = await propose(stage, "500", { field_0_0: "50" })

    if (asksAgain) {
      await threadSays(stage, first, PAUSED_AGAIN)
      await continueRun(os(), run, agent)
      expect(sent()).toHaveLength(before)
      await press(stage, bob, await cardSaying(stage, "proposed these arguments"), "approve")
      const form = await formOf(stage, bob)
      await stage.sandbox.submit(bob, form.id, { field_0: "50", field_1: "ann", field_2: "refund" })
      await settled(stage, "Approved by")
      await threadSays(stage, await card(stage, "Approved by"), COMPLETED)
      expect(sent().slice(before)).toMatchObject([{ arguments: { amount: 50, recipient: "ann" } }])
    } else {
      await threadSays(stage, first, "that call was refused")
      expect(alarms(stage)).toContain("paused-again-unasked")
      expect(pushes()).toHaveLength(2)
      await continueRun(os(), run, agent)
      expect(sent()).toHaveLength(before)
    }
  })
})
