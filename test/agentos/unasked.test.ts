// What no approval asks about, at the real AgentOS: a confirmation without `@approval`, and an audit tool.
import { describe, expect, test } from "vitest"
import { cards, ledgerOf, until } from "../stories/acts.ts"
import { type Stage, startStage } from "../stories/world.ts"
import { opened } from "../support/opened.ts"
import { aJwt, startAgentOs, VERSIONS } from "./agentos.ts"
import { call, continueRun, root, startRun } from "./drive.ts"
import { startPostgres } from "./postgres.ts"
import { describeAgentOs } from "./stages.ts"

/** Sessions too; with several databases AgentOS wants to know which, and says so to config:read. */
const reading = () => aJwt(["approvals:read", "approvals:write", "sessions:read", "config:read"])
const longMs = 60_000

/** So many looks come and go. */
const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1_000))

const told = (stage: Stage) => stage.log.filter(({ code }) => code === "run-paused-unasked")

describeAgentOs("calls that nobody is asked about", {}, ({ os, aStage }) => {
  const ahead = { unaskedMs: 300, sharedClock: () => Date.now() + 600_000 }

  test("a confirmation without @approval raises one alarm, gated ones of agent, team and workflow none", async () => {
    for (const run of [
      { of: "admin-agent" },
      { kind: "teams", of: "support-team" },
      { kind: "workflows", of: "one-step-workflow" },
    ])
      await startRun(os(), run)
    const stuck = await startRun(os(), { of: "cache-agent" })
    const stage = await aStage({ token: await reading(), ...ahead })

    const alarm = await until("the alarm", () => told(stage)[0], longMs)
    expect(alarm).toMatchObject({
      agent: "cache-agent",
      run: stuck.runId,
      session: stuck.session,
      tools: ["clear_cache"],
    })

    await continueRun(os(), stuck, { of: "cache-agent", form: { tools: await refusedTools(stuck) } })
    await until("it to be over", async () => ((await problems(stage)) === "" ? true : undefined), longMs)
    expect(told(stage)).toHaveLength(1)
  })

  test("without sessions:read nothing fails", async () => {
    await startRun(os(), { of: "cache-agent" })
    const stage = await aStage(ahead)

    await until("polls", () => (stage.log.some(({ event }) => event === "config-active") ? true : undefined), longMs)
    await startRun(os(), { of: "admin-agent" })
    await until("a card", () => cards(stage, "delete_user_data")[0], longMs)

    expect(stage.log.filter(({ event }) => event === "alarm" || event === "sessions-not-read")).toEqual([])
  })

  test("an audit row enters the ledger once, without a card", async () => {
    const stage = await aStage()
    const entries = async (kind: string) => (await ledgerOf(stage)).filter((entry) => entry["kind"] === kind)
    await until("the first look", async () => (await entries("audits-begun"))[0], longMs)
    const run = await startRun(os(), { of: "report-agent" })
    await continueRun(os(), run, { of: "report-agent", form: { tools: await tools(run, true) } })

    await stage.start()
    const entry = await until("the entry", async () => (await entries("audited"))[0], longMs)

    expect(entry).toMatchObject({ run: run.runId, agent: "report-agent", tool: "export_report", status: "approved" })
    await stage.start()
    expect(await entries("audited")).toHaveLength(1)
    expect(cards(stage, "export_report")).toEqual([])
  })

  type Started = { readonly session: string; readonly runId: string }

  /** The calls of a run, confirmed or refused. */
  async function tools({ session, runId }: Started, confirmed: boolean): Promise<string> {
    const token = await root(os())
    const config = (await call(os(), "GET /config", { token })).body as { os_database: string }
    const runs = await call(os(), `GET /sessions/${session}/runs?db_id=${config.os_database}`, { token })
    const run = (runs.body as { run_id: string; tools: object[] }[]).find((one) => one.run_id === runId)
    return JSON.stringify((run?.tools ?? []).map((tool) => ({ ...tool, confirmed })))
  }

  const refusedTools = (run: Started) => tools(run, false)

  /** What the bot says of the instance's runs. */
  async function problems({ bot }: Stage): Promise<string> {
    const { problems: said = {} } = (await (await fetch(`${bot.url}/status`)).json()) as {
      problems?: Record<string, string>
    }
    return said["runs of main"] ?? ""
  }
})

describe.each(VERSIONS)("AgentOS %s on Postgres, with another database beside it,", (version) => {
  test("a run that paused before its database went away is told once it is back, and only then", async () => {
    const postgres = await opened(startPostgres())
    const os = await opened(startAgentOs(version, { db: "postgres", databaseUrl: postgres.url }))
    const stuck = await startRun(os, { of: "cache-agent" })
    await startRun(os, { of: "admin-agent" })
    // Five minutes pass when the test says so.
    let aheadMs = 0
    const clock = { unaskedMs: 300, sharedClock: () => Date.now() + aheadMs }
    const stage = await opened(startStage({ timeoutMs: 8_000, ...clock }, { url: os.url, token: await reading() }))
    await until("a card", () => cards(stage, "delete_user_data")[0], longMs)
    await seconds(2)

    await postgres.stop()
    await seconds(2)
    aheadMs = 600_000
    await seconds(5)
    expect(told(stage)).toEqual([])
    await postgres.start()

    const alarm = await until("the alarm", () => told(stage)[0], longMs)
    expect(alarm).toMatchObject({ agent: "cache-agent", run: stuck.runId, tools: ["clear_cache"] })
    await seconds(2)
    expect(told(stage)).toHaveLength(1)
  })
})
