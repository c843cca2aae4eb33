// Webhooks in a whole world: what a real receiver gets, verified by the official library, while people decide in Slack.
import { randomBytes } from "node:crypto"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { withStoreAt } from "../../src/cli/installation/opened-store.ts"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { createLog } from "../../src/log.ts"
import { openStore } from "../store/support.ts"
import { aFolder } from "../support/opened.ts"
import { testRedisUrl } from "../support/redis.ts"
import { aSecret, type Receiver, startReceiver } from "../webhooks/receiver.ts"
import { aWorld } from "./a-world.ts"
import { alarms, announced, ask, card, decided, ledgerOf, press, until } from "./acts.ts"
import { aWorldOfProcesses, kill } from "./processes.ts"
import { limitMs, plainRule, sandboxCast, sealKey, startTestBot, type World, type WorldOptions } from "./world.ts"

const env = { HOOK_SECRET: aSecret() }

async function aReceiver(): Promise<Receiver> {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  return receiver
}

const hook = (url: string, more = "") => `webhooks: [{name: siem, url: "${url}", secret: "\${HOOK_SECRET}"${more}}]`

/** A world with one webhook that has begun. */
async function aHookedWorld(receiver: Receiver, options: WorldOptions = {}, more = ""): Promise<World> {
  const world = await aWorld({ more: hook(`${receiver.url}/in`, more), env, ...options })
  await begun(world)
  return world
}

function begun(world: World) {
  return until("the webhook to begin", () => world.log.find(({ event }) => event === "webhook-begun"))
}

/** Erases a person, as an operator does. */
async function erase(here: World, person: string): Promise<void> {
  const log = createLog({ write: () => undefined, clock: Date.now, secrets: [] })
  const { installation } = here
  const place = { redisUrl: testRedisUrl(), installation, sandbox: true, key: sealKey, random: randomBytes, log }
  const done = await withStoreAt(place, (store) => store.erase({ person, names: [], by: "operator", at: Date.now() }))
  expect(done).toMatchObject({ cases: 1, left: [] })
}

/** The id of the case that the receiver heard of first; it may have to wait for it. */
async function firstCase(receiver: Receiver): Promise<string> {
  const heard = () =>
    receiver.received.find(({ verified }) => verified?.type === "countersign.opened")?.verified?.subject
  return until("a case to be told", heard)
}

/** Waits until the receiver knows that the case is closed, and returns all kinds of its entries in their order. */
async function wholeCase(receiver: Receiver, caseId: string, ms = limitMs): Promise<readonly string[]> {
  return until(
    "the case to be told to its end",
    () => (receiver.kindsOf(caseId).includes("closed") ? receiver.kindsOf(caseId) : undefined),
    ms,
  )
}

