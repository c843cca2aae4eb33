// Acts for stories about attacks, beside those of all stories: the attacker's acts, and looks at what the bot, its
// people and the platform make of them.
import { expect, onTestFinished } from "vitest"
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { alarms, record, resolves, until, wordsOf } from "../stories/acts.ts"
import { type Row, type World } from "../stories/world.ts"
import { testRedisUrl } from "../support/redis.ts"
import { type Attacker, createAttacker } from "./attacker.ts"

/** An attacker on the Redis of a world, until the test is over. */
export function anAttacker(here: World, url = testRedisUrl()): Attacker {
  const attacker = createAttacker({ url, installation: here.installation })
  onTestFinished(() => attacker.close())
  return attacker
}

/** A case's id, once the bot told of it. Only for worlds with one approval. */
export async function onlyCase(here: World): Promise<string> {
  const told = () => here.log.find((line) => line["event"] === "case")?.["caseId"]
  return String(await until("the case to be opened", told))
}

/** Waits until the bot's log tells an event of a case. */
export async function logged(here: World, kind: string): Promise<void> {
  await until(`the log to tell of "${kind}"`, () =>
    here.log.find((line) => line["event"] === "case" && line["kind"] === kind),
  )
}

/** The alarms from now on. */
export function alarmsSince(here: World): () => readonly string[] {
  const before = alarms(here).length
  return () => alarms(here).slice(before)
}

export { onScreen } from "../stories/acts.ts"

/**
 * Somebody presses what they see, and has an answer: a word to them alone, or a line or card that names them. Nothing
 * of the press is left to be done then; `kept`: but that it is tried again, since nobody may decide at the moment.
 */
export async function pressAndHear(
  here: World,
  {
    person,
    verb,
    seen,
    attacker,
    kept = false,
  }: { person: string; verb: "approve" | "reject"; seen: PostedMessage; attacker: Attacker; kept?: boolean },
): Promise<void> {
  const before = heardBy(here, person)
  const place = { channel: seen.channelId, ts: seen.ts }
  await until("the press to be taken", async () => {
    const outcome = await here.sandbox.click(person, place, actionIds[verb], { seen })
    return outcome.ok ? true : undefined
  })
  await until(`${person} to have an answer`, () => (heardBy(here, person) > before ? true : undefined))
  if (kept) return
  await until("the press to be carried out", async () => {
    const left = await attacker.tickets()
    return left.size === 0 ? true : undefined
  })
}

/** How much people say to somebody or about them. */
function heardBy(here: World, person: string): number {
  const all = here.sandbox.workspace.messages.all()
  const about = all.filter((one) => `${one.text} ${wordsOf(one.blocks)}`.includes(`<@${person}>`))
  return about.length + here.sandbox.ephemerals(person).length
}

/** Waits until the bot raised an alarm, or did what it must not: that is then found by whoever looks. */
export async function noticed(here: World, asked: Row, since: () => readonly string[]): Promise<void> {
  await until("an alarm", async () => {
    if (since().length > 0) return true
    return (await record(here, asked.id)).status === "pending" ? undefined : true
  })
}

/** Nothing was sent since `sent` POSTs went out, nothing was continued, and the platform waits. */
export async function nothingDone(here: World, asked: Row, sent = 0): Promise<void> {
  expect(await record(here, asked.id)).toMatchObject({ status: "pending" })
  expect(resolves(here)).toBe(sent)
  expect(continues(here)).toBe(0)
}

/** How often the platform was asked to continue a run. */
export function continues(here: World): number {
  return here.proxy.passed.filter(({ path }) => path.endsWith("/continue")).length
}
