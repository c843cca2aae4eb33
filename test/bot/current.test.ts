// What a replica works under: ports for the config that is active, and what the operator is told of a change (R16).
import { expect, test } from "vitest"
import { createCurrent } from "../../src/bot/current.ts"
import { noOrders } from "../../src/domain/order/orders.ts"
import { configRevisionOf, type SharedConfig } from "../../src/domain/policy/shared-config.ts"
import { noProposals } from "../../src/domain/rule/proposal.ts"
import type { Alarm } from "../../src/flow/ports.ts"
import { configBehind, configTampered } from "../../src/store/config/config-record.ts"
import { type ActiveConfig, type ConfigRevision, tookOver } from "../../src/store/config/config-revision.ts"
import { StoreError } from "../../src/store/errors.ts"
import { createWorld } from "../support/memory-ports.ts"
import { aSharedConfig, aSharedInstance } from "../support/shared-config.ts"

const file = aSharedConfig("file")
const newer = aSharedConfig("newer")
const moved = aSharedConfig("moved", { instances: [aSharedInstance({ url: "https://moved.example.com" })] })

function activeOf(shared: SharedConfig): ActiveConfig {
  const under: ActiveConfig["under"] = (run) => run({ token: "token", mac: "" })
  return { revision: configRevisionOf(shared), shared, orders: noOrders, proposals: noProposals, under }
}

async function neverAsked(): Promise<never> {
  throw new Error("nobody asks for this here")
}

/** A replica, the config that it finds active, and what it says. */
function aReplica() {
  const { ports } = createWorld()
  const said: string[] = []
  const alarms: Alarm[] = []
  const found: { active: ActiveConfig | null; obstacle: string | null } = { active: null, obstacle: null }
  const config: ConfigRevision = {
    activate: async () => ({ kind: "unchanged" }),
    under: async () => ({ kind: "config" }),
    demandNewest: async () => {
      if (found.obstacle === tookOver) throw new StoreError("newer-data", tookOver)
      if (found.obstacle !== null) throw new StoreError("redis-timeout", found.obstacle)
    },
    obstacle: async () => found.obstacle,
    active: () => found.active,
    proposals: {
      active: neverAsked,
      propose: async () => ({ kind: "not-needed" }),
      read: async () => null,
      resolve: async () => "unknown",
      activateUnapproved: async () => ({ kind: "not-needed" }),
    },
    orders: {
      list: async () => noOrders,
      stop: async () => ({ kind: "too-many" }),
      end: async () => null,
      listAbsences: async () => [],
      beginAbsence: async () => ({ kind: "refused", why: "too-many" }),
      endAbsence: async () => null,
      listHolds: async () => ({ config: [], holds: [], erasures: [] }),
      beginHold: async () => ({ kind: "too-many" }),
      endHold: async () => null,
      endOver: async () => undefined,
    },
  }
  const say = (event: string) => void said.push(event)
  const log = { ...ports.log, warn: say, error: say }
  const made: ActiveConfig[] = []
  const make = (active: ActiveConfig) => {
    made.push(active)
    return { ...ports, resolvedBy: active.shared.resolvedBy }
  }
  const retired: number[] = []
  const told = { alarm: (alarm: Alarm) => void alarms.push(alarm), retire: () => void retired.push(1), log }
  const current = createCurrent({ file, config, make, ...told })
  const meets = async (shared: SharedConfig) => {
    if (found.active?.shared !== shared) found.active = activeOf(shared)
    await current.look()
  }
  return { current, found, meets, made, said, alarms, retired }
}

test("R16 the ports are made once for each config that becomes active", async () => {
  const { current, meets, made } = aReplica()
  await meets(file)
  const first = current.ports()
  await meets(file)
  expect(current.ports()).toBe(first)

  await meets(newer)

  expect(current.ports().resolvedBy).toBe(newer.resolvedBy)
  expect(current.ports()).not.toBe(first)
  expect(made.map(({ shared }) => shared)).toEqual([file, newer])
})

test("R16 before any config was seen the ports are the file's own, and nothing can be committed with them", async () => {
  const { current, made } = aReplica()

  expect(current.ports().resolvedBy).toBe(file.resolvedBy)

  expect(await made[0]?.under(async () => ({ kind: "committed", standings: ["fresh"] }))).toEqual({ kind: "config" })
})

test("R16 the operator is told once that another config than the file's is worked under, and of the end of that", async () => {
  const { meets, said, alarms } = aReplica()

  for (const shared of [file, newer, newer, file]) await meets(shared)

  expect(said).toEqual(["config-taken-over", "config-active"])
  expect(alarms).toEqual([])
})

test("R16 an instance that is elsewhere raises one alarm until that is over", async () => {
  const { meets, alarms } = aReplica()
  const [url, own] = ["https://moved.example.com", "https://agents.example.com"]
  const why = `the active config names ${url}, the file of this replica ${own}`

  await meets(moved)
  await meets(moved)
  expect(alarms).toEqual([{ code: "instance-elsewhere", instance: "main", why }])

  await meets(file)
  await meets(moved)
  expect(alarms).toHaveLength(2)
})

test("R16 what stands in the way of deciding is one alarm, and handed to whoever asks", async () => {
  const { current, found, alarms } = aReplica()
  found.active = activeOf(file)
  found.obstacle = "its Slack is another one"

  expect(await current.look()).toBe("its Slack is another one")
  await current.look()

  expect(alarms).toEqual([{ code: "decides-nothing", why: "its Slack is another one" }])
})

test.each([
  ["config-behind", configBehind],
  ["config-tampered", configTampered],
])("R14 R16 an active config in Redis that is not to be believed is the alarm %s, once", async (code, why) => {
  const { current, found, alarms } = aReplica()
  found.active = activeOf(file)
  found.obstacle = why

  await current.look()
  await current.look()

  expect(alarms).toEqual([{ code, why }])
})

test("R16 a replica whose data a newer Countersign took over retires without an alarm, at the next look or press", async () => {
  const [looking, pressed] = [aReplica(), aReplica()]
  for (const { found } of [looking, pressed]) found.obstacle = tookOver

  expect(await looking.current.look()).toBe(tookOver)
  await expect(pressed.current.demandNewest()).rejects.toMatchObject({ code: "newer-data", retryable: true })

  expect([looking, pressed].map(({ retired, alarms }) => [retired.length, alarms])).toEqual([
    [1, []],
    [1, []],
  ])
})

test("R16 while Redis does not say whether a newer Countersign took over, presses are taken as ever", async () => {
  const { current, found, retired, alarms } = aReplica()
  found.obstacle = "Redis did not answer in time"

  await current.demandNewest()

  expect([retired, alarms]).toEqual([[], []])
})
