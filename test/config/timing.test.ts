// The keys of a rule that are about time: what they become, and how each mistake is told.
import { describe, expect, test } from "vitest"
import { FILE_ENV, load, refusal, SOCKET_ENV } from "./load.ts"

const RULE = "name: a, routes: [C0A], approvers: [U0C], unknown_requester: allow"
const minute = 60_000

function yaml(keys: string): string {
  return `rules:\n  - {${RULE}, ${keys}}`
}

function timing(keys: string) {
  return load({ env: { ...SOCKET_ENV, ...FILE_ENV }, yaml: yaml(keys) }).rules[0]?.timing
}

function told(keys: string): readonly string[] {
  return refusal({ env: SOCKET_ENV, yaml: yaml(keys) }).problems.map(
    ({ place, what }) => `${place.kind === "file" ? place.key : ""} ${what}`,
  )
}

test("a time that working hours put off for more than a year is warned about, with how far that is", () => {
  const hours = (more: string) =>
    load({
      env: { ...SOCKET_ENV, ...FILE_ENV },
      yaml: yaml(`${more}, working_hours: {time_zone: Europe/Berlin, days: [mon], to: "10:00"}`),
    }).warnings.map(({ what }) => what)

  expect(hours("remind_after: 40h, expire_after: 90d")).toEqual([
    expect.stringMatching(/^rule a: expire_after of 90d comes 4[12] years after a call: for one of today on 20\d\d-/),
  ])
  expect(hours("expire_after: 60h")).toEqual([expect.stringMatching(/expire_after of 60h comes 4\d\d days after/)])
  expect(hours("expire_after: 50h")).toEqual([])
})

describe("a rule", () => {
  test("a rule without any of the keys says nothing of time", () => {
    expect(timing("quorum: 1")).toBeUndefined()
  })

  test("says when to remind, escalate and expire", () => {
    const keys =
      'remind_after: [1h, 30m], escalate: [{after: 2h, to: {routes: [C0B, {person: U0D}], approvers: [Boss@Corp.example, S0E]}}, {after: 3h, to: {approvers: [U0F]}}], expire_after: 8h, on_expiry: reject, working_hours: {time_zone: Europe/Berlin, days: [sat, mon], from: "08:30", to: "24:00", holidays: ["2026-12-25"]}'

    expect(timing(keys)).toEqual({
      remindAfter: [30 * minute, 60 * minute],
      escalate: [
        {
          after: 120 * minute,
          routes: [
            { kind: "channel", id: "C0B" },
            { kind: "person", id: "U0D" },
          ],
          approvers: [
            { kind: "email", email: "boss@corp.example" },
            { kind: "group", id: "S0E" },
          ],
        },
        { after: 180 * minute, routes: [], approvers: [{ kind: "user", id: "U0F" }] },
      ],
      expireAfter: 480 * minute,
      onExpiry: "reject",
      workingHours: { timeZone: "Europe/Berlin", days: [1, 6], from: 510, to: 1440, holidays: ["2026-12-25"] },
    })
  })

  test("has defaults: leave, Monday to Friday from nine to five, and one duration may stand alone", () => {
    expect(timing("remind_after: 5m, expire_after: 1h, working_hours: {time_zone: UTC}")).toEqual({
      remindAfter: [5 * minute],
      escalate: [],
      expireAfter: 60 * minute,
      onExpiry: "leave",
      workingHours: { timeZone: "UTC", days: [1, 2, 3, 4, 5], from: 540, to: 1020, holidays: [] },
    })
  })
})

test.each([
  ["remind_after: soon", "rules[0].remind_after[0] must be a duration such as 500ms, 1s or 2m"],
  ["remind_after: []", "rules[0].remind_after must list at least one duration"],
  ["remind_after: [5m, 300s]", "rules[0].remind_after lists a duration twice"],
  ["remind_after: [0s]", "rules[0].remind_after[0] must be more than nothing and at most 90d"],
  ["expire_after: 3000h", "rules[0].expire_after must be more than nothing and at most 90d"],
  [
    "remind_after: [1h, 3h], expire_after: 2h",
    "rules[0].remind_after comes when the approval has expired already: make it shorter than expire_after",
  ],
  [
    "escalate: [{after: 2h, to: {approvers: [U0D]}}], expire_after: 2h",
    "rules[0].escalate[0].after comes when the approval has expired already: make it shorter than expire_after",
  ],
  ["escalate: []", "rules[0].escalate must list at least one step"],
  ["escalate: [{after: 1h}]", "rules[0].escalate[0].to is missing"],
  ["escalate: [{to: {approvers: [U0D]}}]", "rules[0].escalate[0].after must be a duration such as"],
  ["escalate: [{after: 1h, to: {}}]", "rules[0].escalate[0].to names nobody: list routes or approvers"],
  [
    "escalate: [{after: 1h, to: {approvers: [U0D]}}, {after: 60m, to: {approvers: [U0E]}}]",
    "rules[0].escalate[1].after must be longer than that of the step before",
  ],
  [
    "escalate: [{after: 1h, to: {approvers: [], routes: [C0B]}}], on_expiry: leave",
    "rules[0].expire_after is missing: without it on_expiry has no effect",
  ],
  ["escalate: [{after: 1h, to: {approvers: [bob]}}]", "rules[0].escalate[0].to.approvers[0] must be a Slack user id"],
  ["expire_after: 1h, on_expiry: approve", "rules[0].on_expiry must be leave or reject"],
  [
    "working_hours: {time_zone: UTC}",
    "rules[0].working_hours has no effect without remind_after, escalate or expire_after",
  ],
  [
    "expire_after: 1h, working_hours: {time_zone: Europe/Atlantis}",
    "rules[0].working_hours.time_zone must be the name of a time zone, such as Europe/Berlin or UTC",
  ],
  [
    'expire_after: 1h, working_hours: {time_zone: "+01:00"}',
    "rules[0].working_hours.time_zone must be the name of a time zone, such as Europe/Berlin or UTC",
  ],
  ["expire_after: 1h, working_hours: {days: [mon]}", "rules[0].working_hours.time_zone is missing"],
  [
    "expire_after: 1h, working_hours: {time_zone: UTC, days: []}",
    "rules[0].working_hours.days must list at least one day",
  ],
  [
    "expire_after: 1h, working_hours: {time_zone: UTC, days: [monday]}",
    "rules[0].working_hours.days[0] must be mon or tue or wed or thu or fri or sat or sun",
  ],
  [
    'expire_after: 1h, working_hours: {time_zone: UTC, from: "9:00"}',
    'rules[0].working_hours.from must be a time of day such as "09:00", at most "24:00"',
  ],
  [
    'expire_after: 1h, working_hours: {time_zone: UTC, from: "23:30", to: "00:15"}',
    "rules[0].working_hours.to must be at least an hour after from",
  ],
  [
    'expire_after: 1h, working_hours: {time_zone: UTC, holidays: ["2026-02-30"]}',
    'rules[0].working_hours.holidays[0] must be a date such as "2026-12-25"',
  ],
  [
    'expire_after: 1h, working_hours: {time_zone: UTC, from: "09:00", to: "09:30"}',
    "rules[0].working_hours.to must be at least an hour after from",
  ],
])("a time that cannot be is refused in words: %s", (keys, message) => {
  expect(told(keys)).toEqual([expect.stringContaining(message)])
})
