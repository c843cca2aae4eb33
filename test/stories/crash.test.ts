// kill -9 in the middle: after a restart the end is right, and everything happened once.
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { testRedisUrl } from "../support/redis.ts"
import { ask, card, cards, decided, press, record, resolves, settled, threadSays, until } from "./acts.ts"
import { CAST, startWorld, type World, type WorldOptions } from "./world.ts"

const children: ChildProcess[] = []
let world: World | undefined

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
  await world?.close()
  world = undefined
})

/** A world whose only bot is a process of its own. */
async function aWorld(options: WorldOptions = {}): Promise<{ here: World; bot: ChildProcess }> {
  const here = await startWorld(options)
  world = here
  await here.bot.close()
  return { here, bot: await start(here) }
}

async function start(here: World): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("bot-process.ts", import.meta.url))
  const env = { ...process.env, BOT_ENV: JSON.stringify(here.env), BOT_YAML: here.yaml, BOT_REDIS: testRedisUrl() }
  const child = spawn(process.execPath, [script], { env, stdio: ["pipe", "pipe", "pipe"] })
  children.push(child)
  const said = Promise.withResolvers<void>()
  let wrong = ""
  child.stdout.on("data", (chunk: Buffer) => (chunk.toString().startsWith("up") ? said.resolve() : undefined))
  child.stderr.on("data", (chunk: Buffer) => void (wrong += chunk.toString()))
  child.once("exit", () => said.reject(new Error(`the bot ended: ${wrong}`)))
  await said.promise
  return child
}

async function kill(bot: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => bot.once("exit", resolve))
  bot.kill("SIGKILL")
  await ended
}

const resolvePath = /\/resolve$/

describe("a bot that is killed", () => {
  it("between ack and resolve carries the press out after its restart, once", async () => {
    const { here, bot } = await aWorld({ timeoutMs: 5_000 })
    const asked = await ask(here)
    const open = await card(here)
    here.proxy.fail({ method: "POST", path: resolvePath, times: 1, fault: { kind: "swallow", forwarded: false } })

    await press(here, CAST.alice, open, "approve")
    await until("the POST to be on its way", () => (resolves(here) === 1 ? true : undefined))
    await kill(bot)
    expect((await record(here, asked.id)).status).toBe("pending")
    await start(here)

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    expect((await settled(here, "Approved")).ts).toBe(open.ts)
    expect(resolves(here)).toBe(2)
    await threadSays(here, open, "alice@sandbox.example")
    expect(cards(here, "delete_user_data")).toHaveLength(1)
  })

  it("between ack and vote, with only a ticket written, carries the press out after its restart", async () => {
    const { here, bot } = await aWorld({ timeoutMs: 5_000 })
    const asked = await ask(here)
    const open = await card(here)
    here.proxy.fail({
      method: "GET",
      path: new RegExp(`/approvals/${asked.id}$`),
      times: 1,
      fault: { kind: "swallow", forwarded: false },
    })
    const pressed = press(here, CAST.alice, open, "approve")
    await until("the read to be on its way", () =>
      here.proxy.passed.some((one) => one.fault === "swallow") ? true : undefined,
    )
    await pressed

    await kill(bot)
    await start(here)

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    await settled(here, "Approved")
    expect(resolves(here)).toBe(1)
  })

  it("between resolve and card settles the card after its restart, and resolves no second time", async () => {
    const { here, bot } = await aWorld({ timeoutMs: 5_000 })
    const asked = await ask(here)
    const open = await card(here)
    here.proxy.fail({ method: "POST", path: resolvePath, times: 1, fault: { kind: "swallow", forwarded: true } })

    await press(here, CAST.alice, open, "approve")
    await decided(here, asked.id)
    await kill(bot)
    await start(here)

    expect((await settled(here, "Approved")).ts).toBe(open.ts)
    expect(resolves(here)).toBe(1)
    await threadSays(here, open, "alice@sandbox.example")
  })

  it("between posting a card and remembering it finds the card after its restart instead of posting a second", async () => {
    const { here, bot } = await aWorld()
    here.sandbox.faults.web("chat.postMessage", { kind: "accept_then_never_answer" })
    const asked = await ask(here)
    const posted = await card(here)

    await kill(bot)
    await start(here)
    await press(here, CAST.alice, posted, "approve")

    expect(await decided(here, asked.id, 40_000)).toMatchObject({ status: "approved" })
    expect((await settled(here, "Approved")).ts).toBe(posted.ts)
    expect(cards(here, "delete_user_data")).toHaveLength(1)
  }, 90_000)
})
