// Another file changes the rules only if people approve it, once the active config says so (R16).
import { describe, expect, it, test } from "vitest"
import type { Bot } from "../../src/bot.ts"
import type { Platform, Ports } from "../../src/flow/ports.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { openStore } from "../store/support.ts"
import { startFaultyProxy } from "../support/faulty-proxy.ts"
import { opened } from "../support/opened.ts"
import { anOperator } from "../support/orders.ts"
import { testRedisUrl } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import {
  approveFromOldScreen,
  ask,
  card,
  cards,
  decided,
  ledgerOf,
  onScreen,
  press,
  record,
  type Seen,
  settled,
  threadSays,
  told,
  until,
} from "./acts.ts"
import { limitMs, sandboxCast, sealKey, startTestBot, type World } from "./world.ts"

const { alice, bob, rita, payments } = sandboxCast
const guard = `rules_change: { approvers: [${alice}, ${bob}], route: ${payments} }`

/** A replica with a file of its own. */
interface Replica {
  readonly bot: Bot
  readonly log: readonly Record<string, unknown>[]
}

interface Start {
  readonly activate?: boolean
  readonly around?: (ports: Ports) => Ports
}

async function replicaWith(here: World, yaml: string, start: Start = {}): Promise<Replica> {
  const log: Record<string, unknown>[] = []
  const bot = await opened(startTestBot({ env: here.env, yaml, log, redisUrl: testRedisUrl(), ...start }))
  return { bot, log }
}

/** The world's file, with one more approver of everything. */
function withRita({ yaml }: World): string {
  return yaml.replace(`approvers: [${sandboxCast.approvers}]`, `approvers: [${sandboxCast.approvers}, ${rita}]`)
}

function withReason({ yaml }: World): string {
  return yaml.replace("require_reason: never", "require_reason: always")
}

/** The card of a proposal that names this key as changed, while it can be approved. */
async function proposed(here: World, key: string): Promise<Seen> {
  const look = () => cards(here, `to_revision ${key}`, payments).find((one) => one.buttons.includes(actionIds.approve))
  return here.sandbox.waitFor(look, { limitMs, what: `the card of a proposal about ${key}` })
}

/** Alice and Bob approve a proposal, which becomes the active config. */
async function approvedBy(here: World, key: string): Promise<void> {
  const open = await proposed(here, key)
  await press(here, alice, open, "approve")
  await proposalSaying(here, "must approve; 1 has")
  await press(here, bob, open, "approve")
  const counting = () => cards(here, "", payments).find(({ ts, words }) => ts === open.ts && words.includes(nowCounts))
  await here.sandbox.waitFor(counting, { limitMs, what: "the proposal's card to say that it counts" })
}

const nowCounts = "These rules count now."

function proposalSaying(here: World, phrase: string): Promise<Seen> {
  const look = () => cards(here, "", payments).find((seen) => seen.words.includes(phrase))
  return here.sandbox.waitFor(look, { limitMs, what: `a proposal that says "${phrase}"` })
}

async function changesIn(here: World) {
  const kinds = ["activated", "proposed", "proposal-ended"]
  return (await ledgerOf(here)).filter(({ kind }) => kinds.includes(String(kind)))
}

function alarmed({ log }: Pick<Replica, "log">, code: string) {
  return log.filter((line) => line["event"] === "alarm" && line["code"] === code)
}

