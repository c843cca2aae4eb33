// kill -9 in the middle: after a restart the end is right, and everything happened once.
import { describe, expect, it } from "vitest"
import type { ScriptInput } from "../../src/service/components/script.ts"
import {
  announced,
  ask,
  card,
  cards,
  decided,
  press,
  record,
  resolves,
  settled,
  startRun,
  threadSays,
  until,
} from "./acts.ts"
import { aWorldOfProcesses, kill } from "./processes.ts"
import { sandboxCast } from "./world.ts"

/** An agent whose only call is gated. */
const script: ScriptInput = {
  agents: [
    {
      id: "admin-agent",
      tools: [{ name: "delete_user_data", gated: true }],
      runs: [{ name: "go", turns: [[{ tool: "delete_user_data", args: { user_id: "U-1" } }]], answer: "Done." }],
    },
  ],
}

const resolvePath = /\/resolve$/

describe.each(["socket", "http"] as const)("a bot that is killed, in %s mode,", { concurrent: true }, (mode) => {
  it("a bot that is killed between ack and resolve carries the press out after its restart, once", async ({
    onTestFinished,
  }) => {
    const { here, start } = await aWorldOfProcesses({ mode, timeoutMs: 30_000 }, onTestFinished)
    const bot = await start()
    const { asked, open } = await announced(here)
    here.proxy.fail({ method: "POST", path: resolvePath, times: 1, fault: { kind: "swallow", forwarded: false } })

    await press(here, sandboxCast.alice, open, "approve")
    await until("the POST to be on its way", () => (resolves(here) === 1 ? true : undefined))
    await kill(bot)
    expect((await record(here, asked.id)).status).toBe("pending")
    await start()

    expect(await decided(here, asked.id)).toMatchObject({
      status: "approved",
      resolved_by: "alice@sandbox.example",
    })
    expect((await settled(here, "Approved", sandboxCast.approvals)).ts).toBe(open.ts)
    expect(resolves(here)).toBe(2)
    await threadSays(here, open, "alice@sandbox.example")
    expect(cards(here, "delete_user_data")).toHaveLength(1)
  })

  it("a bot that is killed between ack and vote, with only a ticket written, carries the press out after its restart", async ({
    onTestFinished,
  }) => {
    const { here, start } = await aWorldOfProcesses({ mode, timeoutMs: 30_000 }, onTestFinished)
    const bot = await start()
    const { asked, open } = await announced(here)
    here.proxy.fail({
      method: "GET",
      path: new RegExp(`/approvals/${asked.id}$`),
      times: 1,
      fault: { kind: "swallow", forwarded: false },
    })
    const pressed = press(here, sandboxCast.alice, open, "approve")
    await until("the read to be on its way", () =>
      here.proxy.passed.some((one) => one.fault === "swallow") ? true : undefined,
    )
    await pressed

    await kill(bot)
    await start()

    expect(await decided(here, asked.id)).toMatchObject({
      status: "approved",
      resolved_by: "alice@sandbox.example",
    })
    await settled(here, "Approved", sandboxCast.approvals)
    expect(resolves(here)).toBe(1)
  })

  it("a bot that is killed between resolve and card settles the card after its restart, and resolves no second time", async ({
    onTestFinished,
  }) => {
    const { here, start } = await aWorldOfProcesses({ mode, timeoutMs: 30_000 }, onTestFinished)
    const bot = await start()
    const { asked, open } = await announced(here)
    here.proxy.fail({ method: "POST", path: resolvePath, times: 1, fault: { kind: "swallow", forwarded: true } })

    await press(here, sandboxCast.alice, open, "approve")
    await decided(here, asked.id)
    await kill(bot)
    await start()

    expect((await settled(here, "Approved", sandboxCast.approvals)).ts).toBe(open.ts)
    expect(resolves(here)).toBe(1)
    await threadSays(here, open, "alice@sandbox.example")
  })

  it("a bot that is killed between posting a card and remembering it finds the card after its restart instead of posting a second", async ({
    onTestFinished,
  }) => {
    const { here, start } = await aWorldOfProcesses({ mode }, onTestFinished)
    const bot = await start()
    here.sandbox.faults.web("chat.postMessage", { kind: "accept_then_never_answer" })
    const asked = await ask(here)
    const posted = await card(here)

    await kill(bot)
    await start()
    await press(here, sandboxCast.alice, posted, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    expect((await settled(here, "Approved", sandboxCast.approvals)).ts).toBe(posted.ts)
    expect(cards(here, "delete_user_data")).toHaveLength(1)
  })

  it.for([
    ["before it read the run", { method: "GET", path: /\/runs\//, fault: { kind: "swallow", forwarded: false } }],
    ["while the run goes on", { method: "POST", path: /\/continue$/, fault: { kind: "swallow", forwarded: true } }],
  ] as const)(
    "a bot that is killed after the resolve, %s, has run the tool once after its restart, and says so",
    async ([, fault], { onTestFinished }) => {
      const { here, start } = await aWorldOfProcesses(
        { mode, timeoutMs: 30_000, script, resume: "decided" },
        onTestFinished,
      )
      const bot = await start()
      await startRun(here, "agents/admin-agent")
      const open = await card(here)
      here.proxy.fail({ ...fault, times: 1 })

      await press(here, sandboxCast.bob, open, "approve")
      await until("the request to be there, with its last byte if it goes on", () =>
        here.proxy.passed.some((one) => one.fault === "swallow" && one.forwarded === fault.fault.forwarded)
          ? true
          : undefined,
      )
      await kill(bot)
      await start()

      await threadSays(here, open, "is completed")
      expect(here.service.executions().map((one) => one.toolName)).toEqual(["delete_user_data"])
      expect(here.proxy.passed.filter((one) => one.path.endsWith("/continue"))).toHaveLength(1)
    },
  )
})
