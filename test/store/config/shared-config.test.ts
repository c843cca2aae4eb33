// The sealed shared config: read back exactly, or not at all.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { rulesSchema } from "../../../src/config.ts"
import {
  configRevisionOf,
  type HoldOf,
  type Ruled,
  type SharedConfig,
  type SharedInstance,
  type SharedResolving,
  type StopRoles,
  sealedOf,
} from "../../../src/domain/policy/shared-config.ts"
import type { Approver } from "../../../src/domain/rule/rule.ts"
import type { RulesChange } from "../../../src/domain/rule/rules-change.ts"
import { readSharedConfig } from "../../../src/store/config/shared-config-schema.ts"
import { openRecord, sealRecord } from "../../../src/store/redis/sealed-record.ts"
import { aRule } from "../../support/builders.ts"
import { aSharedConfig, aSharedInstance, ruledAs } from "../../support/shared-config.ts"
import { aSeal, noon, type OpenStore, openStore } from "../support.ts"

const text = fc.string({ unit: "binary", maxLength: 12 })
const textOrNull = fc.option(text)

/** Every key of a type: none may be forgotten. */
type Shape<Value> = { readonly [Key in keyof Value]-?: fc.Arbitrary<Required<Value>[Key]> }

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
const instanceKeys = {
  name: text,
  url: text,
  resolving,
  resume: fc.constantFrom("off", "approved", "decided"),
  rejectUserInput: fc.constantFrom("hold", "send"),
  besideAgnoSlack: fc.boolean(),
  resumeUrl: text,
  receiptLifeMs: fc.nat(),
} satisfies Shape<SharedInstance>
const { resumeUrl: _mayBeAbsent, ...always } = instanceKeys
const instance: fc.Arbitrary<SharedInstance> = fc.record(instanceKeys, {
  requiredKeys: Object.keys(always) as (keyof typeof always)[],
})
const approver: fc.Arbitrary<Approver> = fc.oneof(
  fc.record({ kind: fc.constant("user" as const), id: text, team: text }, { requiredKeys: ["kind", "id"] }),
  fc.record({ kind: fc.constant("email" as const), email: text }),
  fc.record({ kind: fc.constant("group" as const), id: text }),
)
const stop: fc.Arbitrary<StopRoles> = fc.record({
  // The config makes no roles that say nothing.
  by: fc.array(approver, { minLength: 1, maxLength: 3 }),
  liftBy: fc.array(approver, { maxLength: 3 }),
  routes: fc.array(fc.record({ kind: fc.constantFrom("channel", "person"), id: text }), { maxLength: 3 }),
} satisfies Shape<StopRoles>)
const rulesChange: fc.Arbitrary<RulesChange> = fc.record({
  approvers: fc.array(approver, { minLength: 1, maxLength: 3 }),
  quorum: fc.nat(),
  route: fc.record({ kind: fc.constantFrom("channel", "person"), id: text }),
  expireAfterMs: fc.nat(),
} satisfies Shape<RulesChange>)
const hold: fc.Arbitrary<HoldOf> = fc.record({
  kind: fc.constantFrom("requester", "tool", "case"),
  value: text,
} satisfies Shape<HoldOf>)
const parts = {
  identities: fc.array(fc.record({ subject: text, team: text, user: text }), { maxLength: 3 }),
  resolvedBy: text,
  slack: fc.record({ apiUrl: text, sandbox: fc.boolean() }),
  instances: fc.array(instance, { maxLength: 3 }),
  stop,
  rulesChange,
  // The config makes no list that is empty.
  hold: fc.array(hold, { minLength: 1, maxLength: 3 }),
} satisfies Shape<Required<Omit<SharedConfig, keyof Ruled>>>
const shared: fc.Arbitrary<SharedConfig> = fc
  .record(parts, { requiredKeys: ["identities", "resolvedBy", "slack", "instances"] })
  .map((given) => aSharedConfig("any", given))

