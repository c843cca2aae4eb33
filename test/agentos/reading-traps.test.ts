// Traps of reading, provoked at the real AgentOS: its database fails, its rows are odd, and people see what is true.
import { expect, test } from "vitest"
import { alarms, card, cardSaying, cards, press, type Seen, settled, threadSays, told, until } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { aJwt } from "./agentos.ts"
import {
  call,
  confirmPast,
  continueRun,
  hideTable,
  poison,
  record,
  resolveElsewhere,
  root,
  rowOf,
  rowsOf,
  serviceAccount,
  sql,
  startCalls,
  startRun,
} from "./drive.ts"
import { describeAgentOs } from "./stages.ts"

const APPROVE = "countersign_approve"
const emailOf = (raw: string) => ({ name: "send_email", raw })

describeAgentOs("reading", {}, ({ os, aStage }) => {
  test("traps 1 and 2: a database that fails closes no case and decides nothing; then what was pressed meanwhile counts", async () => {
    const stage = await aStage()
    const run = await startRun(os(), { of: "admin-agent" })
    const open = await card(stage)
    const { id } = await rowOf(os(), run.runId)
    const heal = hideTable(os(), "agno_approvals")

    await press(stage, sandboxCast.alice, open, "approve")
    await told(stage, sandboxCast.alice, "does not know this approval at the moment")
    heal()

    // The press was kept: nobody presses again.
    await settled(stage, "Approved delete_user_data")
    expect(await record(os(), id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    expect(alarms(stage)).not.toContain("approval-vanished")
  })

  test("trap 3: a service account that can't be looked up is tried again, and then works", async () => {
    const token = await serviceAccount(os(), ["agent_os:admin"])
    const heal = hideTable(os(), "agno_service_accounts")
    const stage = await aStage({ token })
    await startRun(os(), { of: "admin-agent" })
    const refused = () => stage.log.filter((line) => line["event"] === "step-failed").length
    await until("refused polls", () => (refused() > 1 ? true : undefined))
    heal()

    await card(stage)

    // The sweep may look in between: then the operator is told of the 401, which names this cause, and told once.
    expect([[], ["token-refused"]]).toContainEqual(alarms(stage))
  })

  test("trap 4: a service account that is not admin gets an empty list, whatever is pending", async () => {
    const run = await startRun(os(), { of: "admin-agent" })
    const token = await serviceAccount(os(), ["approvals:read", "approvals:write"])

    const list = await call(os(), "GET /approvals", { token })

    expect(list).toMatchObject({ status: 200, body: { data: [] } })
    expect((await rowOf(os(), run.runId)).status).toBe("pending")
  })

  test("trap 5: a row that can't be written hides none of its neighbours, and raises an alarm", async () => {
    await startRun(os(), { of: "admin-agent" })
    await startCalls(os(), [emailOf(String.raw`{"to": "a@b", "subject": "\ud800"}`)])
    await startRun(os(), { of: "operations-agent" })

    const stage = await aStage()

    await card(stage, "delete_user_data")
    await card(stage, "restart_database")
    expect(cards(stage, "send_email")).toEqual([])
    await until("an alarm", () => (alarms(stage).includes("unreadable-approval") ? true : undefined))
  })

  test("trap 6: what can't be read raises an alarm with the number and the agent, and gets no buttons", async () => {
    await startCalls(os(), [emailOf('{"to": "a@b", "subject": "first"}')])
    await startCalls(os(), [emailOf(String.raw`{"to": "a@b", "subject": "\ud800"}`)])
    await startRun(os(), { of: "admin-agent" })

    const stage = await aStage()

    const alarm = await until("an alarm", () => stage.log.find((line) => line["code"] === "unreadable-approval"))
    expect(alarm["why"]).toContain("(1 of 1, among those of scripted-agent)")
    await card(stage, "first")
    expect(cards(stage, "send_email")).toHaveLength(1)
  })

  test("trap 7: a known approval that became unreadable is followed by its status", async () => {
    const stage = await aStage()
    const run = await startRun(os(), { of: "admin-agent" })
    await card(stage)
    const { id } = await rowOf(os(), run.runId)
    poison(os(), id)

    const answer = await resolveElsewhere(os(), id, { status: "rejected", resolved_by: "boss@example.com" })

    expect(answer.status).toBe(500)
    expect((await settled(stage, "delete_user_data")).words).toContain("boss@example.com")
    expect(alarms(stage)).toContain("unverified-resolution")
  })

  test("trap 9: resolved and audit rows get no card", async () => {
    const audit = await startRun(os(), { of: "report-agent" })
    await continueRun(os(), audit, { of: "report-agent" })
    const done = await startRun(os(), { of: "admin-agent" })
    await resolveElsewhere(os(), (await rowOf(os(), done.runId)).id)
    await startRun(os(), { of: "operations-agent" })

    const stage = await aStage()

    await card(stage, "restart_database")
    expect(cards(stage, "delete_user_data")).toEqual([])
    expect(cards(stage, "export_report")).toEqual([])
  })

  test("trap 10: one in, one out between two polls: both are seen", async () => {
    const stage = await aStage({ pollMs: 700 })
    const first = await startRun(os(), { of: "admin-agent" })
    await card(stage)

    await resolveElsewhere(os(), (await rowOf(os(), first.runId)).id)
    await startRun(os(), { of: "operations-agent" })

    await card(stage, "restart_database")
    await settled(stage, "delete_user_data")
  })

  test("trap 11: an expires_at that has passed decides nothing", async () => {
    const run = await startRun(os(), { of: "admin-agent" })
    sql(os(), "UPDATE agno_approvals SET expires_at = ?", 1_700_000_000)
    const stage = await aStage()

    await press(stage, sandboxCast.alice, await card(stage), "approve")

    await settled(stage, "Approved delete_user_data")
    expect((await rowOf(os(), run.runId)).status).toBe("approved")
  })

  test("trap 12: an integer beyond 2^53 is shown, approved and run digit by digit", async () => {
    const stage = await aStage()
    const run = await startCalls(os(), [emailOf('{"to": "a@b", "subject": "s", "body": 12345678901234567890123}')])

    const open = await card(stage, "send_email")
    await press(stage, sandboxCast.alice, open, "approve")

    expect(open.words).toContain("body: 12345678901234567890123")
    await settled(stage, "Approved send_email")
    expect((await rowOf(os(), run.runId)).status).toBe("approved")
  })

  test("trap 13: a null that is NaN says that it may be", async () => {
    const stage = await aStage()
    await startCalls(os(), [{ name: "send_money", raw: '{"amount": NaN, "recipient": "r"}' }])

    expect((await card(stage, "send_money")).words).toMatch(/amount: null\b[^]*means no value here, or no number/)
  })

  test("trap 14: rows of 2 MB neither hide others nor stop the poll", async () => {
    for (let at = 0; at < 6; at += 1)
      await startCalls(os(), [emailOf(JSON.stringify({ to: `big${at}@b`, subject: "s", body: "x".repeat(1_000_000) }))])
    await startRun(os(), { of: "admin-agent" })

    const stage = await aStage()

    await card(stage, "delete_user_data")
    const sixOf = (big: readonly Seen[]) => (big.length === 6 ? big : undefined)
    for (const big of await until("six cards", () => sixOf(cards(stage, "send_email")), 60_000)) {
      expect(big.words).toContain("too large to show")
      expect(big.buttons).not.toContain(APPROVE)
    }
    expect(alarms(stage)).toEqual([])
  })

  test("trap 15: hostile text is shown literally", async () => {
    const stage = await aStage()
    await startCalls(os(), [
      { name: "delete_user_data", arguments: { user_id: "\u202Eevil <!channel> *bold* \u0000" } },
    ])

    const { words } = await card(stage)

    expect(words).toContain("⟨U+202E⟩")
    expect(words).not.toContain("\u202E")
    expect(words).toContain("<!channel> *bold*")
  })

  test("trap 18: an ungated confirmation in the same pause is marked as one that will be refused", async () => {
    const stage = await aStage()
    await startCalls(os(), [
      { name: "delete_user_data", arguments: { user_id: "U-1" } },
      { name: "clear_cache", arguments: { name: "sessions" } },
    ])

    const { words } = await card(stage)

    expect(words).toMatch(/clear_cache .*the platform will refuse it/)
  })

  test("trap 19: arguments that the tool does not know, and none at all, are shown as sent", async () => {
    const stage = await aStage()
    await startCalls(os(), [{ name: "delete_user_data", arguments: { user_id: "U-1", dry_run: "no" } }])
    await startCalls(os(), [{ name: "send_email", arguments: {} }])

    expect((await card(stage, "delete_user_data")).words).toContain("dry_run: no")
    expect((await card(stage, "send_email")).words).toContain("no arguments")
  })

  test.each([
    ["a team's own call", "teams", "lead-team"],
    ["a caller without identity", "agents", "admin-agent"],
  ])("trap 21: %s has no requester, so who may not approve their own may not approve this", async (_, kind, of) => {
    const rules = `
  - { name: strict, routes: [${sandboxCast.approvals}], approvers: [${sandboxCast.alice}],
      forbid_self_approval: true, unknown_requester: refuse, require_reason: never }`
    const stage = await aStage({ rules })
    await startRun(os(), { kind, of, user: null })
    const words = kind === "teams" ? "send_email" : "delete_user_data"
    const open = await card(stage, words)

    await press(stage, sandboxCast.alice, open, "approve")

    await told(stage, sandboxCast.alice, "Nobody knows who asked")
    expect((await rowsOf(os())).map(({ status }) => status)).toEqual(["pending"])
    await press(stage, sandboxCast.alice, open, "reject")
    await settled(stage, words)
  })

  test("trap 25: a pending row whose run_status says ERROR although its run waits keeps its case and its buttons", async () => {
    const stage = await aStage({
      token: await aJwt(["approvals:read", "approvals:write", "sessions:read", "config:read"]),
    })
    await startRun(os(), { of: "admin-agent" })
    await card(stage)
    sql(os(), "UPDATE agno_approvals SET run_status = ?", "ERROR")
    await startRun(os(), { of: "operations-agent" })
    await card(stage, "restart_database")

    const open = await card(stage)

    expect(open.buttons).toContain(APPROVE)
  })

  test.each(["COMPLETED", "CANCELLED"])(
    "trap 25: a pending row whose run_status says %s says so on its card, can be rejected, and is reported",
    async (runStatus) => {
      const stage = await aStage()
      const { runId } = await startRun(os(), { of: "admin-agent" })
      await card(stage)

      sql(os(), "UPDATE agno_approvals SET run_status = ? WHERE run_id = ?", runStatus, runId)

      const over = await cardSaying(stage, "Nothing left to approve")
      expect(over.buttons).not.toContain(APPROVE)
      expect(alarms(stage)).toEqual(["run-ended-without-waiting"])
      await press(stage, sandboxCast.alice, over, "reject")
      await settled(stage, "Rejected")
      expect(await rowOf(os(), runId)).toMatchObject({ status: "rejected" })
    },
  )

  test("trap 25: a run that somebody ended past its pending row is said at once, with what ran undecided", async () => {
    const stage = await aStage({
      token: await aJwt(["approvals:read", "approvals:write", "sessions:read", "config:read"]),
    })
    const run = await startRun(os(), { of: "admin-agent" })
    const open = await card(stage)

    await confirmPast(os(), run)

    const over = await cardSaying(stage, "delete_user_data ran although nobody had decided")
    expect(over.buttons).not.toContain(APPROVE)
    await threadSays(stage, open, "ended without waiting for this")
    expect(alarms(stage)).toEqual(["run-ended-without-waiting", "ran-otherwise"])
  })

  test("trap 28: a deleted approval settles its card after some misses, and says that its run is stranded", async () => {
    const stage = await aStage()
    const run = await startRun(os(), { of: "admin-agent" })
    const open = await card(stage)
    const { id } = await rowOf(os(), run.runId)
    await startRun(os(), { of: "operations-agent" })
    await card(stage, "restart_database")

    await call(os(), `DELETE /approvals/${id}`, { token: await root(os()) })

    const look = () => cards(stage, "delete_user_data").find((seen) => !seen.buttons.includes(APPROVE))
    const gone = await until("the card to settle", look)
    expect(gone.words).toContain("Gone")
    await threadSays(stage, open, "deleted there")
    expect(stage.log.find((line) => line["code"] === "approval-vanished")).toMatchObject({
      hint: "its run is stranded",
    })
  })

  test.each(["expired", "cancelled"])("trap 41: %s, set by others, closes the case", async (status) => {
    const stage = await aStage()
    await startRun(os(), { of: "admin-agent" })
    await card(stage)

    sql(os(), "UPDATE agno_approvals SET status = ?", status)

    const closed = await settled(stage, "delete_user_data")
    expect(closed.words.toLowerCase()).toContain(status)
  })

  test("trap 44: after a 500, which closes the connection unsaid, the next call succeeds", async () => {
    const stage = await aStage()
    const run = await startRun(os(), { of: "admin-agent" })
    await card(stage)
    const { id } = await rowOf(os(), run.runId)
    const heal = poison(os(), id)
    const failed = () => stage.log.filter((line) => JSON.stringify(line).includes("500")).length
    await until("a poll that met the 500", () => (failed() > 0 || alarms(stage).length > 0 ? true : undefined))
    heal()

    await startRun(os(), { of: "operations-agent" })

    await card(stage, "restart_database")
    expect(JSON.stringify(stage.log)).not.toContain("was cut off")
  })
})