it("a receiver is told a case from its opening to its end, signed, in order, each under its own id", async () => {
  const receiver = await aReceiver()
  const here = await aHookedWorld(receiver)
  const { asked, open } = await announced(here)

  await press(here, sandboxCast.alice, open, "approve")
  await decided(here, asked.id)
  const kinds = await wholeCase(receiver, await firstCase(receiver))

  expect(kinds[0]).toBe("opened")
  expect(kinds.filter((kind) => ["voted", "decided", "resolved", "closed"].includes(kind))).toEqual([
    "voted",
    "decided",
    "resolved",
    "closed",
  ])
  expect(receiver.received.every(({ verified }) => verified !== null)).toBe(true)
  const ids = receiver.received.map(({ verified }) => verified?.id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual(ids)
})

it("an event has no argument, unless the config says so, and then without what rules mask", async () => {
  const [plain, whole] = [await aReceiver(), await aReceiver()]
  const masking = `${plainRule}\n    mask: [password]`
  const url = (one: Receiver, name: string, more = "") =>
    `{name: ${name}, url: "${one.url}", secret: "\${HOOK_SECRET}"${more}}`
  const more = `webhooks: [${url(plain, "plain")}, ${url(whole, "whole", ", include: arguments")}]`
  const here = await aWorld({ rules: masking, more, env })
  await until("both to begin", () =>
    here.log.filter(({ event }) => event === "webhook-begun").length === 2 ? true : undefined,
  )
  const asked = await ask(here, { tool_args: { user_id: "U-4711", password: "hunter2-hunter2" } })

  await press(here, sandboxCast.alice, await card(here), "approve")
  await decided(here, asked.id)
  for (const one of [plain, whole]) await wholeCase(one, await firstCase(one))

  const [told, toldWhole] = [plain, whole].map(({ received }) => received.map(({ body }) => body).join("\n"))
  expect(told).not.toMatch(/U-4711|hunter2/)
  expect(told).toContain('"calls":[{"tool":"delete_user_data"}]')
  expect(toldWhole).toContain("U-4711")
  expect(toldWhole).not.toContain("hunter2")
})

it("no event leaves unsigned: if the file of secrets is gone before the first one, it waits until the file is back", async () => {
  const receiver = await aReceiver()
  const file = join(aFolder("webhook-secret"), "secret")
  writeFileSync(file, aSecret())
  const more = `webhooks: [{name: siem, url: "${receiver.url}", secret_file: ${file}, events: [opened]}]`
  const here = await aHookedWorld(receiver, { more })
  rmSync(file)

  await announced(here)
  const failed = () => here.log.find(({ event }) => event === "webhook-failed")
  await until("an attempt", () => failed() ?? receiver.received[0])
  const before = receiver.received.length
  writeFileSync(file, aSecret())
  await firstCase(receiver)

  expect(before).toBe(0)
  expect(alarms(here)).toContain("webhook-file-unusable")
  expect(receiver.received.every(({ verified }) => verified !== null)).toBe(true)
})

it("a webhook with kinds is sent these alone", async () => {
  const receiver = await aReceiver()
  const here = await aHookedWorld(receiver, {}, ", events: [decided, closed]")
  const { asked, open } = await announced(here)

  await press(here, sandboxCast.alice, open, "reject")
  await decided(here, asked.id)
  await until("the end", () => (receiver.received.length >= 2 ? true : undefined))

  expect(receiver.received.map(({ verified }) => verified?.type)).toEqual(["countersign.decided", "countersign.closed"])
})

it("a receiver that hangs, refuses or redirects slows no decision, and gets everything in order once it is well", async () => {
  const receiver = await aReceiver()
  const here = await aHookedWorld(receiver)
  const accept = receiver.answer
  receiver.answer = (response, { verified }) => {
    const { number = 0 } = verified?.data.entry ?? {}
    if (number % 3 === 1) response.writeHead(503).end()
    else if (number % 3 === 2) response.writeHead(302, { location: "http://127.0.0.1:9/" }).end()
  }
  const { asked, open } = await announced(here)
  await press(here, sandboxCast.alice, open, "approve")
  await decided(here, asked.id)
  await until("a failure", () => here.log.find(({ event }) => event === "webhook-failed"))

  receiver.answer = accept
  const kinds = await wholeCase(receiver, await firstCase(receiver), 180_000)

  expect(kinds.indexOf("opened")).toBeLessThan(kinds.indexOf("decided"))
  expect(alarms(here)).toEqual([])
})

const withArguments = ", include: arguments"

it.each(["", withArguments])("R15 what is erased before it is sent is not sent%s", async (more) => {
  const receiver = await aReceiver()
  const rules = plainRule.replace("never", "reject")
  const here = await aHookedWorld(receiver, { rules, more: hook(receiver.url, more) })
  const accept = receiver.answer
  receiver.answer = (response) => void response.writeHead(429, { "retry-after": "4" }).end()
  const { asked, open } = await announced(here)
  await press(here, sandboxCast.alice, open, "approve")
  await decided(here, asked.id)
  await until("the case to be closed", async () =>
    (await ledgerOf(here)).some(({ kind }) => kind === "closed") ? true : undefined,
  )
  await erase(here, `T0SANDBOX:${sandboxCast.alice}`)
  const before = receiver.received.length

  receiver.answer = accept
  await wholeCase(receiver, await firstCase(receiver), 180_000)

  const later = receiver.received.slice(before).map(({ body }) => body)
  expect(later.join("\n")).toContain('"kind":"voted"')
  expect(later.join("\n")).not.toContain("alice@sandbox.example")
})

it("R15 arguments whose time is over before they are sent are not sent", async () => {
  const receiver = await aReceiver()
  const here = await aHookedWorld(receiver, { more: `retain_arguments: 1s\n${hook(receiver.url, withArguments)}` })
  const accept = receiver.answer
  receiver.answer = (response) => void response.writeHead(429, { "retry-after": "4" }).end()
  const asked = await ask(here, { tool_args: { user_id: "U-4711" } })
  const bodies = () => receiver.received.map(({ body }) => body).join("\n")
  await until("an attempt with the arguments", () => (bodies().includes("U-4711") ? true : undefined))
  await press(here, sandboxCast.alice, await card(here), "approve")
  await decided(here, asked.id)
  const { store } = await openStore({ installation: here.installation, key: sealKey, revision: null })
  const caseId = caseIdOf(here.installation, "main", asked.id)
  await until("the arguments to be gone", async () => {
    const found = await store.cases.read(caseId)
    if (found === null || "kind" in found) throw new Error("the case cannot be read")
    return found.state === "closed" && found.approval === null && found.kept === undefined ? true : undefined
  })
  const before = receiver.received.length

  receiver.answer = accept
  await wholeCase(receiver, caseId, 180_000)

  const later = receiver.received.slice(before).map(({ body }) => body)
  expect(later.join("\n")).toContain('"kind":"voted"')
  expect(later.join("\n")).not.toContain("U-4711")
})

it("a 410 switches a webhook off with an alarm, and a restart with another address goes on where it stood", async () => {
  const [gone, next] = [await aReceiver(), await aReceiver()]
  const here = await aHookedWorld(gone)
  gone.answer = (response) => void response.writeHead(410).end()
  const { asked, open } = await announced(here)
  await until("the alarm", () => (alarms(here).includes("webhook-off") ? true : undefined))
  await here.bot.close()
  const yaml = here.yaml.replace(gone.url, next.url)
  const bot = await startTestBot({ env: here.env, yaml, log: [], redisUrl: testRedisUrl() })
  onTestFinished(() => bot.close())

  await press(here, sandboxCast.alice, open, "approve")
  await decided(here, asked.id)
  const kinds = await wholeCase(next, await firstCase(next))

  expect(kinds[0]).toBe("opened")
  expect(gone.received).not.toEqual([])
})

it("two replicas, of which the one that sends is killed in the middle: nothing is lost, and the order holds", async () => {
  const receiver = await aReceiver()
  const options = { more: hook(receiver.url), env }
  const { here, start } = await aWorldOfProcesses(options, (close) => onTestFinished(close))
  const [first, second] = [await start(), await start()]
  const accept = receiver.answer
  const held = Promise.withResolvers<void>()
  receiver.answer = (response, request) => {
    if (request.verified?.type === "countersign.opened") held.resolve()
    else accept(response, request)
  }
  const { asked, open } = await announced(here)
  await held.promise
  // One of the two waits for an answer to its POST. Whichever it is, one of these ends it in the middle.
  await kill(first)
  receiver.answer = accept
  await press(here, sandboxCast.alice, open, "approve")
  await decided(here, asked.id)
  const third = await start()
  await kill(second)

  const kinds = await wholeCase(receiver, await firstCase(receiver), 180_000)

  expect(third.exitCode).toBeNull()
  expect(kinds[0]).toBe("opened")
  expect(kinds.filter((kind) => ["voted", "decided", "resolved", "closed"].includes(kind))).toEqual([
    "voted",
    "decided",
    "resolved",
    "closed",
  ])
}, 400_000)
