// An installation in which everything happens that can happen, so that Redis holds every kind of key. It notes each key
// that ever was there, even for a moment.
import { randomBytes } from "node:crypto"
import { withStoreAt } from "../../src/cli/installation/opened-store.ts"
import { createLog } from "../../src/log.ts"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import { aWorld } from "../stories/a-world.ts"
import { ask, cards, decided, operate, press, startRun, until } from "../stories/acts.ts"
import { sendBackForm } from "../stories/sending-back.ts"
import { sandboxCast, sealKey, startTestBot, type World } from "../stories/world.ts"
import { testRedisUrl } from "../support/redis.ts"
import { aSecret } from "../webhooks/receiver.ts"
import { logged } from "./acts.ts"
import type { Attacker } from "./attacker.ts"
import { withdrawn } from "./votes.ts"

const rules = `
  - name: by address
    match: { tool: "delete_user_data" }
    routes: [${sandboxCast.approvals}]
    approvers: [alice@sandbox.example, ${sandboxCast.bob}]
    quorum: 2
    expire_after: 1h
    remind_after: [1s]
    unknown_requester: allow
    require_reason: never
  - name: credits
    match: { tool: "give_credit" }
    routes: [${sandboxCast.payments}]
    approvers: [${sandboxCast.approvers}]
    unknown_requester: allow
    limit: { sum: args.amount, window: 1h, above: 100, then: { quorum: 2 } }
  - name: everything else
    routes: [${sandboxCast.payments}]
    approvers: [${sandboxCast.approvers}]
    unknown_requester: allow
    require_reason: reject`

const script: ScriptInput = {
  agents: [
    {
      id: "admin-agent",
      tools: [{ name: "send_email", gated: true }],
      runs: [{ name: "go", turns: [[{ tool: "send_email", args: { to: "all" } }]], answer: "Done." }],
    },
  ],
}

/**
 * Starts a busy world. It has one config, a quorum by address, summaries, runs that are continued, and an agent that
 * asks for more than it has room for. Cards are posted as seldom as Slack wants it: on a slow machine, too, some
 * wait for others, and a summary hangs.
 */
export function aBusyWorld(): Promise<World> {
  const more = `limits: { cards_per_agent: 6 }
ledger: { checkpoint_every: 1s, checkpoint_entries: 1 }
webhooks: [{ name: nobody, url: "http://127.0.0.1:9", secret: "\${HOOK_SECRET}" }]
rules_change: { approvers: [${sandboxCast.approvers}], route: ${sandboxCast.payments} }`
  return aWorld({
    rules,
    more,
    env: { HOOK_SECRET: aSecret() },
    script,
    resume: "decided",
    summaryAbove: 1,
    paceMs: 1_000,
  })
}

/** Sees every key that lies in Redis until it is told to stop, and gives them then. */
export function collectKeys(attacker: Attacker): () => Promise<readonly string[]> {
  const seen = new Set<string>()
  const over = new AbortController()
  // A world that fails closes its connections: then this ends, too, or it would keep the process busy for ever.
  const looking = (async () => {
    while (!over.signal.aborted) for (const key of await attacker.named()) seen.add(key)
  })()
  // Whoever asks for the keys hears of a failure; a world that failed earlier does not ask.
  looking.catch(() => undefined)
  return async () => {
    over.abort()
    await looking
    return [...seen].toSorted()
  }
}

/** What people and programs do there. */
export async function doAll(here: World): Promise<void> {
  await here.sandbox.openHome(sandboxCast.alice)
  const asked = await ask(here)
  await voteAndTakeBack(here)
  await decide(here, asked.id)
  await continueRun(here)
  await ask(here, { tool_name: "give_credit", tool_args: { amount: 5 } })
  await endDecision(here)
  await Promise.all(Array.from({ length: 10 }, (_, at) => ask(here, { tool_name: `pay_${at}` })))
  await until("a summary", () => cardWith(here, sandboxCast.payments, actionIds.review))
  await until("the alarm about what waits for room", () => here.log.find((line) => line["code"] === "flood"))
  await rejectOne(here)
  // It covers nothing, and people are told of it all the same.
  await here.sandbox.command(sandboxCast.alice, sandboxCast.approvals, "/approvals stop tool:no_such_tool in case")
  await proposeRules(here)
  await giveUp(here, "nobody")
  await until("a checkpoint", () => here.log.find((line) => line["event"] === "ledger-checkpoint"))
}

function cardWith(here: World, channel: string, action: string) {
  return cards(here, "", channel).find((one) => one.buttons.includes(action))
}

async function voteAndTakeBack(here: World): Promise<void> {
  const open = await until("a card", () => cardWith(here, sandboxCast.approvals, actionIds.approve))
  await press(here, sandboxCast.alice, open, "approve")
  await logged(here, "voted")
  await withdrawn(here, sandboxCast.alice)
}

async function decide(here: World, id: string): Promise<void> {
  for (const person of [sandboxCast.bob, sandboxCast.alice]) {
    const open = await until("a card", () => cardWith(here, sandboxCast.approvals, actionIds.approve))
    await press(here, person, open, "approve")
  }
  await decided(here, id)
}

/** A person approves, and the platform refuses that. */
async function endDecision(here: World): Promise<void> {
  const open = await until("its card", () => cards(here, "give_credit", sandboxCast.payments)[0])
  const refusal = { kind: "answer", status: 403, body: {} } as const
  const heal = here.proxy.fail({ method: "POST", path: /\/resolve$/, fault: refusal })
  await press(here, sandboxCast.alice, open, "approve")
  await logged(here, "reopened")
  heal()
}

/** Somebody sends a call back, which rejects it. */
async function rejectOne(here: World): Promise<void> {
  const open = await until("a card to reject", () => cardWith(here, sandboxCast.payments, actionIds.reject))
  const form = await sendBackForm(here, sandboxCast.bob, open)
  await here.sandbox.submit(sandboxCast.bob, form.id, { field_0_0: "7", [formIds.reason]: "not today" })
  await until("a rejection", async () => {
    const { body } = await operate(here, "GET /approvals?status=rejected")
    return JSON.stringify(body).includes("not today") ? true : undefined
  })
}

/** A webhook gives up an entry, as it does after a day. */
async function giveUp({ installation }: World, webhook: string): Promise<void> {
  const log = createLog({ write: () => undefined, clock: Date.now, secrets: [] })
  const place = { redisUrl: testRedisUrl(), installation, sandbox: true, key: sealKey, random: randomBytes, log }
  await withStoreAt(place, ({ outboxes }) =>
    until("an entry to be given up", async () => {
      const before = await outboxes.read(webhook)
      if (before.outbox === null) return undefined
      const died = [{ number: 1, chain: "installation", at: Date.now(), why: "answered 500" }]
      return (await outboxes.save(webhook, { before, next: before.outbox, died })) || undefined
    }),
  )
}

/** A replica with another file proposes it. */
async function proposeRules({ env, yaml }: World): Promise<void> {
  const other = yaml.replace("quorum: 2", "quorum: 1")
  await (await startTestBot({ env, yaml: other, log: [], redisUrl: testRedisUrl() })).close()
}

/** An agent's run pauses, is approved, and goes on. */
async function continueRun(here: World): Promise<void> {
  await startRun(here, "agents/admin-agent")
  const open = await until("its card", () => cards(here, "send_email", sandboxCast.payments)[0])
  await press(here, sandboxCast.alice, open, "approve")
  await until("the run to go on", () => (here.service.executions().length > 0 ? true : undefined))
}
