// Channels of rules: the first ones and those of an escalation, and whether they may be shared.

import { expect, test } from "vitest"
import { channelsIn, mayBeShared, routesIn } from "../../../src/domain/policy/channels.ts"
import { aRule, aStep, aTiming } from "../../support/builders.ts"

const channel = (id: string) => ({ kind: "channel", id }) as const
const laterTo = (id: string) => ({ timing: aTiming({ escalate: [aStep(1, { routes: [channel(id)] })] }) })

const rules = [
  aRule({ name: "a", routes: [channel("C1"), { kind: "person", id: "U1" }], ...laterTo("C2") }),
  aRule({ name: "b", routes: [channel("C2"), channel("C3")] }),
  aRule({ name: "c", routes: [channel("C3"), channel("C4")], allowSharedChannel: true, ...laterTo("C5") }),
]

test("each channel is named with the rules that post there, at first or when they escalate", () => {
  const names = [...channelsIn(rules)].map(([id, named]) => [id, named.map(({ name }) => name).join()])

  expect(Object.fromEntries(names)).toEqual({ C1: "a", C2: "a,b", C3: "b,c", C4: "c", C5: "c" })
  expect(rules.flatMap(routesIn)).toContainEqual({ kind: "person", id: "U1" })
})

test("a channel may be shared only if every rule that posts there says so", () => {
  const allowed = ["C1", "C2", "C3", "C4", "C5", "C-OF-NO-RULE"].filter((id) => mayBeShared(rules, id))

  expect(allowed).toEqual(["C4", "C5"])
})
