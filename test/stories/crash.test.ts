// kill -9 in the middle: after a restart the end is right, and everything happened once.
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { testRedisUrl } from "../support/redis.ts"
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
import { limitMs, sandboxCast, startWorld, type World, type WorldOptions } from "./world.ts"

type OnFinished = (close: () => Promise<void>) => void

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

/** A world whose only bot is a process of its own. The stories run side by side, so each closes its own world. */
async function aWorld(options: WorldOptions, onFinished: OnFinished): Promise<{ here: World; start: Start }> {
  const here = await startWorld(options)
  const children: ChildProcess[] = []
  onFinished(async () => {
    await Promise.all(children.map(kill))
    await here.close()
  })
  await here.bot.close()
  return { here, start: () => startProcess(here, children) }
}

type Start = () => Promise<ChildProcess>

/** Starts a bot and, as HTTP mode needs it, tells the workspace its new address. */
async function startProcess(here: World, children: ChildProcess[]): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("bot-process.ts", import.meta.url))
  const env = { ...process.env, BOT_ENV: JSON.stringify(here.env), BOT_YAML: here.yaml, BOT_REDIS: testRedisUrl() }
  const child = spawn(process.execPath, [script], { env, stdio: ["pipe", "pipe", "pipe"] })
  children.push(child)
  const said = Promise.withResolvers<string>()
  let words = ""
  let wrong = ""
  child.stdout.on("data", (chunk: Buffer) => {
    words += chunk.toString()
    const url = /^up (\S+)\n/.exec(words)?.[1]
    if (url !== undefined) said.resolve(url)
  })
  child.stderr.on("data", (chunk: Buffer) => void (wrong += chunk.toString()))
  child.once("exit", () => said.reject(new Error(`the bot ended: ${wrong}`)))
  here.sandbox.deliverTo(`${await said.promise}/slack/events`)
  return child
}

/** Ends a bot at once (SIGKILL) and waits for its end. */
async function kill(bot: ChildProcess): Promise<void> {
  if (bot.exitCode !== null || bot.signalCode !== null) return
  const ended = new Promise((resolve) => bot.once("exit", resolve))
  bot.kill("SIGKILL")
  await ended
}

/**
 * How long the end may take after a restart, in ms: a dead presenter holds its route for 15 s, and tries wait ever
 * longer.
 */
const afterMs = 60_000
const resolvePath = /\/resolve$/

describe.each(["socket", "http"] as const)(
  "a bot that is killed, in %s mode,",
  { concurrent: true, timeout: 180_000 },
  (mode) => {
    it("a bot that is killed between ack and resolve carries the press out after its restart, once", async ({
      onTestFinished,
    }) => {
      const { here, start } = await aWorld({ mode, timeoutMs: limitMs }, onTestFinished)
      const bot = await start()
      const { asked, open } = await announced(here)
      here.proxy.fail({ method: "POST", path: resolvePath, times: 1, fault: { kind: "swallow", forwarded: false } })

      await press(here, sandboxCast.alice, open, "approve")
      await until("the POST to be on its way", () => (resolves(here) === 1 ? true : undefined))
      await kill(bot)
      expect((await record(here, asked.id)).status).toBe("pending")
      await start()

      expect(await decided(here, asked.id, afterMs)).toMatchObject({
        status: "approved",
        resolved_by: "alice@sandbox.example",
      })
      expect((await settled(here, "Approved", sandboxCast.approvals, afterMs)).ts).toBe(open.ts)
      expect(resolves(here)).toBe(2)
      await threadSays(here, open, "alice@sandbox.example", afterMs)
      expect(cards(here, "delete_user_data")).toHaveLength(1)
    })

    it("a bot that is killed between ack and vote, with only a ticket written, carries the press out after its restart", async ({
      onTestFinished,
    }) => {
      const { here, start } = await aWorld({ mode, timeoutMs: limitMs }, onTestFinished)
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

      expect(await decided(here, asked.id, afterMs)).toMatchObject({
        status: "approved",
        resolved_by: "alice@sandbox.example",
      })
      await settled(here, "Approved", sandboxCast.approvals, afterMs)
      expect(resolves(here)).toBe(1)
    })

    it("a bot that is killed between resolve and card settles the card after its restart, and resolves no second time", async ({
      onTestFinished,
    }) => {
      const { here, start } = await aWorld({ mode, timeoutMs: limitMs }, onTestFinished)
      const bot = await start()
      const { asked, open } = await announced(here)
      here.proxy.fail({ method: "POST", path: resolvePath, times: 1, fault: { kind: "swallow", forwarded: true } })

      await press(here, sandboxCast.alice, open, "approve")
      await decided(here, asked.id)
      await kill(bot)
      await start()

      expect((await settled(here, "Approved", sandboxCast.approvals, afterMs)).ts).toBe(open.ts)
      expect(resolves(here)).toBe(1)
      await threadSays(here, open, "alice@sandbox.example", afterMs)
    })

    it("a bot that is killed between posting a card and remembering it finds the card after its restart instead of posting a second", async ({
      onTestFinished,
    }) => {
      const { here, start } = await aWorld({ mode }, onTestFinished)
      const bot = await start()
      here.sandbox.faults.web("chat.postMessage", { kind: "accept_then_never_answer" })
      const asked = await ask(here)
      const posted = await card(here)

      await kill(bot)
      await start()
      await press(here, sandboxCast.alice, posted, "approve")

      expect(await decided(here, asked.id, afterMs)).toMatchObject({ status: "approved" })
      expect((await settled(here, "Approved", sandboxCast.approvals, afterMs)).ts).toBe(posted.ts)
      expect(cards(here, "delete_user_data")).toHaveLength(1)
    })

    it.for([
      ["before it read the run", { method: "GET", path: /\/runs\//, fault: { kind: "swallow", forwarded: false } }],
      ["while the run goes on", { method: "POST", path: /\/continue$/, fault: { kind: "swallow", forwarded: true } }],
    ] as const)(
      "a bot that is killed after the resolve, %s, has run the tool once after its restart, and says so",
      async ([, fault], { onTestFinished }) => {
        const { here, start } = await aWorld({ mode, timeoutMs: limitMs, script, resume: "decided" }, onTestFinished)
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

        await threadSays(here, open, "is completed", afterMs)
        expect(here.service.executions().map((one) => one.toolName)).toEqual(["delete_user_data"])
        expect(here.proxy.passed.filter((one) => one.path.endsWith("/continue"))).toHaveLength(1)
      },
    )
  },
)
