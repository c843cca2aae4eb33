// The sealed shared config: read back exactly, or not at all; and what other versions of Countersign left behind.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { RuleLimit } from "../../../src/domain/limit/limit.ts"
import type { Approver, Match, Route, Rule } from "../../../src/domain/policy/policy.ts"
import {
  revisionOf,
  type SharedConfig,
  type SharedInstance,
  type SharedResolving,
} from "../../../src/domain/policy/shared-config.ts"
import type { Timing } from "../../../src/domain/policy/timing.ts"
import { readSharedConfig } from "../../../src/store/config/shared-config-schema.ts"
import { openRecord, sealRecord } from "../../../src/store/redis/sealed-record.ts"
import { aRule } from "../../support/builders.ts"
import { aSharedConfig, aSharedInstance } from "../../support/shared-config.ts"
import { aSeal, noon, type OpenStore, openStore } from "../support.ts"

const text = fc.string({ unit: "binary", maxLength: 12 })
const texts = fc.array(text, { maxLength: 3 })
const count = fc.nat()
const textOrNull = fc.option(text)
const countOrNull = fc.option(count)

const aLimit: RuleLimit = {
  sum: "args.amount",
  per: "args.recipient",
  windowMs: 3_600_000,
  above: "5000.5",
  asks: { quorum: 2, approvers: [{ kind: "group", id: "S1" }], routes: [{ kind: "channel", id: "C1" }] },
}
const route: fc.Arbitrary<Route> = fc.record({ kind: fc.constantFrom("channel", "person"), id: text })
const approver: fc.Arbitrary<Approver> = fc.oneof(
  fc.record({ kind: fc.constant("user"), id: text, team: text }, { requiredKeys: ["kind", "id"] }),
  fc.record({ kind: fc.constant("email"), email: text }),
  fc.record({ kind: fc.constant("group"), id: text }),
)
/** Every key of a type: none may be forgotten. */
type Shape<Value> = { readonly [Key in keyof Value]-?: fc.Arbitrary<Required<Value>[Key]> }

const match: fc.Arbitrary<Match> = fc.record(
  {
    instance: texts,
    agent: texts,
    team: texts,
    workflow: texts,
    tool: texts,
    pause: texts,
    source: texts,
  } satisfies Shape<Match>,
  { requiredKeys: [] },
)
const timing: fc.Arbitrary<Timing> = fc.record({
  remindAfter: fc.array(count, { maxLength: 3 }),
  escalateAfter: countOrNull,
  escalateTo: fc.record({ routes: fc.array(route, { maxLength: 2 }), approvers: fc.array(approver, { maxLength: 2 }) }),
  expireAfter: countOrNull,
  onExpiry: fc.constantFrom("leave", "reject"),
  workingHours: fc.option(
    fc.record({ timeZone: text, days: fc.array(count, { maxLength: 7 }), from: count, to: count, holidays: texts }),
  ),
})
const yes = fc.constant(true as const)
const neededOfRule = {
  name: text,
  match,
  matchUnknown: fc.boolean(),
  routes: fc.array(route, { maxLength: 3 }),
  approvers: fc.array(approver, { maxLength: 3 }),
  quorum: count,
  forbidSelfApproval: fc.boolean(),
  unknownRequester: fc.constantFrom("refuse", "two", "allow"),
  requireReason: fc.constantFrom("never", "reject", "approve", "always"),
  reasons: texts,
  mask: texts,
  risk: fc.option(fc.constantFrom("low", "medium", "high")),
  danger: fc.boolean(),
  allowGuests: fc.boolean(),
  allowExternal: fc.boolean(),
} as const
const ofRule = {
  ...neededOfRule,
  showFirst: texts,
  say: text,
  argumentsInDetails: yes,
  requestInDetails: yes,
  resultToRequester: yes,
  withoutNews: yes,
  allowSharedChannel: yes,
  when: fc.constantFrom("args.amount > 1000", 'args.amount > 1000 || time.weekday == "sun"'),
  timeZone: text,
  classes: fc.constant([
    { name: "card", find: { kind: "checksum", checksum: "card_number" }, atLeast: 1 },
    { name: "at", find: { kind: "pattern", pattern: "@" }, atLeast: 20 },
  ] satisfies Rule["classes"]),
  reviewBy: text,
  timing,
  limit: fc.constant(aLimit),
} satisfies Shape<Rule>
const rule: fc.Arbitrary<Rule> = fc.record(ofRule, {
  requiredKeys: Object.keys(neededOfRule) as (keyof typeof neededOfRule)[],
})
const resolving: fc.Arbitrary<SharedResolving> = fc.oneof(
  fc.record({ kind: fc.constantFrom("same", "token") }),
  fc.record({
    kind: fc.constant("delegated"),
    algorithm: fc.constantFrom("ES256", "RS256", "HS256"),
    kid: textOrNull,
    audience: textOrNull,
    issuer: textOrNull,
  } as const),
)
const instance: fc.Arbitrary<SharedInstance> = fc.record(
  {
    name: text,
    url: text,
    resolving,
    resume: fc.constantFrom("off", "approved", "decided"),
    rejectUserInput: fc.constantFrom("hold", "send"),
    besideAgnoSlack: yes,
    receiptLifeMs: count,
  } satisfies Shape<SharedInstance>,
  { requiredKeys: ["name", "url", "resolving", "resume", "rejectUserInput"] },
)
const shared: fc.Arbitrary<SharedConfig> = fc.record({
  rules: fc.array(rule, { maxLength: 4 }),
  identities: fc.array(fc.record({ subject: text, team: text, user: text }), { maxLength: 3 }),
  resolvedBy: text,
  slack: fc.record({ apiUrl: text, sandbox: fc.boolean() }),
  instances: fc.array(instance, { maxLength: 3 }),
})