describe.each(["socket", "http"] as const)("R16 in %s mode", (mode) => {
  it("a file counts on two replicas only after its card was approved, and the ledger names the decision", async () => {
    const here = await aWorld({ mode, more: guard })
    const newer = await replicaWith(here, withRita(here))
    const open = await proposed(here, "rules[everything].approvers")
    expect(open.words).toContain(`2 of <@${alice}> or <@${bob}> must approve`)
    const early = await ask(here, { tool_name: "asked_early" })
    await press(here, rita, await card(here, "asked_early"), "approve")
    await told(here, rita, "not one of the approvers")

    await approvedBy(here, "rules[everything].approvers")
    await until("the older one to go over", () => here.log.find((line) => line["event"] === "config-taken-over"))
    await here.sandbox.waitFor(() => cards(here, `asked_early ${rita}`)[0], { limitMs, what: "a card that asks Rita" })
    await press(here, rita, await card(here, "asked_early"), "approve")

    expect(await decided(here, early.id)).toMatchObject({ status: "approved" })
    const changes = await changesIn(here)
    expect(changes.map(({ kind }) => kind)).toEqual(["activated", "proposed", "activated"])
    const [decision] = (await ledgerOf(here)).filter(({ kind, verb }) => kind === "decided" && verb === "approve")
    expect(changes[2]).toMatchObject({ proposal: changes[1]?.["proposal"], decision: decision?.["decision"] })
    expect(newer.log.find((line) => line["event"] === "config-needs-approval")).toMatchObject({ kind: "proposed" })
    const unshown = [...here.log, ...newer.log].filter((line) => line["event"] === "not-shown-at-once")
    expect(unshown.filter(({ level }) => level === "warn")).toEqual([])
  })
})

test("R16 a rejected file is not proposed by the next start, and its thread tells how it ended", async () => {
  const here = await aWorld({ more: guard })
  const newer = await replicaWith(here, withRita(here))
  await press(here, bob, await proposed(here, "rules[everything].approvers"), "reject")
  await proposalSaying(here, "The rules stay as they are.")
  await newer.bot.close()

  const again = await replicaWith(here, withRita(here))

  expect(again.log.find((line) => line["event"] === "config-needs-approval")).toMatchObject({ kind: "refused" })
  expect((await changesIn(here)).map(({ kind }) => kind)).toEqual(["activated", "proposed", "proposal-ended"])
})

test("R16 of two replicas with two files the later takes the place of the earlier: its votes are void, with an alarm", async () => {
  const here = await aWorld({ more: guard })
  await replicaWith(here, withRita(here))
  const first = await proposed(here, "rules[everything].approvers")
  await press(here, alice, first, "approve")
  await proposalSaying(here, "must approve; 1 has")
  const oldScreen = onScreen(here, first.ts, payments)

  const other = await replicaWith(here, withReason(here))
  const second = await proposed(here, "rules[everything].require_reason")
  const over = await proposalSaying(here, "Replaced: A newer proposal took its place; the command show ")
  await approveFromOldScreen(here, bob, oldScreen)
  await until("Bob to be told", () => (here.sandbox.ephemerals(bob).length > 0 ? true : undefined))
  await until("the alarm", () => [here, other].flatMap((one) => alarmed(one, "proposal-replaced"))[0])

  expect((await changesIn(here)).filter(({ kind }) => kind === "activated")).toHaveLength(1)
  const newer = (await ledgerOf(here)).find(({ kind }) => kind === "elsewhere")?.["proposal"]
  expect(newer).toEqual({ how: "replaced", newer: expect.stringMatching(/^[0-9a-f]{20}$/) })
  const thread = await threadSays(here, over, "A newer proposal took its place; the command show ")
  expect(thread.join("\n")).not.toContain("outside Countersign")
  expect(second.words).toContain("nobody has yet")
})

test("R16 an earlier config comes back only by approval, too", async () => {
  const here = await aWorld({ more: guard })
  const newer = await replicaWith(here, withRita(here))
  await approvedBy(here, "rules[everything].approvers")
  await newer.bot.close()

  const old = await replicaWith(here, here.yaml)
  expect(old.log.find((line) => line["event"] === "config-needs-approval")).toBeUndefined()
  const back = await replicaWith(here, here.yaml, { activate: true })
  expect(back.log.find((line) => line["event"] === "config-needs-approval")).toMatchObject({ kind: "proposed" })
  await approvedBy(here, "rules[everything].approvers")

  const activated = (await changesIn(here)).filter(({ kind }) => kind === "activated")
  expect(activated.map(({ again }) => again)).toEqual([false, false, true])
})

