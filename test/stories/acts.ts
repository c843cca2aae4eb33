// What the people and programs of a story do, and what they see.
import { caseIdOf } from "../../src/domain/case/case.ts"
import { createLog } from "../../src/log.ts"
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { actionIds, formIds, viewIds } from "../../src/slack/ids.ts"
import { readLedger } from "../../src/store/ledger/read-ledger.ts"
import { connectRedis, type StoreConnection } from "../../src/store/redis/connection.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { keysLike, testRedisUrl } from "../support/redis.ts"
import { limitMs, type Row, type Stage, sandboxCast, type World } from "./world.ts"

/** What people see of a world, whatever bot runs in it. */
export type Screen = Pick<Stage, "sandbox">

/** A message in a channel, as people see it. */
export interface Seen {
  readonly ts: string
  readonly channel: string
  readonly words: string
  readonly buttons: readonly string[]
}

/** Calls the service as its operator. */
export async function operate(
  world: World,
  request: string,
  json?: unknown,
): Promise<{ status: number; body: unknown }> {
  const [method = "GET", path = "/"] = request.split(" ")
  const scopes = [
    "approvals:create",
    "approvals:read",
    "approvals:write",
    "approvals:delete",
    "agents:run",
    "agents:read",
  ]
  const token = operators.get(world) ?? world.service.mintServiceAccount({ name: "operator", scopes })
  operators.set(world, token)
  const response = await fetch(world.service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(json === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === "" ? null : JSON.parse(text) }
}

const operators = new WeakMap<World, string>()

/** A program asks for an approval. */
export async function ask(world: World, call: Record<string, unknown> = {}): Promise<Row> {
  const asked = { tool_name: "delete_user_data", tool_args: { user_id: "U-100" }, agent_id: "admin-agent", ...call }
  const { status, body } = await operate(world, "POST /approvals", asked)
  if (status !== 201) throw new Error(`POST /approvals answered ${status}: ${JSON.stringify(body)}`)
  return body as Row
}

/** A program asks for an approval, and its card hangs. */
export async function announced(world: World): Promise<{ readonly asked: Row; readonly open: Seen }> {
  return { asked: await ask(world), open: await card(world) }
}

/** The platform's record now. */
export async function record(world: World, id: string): Promise<Row> {
  const { body } = await operate(world, `GET /approvals/${id}`)
  return body as Row
}

/** The platform's record once it is decided. */
export async function decided(world: World, id: string, ms = limitMs): Promise<Row> {
  const look = async () => {
    const row = await record(world, id)
    return row.status === "pending" ? undefined : row
  }
  return until(`approval ${id} to be decided`, look, ms)
}

/** Asks again and again until there is an answer; for what does not announce itself. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  ms = limitMs,
): Promise<T> {
  const end = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`waited ${ms} ms for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** All text of blocks, in reading order. */
export function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(" ")
  if (typeof value !== "object" || value === null) return ""
  const own = "text" in value && typeof value.text === "string" ? value.text : ""
  const user = "user_id" in value && typeof value.user_id === "string" ? `<@${value.user_id}>` : ""
  const rest = Object.values(value).map((member) => (typeof member === "object" ? wordsOf(member) : ""))
  return [own, user, ...rest].filter((part) => part !== "").join(" ")
}

function buttonsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(buttonsOf)
  if (typeof value !== "object" || value === null) return []
  const own = "type" in value && value.type === "button" && "action_id" in value ? [String(value.action_id)] : []
  return [...own, ...Object.values(value).flatMap(buttonsOf)]
}

/** The messages of a channel that hold all these words. */
export function cards(world: Screen, words: string, channel: string = sandboxCast.approvals): readonly Seen[] {
  return world.sandbox
    .messages(channel)
    .map((message) => ({
      ts: message.ts,
      channel,
      words: `${message.text} ${wordsOf(message.blocks)}`,
      buttons: buttonsOf(message.blocks),
    }))
    .filter((seen) => words.split(" ").every((word) => seen.words.includes(word)))
}

/** The channel of what a person is sent directly. */
export function directOf(world: Screen, person: string): string {
  const found = world.sandbox.workspace.people.get(person)
  return found === undefined ? "" : world.sandbox.workspace.directChannel(found).id
}

/** The first card with these words, once it hangs. */
export function card(
  world: Screen,
  words = "delete_user_data",
  channel: string = sandboxCast.approvals,
): Promise<Seen> {
  return world.sandbox.waitFor(() => cards(world, words, channel)[0], { limitMs, what: `a card with "${words}"` })
}

/**
 * Waits until the bot knows where a card hangs: the first one, or that of an approval. A press before that is carried
 * out a moment later, whatever else goes wrong then; one that asks for a form is told to come again.
 */
export async function placed(world: Stage, approval?: string): Promise<void> {
  const caseId = approval === undefined ? undefined : caseIdOf(world.installation, "main", approval)
  const isAbout = (line: Record<string, unknown>) => caseId === undefined || line["caseId"] === caseId
  await until("a card's place to be known", () => world.log.find((line) => line["kind"] === "placed" && isAbout(line)))
}

/** The first card that says just this, once it does. */
export function cardSaying(world: Screen, phrase: string): Promise<Seen> {
  const look = () => cards(world, "").find((seen) => seen.words.includes(phrase))
  return world.sandbox.waitFor(look, { limitMs, what: `a card that says "${phrase}"` })
}

/** How a card begins whose verdict is on its way: it has no buttons either, and has not settled. */
const UNDER_WAY = /^… (Deciding|Approving|Rejecting): /