describe("R16 a shared config in its sealed record", () => {
  const seal = aSeal("test")
  const place = { purpose: "config", key: "config" } as const

  it("is read back exactly, whatever it says", () => {
    fc.assert(
      fc.property(shared, (config) => {
        const sealed = sealRecord(seal, place, 1, JSON.stringify({ shared: config }))

        const opened = openRecord(seal, place, { version: Buffer.from("1"), sealed, frozen: false })

        const read = opened === null || opened === "tampered" ? null : opened["shared"]
        expect(readSharedConfig(read, revisionOf(config))).toStrictEqual({ shared: structuredClone(config) })
      }),
    )
  })

  const config = aSharedConfig("rev-1", { rules: [aRule()] })
  const [first] = config.rules
  const noKey = "it does not know"
  it.each([
    [
      "says more than we know",
      { ...config, rules: [{ ...first, stricter: true }] },
      `${noKey} stricter of rule ${first?.name}`,
    ],
    [
      "has a condition that we cannot read",
      { ...config, rules: [{ ...first, when: "args.a ~ 5" }] },
      `${noKey} when of`,
    ],
    [
      "has a limit on no path",
      { ...config, rules: [{ ...first, limit: { ...aLimit, sum: "5" } }] },
      `${noKey} limit.sum of`,
    ],
    [
      "has a limit that is no amount",
      { ...config, rules: [{ ...first, limit: { ...aLimit, above: "-5" } }] },
      "limit.above",
    ],
    [
      "has a limit with another key",
      { ...config, rules: [{ ...first, limit: { ...aLimit, at: 5 } }] },
      `${noKey} limit.at of`,
    ],
    [
      "has an instance with another key",
      { ...config, instances: [{ ...aSharedInstance(), eager: true }] },
      "eager of instance main",
    ],
    ["has a rule that is none", { ...config, rules: [5] }, `${noKey} rules.0`],
    ["has another part", { ...config, holidays: [] }, `${noKey} holidays`],
    ["says less than we know", { ...config, identities: undefined }, `${noKey} identities`],
    ["makes another revision", { ...config, resolvedBy: "{user}" }, "it makes another revision of it"],
    ["is none", undefined, noKey],
  ])("is not worked under when it %s, and says which key it was", (_case, stored, unread) => {
    const read = readSharedConfig(stored, revisionOf(config))

    expect(read.shared).toBeNull()
    expect(read.unread).toContain(unread)
  })
})

describe("R16 a config of a newer version, with a key that we do not know,", () => {
  const newer = aSharedConfig("newer", { rules: [{ ...aRule({ name: "pay" }), stricter: true } as Rule] })
  const past = aSharedConfig("past")
  const unread = /cannot read the active config: it does not know stricter of rule pay/

  /** The newer version makes its config the active one. */
  const activated = ({ store }: OpenStore) => store.config.activate({ shared: newer, activate: false, at: noon })

  it("stops a replica that runs: it names the key, and says to run another version", async () => {
    const open = await openStore()
    await activated(open)

    const why = await open.store.config.obstacle()

    expect(why).toMatch(unread)
    expect(why).toContain("this replica decides nothing, run the version that activated it, or a newer one")
    expect(await open.store.config.under(async () => ({ kind: "duplicate" }))).toEqual({ kind: "config" })
  })

  it("is not taken over by a start with an earlier file: it names the key, and only then --activate", async () => {
    const open = await openStore({ revision: null })
    await open.store.config.activate({ shared: past, activate: false, at: noon })
    await activated(open)

    const back = open.store.config.activate({ shared: past, activate: false, at: noon })

    await expect(back).rejects.toMatchObject({ code: "config-unreadable", retryable: false })
    await expect(back).rejects.toThrow(unread)
    await expect(back).rejects.toThrow(/: run the version that activated it, or a newer one\. To put .* --activate$/)
    const asked = await open.store.config.activate({ shared: past, activate: true, at: noon })
    expect(asked.kind).toBe("activated")
  })

  it("is not put in its own place by --activate, so nobody is told to try", async () => {
    const open = await openStore()
    await activated(open)

    const again = open.store.config.activate({ shared: newer, activate: true, at: noon })

    await expect(again).rejects.toThrow(/ or a newer one$/)
  })
})
