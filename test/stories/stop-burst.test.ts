// Two hundred clicks at once over two replicas while somebody stops all of it (R21).
import { monitorEventLoopDelay } from "node:perf_hooks"
import { expect, it } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { doubtfulMs } from "../../src/flow/resolve/hold-back.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { callsAMinute } from "../../src/slack/transport/rate-limits.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { anApproval } from "../support/builders.ts"
import { anOperator } from "../support/orders.ts"
import { testRedisUrl } from "../support/redis.ts"
import { type LedgerLine, stopBreaches } from "../support/stop-oracle.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, cards, decided, press, until, withRedis } from "./acts.ts"
import { kindsIn, linesOf, ordersOf } from "./orders.ts"
import { plainRule, type Row, sandboxCast, type World } from "./world.ts"

const count = 50
const pair = `${plainRule}\n    quorum: 2`
const limits = `limits: { cards_per_agent: ${2 * count}, cards_per_instance: ${2 * count} }`
/** A process hears of a stop within a second, and what left before that has come after half a second more, in ms. */
const heardMs = 1_500
/** How long a busy machine may take over two hundred presses, in ms. What may be on its way ends after a minute. */
const longMs = doubtfulMs + 90_000
/** How long drawing every card five times takes at Slack's pace, in ms: votes, the stop, and its end are drawn. */
const drawnMs = (5 * count * 60_000) / callsAMinute["chat.update"]

/** Presses of which nobody has heard the end yet. */
async function ticketsOf({ installation }: World): Promise<number> {
  const { tickets } = createKeys(installation)
  return withRedis({ url: testRedisUrl(), installation }, ({ commands }) => commands.hlen(tickets.sealed))
}

/** Each press is answered, and each verdict has an end: the platform has it, or nobody will send it. */
async function quiet(here: World, rows: readonly Row[]): Promise<readonly LedgerLine[]> {
  const isUnderWay = (kinds: readonly unknown[]) =>
    kinds.lastIndexOf("decided") > Math.max(kinds.lastIndexOf("resolved"), kinds.lastIndexOf("reopened"))
  return until(
    "every press and every verdict to have an end",
    async () => {
      if ((await ticketsOf(here)) > 0) return undefined
      const lines = await linesOf(here)
      return rows.some((row) => isUnderWay(kindsIn(lines, row, here))) ? undefined : lines
    },
    longMs,
  )
}

/** What came to the platform: each approves. */
function postsOf({ proxy }: World) {
  return proxy.passed.filter(({ method, path }) => method === "POST" && path.endsWith("/resolve"))
}

it("R21 of two hundred clicks at once on two replicas none gets through after a stop, nor after its end without a new press", async () => {
  const here = await aWorld({ rules: pair, more: limits })
  await here.start()
  const names = Array.from({ length: count }, (_, n) => `refund_${n}_order`)
  const rows = await Promise.all(names.map((name) => ask(here, { tool_name: name })))
  const subjects = new Map(
    rows.map(({ id, tool_name: toolName }) => {
      const approval = anApproval({ id, toolName: String(toolName), requirements: null })
      return [caseIdOf(here.installation, "main", id), { instance: "main", approval }]
    }),
  )
  const open = await Promise.all(names.map((name) => card(here, name)))
  await until(
    "every card's place to be known",
    async () => {
      const lines = await linesOf(here)
      return rows.every((row) => kindsIn(lines, row, here).includes("placed")) ? true : undefined
    },
    longMs,
  )
  const orders = await ordersOf(here)
  // Both people press each card two times.
  const people = [sandboxCast.alice, sandboxCast.bob, sandboxCast.alice, sandboxCast.bob]
  const clicks = (those: typeof open) =>
    people.flatMap((person) => those.map((one) => press(here, person, one, "approve").catch(() => null)))

  const early = clicks(open.slice(0, count / 2))
  // By now some are judged, some decided, some on their way.
  await until("the first verdict to arrive", () => (postsOf(here).length > 0 ? true : undefined))
  const stopping = orders
    .stop({ match: { tool: ["refund_*"] }, by: anOperator(), reason: "runaway", at: Date.now(), until: null })
    .then((made) => ({ made, at: Date.now() }))
  const lag = monitorEventLoopDelay({ resolution: 10 })
  lag.enable()
  const late = clicks(open.slice(count / 2))
  const { made, at: stoppedAt } = await stopping
  if (made.kind !== "stopped") throw new Error("nothing was stopped")
  await Promise.all([...early, ...late])
  const under = await quiet(here, rows)
  const sent = postsOf(here)
  lag.disable()
  // Both replicas, the platform and Slack work in this process, and wait for each other where the machine is busy.
  const busyMs = (3 * lag.max) / 1_000_000

  expect(sent.filter(({ at }) => at > stoppedAt + heardMs + busyMs)).toEqual([])
  expect(stopBreaches(under, subjects)).toEqual([])
  const pending = rows.filter((row) => !kindsIn(under, row, here).includes("resolved"))
  expect(pending.length).toBeGreaterThanOrEqual(count / 2)

  await orders.end(made.stop.id, { by: anOperator(), at: Date.now() })
  const isFree = (row: Row) => cards(here, String(row["tool_name"]))[0]?.buttons.includes(actionIds.approve)
  await until("the cards to have Approve again", () => (pending.every(isFree) ? true : undefined), drawnMs)
  await quiet(here, rows)
  expect(postsOf(here)).toHaveLength(sent.length)

  const last = pending.at(-1)
  const hangs = await card(here, String(last?.["tool_name"]))
  for (const person of [sandboxCast.alice, sandboxCast.bob]) await press(here, person, hangs, "approve")
  expect(await decided(here, last?.id ?? "")).toMatchObject({ status: "approved" })
  expect(stopBreaches(await linesOf(here), subjects)).toEqual([])
}, 900_000)
