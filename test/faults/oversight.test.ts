// Which seeds have people who stand in, broken glass or other rules, and what the checker finds of what came to the
// platform.
import { expect, test } from "vitest"
import { scheduleOf } from "./draw.ts"
import type { Look, SeenCase } from "./look.ts"
import { oversightFound } from "./oversight.ts"
import { isAttacked, type Schedule } from "./schedule.ts"
import { plainTerms } from "./terms.ts"

const schedules = Array.from({ length: 1_000 }, (_, seed) => scheduleOf(seed))
const overseen = schedules.filter(({ terms }) => terms.overseen)
const strikesOf = (those: readonly Schedule[]) =>
  new Set(
    those.flatMap(({ faults }) => faults.map(({ strike }) => (strike.kind === "propose" ? strike.how : strike.kind))),
  )
const actsOf = (those: readonly Schedule[]) =>
  new Set(those.flatMap(({ stories }) => stories.flatMap((story) => story.map(({ kind }) => kind))))

test("many seeds have absences that end, broken glass, and proposals of every end, and no other seed has any of it", () => {
  expect(overseen.length).toBeGreaterThan(200)
  expect(overseen.filter(isAttacked)).toEqual([])

  for (const kind of ["away", "back", "approve", "reject", "replace", "leave"] as const) {
    expect(strikesOf(overseen)).toContain(kind)
    expect(strikesOf(schedules.filter(({ terms }) => !terms.overseen))).not.toContain(kind)
  }
  for (const kind of ["break-glass", "review-glass"] as const) {
    expect(actsOf(overseen)).toContain(kind)
    expect(actsOf(schedules.filter(({ terms }) => !terms.overseen))).not.toContain(kind)
  }
})

const [alice, bob, rita] = ["T0SANDBOX:U0ALICE", "T0SANDBOX:U0BOB", "T0SANDBOX:U0RITA"]

function told(number: number, chain: string, event: Readonly<{ kind: string } & Record<string, unknown>>) {
  return { number, chain, kind: event.kind, event: { at: 5_000, ...event } }
}

const active = told(1, "config", { kind: "activated", revision: "r-1", before: null })
const away = { away: alice, standIn: rita, from: 1_000, until: 9_000 }
const leaves = told(2, "config", { kind: "absence-begun", absence: "a", ...away })
const onCase = (number: number, event: Readonly<{ kind: string } & Record<string, unknown>>) =>
  told(number, "case:c-1", event)
const stood = [
  onCase(3, { kind: "voted", person: rita, verb: "approve", for: [alice] }),
  onCase(4, { kind: "decided", verb: "approve", decision: "d", people: [rita] }),
]
const broken = [
  onCase(3, { kind: "voted", person: bob, verb: "approve", glass: true, reason: "it burns" }),
  onCase(4, { kind: "decided", verb: "approve", decision: "d", people: [bob], glass: true }),
  onCase(5, { kind: "glass-broken", person: bob }),
]

/** What is found where a verdict with this mark came to the platform, and the ledger tells this of its case. */
function found(mark: Readonly<Record<string, unknown>>, own: readonly ReturnType<typeof onCase>[], lost = false) {
  const sent = { decision_id: "d", ...mark }
  const seen = {
    asked: { tool: "task_0", requester: null },
    caseId: "c-1",
    row: { status: "approved" },
    mark: sent,
    posts: [JSON.stringify({ resolution_data: { countersign: sent } })],
    entries: own,
  }
  return oversightFound({
    schedule: { ...scheduleOf(1), quorum: 1, terms: { ...plainTerms, overseen: true } },
    cases: [seen as unknown as SeenCase],
    entries: [active, leaves, ...own],
    revisions: ["r-1"],
    installation: "f",
    absences: new Map(),
    lost: lost ? [{ from: 1, to: 2 }] : [],
  } as unknown as Look)
}

test("R1 what is sent names for whom somebody stood in, and that the glass was broken, as the ledger does", () => {
  const forAlice = { approvers: [{ slack: rita, for: [alice] }] }
  expect(found(forAlice, stood)).toEqual([])
  expect(found({ approvers: [{ slack: bob }], glass: true }, broken)).toEqual([])

  expect(found({ approvers: [{ slack: rita }] }, stood)).toHaveLength(1)
  expect(found({ approvers: [{ slack: bob }] }, broken)).toHaveLength(1)
  expect(found(forAlice, stood.slice(0, 1))).toHaveLength(1)
})

test("R1 R17 broken glass that the platform knows owes a review, also where Redis lost the decision", () => {
  const mark = { approvers: [{ slack: bob }], glass: true }

  expect(found(mark, [], true)).toEqual(["task_0: approved by breaking glass, and nobody owes a review"])
})
