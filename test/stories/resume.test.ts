// Resuming, with the embedded service: an agent's run pauses, people decide, and the bot continues it with a credential
// of its own.
import { expect, test } from "vitest"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { aWorld } from "./a-world.ts"
import { alarms, card, cardSaying, cards, giveReason, press, settled, startRun, threadSays, until } from "./acts.ts"
import { plainRule, sandboxCast, type World, type WorldOptions } from "./world.ts"

const gated = (name: string) => ({ name, gated: true })
const agent = (id: string, calls: readonly string[]) => ({
  id,
  tools: calls.map(gated),
  runs: [{ name: "go", turns: calls.map((tool) => [{ tool, args: { of: id } }]), answer: "Done." }],
})
const fields = [{ name: "recipient", field_type: "str", description: "Who gets it." }]
const payment = { name: "send_money", gated: true, pause: "user_input" as const, fields }

const script: ScriptInput = {
  agents: [
    agent("admin-agent", ["delete_user_data"]),
    agent("two-steps-agent", ["delete_user_data", "send_email"]),
    agent("first-member", ["delete_first"]),
    agent("second-member", ["delete_second"]),
    {
      id: "payments-agent",
      tools: [payment],
      runs: [{ name: "go", turns: [[{ tool: "send_money", args: {} }]], answer: "Paid." }],
    },
  ],
  teams: [
    {
      id: "pair-team",
      members: ["first-member", "second-member"],
      runs: [
        {
          name: "go",
          turns: [
            [
              { member: "first-member", task: "go" },
              { member: "second-member", task: "go" },
            ],
          ],
          answer: "The pair is done.",
        },
      ],
    },
  ],
}

const resuming = (options: WorldOptions = {}) => aWorld({ script, resume: "decided", ...options })

const reasons = plainRule.replace("never", "reject")

/** Starts a run of `agents/x` or `teams/x`. Gives what reads it. */
async function start(here: World, component: string) {
  const headers = { authorization: `Bearer ${here.env["RESUME_TOKEN"]}` }
  const response = await startRun(here, component)
  const { run_id: id } = (await response.json()) as { run_id: string }
  return async () => {
    const read = await fetch(`${here.service.url}/${component}/runs/${id}`, { headers })
    return (await read.json()) as { status: string; tools: readonly Record<string, unknown>[] }
  }
}

const continues = (here: World) => here.proxy.passed.filter((one) => one.path.endsWith("/continue")).length
const ran = (here: World) => here.service.executions().map((one) => one.toolName)

test("an approved run goes on by itself, and its thread and card say that it is completed", async () => {
  const here = await resuming()
  const read = await start(here, "agents/admin-agent")
  const open = await card(here)

  await press(here, sandboxCast.bob, open, "approve")

  await threadSays(here, open, "is completed")
  expect((await settled(here, "is completed")).words).toContain("Approved")
  expect(await read()).toMatchObject({ status: "COMPLETED" })
  expect(ran(here)).toEqual(["delete_user_data"])
  expect(alarms(here)).toEqual([])
})

test("a rejected run goes on without the call, and its model reads the reason", async () => {
  const here = await resuming({ rules: reasons })
  const read = await start(here, "agents/admin-agent")
  const open = await card(here)

  await press(here, sandboxCast.bob, open, "reject")
  await giveReason(here, sandboxCast.bob, "not on a Friday")

  await threadSays(here, open, "is completed")
  expect(ran(here)).toEqual([])
  const note = expect.stringContaining("not on a Friday") as string
  expect((await read()).tools).toMatchObject([{ confirmed: false, confirmation_note: note }])
})

test("the later call of a run has a card of its own, and the run is continued after it as well", async () => {
  const here = await resuming()
  const read = await start(here, "agents/two-steps-agent")
  const first = await card(here)

  await press(here, sandboxCast.alice, first, "approve")
  await threadSays(here, first, "has paused again: its next approval is asked for")
  const second = await card(here, "send_email")
  await press(here, sandboxCast.bob, second, "approve")

  await threadSays(here, second, "is completed")
  expect(await read()).toMatchObject({ status: "COMPLETED" })
  expect(ran(here)).toEqual(["delete_user_data", "send_email"])
  expect(continues(here)).toBe(2)
})

