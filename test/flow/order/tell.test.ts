// People are told of orders, once: of a stop where the config says or where the cards are (R21), of an absence each
// directly.
import { expect, test } from "vitest"
import { createAbsenceTeller, createStopTeller } from "../../../src/flow/order/tell.ts"
import type { Chat, Ports } from "../../../src/flow/ports.ts"
import { tellingMs } from "../../../src/store/pace/told-orders.ts"
import { anApproval, aPerson, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { anAbsence, aStop } from "../../support/orders.ts"
import { announced } from "../support.ts"

const channels = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ kind: "channel", id: `C${at}` }) as const)

test("R21 a stop is told once over all replicas, on the routes that the config names", async () => {
  const world = createWorld({ stopRoles: { by: [], liftBy: [], routes: [{ kind: "person", id: "U1" }] } })
  const [one, other] = [createStopTeller(), createStopTeller()]
  await one(world.ports)
  world.order({ stops: [aStop()] })

  for (const tell of [one, other, one]) await tell(world.ports)

  expect(world.chat.stopsTold).toEqual([{ route: "person:U1", stop: "s-1" }])
})

test("R21 without routes of its own a stop is told where the cases under it have cards, in at most 20 places", async () => {
  const rule = aRule({ name: "many", match: { tool: ["delete_*"] }, routes: channels(25) })
  const world = createWorld({ policy: aPolicy([rule, aRule({ routes: [{ kind: "channel", id: "COTHER" }] })]) })
  await announced(world)
  await announced(world, anApproval({ id: "a-2", toolName: "send_mail" }))
  world.order({ stops: [aStop({ match: { tool: ["delete_*"] } })] })

  await createStopTeller()(world.ports)

  expect(world.chat.stopsTold).toHaveLength(20)
  expect(world.chat.stopsTold.map(({ route }) => route)).not.toContain("channel:COTHER")
})

test("R21 a place that takes no message keeps nobody else from hearing of a stop", async () => {
  const world = createWorld({ stopRoles: { by: [], liftBy: [], routes: channels(2) } })
  world.chat.share("C0", true)
  world.order({ stops: [aStop()] })

  await createStopTeller()(world.ports)

  expect(world.chat.stopsTold).toEqual([{ route: "channel:C1", stop: "s-1" }])
})

test("R21 if the replica that tells of a stop dies, another one tells of it half a minute later", async () => {
  const world = createWorld({ stopRoles: { by: [], liftBy: [], routes: channels(1) } })
  world.order({ stops: [aStop()] })
  const other = createStopTeller()

  await expect(createStopTeller()(dying(world.ports, "before"))).rejects.toThrow("killed")
  await other(world.ports)
  expect(world.chat.stopsTold).toEqual([])

  world.clock.forward(tellingMs)
  await other(world.ports)
  expect(world.chat.stopsTold).toHaveLength(1)
})

/** U1 is away, and U9 stands in by the rule of this world. */
function aWorldWithStandIns() {
  const rule = aRule({ approvers: [{ kind: "user", id: "U1" }], standIns: [{ kind: "user", id: "U9" }] })
  const world = createWorld({ policy: aPolicy([rule]) })
  world.people.set(aPerson({ user: "U1" }), aPerson({ user: "U9" }))
  const absences = [anAbsence({ person: "T1:U1", standIn: "T1:U9" })]
  const told = () => world.chat.absencesTold.map(({ kind, to }) => `${kind} ${to}`)
  return { world, told, begins: () => world.order({ stops: [], absences }), ends: () => world.order({ stops: [] }) }
}

/** The ports of a process that dies as it tells somebody: before Slack has the message, or after. */
function dying(ports: Ports, when: "before" | "after"): Ports {
  const die = async (tell: () => Promise<void>): Promise<void> => {
    if (when === "after") await tell()
    throw new Error("killed")
  }
  const chat: Chat = {
    ...ports.chat,
    tellStop: (...given) => die(() => ports.chat.tellStop(...given)),
    tellAbsence: (...given) => die(() => ports.chat.tellAbsence(...given)),
  }
  return { ...ports, chat }
}

