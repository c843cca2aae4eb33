// People are told of a stop, once, where the config says or where the cards are (R21).
import { expect, test } from "vitest"
import { createStopTeller } from "../../../src/flow/order/acts.ts"
import { anApproval, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { aStop } from "../../support/orders.ts"
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
