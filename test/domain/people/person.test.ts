// People: keys, fitness, and the name that goes into resolved_by (R7).

import { expect, test } from "vitest"
import { personKey, resolvedByFor, unfitness } from "../../../src/domain/people/person.ts"
import { aPerson } from "../../support/builders.ts"

test("R7: a person's key is their Slack team and user id", () => {
  expect(personKey(aPerson({ user: "U1", email: "other@example.com" }))).toBe("T1:U1")
})

test("bots and deactivated people are unfit, guests and people of other workspaces are judged by the rule", () => {
  expect(unfitness(aPerson({ bot: true, deactivated: true }))).toBe("bot")
  expect(unfitness(aPerson({ deactivated: true }))).toBe("deactivated")
  expect(unfitness(aPerson({ guest: true, external: true }))).toBeNull()
})

test.for([
  ["{email}", "u1@example.com"],
  ["{name} ({user} of {team})", "Name of U1 (U1 of T1)"],
  ["slack:{team}:{user}", "slack:T1:U1"],
  ["{unknown} {user}", "{unknown} U1"],
  ["fixed", "fixed"],
])("the template %s becomes %s", ([template, subject]) => {
  expect(resolvedByFor(aPerson(), template ?? "")).toEqual({ ok: true, subject })
})

test("what a template fills in is not filled in again", () => {
  expect(resolvedByFor(aPerson({ name: "{user}" }), "{name}")).toEqual({ ok: true, subject: "{user}" })
})

test("a template that needs an address nobody may read falls back to the Slack id", () => {
  expect(resolvedByFor(aPerson({ email: null }), "{name} <{email}>")).toEqual({ ok: true, subject: "slack:T1:U1" })
  expect(resolvedByFor(aPerson({ email: null }), "{name}")).toEqual({ ok: true, subject: "Name of U1" })
})

test("255 characters are the most, counted as the platform counts them", () => {
  const template = "{name}"

  expect(resolvedByFor(aPerson({ name: "\u{1f600}".repeat(255) }), template)).toMatchObject({ ok: true })
  expect(resolvedByFor(aPerson({ name: "x".repeat(256) }), template)).toEqual({ ok: false, length: 256 })
})