const both = (kind: "begun" | "over") => [`${kind} T1:U1`, `${kind} T1:U9`]

test("both people of an absence are told once over all replicas that it begins, and that it is over", async () => {
  const { world, told, begins, ends } = aWorldWithStandIns()
  const [one, other] = [createAbsenceTeller(), createAbsenceTeller()]
  await one(world.ports)
  begins()

  for (const tell of [one, other, one]) await tell(world.ports)
  expect(told()).toEqual(both("begun"))
  expect(world.chat.absencesTold[0]).toMatchObject({ rules: ["all"] })

  ends()
  for (const tell of [other, one, createAbsenceTeller()]) await tell(world.ports)
  expect(told()).toEqual([...both("begun"), ...both("over")])
  expect(await world.ports.toldOrders.noted()).toEqual([])
})

test.each(["before", "after"] as const)(
  "if a replica dies %s it told somebody of an absence, another one tells both half a minute later, of begin and end",
  async (when) => {
    const { world, told, begins, ends } = aWorldWithStandIns()
    const twice = (kind: "begun" | "over") => [...(when === "after" ? [`${kind} T1:U1`] : []), ...both(kind)]
    begins()

    await expect(createAbsenceTeller()(dying(world.ports, when))).rejects.toThrow("killed")
    const other = createAbsenceTeller()
    await other(world.ports)
    world.clock.forward(tellingMs)
    await other(world.ports)
    expect(told().toSorted()).toEqual(twice("begun").toSorted())

    ends()
    await expect(createAbsenceTeller()(dying(world.ports, when))).rejects.toThrow("killed")
    world.clock.forward(tellingMs)
    await createAbsenceTeller()(world.ports)
    expect(told().toSorted()).toEqual([...twice("begun"), ...twice("over")].toSorted())
  },
)

test("an absence that ended before anybody was told of its begin is told of no more", async () => {
  const { world, told, begins, ends } = aWorldWithStandIns()
  begins()
  ends()

  await createAbsenceTeller()(world.ports)

  expect(told()).toEqual([])
})

test("people are told of an absence as soon as Slack takes messages again", async () => {
  const { world, told, begins } = aWorldWithStandIns()
  const tell = createAbsenceTeller()
  begins()
  world.chat.fail("T1:U1", { kind: "limited", retryAfterMs: 1_000 })

  await tell(world.ports)
  expect(told()).toEqual(["begun T1:U9"])
  world.clock.forward(tellingMs)
  await tell(world.ports)
  expect(told()).toEqual(["begun T1:U9", "begun T1:U1"])
})

test("somebody to whom Slack brings no message keeps the other from nothing, and is not tried again", async () => {
  const { world, told, begins, ends } = aWorldWithStandIns()
  const tell = createAbsenceTeller()
  begins()
  world.chat.fail("T1:U1", { kind: "refused", slackCode: "cannot_dm_bot" })

  await tell(world.ports)
  world.clock.forward(tellingMs)
  await tell(world.ports)
  expect(told()).toEqual(["begun T1:U9"])

  ends()
  await tell(world.ports)
  expect(told()).toEqual(["begun T1:U9", ...both("over")])
})

test("an absence that no rule allows any more is told without a rule", async () => {
  const { world, begins } = aWorldWithStandIns()
  begins()

  await createAbsenceTeller()(world.process(aPolicy([aRule({})])))

  expect(world.chat.absencesTold.map((news) => news.kind === "begun" && news.rules)).toEqual([[], []])
})

test("an installation without stand-ins asks nothing about absences", async () => {
  const { ports } = createWorld()
  const asked = async () => expect.unreachable("it asked")
  const absences = { ...ports.absences, listAbsences: asked }

  await createAbsenceTeller()({ ...ports, absences, toldOrders: { ...ports.toldOrders, noted: asked } })
})
