// Worlds whose bots are processes of their own, so that a story can kill one.
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { testRedisUrl } from "../support/redis.ts"
import { startWorld, type World, type WorldOptions } from "./world.ts"

type OnFinished = (close: () => Promise<void>) => void

/** A world whose only bot is a process of its own. The stories run side by side, so each closes its own world. */
export async function aWorldOfProcesses(
  options: WorldOptions,
  onFinished: OnFinished,
): Promise<{ here: World; start: Start }> {
  const here = await startWorld(options)
  const children: ChildProcess[] = []
  onFinished(async () => {
    await Promise.all(children.map(kill))
    await here.close()
  })
  await here.bot.close()
  return { here, start: () => startProcess(here, children) }
}

type Start = () => Promise<BotProcess>

/** A bot in a process of its own. */
export interface BotProcess extends ChildProcess {
  /** From now on the workspace delivers to this bot, as HTTP mode needs it. */
  readonly takesPresses: () => void
}

/** Starts a bot, which takes the presses from now on. */
async function startProcess(here: World, children: ChildProcess[]): Promise<BotProcess> {
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
  const url = await said.promise
  const takesPresses = () => here.sandbox.deliverTo(`${url}/slack/events`)
  takesPresses()
  return Object.assign(child, { takesPresses })
}

/** Ends a bot at once (SIGKILL) and waits for its end. */
export async function kill(bot: ChildProcess): Promise<void> {
  if (bot.exitCode !== null || bot.signalCode !== null) return
  const ended = new Promise((resolve) => bot.once("exit", resolve))
  bot.kill("SIGKILL")
  await ended
}