test("a team's run goes on when all of its members' calls are decided, once", async () => {
  const here = await resuming()
  const read = await start(here, "teams/pair-team")
  const [first, second] = [await card(here, "delete_first"), await card(here, "delete_second")]

  await press(here, sandboxCast.alice, first, "approve")
  await cardSaying(here, "The agent goes on once another approval of the same run is decided")
  expect(continues(here)).toBe(0)
  await press(here, sandboxCast.bob, second, "reject")

  await threadSays(here, second, "is completed")
  await threadSays(here, first, "is completed")
  expect(await read()).toMatchObject({ status: "COMPLETED" })
  expect(ran(here)).toEqual(["delete_first"])
  expect(continues(here)).toBe(1)
})

test("traps 48 and 55: a continue whose answer is lost is not sent again; the run is asked how it ended", async () => {
  const here = await resuming()
  here.proxy.fail({ method: "POST", path: /\/continue$/, fault: { kind: "cut", forwarded: true } })
  await start(here, "agents/admin-agent")
  const open = await card(here)

  await press(here, sandboxCast.bob, open, "approve")

  await threadSays(here, open, "is completed")
  expect(continues(here)).toBe(1)
  expect(ran(here)).toEqual(["delete_user_data"])
})

test("with resume: approved a rejected run is not continued, and the card says who must", async () => {
  const here = await resuming({ resume: "approved" })
  await start(here, "agents/admin-agent")
  const open = await card(here)

  await press(here, sandboxCast.bob, open, "reject")

  await threadSays(here, open, "rita@sandbox.example")
  const seen = await cardSaying(here, "Countersign does not continue the run")
  expect(seen.words).toContain("only approved runs are continued here")
  expect(continues(here)).toBe(0)
})

test("a bot that was stopped before it continued a run is followed by one that does", async () => {
  const here = await resuming()
  const mend = here.proxy.fail({ method: "GET", path: /\/runs\//, fault: { kind: "answer", status: 503, body: {} } })
  await start(here, "agents/admin-agent")
  const open = await card(here)
  await press(here, sandboxCast.bob, open, "approve")
  await cardSaying(here, "The agent is about to go on")

  await here.bot.close()
  mend()
  await here.start()

  await threadSays(here, open, "is completed")
  expect(ran(here)).toEqual(["delete_user_data"])
})

test("R12 a platform that does not enforce rejections is not told of one that asks for input: the card says Held", async () => {
  const here = await aWorld({ script, rules: plainRule })
  here.proxy.fail({
    method: "GET",
    path: /\/info$/,
    fault: { kind: "answer", status: 200, body: { agno_version: "3.1.10" } },
  })
  const operator = here.service.mintServiceAccount({ name: "starter", scopes: ["agents:run"] })
  const form = new URLSearchParams({ message: "go", stream: "false", session_id: "s-1" })
  const headers = { authorization: `Bearer ${operator}` }
  await fetch(`${here.service.url}/agents/payments-agent/runs`, { method: "POST", headers, body: form })
  const open = await card(here, "send_money")

  await press(here, sandboxCast.bob, open, "reject")

  const held = await cardSaying(here, "it does not run")
  expect(held.words).toContain("Held")
  await threadSays(here, open, "so it was not told")
  expect(here.proxy.passed.filter((one) => one.path.endsWith("/resolve"))).toEqual([])
})

test("R12 the embedded service enforces every rejection, so it is told", async () => {
  const here = await resuming()
  await start(here, "agents/payments-agent")

  await press(here, sandboxCast.bob, await card(here, "send_money"), "reject")

  await settled(here, "Rejected send_money")
  await until("the end of the run", () => (cards(here, "is completed").length > 0 ? true : undefined))
  expect(ran(here)).toEqual([])
})
