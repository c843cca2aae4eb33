// What is wrapped to be measured still does what it did.
import { expect, test } from "vitest"
import { measuredSteps } from "../../src/bot/steps.ts"
import { measuredCases, measuredChat } from "../../src/measure/measured-ports.ts"
import { createMeter } from "../../src/measure/meter.ts"
import { createScrape } from "../../src/measure/metrics.ts"
import { noTraces } from "../../src/measure/traces.ts"
import type { Steps } from "../../src/queue/steps.ts"
import { StoreError } from "../../src/store/errors.ts"
import { announced, caseOf, ledgerKinds, pressed } from "../flow/support.ts"
import { createWorld } from "../support/memory-ports.ts"

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silent, hide: () => {} }

function aMeter() {
  return createMeter({ traces: noTraces, clock: () => 0 })
}

test("a ticket that fires is a press replayed, and its step is carried out", async () => {
  const world = createWorld()
  const meter = aMeter()
  const current = await announced(world)
  const fired: string[] = []
  const nothing = async () => undefined
  const cases = { present: nothing, resolve: nothing, resume: nothing, reconcile: nothing }
  const steps: Steps = {
    poll: nothing,
    sweep: nothing,
    webhook: nothing,
    remind: nothing,
    summarise: nothing,
    ...cases,
    ticket: async ({ id }) => void fired.push(id),
  }
  const target = { installation: "test", caseId: current.id, route: "channel:C1", revision: 1, digest: "d" }
  const interaction = { target } as Parameters<Steps["ticket"]>[0]["interaction"]

  await measuredSteps(steps, meter).ticket({ id: "t-1", interaction, takenAt: 0, era: 0 })

  const text = await meter.metrics.registry.metrics()
  expect(fired).toEqual(["t-1"])
  expect(text).toContain("countersign_tickets_replayed_total 1")
  expect(text).toContain('countersign_steps_total{step="ticket",result="ok"} 1')
})

test("what is counted is what was committed, once, also where a press comes twice", async () => {
  const world = createWorld()
  const meter = aMeter()
  const ports = {
    ...world.ports,
    store: measuredCases(world.ports.store, meter, silent),
    chat: measuredChat(world.ports.chat, meter),
  }
  await announced(world)

  await pressed(world, {}, ports)
  await pressed(world, {}, ports)

  const text = await meter.metrics.registry.metrics()
  expect(ledgerKinds(world).filter((kind) => kind === "voted")).toHaveLength(1)
  expect(text).toContain('countersign_votes_total{verb="approve"} 1')
  expect(text).toContain('countersign_decisions_total{verb="approve"} 1')
  expect(caseOf(world).outcome).toMatchObject({ kind: "ours" })
})

test("a press that is told why it did not count is counted by that", async () => {
  const world = createWorld()
  const meter = aMeter()
  const ports = { ...world.ports, chat: measuredChat(world.ports.chat, meter) }
  await announced(world)

  await pressed(world, { at: world.clock.now() - 121_000 }, ports)

  expect(await meter.metrics.registry.metrics()).toContain('countersign_refusals_total{reason="late"} 1')
})

test("while Redis is away or takes no writes a scrape says so, and nothing that it cannot know then", async () => {
  const { metrics } = aMeter()
  let [away, full] = [false, false]
  const waiting = async () => {
    if (away) throw new StoreError("redis-unreachable", "away")
    return { pending: 3, unfinished: 1, oldestAt: 1_000 }
  }
  const obstacle = async () => (away ? null : "another revision is active")
  const sources = {
    reading: { waiting },
    probeWrites: async () => {
      if (full) throw new StoreError("redis-unreachable", "full")
    },
    obstacle,
    standing: () => ({ kind: "rolled-back", why: "it lacks entries", since: 0 }) as const,
    stops: () => 2,
    revision: () => "abcdef0123456789",
    webhooks: async () =>
      [
        {
          webhook: "siem",
          state: "off",
          waiting: 4,
          oldestAt: 1_000,
          dead: 2,
          cursor: 9,
          lastFailure: null,
          off: null,
        },
        {
          webhook: "pager",
          state: "new",
          waiting: 0,
          oldestAt: null,
          dead: 0,
          cursor: null,
          lastFailure: null,
          off: null,
        },
      ] as const,
    clock: () => 61_000,
    log: silent,
  }
  const scrape = createScrape(metrics, sources)

  const there = await scrape()
  full = true
  const readOnly = await scrape()
  away = true
  const gone = await scrape()

  expect(there).toContain("countersign_store_up 1")
  expect(there).toContain("countersign_cases_pending 3")
  expect(there).toContain("countersign_cases_oldest_age_seconds 60")
  expect(there).toContain("countersign_config_active 0")
  expect(there).toContain("countersign_stops 2")
  expect(there).toContain('countersign_config_info{revision="abcdef012345"} 1')
  expect(there).toContain('countersign_webhook_waiting{webhook="siem"} 4')
  expect(there).toContain('countersign_webhook_oldest_age_seconds{webhook="siem"} 60')
  expect(there).toContain('countersign_webhook_dead_letters{webhook="siem"} 2')
  expect(there).toContain('countersign_webhook_off{webhook="siem"} 1')
  expect(there).toContain('countersign_webhook_oldest_age_seconds{webhook="pager"} 0')
  expect(there).toContain('countersign_webhook_off{webhook="pager"} 0')
  expect(readOnly).toContain("countersign_store_up 0")
  expect(readOnly).toContain("countersign_cases_pending 3")
  expect(gone).toContain("countersign_store_up 0")
  expect([there, gone].map((text) => text.includes("countersign_rolled_back 1"))).toEqual([true, true])
  expect(gone).not.toMatch(/^countersign_(cases|config_active|webhook)/m)
})