describe("R16 a shared config in its sealed record", () => {
  const seal = aSeal("test")
  const place = { purpose: "config", key: "config" } as const

  it("is read back exactly, whatever it says", () => {
    fc.assert(
      fc.property(shared, (config) => {
        const sealed = sealRecord(seal, place, 1, JSON.stringify({ shared: sealedOf(config) }))

        const opened = openRecord(seal, place, { version: Buffer.from("1"), sealed, frozen: false })

        const read = opened === null || opened === "tampered" ? null : opened["shared"]
        const about = { revision: configRevisionOf(config), rules: rulesSchema }
        expect(readSharedConfig(read, about)).toStrictEqual({ shared: structuredClone(config) })
      }),
    )
  })

  const config = aSharedConfig("rev-1", { rules: [aRule({ name: "pay" })] })
  const sealed = sealedOf(config)
  const { rules } = sealed["written"] as { readonly rules: readonly object[] }
  const withRule = (more: object) => ({ ...sealed, written: { rules: [{ ...rules[0], ...more }] } })
  const limit = JSON.parse('{"sum": "args.amount", "window": "1h", "above": 5, "then": {"quorum": 2}}') as object
  const withLimit = (more: object) => withRule({ limit: { ...limit, ...more } })
  const noKey = "it does not know"
  it.each([
    ["says more than we know", withRule({ stricter: true }), `${noKey} stricter of rule pay`],
    ["has a condition that we cannot read", withRule({ when: "args.a ~ 5" }), `${noKey} when of rule pay`],
    ["has a limit on no path", withLimit({ sum: "5" }), `${noKey} limit.sum of rule pay`],
    ["has a limit that is no amount", withLimit({ above: "-5" }), `${noKey} limit.above of rule pay`],
    ["has a limit with another key", withLimit({ at: 5 }), `${noKey} limit.at of rule pay`],
    [
      "has a class with another key",
      { ...sealed, written: { rules, classes: [{ name: "iban", checksum: "iban", language: "de" }] } },
      `${noKey} language of class iban`,
    ],
    [
      "has an instance with another key",
      { ...sealed, instances: [{ ...aSharedInstance(), eager: true }] },
      `${noKey} eager of instance main`,
    ],
    ["has a rule that is none", { ...sealed, written: { rules: [5] } }, `${noKey} rules.0`],
    ["has another list beside the rules", { ...sealed, written: { rules, groups: [] } }, `${noKey} groups`],
    ["has another part", { ...sealed, holidays: [] }, `${noKey} holidays`],
    ["says less than we know", { ...sealed, identities: undefined }, `${noKey} identities`],
    ["makes another revision", { ...sealed, resolvedBy: "{user}" }, "it makes another revision of it"],
    ["has rules that make another revision", withRule({ quorum: 2 }), "it makes another revision of it"],
    ["has another form", undefined, `${noKey} its form`],
  ])("is not worked under when it %s, and says which key it was", (_case, stored, unread) => {
    const read = readSharedConfig(stored, { revision: configRevisionOf(config), rules: rulesSchema })

    expect(read.shared).toBeNull()
    expect(read.unread).toContain(unread)
  })

  it("holds nothing that equals a default: an older version reads it unless somebody set a newer key", () => {
    const plain = aSharedConfig("rev-1", {
      ...rulesSchema.parse({ rules: [{ name: "all", routes: ["C1"], approvers: ["U1"] }] }),
    })

    expect(sealedOf(plain)).toEqual({
      written: { rules: [{ name: "all", routes: ["C1"], approvers: ["U1"] }] },
      identities: [],
      resolvedBy: "{email} rev-1",
      slack: { apiUrl: "https://slack.com/api/" },
      instances: [
        {
          name: "main",
          url: "https://agents.example.com",
          resolving: { kind: "same" },
          resume: "off",
          rejectUserInput: "hold",
          receiptLifeMs: 86_400_000,
        },
      ],
    })
  })
})

describe("R16 a config of a newer version, with a key that we do not know,", () => {
  const { rules } = ruledAs([aRule({ name: "pay" })])
  const written = { rules: [{ name: "pay", routes: ["C1"], approvers: ["U1"], stricter: true }] }
  const newer = aSharedConfig("newer", { rules, written })
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
