// Resuming at the real AgentOS: one decided run after another is continued, once, and its end is told.
import { expect, test } from "vitest"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import {
  alarms,
  card,
  cardSaying,
  cards,
  formOf,
  giveReason,
  press,
  type Seen,
  settled,
  threadSays,
  until,
} from "../stories/acts.ts"
import { plainRule, sandboxCast } from "../stories/world.ts"
import { aJwt, isAtLeast } from "./agentos.ts"
import { call, continueRun, record, root, rowOf, rowsOf, startCalls, startRun } from "./drive.ts"
import { aResumingStage, resuming } from "./resuming.ts"
import { describeAgentOs } from "./stages.ts"

const hasApprove = ({ buttons }: Seen) => buttons.includes("countersign_approve")
const COMPLETED = "is completed"
const reasons = plainRule.replace("never", "reject")
const slow = 40_000

describeAgentOs("resuming", {}, (here) => {
  const { version, os } = here

  test("an approval in Slack names the human in the platform's record, and the run is resumed and completed", async () => {
    const { stage, run, open, pushes } = await resuming(here, { of: "admin-agent" })

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, COMPLETED)
    const shown = await settled(stage, COMPLETED)
    const row = await rowOf(os(), run.runId)
    const [execution] = os().executions().slice(-1)
    expect(row).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example", run_status: "COMPLETED" })
    expect(execution).toMatchObject({ tool: "delete_user_data", arguments: { user_id: "U-100" } })
    expect(pushes()).toHaveLength(1)
    expect(alarms(stage)).toEqual([])
    const transcript = [
      `AgentOS ${version}: run ${run.runId} of admin-agent, started by alice@example.com, answered ${String((run.body as { status: string }).status)}`,
      `card      ${
        stage.sandbox
          .messages(open.channel)
          .find(({ ts }) => ts === shown.ts)
          ?.text.split("\n")[0]
      }`,
      "click     Bob pressed Approve",
      ...stage.sandbox
        .thread(open.channel, open.ts)
        .flatMap(({ text }) => text.split("\n"))
        .map((line) => `thread    ${line}`),
      `record    status ${row.status}, resolved_by ${row.resolved_by}, run_status ${String(row["run_status"])}`,
      `tool ran  ${execution?.tool} with ${JSON.stringify(execution?.arguments)}, once`,
    ]
    process.stdout.write(`\n${transcript.join("\n")}\n`)
  })

  test.each([
    ["payments-agent", "send_money"],
    ["operations-agent", "restart_database"],
    ["admin-agent", "delete_user_data"],
  ])(
    "traps 56, 57, 58 and 68: what is rejected of %s is refused explicitly, never cancelled; the model reads why, nothing runs",
    async (of, tool) => {
      const before = os().executions().length
      const { stage, run, open, pushes } = await resuming(here, { of }, tool, { rules: reasons })

      await press(stage, sandboxCast.bob, open, "reject")
      await giveReason(stage, sandboxCast.bob, "not on a Friday")

      await threadSays(stage, open, COMPLETED)
      expect(os().executions()).toHaveLength(before)
      expect(pushes()).toEqual([`/agents/${of}/runs/${run.runId}/continue`])
      const stored = `GET /agents/${of}/runs/${run.runId}?session_id=${run.session}`
      const { text } = await call(os(), stored, { token: await root(os()) })
      expect(text).toContain("A human rejected this call: not on a Friday")
      expect(await rowOf(os(), run.runId)).toMatchObject({ status: "rejected", resolved_by: "bob@sandbox.example" })
    },
  )

  test("trap 68: a run that its requester cancelled runs when it is approved, and all say so; rejected, nothing runs", async () => {
    const before = os().executions().length
    const cancel = async (runId: string) => {
      const token = await aJwt(["agents:run"], { sub: "alice@example.com" })
      return call(os(), `POST /agents/admin-agent/runs/${runId}/cancel`, { token })
    }
    const approved = await resuming(here, { of: "admin-agent" })
    expect(await cancel(approved.run.runId)).toMatchObject({ status: 200 })
    await press(approved.stage, sandboxCast.bob, approved.open, "approve")
    await threadSays(approved.stage, approved.open, "was cancelled, after delete_user_data had run")
    await settled(approved.stage, ", after delete_user_data had run")
    expect(alarms(approved.stage)).toEqual(["ran-although-cancelled"])
    expect(os().executions()).toHaveLength(before + 1)

    const rejected = await startRun(os(), { of: "admin-agent" })
    await cancel(rejected.runId)
    const open = await until("its card", () => cards(approved.stage, "delete_user_data").find(hasApprove))
    await press(approved.stage, sandboxCast.bob, open, "reject")

    await threadSays(approved.stage, open, "was cancelled")
    expect(os().executions()).toHaveLength(before + 1)
  })

  test("an approved form's values reach the tool, and a brought result the model", async () => {
    const paying = await resuming(here, { of: "payments-agent" }, "send_money")
    await press(paying.stage, sandboxCast.alice, paying.open, "approve")
    const form = await formOf(paying.stage, sandboxCast.alice)
    await paying.stage.sandbox.submit(sandboxCast.alice, form.id, { field_0: "12.5", field_1: "ann", field_2: "tea" })
    await threadSays(paying.stage, paying.open, COMPLETED)
    const paid = { amount: 12.5, recipient: "ann", note: "tea" }
    expect(os().executions().at(-1)).toMatchObject({ tool: "send_money", arguments: paid })
    expect(alarms(paying.stage)).toEqual([])

    const bringing = await resuming(here, { of: "operations-agent" }, "restart_database")
    await press(bringing.stage, sandboxCast.alice, bringing.open, "approve")
    const result = await formOf(bringing.stage, sandboxCast.alice)
    await bringing.stage.sandbox.submit(sandboxCast.alice, result.id, { [formIds.result]: "restarted by Ann" })
    await threadSays(bringing.stage, bringing.open, COMPLETED)
    expect(await rowOf(os(), bringing.run.runId)).toMatchObject({ run_status: "COMPLETED" })
  })

  test("trap 49: a model that fails after the tool ran is told as a failure, and nothing is sent again", async () => {
    const { stage, pushes } = await aResumingStage(here)
    const script = [[{ name: "delete_user_data", arguments: { user_id: "U-1" } }], { error: "the model is down" }]
    await startCalls(os(), [], { message: JSON.stringify(script) })
    const open = await card(stage)

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, "The run went on and failed")
    expect(pushes()).toHaveLength(1)
    expect(alarms(stage)).toContain("run-failed")
  })

  test("traps 52 and 69: a workflow's step, whose run is not readable, is never continued; the card says who must", async () => {
    const before = os().executions().length
    const { stage, open, pushes } = await resuming(here, { kind: "workflows", of: "one-step-workflow" }, "U-400")

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, "Countersign does not continue the run", slow)
    expect(pushes()).toEqual([])
    expect(os().executions()).toHaveLength(before)
  })

  test.each(["served-team", "support-team"])(
    "trap 53: a member's call of %s is continued through its team, and runs once",
    async (of) => {
      const before = os().executions().length
      const { stage, run, open, pushes } = await resuming(here, { kind: "teams", of })

      await press(stage, sandboxCast.bob, open, "approve")

      await threadSays(stage, open, COMPLETED)
      expect(pushes()).toEqual([`/teams/${of}/runs/${run.runId}/continue`])
      expect(os().executions()).toHaveLength(before + 1)
    },
  )

  test("trap 60: a run that pauses again asks for its next call, or nobody is asked and an alarm is raised", async () => {
    const { stage, open, pushes } = await resuming(here, { of: "two-steps-agent" })

    await press(stage, sandboxCast.alice, open, "approve")

    if (isAtLeast(version, "3.1.2")) {
      await threadSays(stage, open, "its next approval is asked for by itself")
      const second = await card(stage, "send_email")
      await press(stage, sandboxCast.bob, second, "approve")
      await threadSays(stage, second, COMPLETED)
      expect(pushes()).toHaveLength(2)
    } else {
      await threadSays(stage, open, "nobody is asked for its next call")
      expect(alarms(stage)).toContain("paused-again-unasked")
      expect(pushes()).toHaveLength(1)
    }
  })

  test.each([
    ["62", "approve", { user_id: "U-OTHER" }, "ran with other arguments than were approved"],
    ["63", "reject", { user_id: "U-100" }, "ran although it was rejected"],
  ] as const)(
    "trap %s: somebody who continues a run with calls of their own (%s) is found out",
    async (_, verb, args, words) => {
      const { stage, proxy, run, open, pushes } = await resuming(here, { of: "admin-agent" })
      const mend = proxy.fail({ method: "GET", path: /\/runs\//, fault: { kind: "answer", status: 503, body: {} } })
      await press(stage, sandboxCast.bob, open, verb)
      await until("the record", async () => ((await rowOf(os(), run.runId)).status === "pending" ? undefined : true))
      const { tools = [] } = run.body as { tools?: readonly object[] }
      const own = tools.map((tool) => ({ ...tool, confirmed: true, tool_args: args }))

      await continueRun(os(), run, { of: "admin-agent", form: { tools: JSON.stringify(own) } })
      mend()

      const lines = await threadSays(stage, open, words)
      expect(lines.join("\n")).toContain("It was continued from outside Countersign")
      expect(alarms(stage)).toContain("ran-otherwise")
      expect(pushes()).toEqual([])
    },
  )

  test("trap 64: a team whose members were decided differently goes by each record, or is not resumed", async () => {
    const before = os().executions().length
    const { stage, open, pushes } = await resuming(here, { kind: "teams", of: "pair-team" }, "U-301")
    const second = await card(stage, "U-302")

    await press(stage, sandboxCast.alice, open, "approve")
    await cardSaying(stage, "The agent goes on once another approval of the same run is decided")
    expect(pushes()).toEqual([])
    await press(stage, sandboxCast.bob, second, "reject")

    if (isAtLeast(version, "2.9.0")) {
      await threadSays(stage, second, COMPLETED)
      await threadSays(stage, open, COMPLETED)
      expect(os().executions().slice(before)).toMatchObject([{ arguments: { user_id: "U-301" } }])
    } else {
      await threadSays(stage, second, "one verdict for all of its calls")
      expect(os().executions()).toHaveLength(before)
    }
  })

  test("a team whose members were all approved goes on once, at every version", async () => {
    const before = os().executions().length
    const { stage, open, pushes } = await resuming(here, { kind: "teams", of: "pair-team" }, "U-301")
    const second = await card(stage, "U-302")

    await press(stage, sandboxCast.alice, open, "approve")
    await press(stage, sandboxCast.bob, second, "approve")

    await threadSays(stage, second, COMPLETED)
    await threadSays(stage, open, COMPLETED)
    expect(os().executions()).toHaveLength(before + 2)
    expect(pushes()).toHaveLength(1)
  })

  test("trap 65: a team's run that somebody pushed on while a member's approval was pending is noticed and said", async () => {
    const { stage, run, open } = await resuming(here, { kind: "teams", of: "support-team" }, "U-200")
    const pushed = await continueRun(os(), run, { kind: "teams", of: "support-team" })
    const lost = (pushed.body as { status?: string }).status === "COMPLETED"
    expect(lost).toBe(!isAtLeast(version, "2.9.0"))

    await press(stage, sandboxCast.bob, open, "approve")

    if (lost) {
      const over = await cardSaying(stage, "Nothing left to approve")
      expect(over.buttons).not.toContain(actionIds.approve)
      await press(stage, sandboxCast.bob, over, "reject")
      await threadSays(stage, open, "ended without waiting")
      await cardSaying(stage, "Rejected by")
    } else {
      const lines = await threadSays(stage, open, COMPLETED)
      expect(lines.join("\n")).not.toContain("It was continued from outside Countersign")
    }
  })

  test.each(["approve", "reject"] as const)("trap 66: a team's own tool: %s", async (verb) => {
    const before = os().executions().length
    const { stage, open } = await resuming(here, { kind: "teams", of: "lead-team" }, "send_email")

    await press(stage, sandboxCast.bob, open, verb)

    await threadSays(stage, open, COMPLETED)
    expect(os().executions()).toHaveLength(verb === "approve" ? before + 1 : before)
  })

  test("trap 67: a run that somebody continued already is not continued again, so no fork is made", async () => {
    const { stage, proxy, run, open, pushes } = await resuming(here, { of: "admin-agent" })
    const mend = proxy.fail({ method: "GET", path: /\/runs\//, fault: { kind: "answer", status: 503, body: {} } })
    await press(stage, sandboxCast.bob, open, "approve")
    await until("the record", async () => ((await rowOf(os(), run.runId)).status === "pending" ? undefined : true))
    await continueRun(os(), run, { of: "admin-agent" })

    mend()

    const lines = await threadSays(stage, open, COMPLETED)
    expect(lines.join("\n")).toContain("It was continued from outside Countersign")
    expect(pushes()).toEqual([])
  })

  test("trap 70: a run that ends without words is a success", async () => {
    const { stage } = await aResumingStage(here)
    const calls = [
      { name: "delete_user_data", arguments: { user_id: "U-1" } },
      { name: "look_up", arguments: { key: "k" } },
    ]
    await startCalls(os(), calls)
    const open = await card(stage)

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, COMPLETED)
  })

  test("trap 13: a run whose argument is no number is not continued: the platform cannot write it", async () => {
    const { stage, pushes } = await aResumingStage(here)
    await startCalls(os(), [{ name: "delete_user_data", raw: '{"user_id": NaN}' }])
    const open = await card(stage)

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, "may be no number", slow)
    expect(pushes()).toEqual([])
  })

  test("R12 a rejection of what asks for input is held with resume off, and the platform's own gate stops the run", async () => {
    const stage = await here.aStage()
    const before = os().executions().length
    const run = await startCalls(os(), [], { of: "payments-agent", message: "pay" })
    const open = await card(stage, "send_money")

    await press(stage, sandboxCast.bob, open, "reject")

    const held = await cardSaying(stage, "it does not run")
    expect(held.words).toContain("Held")
    const { id } = await rowOf(os(), run.runId)
    expect(await record(os(), id)).toMatchObject({ status: "pending" })
    const pushed = await continueRun(os(), run, { of: "payments-agent" })
    expect(pushed.status).toBe(403)
    expect(os().executions()).toHaveLength(before)
  })

  test("R12 sent all the same, where the operator says so, anybody's empty continue runs it: that is why", async () => {
    const stage = await here.aStage({ instance: "reject_user_input: send" })
    const before = os().executions().length
    const journey = { city: "Oslo", days: 3, refundable: false }
    const run = await startCalls(os(), [{ name: "book_travel", arguments: journey }])

    await press(stage, sandboxCast.bob, await card(stage, "book_travel"), "reject")

    await settled(stage, "Rejected book_travel")
    await continueRun(os(), run, { of: "scripted-agent" })
    expect(os().executions()).toHaveLength(before + 1)
    expect(await rowsOf(os())).toMatchObject([{ status: "rejected" }])
  })
})

