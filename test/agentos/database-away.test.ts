// A real Postgres goes away under a real AgentOS, and comes back: nothing that people did is lost, and no hold ends.
import { describe, expect, type TestContext, test } from "vitest"
import {
  approveFromOldScreen,
  card,
  cardSaying,
  cards,
  ledgerOf,
  onScreen,
  press,
  settled,
  threadSays,
  told,
  until,
  viewSays,
} from "../stories/acts.ts"
import { type Stage, sandboxCast, startStage } from "../stories/world.ts"
import { type AgentOs, aJwt, startAgentOs, VERSIONS } from "./agentos.ts"
import { call, record, rowOf, startRun } from "./drive.ts"
import { type Postgres, startPostgres } from "./postgres.ts"

/** Two have to agree; a rejection is made by one. */
const twoOf = `
  - name: everything
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.approvers}]
    quorum: 2
    unknown_requester: allow
    require_reason: never`

const awayMs = 60_000
/** A press is kept for two minutes, and tried again as long after each try as that was after the press. */
const waitsMs = 120_000

/** An AgentOS over a Postgres, and a bot before it. All are closed after the test. */
async function aWorld(
  version: string,
  { onTestFinished }: TestContext,
): Promise<{ os: AgentOs; postgres: Postgres; stage: Stage }> {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.close())
  const os = await startAgentOs(version, { db: "postgres", databaseUrl: postgres.url })
  onTestFinished(() => os.close())
  const token = await aJwt(["approvals:read", "approvals:write"])
  const stage = await startStage({ timeoutMs: 8_000, rules: twoOf }, { url: os.url, token })
  onTestFinished(() => stage.close())
  return { os, postgres, stage }
}

// Side by side: each waits for a minute.
describe.concurrent.each(VERSIONS)("AgentOS %s, whose Postgres goes away for a minute and comes back", (version) => {
  test("R12: votes and a held rejection are still there, and there is no second revision", async (context) => {
    const { os, postgres, stage } = await aWorld(version, context)
    const admin = await startRun(os, { of: "admin-agent" })
    const open = await card(stage, "delete_user_data")
    const payment = await startRun(os, { of: "payments-agent" })
    const asking = await card(stage, "send_money")
    const [half, input] = [await rowOf(os, admin.runId), await rowOf(os, payment.runId)]
    await press(stage, sandboxCast.alice, open, "approve")
    await threadSays(stage, open, "approved this")
    const seen = onScreen(stage, asking.ts)
    await press(stage, sandboxCast.bob, asking, "reject")
    const held = await cardSaying(stage, "Held")

    await postgres.stop()
    const stoppedAt = Date.now()
    await until("it to know no approval", async () => {
      const { status } = await call(os, `GET /approvals/${half.id}`, { token: await aJwt(["approvals:read"]) })
      return status === 404 ? true : undefined
    })
    await press(stage, sandboxCast.bob, open, "approve")
    await told(stage, sandboxCast.bob, "does not know this approval at the moment")
    await until("a minute to pass", () => (Date.now() - stoppedAt > awayMs ? true : undefined), 2 * awayMs)
    await postgres.start()
    await until("it to know them again", async () => {
      return (await record(os, half.id)).status === "pending" ? true : undefined
    })

    expect(cards(stage, "Held").map(({ ts }) => ts)).toEqual([held.ts])
    const kinds = (await ledgerOf(stage)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "opened")).toHaveLength(2)
    for (const kind of ["vanished", "returned", "revised", "renewed", "voided"]) expect(kinds).not.toContain(kind)
    // Bob's press was kept, and counts without another one.
    await settled(stage, "Approved delete_user_data", sandboxCast.approvals, waitsMs)
    expect(await record(os, half.id)).toMatchObject({ status: "approved" })
    // Whose screen does not catch up still sees Approve on what is held.
    await approveFromOldScreen(stage, sandboxCast.alice, seen)
    await viewSays(stage, sandboxCast.alice, "already rejected by")
    expect(cards(stage, "Held").map(({ ts }) => ts)).toEqual([held.ts])
    expect((await ledgerOf(stage)).filter(({ kind }) => kind === "resolved")).toHaveLength(1)
    expect(await record(os, input.id)).toMatchObject({ status: "pending" })
  })
})