/** The card without buttons, once it settled. */
export function settled(
  world: Screen,
  words: string,
  channel: string = sandboxCast.approvals,
  ms = limitMs,
): Promise<Seen> {
  const isSettled = (seen: Seen) => !seen.buttons.includes(actionIds.approve) && !UNDER_WAY.test(seen.words)
  const look = () => cards(world, words, channel).find(isSettled)
  return world.sandbox.waitFor(look, { limitMs: ms, what: `a settled card with "${words}"` })
}

/** Presses Approve or Reject on a card, as the screen shows it. */
export function press(world: Screen, person: string, on: Seen, verb: "approve" | "reject") {
  return world.sandbox.click(person, { channel: on.channel, ts: on.ts }, actionIds[verb])
}

/** The message of a card as it stands on the screen now, for a press on a screen that does not catch up. */
export function onScreen(world: Screen, ts: string, channel: string = sandboxCast.approvals): PostedMessage {
  const message = world.sandbox.messages(channel).find((one) => one.ts === ts)
  if (message === undefined) throw new Error(`no message ${ts} hangs in ${channel}`)
  return message
}

/** Presses Approve as an old screen still shows it. */
export function approveFromOldScreen(world: Stage, person: string, seen: PostedMessage) {
  const { channelId: channel, ts } = seen
  return world.sandbox.click(person, { channel, ts }, actionIds.approve, { seen })
}

/** The form that opens for a person. */
export function formOf(world: Screen, person: string) {
  const look = () => {
    const view = world.sandbox.openView(person)
    return view?.definition.callback_id === viewIds.form ? view : undefined
  }
  return world.sandbox.waitFor(look, { limitMs, what: `a form for ${person}` })
}

/** Fills in the reason form that is open for a person. */
export async function giveReason(world: Screen, person: string, reason: string) {
  const view = await formOf(world, person)
  return world.sandbox.submit(person, view.id, { [formIds.reason]: reason })
}

/** What a person was told privately, once it holds these words. */
export function told(world: Screen, person: string, words: string): Promise<string> {
  const look = () =>
    world.sandbox
      .ephemerals(person)
      .map((message) => `${message.text} ${wordsOf(message.blocks)}`)
      .find((text) => text.toLowerCase().includes(words.toLowerCase()))
  return world.sandbox.waitFor(look, { limitMs, what: `${person} to be told "${words}"` })
}

/** What a person's modal says, once it holds these words. */
export function viewSays(world: Screen, person: string, words: string): Promise<string> {
  const look = () => {
    const said = wordsOf(world.sandbox.openView(person)?.definition.blocks)
    return said.toLowerCase().includes(words.toLowerCase()) ? said : undefined
  }
  return world.sandbox.waitFor(look, { limitMs, what: `${person}'s modal to say "${words}"` })
}

/** The lines in a card's thread, once one holds these words. */
export function threadSays(world: Screen, on: Seen, words: string, ms = limitMs): Promise<readonly string[]> {
  const look = () => {
    const lines = world.sandbox.thread(on.channel, on.ts).map((message) => `${message.text} ${wordsOf(message.blocks)}`)
    return lines.some((line) => line.includes(words)) ? lines : undefined
  }
  return world.sandbox.waitFor(look, { limitMs: ms, what: `a thread line with "${words}"` })
}

/** How often the platform was asked to resolve. */
export function resolves(world: World): number {
  return world.proxy.passed.filter((one) => one.method === "POST" && one.path.endsWith("/resolve")).length
}

/** What Slack said a moment ago is as old as an answer may be. */
export async function answersGrowOld(world: World): Promise<void> {
  await withRedis({ url: testRedisUrl(), installation: world.installation }, async ({ commands }) => {
    const kept = await keysLike(commands, createKeys(world.installation).answer("*"))
    if (kept.length > 0) await commands.del(kept)
  })
}

/** What the ledger says, entry by entry. `redisUrl` is for a world with a Redis of its own. */
export async function ledgerOf(
  world: Pick<Stage, "installation">,
  redisUrl = testRedisUrl(),
): Promise<readonly Record<string, unknown>[]> {
  return withRedis({ url: redisUrl, installation: world.installation }, async ({ commands }) => {
    const entries: Record<string, unknown>[] = []
    const pages = readLedger(commands, createKeys(world.installation), { after: "0-0", pageSize: 100 })
    for await (const page of pages) entries.push(...page.map((entry) => JSON.parse(entry.body).event))
    return entries
  })
}

/** Uses a connection to an installation's Redis, then closes it. */
export async function withRedis<T>(
  { url, installation }: { readonly url: string; readonly installation: string },
  use: (connection: StoreConnection) => Promise<T>,
): Promise<T> {
  const log = createLog({ write: () => undefined, clock: Date.now, level: "error", secrets: [] })
  const connection = await connectRedis({ url, installation, log })
  try {
    return await use(connection)
  } finally {
    await connection.close()
  }
}

/** The alarms that the operator saw, by code. */
export function alarms(world: Stage): readonly string[] {
  return world.log.filter((line) => line["event"] === "alarm").map((line) => String(line["code"]))
}

/** From now on no poll reads anything, so that only a click can find out what changed. */
export function pausePolls(world: World): void {
  world.proxy.fail({
    method: "GET",
    path: /\/approvals$/,
    fault: { kind: "answer", status: 503, body: { detail: "down" } },
  })
}

/** Starts a run of `agents/x` or `teams/x`, as an agent's program would; the platform's answer. */
export function startRun(here: World, component: string, message = "go"): Promise<Response> {
  const headers = { authorization: `Bearer ${here.env["RESUME_TOKEN"]}` }
  const body = new URLSearchParams({
    message,
    stream: "false",
    session_id: "s-1",
    user_id: "rita@sandbox.example",
  })
  return fetch(`${here.service.url}/${component}/runs`, { method: "POST", headers, body })
}
