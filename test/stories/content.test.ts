// What happens to a case when the platform's record moves under it.
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { verifyLedger } from "../../src/cli/ledger/ledger.ts"
import { createLog } from "../../src/log.ts"
import { testRedisUrl } from "../support/redis.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import {
  alarms,
  announced,
  ask,
  card,
  cards,
  decided,
  ledgerOf,
  operate,
  pausePolls,
  press,
  record,
  resolves,
  settled,
  threadSays,
  told,
  until,
} from "./acts.ts"
import { limitMs, sandboxCast, startWorld, type World } from "./world.ts"

const verified = ({ installation, env }: World) =>
  verifyLedger({
    redisUrl: testRedisUrl(),
    key: Buffer.from(env["COUNTERSIGN_KEY"] ?? ""),
    installation,
    random: randomBytes,
    log: createLog({ write: () => undefined, clock: Date.now, level: "error", secrets: [] }),
  })

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("R2 content that changed between card and click is refused, and the card is shown anew", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    const open = await card(here, "U-100")
    pausePolls(here)
    const changed = { ...(await record(here, asked.id)), tool_args: { user_id: "U-999" } }
    here.proxy.fail({
      method: "GET",
      path: new RegExp(`/approvals/${asked.id}$`),
      fault: { kind: "answer", status: 200, body: changed },
    })

    await press(here, sandboxCast.alice, open, "approve")

    await told(here, sandboxCast.alice, "changed")
    const anew = await card(here, "U-999")
    expect(anew.ts).toBe(open.ts)
    expect(resolves(here)).toBe(0)
    await press(here, sandboxCast.alice, anew, "approve")
    expect(await decided(here, asked.id)).toMatchObject({
      resolution_data: { countersign: { approvers: [{ subject: "alice@sandbox.example" }] } },
    })
  })

  it("R10 what was decided elsewhere settles every card and says who", async () => {
    const { here, asked, open } = await announcedWorld({ mode })

    await operate(here, `POST /approvals/${asked.id}/resolve`, { status: "rejected", resolved_by: "ops@example.com" })

    const after = await settled(here, "delete_user_data")
    expect(after.words).toContain("ops@example.com")
    await threadSays(here, open, "ops@example.com")
    expect(resolves(here)).toBe(0)
  })

  it("a decision elsewhere that the rules would not admit is told once by two replicas, in thread and ledger; another is not", async () => {
    const here = await aWorld({ mode })
    await here.start()
    const { asked, open } = await announced(here)
    const kinds = async () => (await ledgerOf(here)).map(({ kind }) => kind)
    const closed = (count: number) =>
      until("the case to close", async () =>
        (await kinds()).filter((kind) => kind === "closed").length === count ? true : undefined,
      )

    await operate(here, `POST /approvals/${asked.id}/resolve`, { status: "approved", resolved_by: sandboxCast.rita })
    const said = await threadSays(here, open, "The rules do not allow this decision")
    await closed(1)
    const { id } = await ask(here, { tool_args: { user_id: "U-200" } })
    await card(here, "U-200")
    await operate(here, `POST /approvals/${id}/resolve`, { status: "approved", resolved_by: "bob@sandbox.example" })
    await closed(2)

    expect(said.join(" ")).toContain("the rules do not let them approve this: not-approver")
    expect((await kinds()).filter((kind) => kind === "decided-outside-rules")).toHaveLength(1)
    expect(alarms(here)).toEqual(["decided-outside-rules"])
    expect(await verified(here)).toMatchObject({ problem: null })
  })

  it("R10 a click that comes after it was decided elsewhere is told so", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    pausePolls(here)
    await operate(here, `POST /approvals/${asked.id}/resolve`, { status: "rejected", resolved_by: "ops@example.com" })

    await press(here, sandboxCast.alice, open, "approve")

    expect((await settled(here, "delete_user_data")).words).toContain("ops@example.com")
    await told(here, sandboxCast.alice, "ops@example.com")
    expect(resolves(here)).toBe(0)
  })
})

// Side by side, because they wait for real time; so each has a world of its own.
describe.each(["socket", "http"] as const)("a vanished approval, in %s mode,", { concurrent: true }, (mode) => {
  it("settles its card only after it was asked for by id more than once, over more than ten seconds", async ({
    onTestFinished,
  }) => {
    const here = await startWorld({ mode })
    onTestFinished(() => here.close())
    const asked = await ask(here)
    await card(here)
    await ask(here, { tool_name: "another_tool" })
    await card(here, "another_tool")
    await operate(here, `DELETE /approvals/${asked.id}`)
    const deletedAt = Date.now()

    const after = await here.sandbox.waitFor(
      () =>
        cards(here, "delete_user_data").find(
          (seen) => seen.buttons.length < 3 && !seen.buttons.includes("countersign_approve"),
        ),
      { limitMs, what: "the card to settle" },
    )

    expect(Date.now() - deletedAt).toBeGreaterThan(9_000)
    expect(after.words.toLowerCase()).toMatch(/vanished|gone|deleted|no longer/)
    const asks = here.proxy.passed.filter((one) => one.method === "GET" && one.path === `/approvals/${asked.id}`)
    expect(asks.length).toBeGreaterThanOrEqual(3)
  })

  it("a vanished approval that comes back keeps its card open", async ({ onTestFinished }) => {
    const here = await startWorld({ mode })
    onTestFinished(() => here.close())
    const { asked, open } = await announced(here)
    here.proxy.fail({
      path: new RegExp(`/approvals/${asked.id}$`),
      times: 2,
      fault: { kind: "answer", status: 404, body: { detail: "Approval not found" } },
    })
    here.proxy.fail({
      path: /\/approvals$/,
      times: 6,
      fault: {
        kind: "answer",
        status: 200,
        body: { data: [], meta: { page: 1, limit: 100, total_pages: 0, total_count: 0 } },
      },
    })
    await until("both 404s", () =>
      here.proxy.passed.filter((one) => one.fault === "answer" && one.path.endsWith(asked.id)).length > 0
        ? true
        : undefined,
    )

    await press(here, sandboxCast.alice, open, "approve").then(() => undefined)

    const row = await until("a decision, now or by another press", async () => {
      const now = await record(here, asked.id)
      if (now.status !== "pending") return now
      const again = cards(here, "delete_user_data")[0]
      if (again?.buttons.includes("countersign_approve")) await press(here, sandboxCast.alice, again, "approve")
      return undefined
    })
    expect(row.status).toBe("approved")
  })
})