describeAgentOs("slow tools", { toolSeconds: 3 }, (here) => {
  const { os } = here

  test("trap 54: two replicas and a retry continue once", async () => {
    const { stage, open, pushes } = await resuming(here, { of: "admin-agent" })
    await stage.start()

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, COMPLETED)
    expect(pushes()).toHaveLength(1)
    expect(os().executions()).toHaveLength(1)
  })

  test("trap 55: a continue that timed out is never sent again; its end is read", async () => {
    const before = os().executions().length
    const { stage, open, pushes } = await resuming(here, { of: "admin-agent" }, "delete_user_data", {
      resumeTimeout: "1s",
    })

    await press(stage, sandboxCast.bob, open, "approve")

    await threadSays(stage, open, COMPLETED)
    expect(pushes()).toHaveLength(1)
    expect(os().executions()).toHaveLength(before + 1)
    expect(alarms(stage)).toEqual([])
  })

  test("trap 55: AgentOS killed while it works on a continue: the card says since when, and once it is back that nobody knows", async () => {
    const before = os().executions().length
    const { stage, open, pushes } = await resuming(here, { of: "admin-agent" }, "delete_user_data", { url: os().url })
    await press(stage, sandboxCast.bob, open, "approve")
    await cardSaying(stage, "The agent is going on")
    await until("the tool to run", () => (os().executions().length > before ? true : undefined))

    await os().restart()

    await threadSays(stage, open, "the platform was restarted meanwhile, and the run waits at the same calls")
    expect(alarms(stage)).toEqual(["resume-unaccounted"])
    expect(os().executions()).toHaveLength(before + 1)
    expect(pushes()).toEqual([])
  })
})

describeAgentOs("user isolation", { isolation: true }, (here) => {
  const { version, os } = here

  test("trap 50: without a subject a run is continued at 2.x; 3.x refuses to show it, and the card says who must", async () => {
    const token = await aJwt(["agent_os:admin"])
    const before = os().executions().length
    const options = { token, instance: "accept_run_scope: true" }
    const { stage, open, pushes } = await resuming(here, { of: "admin-agent" }, "delete_user_data", options)

    await press(stage, sandboxCast.bob, open, "approve")

    const isolated = isAtLeast(version, "3.0.0")
    await threadSays(stage, open, isolated ? "the credential for resuming may not read it" : COMPLETED)
    expect(pushes()).toHaveLength(isolated ? 0 : 1)
    expect(os().executions()).toHaveLength(isolated ? before : before + 1)
  })
})