test("R16 a replica whose file moves an instance is not ready before that is approved, and says why", async () => {
  const here = await aWorld({ more: guard })
  const moved = await opened(startFaultyProxy(here.service.url))
  const newer = await replicaWith(here, here.yaml.replace(here.proxy.url, moved.url))
  const ready = async ({ url }: Bot) => {
    const response = await fetch(`${url}/readyz`)
    return [response.status, await response.text()] as const
  }

  const [status, words] = await ready(newer.bot)
  expect(status).toBe(503)
  expect(words).toContain("its file is not approved yet, and it moves instance main")
  expect((await ready(here.bot))[0]).toBe(200)
  expect(moved.passed).toEqual([])

  await approvedBy(here, "instances[main].url")
  await until("the newer one to be ready", async () => ((await ready(newer.bot))[0] === 200 ? true : undefined))
})

test.each<[string, (resolve: Platform["resolve"]) => Platform["resolve"]]>([
  ["before the activation", () => () => Promise.reject(new Error("killed"))],
  [
    "after it, before anybody heard of it",
    (resolve) =>
      async (...given) => {
        await resolve(...given)
        throw new Error("killed")
      },
  ],
])("R9 R16 a verdict that was cut off %s goes on, and its config becomes active once", async (_when, cut) => {
  const here = await aWorld({ more: guard })
  await here.bot.close()
  const dying = await replicaWith(here, here.yaml, {
    around: (ports) => {
      const builtIn = ports.platforms.get("countersign")
      if (builtIn === undefined) return ports
      const platforms = new Map([
        ...ports.platforms,
        ["countersign", { ...builtIn, resolve: cut((...given) => builtIn.resolve(...given)) }],
      ])
      return { ...ports, platforms }
    },
  })
  const proposer = await replicaWith(here, withRita(here))
  const open = await proposed(here, "rules[everything].approvers")
  await proposer.bot.close()
  await press(here, alice, open, "approve")
  await proposalSaying(here, "must approve; 1 has")
  await press(here, bob, open, "approve")
  await until("the decision", async () => (await ledgerOf(here)).find(({ kind }) => kind === "decided"))
  await dying.bot.close()

  await here.start()
  await proposalSaying(here, nowCounts)

  const activated = (await changesIn(here)).filter(({ kind }) => kind === "activated")
  expect(activated).toHaveLength(2)
  const resolved = (await ledgerOf(here)).filter(({ kind }) => kind === "resolved")
  expect(resolved).toMatchObject([{ decision: activated[1]?.["decision"] }])
})

test("R16 a config under which too few people could approve the next one is not approved", async () => {
  const here = await aWorld({ more: guard })
  const gone = `rules_change: { approvers: [${alice}, nobody@sandbox.example], route: ${payments} }`
  await replicaWith(here, here.yaml.replace(guard, gone))
  const open = await proposed(here, "rules_change.approvers")

  await press(here, bob, open, "approve")

  await told(here, bob, "only 1 of those it lists can vote now")
  expect(cards(here, "to_revision", payments)[0]?.words).toContain("nobody has yet")
  await press(here, bob, open, "reject")
  await proposalSaying(here, "The rules stay as they are.")
})

test("R21 no stop covers a proposal", async () => {
  const here = await aWorld({ more: guard })
  const { store } = await openStore({ installation: here.installation, key: sealKey, revision: null })
  await store.config.orders.stop({ match: {}, by: anOperator(), reason: "runaway", at: Date.now(), until: null })
  await replicaWith(here, withRita(here))

  await approvedBy(here, "rules[everything].approvers")

  const waiting = await ask(here)
  await press(here, alice, await card(here), "reject")
  expect(await decided(here, waiting.id)).toMatchObject({ status: "rejected" })
  expect(await record(here, waiting.id)).toMatchObject({ status: "rejected" })
  await settled(here, "delete_user_data")
})
