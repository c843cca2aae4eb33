// Who approves changes of the config: how it is read, and what a wrong one is told.
import { describe, expect, test } from "vitest"
import { sharedOf } from "../../src/config.ts"
import { FILE_ENV, load, refusal } from "./load.ts"

const env = { ...FILE_ENV, PLATFORM_URL: "https://agents.example.com", PLATFORM_TOKEN: "t" }
const rules =
  "rules:\n  - {name: a, routes: [C0A], approvers: [U0C], unknown_requester: allow, allow_shared_channel: true}\n"
const changed = (change: string, above = rules) => `${above}rules_change: {${change}}\n`

function toldOf(yaml: string): string {
  return refusal({ env, yaml }).message
}

test("two people and a day count where the file does not say otherwise", () => {
  const config = load({ env, yaml: changed("approvers: [S0A, Jane@corp.example], route: C0B") })

  expect(sharedOf(config).rulesChange).toEqual({
    approvers: [
      { kind: "group", id: "S0A" },
      { kind: "email", email: "jane@corp.example" },
    ],
    quorum: 2,
    route: { kind: "channel", id: "C0B" },
    expireAfterMs: 86_400_000,
  })
})

test("a config without the key says nothing of it", () => {
  expect(sharedOf(load({ env, yaml: rules }))).not.toHaveProperty("rulesChange")
})

describe("a rules_change", () => {
  test.each([
    ["nobody", "route: C0B", "rules_change.approvers is missing"],
    ["an empty list", "approvers: [], route: C0B", "rules_change.approvers must list at least one person or group"],
    ["no route", "approvers: [S0A]", "rules_change.route"],
    ["two routes", "approvers: [S0A], routes: [C0B]", "rules_change.routes is no key here; did you mean route?"],
    ["too few people", "approvers: [U0C], route: C0B", "rules_change.quorum asks for 2 people, but approvers lists 1"],
    [
      "an hour too few",
      "approvers: [S0A], route: C0B, expire_after: 59m",
      "rules_change.expire_after must be between 1h and 90d",
    ],
    [
      "a channel that another company reads",
      "approvers: [S0A], route: C0A",
      "rules_change.route may be shared with another company, as rule a says: name another channel",
    ],
  ])("with %s is refused", (_what, change, told) => {
    expect(toldOf(changed(change))).toContain(told)
  })
})

test("no rule may have the name of the one for changes", () => {
  const told = toldOf(changed("approvers: [S0A], route: C0B", rules.replace("name: a,", "name: rules_change,")))

  expect(told).toContain("rules[0].name is what cards call rules_change: rename the rule")
})

test("no instance may have the name of the built-in one", () => {
  const told = toldOf(
    `${rules}instances: [{name: countersign, url: "https://a.example", token: "\${PLATFORM_TOKEN}"}]\n`,
  )

  expect(told).toContain("instances[0].name is the name of the built-in instance: choose another")
})
