// The ledger's own word on oversight: what the oracle finds, and what it lets pass.
import { expect, test } from "vitest"
import { oversightBreaches } from "./oversight-oracle.ts"
import type { Roles } from "./oversight-standing.ts"
import type { LedgerLine } from "./stop-oracle.ts"

const [alice, bob, rita] = ["T:ALICE", "T:BOB", "T:RITA"]
const roles: Roles = {
  approvers: [alice, bob],
  quorum: 2,
  standIns: [rita],
  breakers: [rita],
  reviewers: [alice, bob, rita],
  changers: [alice, bob],
}
const told = {
  roles: new Map([
    ["r-1", roles],
    ["r-2", { ...roles, approvers: [rita, bob] }],
  ]),
  caseOf: (proposal: string) => `of-${proposal}`,
  requesterOf: (caseId: string) => (caseId === "asked-by-bob" ? bob : null),
}

type Told = Readonly<Record<string, unknown>>
const config = (kind: string, fields: Told = {}): LedgerLine => ({ chain: "config", event: { kind, at: 0, ...fields } })
const on = (kind: string, fields: Told = {}, id = "c"): LedgerLine => ({
  chain: `case:${id}`,
  event: { kind, at: 5_000, ...fields },
})
const active = config("activated", { revision: "r-1", before: null })
const voted = (person: string, fields: Told = {}) => on("voted", { person, verb: "approve", reason: "x", ...fields })
const decided = (people: readonly string[], fields: Told = {}, id = "c") =>
  on("decided", { decision: "d", verb: "approve", people, ...fields }, id)
const times = { from: 1_000, until: 9_000 }
const away = config("absence-begun", { absence: "a", away: alice, standIn: rita, ...times })
const back = config("absence-ended", { absence: "a", away: alice })
const forAlice = { for: [alice] }

function found(lines: readonly LedgerLine[]): readonly string[] {
  return oversightBreaches([active, ...lines], told)
}

test("R1 R5 somebody stands in while the other is away, by the entries and by the clock, and not at the decision after that", () => {
  const both = [voted(rita, forAlice), voted(bob), decided([rita, bob])]
  expect(found([away, ...both])).toEqual([])

  expect(found(both)).toHaveLength(2)
  expect(found([away, voted(rita, forAlice), back, voted(bob), decided([rita, bob])])).toEqual([
    `entry 6: decided, and ${rita} votes for ${alice}`,
  ])
  expect(found([away, on("voted", { person: rita, verb: "approve", ...forAlice, at: 20_000 })])).toHaveLength(1)
  expect(found([away, voted(bob, forAlice)])).toHaveLength(1)
  expect(found([away, config("orders-unknown"), voted(rita, forAlice)])).toHaveLength(1)
})

test("R1 R17 an absence whose entry Redis lost counts if it is put back, and one that is not put back counts no more", () => {
  const known = { ...told, absences: new Map([["a", { person: alice, standIn: rita, ...times }]]) }
  const restored = (absences: readonly string[]) => config("orders-restored", { stops: [], absences })
  const lines = (absences: readonly string[]) => [active, restored(absences), voted(rita, forAlice)]

  expect(oversightBreaches(lines(["a"]), known)).toEqual([])
  expect(oversightBreaches(lines([]), known)).toHaveLength(1)
  expect(found([away, restored([]), voted(rita, forAlice)])).toHaveLength(1)
})

test.each(["expiry", "again"])("R13 R22 what is decided by itself (%s) needs nobody, if it is a rejection", (by) => {
  expect(found([decided([], { by, verb: "reject" })])).toEqual([])
  expect(found([decided([], { by })])).toEqual(["entry 2: decided by 0 of 2"])
})

test("R1 a decision needs as many people as its rule says, two votes for one person are one, and a void vote is none", () => {
  expect(found([away, voted(rita, forAlice), voted(alice), decided([rita, alice])])).toEqual([
    "entry 5: decided by 1 of 2",
  ])
  expect(found([voted(alice), on("revised"), voted(bob), decided([alice, bob])])).toHaveLength(1)
  expect(found([voted(alice), on("withdrawn", { person: alice }), voted(bob), decided([alice, bob])])).toHaveLength(1)
  expect(found([voted(rita), voted(bob), decided([rita, bob])])).toHaveLength(1)
  expect(found([on("escalated"), voted(rita), voted(bob), decided([rita, bob])])).toEqual([])
})

const glass = { glass: true }
const broken = (person = rita, id = "c") => on("glass-broken", { person }, id)
const breaking = [voted(rita, glass), decided([rita], glass), broken()]
const reviewed = (person: string) => on("glass-reviewed", { person, right: true })

test("R1 whoever breaks the glass is listed for it, and the commit of the decision owes a review", () => {
  expect(found([...breaking, reviewed(bob), on("closed")])).toEqual([])

  expect(found([voted(alice, glass), decided([alice], glass), broken(alice)])).toHaveLength(1)
  expect(found([voted(rita, glass), decided([rita], glass), on("placed")])).toHaveLength(1)
  expect(found([voted(rita, glass), decided([rita]), broken()])).toHaveLength(2)
  expect(found([voted(rita, { ...glass, reason: null })])).toHaveLength(1)
  const own = ["asked-by-bob", { ...told, roles: new Map([["r-1", { ...roles, breakers: [bob] }]]) }] as const
  const asked = on("voted", { person: bob, verb: "approve", reason: "x", ...glass }, own[0])
  expect(oversightBreaches([active, asked], own[1])).toHaveLength(1)
})

test("R1 with five reviews open nobody breaks the glass", () => {
  const others = Array.from({ length: 5 }, (_, at) => broken(rita, `o-${at}`))

  expect(found([...others, ...breaking])).toEqual(["entry 8: decided by breaking glass, and 5 reviews are open"])
})

test("R1 a case with broken glass does not close before somebody looked at it who may, or thirty days went by", () => {
  expect(found([...breaking, on("closed")])).toEqual(["entry 5: closed before a review"])
  expect(found([...breaking, on("glass-left"), on("closed")])).toEqual(["entry 5: left too early"])
  expect(found([...breaking, on("glass-left", { at: 31 * 86_400_000 }), on("closed")])).toEqual([])
  expect(found([...breaking, on("reopened", { decision: "d" }), voted(alice), on("closed")])).toEqual([])
  expect(found([...breaking, reviewed(rita)])).toHaveLength(1)
  expect(found([...breaking, reviewed("T:GUS")])).toHaveLength(1)
  expect(found([reviewed(bob)])).toHaveLength(1)
  expect(found([away, ...breaking, back, reviewed(alice)])).toEqual([
    `entry 7: reviewed by ${alice}, who is linked to ${rita}`,
  ])
})

const proposed = (proposal: string, fields: Told = {}) =>
  config("proposed", { proposal, revision: "r-2", before: "r-1", ...fields })
const ruled = (people: readonly string[], verb = "approve") => [
  ...people.map((person) => on("voted", { person, verb }, "of-p")),
  decided(people, { verb }, "of-p"),
]
const activated = (fields: Told = {}) =>
  config("activated", { revision: "r-2", before: "r-1", proposal: "p", decision: "d", ...fields })

test("R16 other rules become active by the decision on the proposal that waits, and count from then on", () => {
  const approved = [proposed("p"), ...ruled([alice, bob]), activated()]
  expect(found([...approved, voted(rita), voted(bob), decided([rita, bob])])).toEqual([])

  expect(found([...approved, voted(alice), voted(bob), decided([alice, bob])])).toHaveLength(1)
  expect(found([activated()])).toHaveLength(2)
  expect(found([proposed("p"), activated()])).toHaveLength(1)
  expect(found([proposed("p"), ...ruled([alice]), activated()])).toEqual(["entry 4: rules decided by 1 of 2"])
  expect(found([proposed("p"), ...ruled([alice, rita])])).toEqual([`entry 5: rules decided by ${rita}, who may not`])
  expect(found([proposed("p"), ...ruled([alice, bob], "reject"), activated()])).toHaveLength(1)
  const reopened = on("reopened", { decision: "d" }, "of-p")
  expect(found([proposed("p"), ...ruled([alice, bob]), reopened, activated()])).toHaveLength(1)
})

test("R16 one proposal waits at a time, and what ended does not become active", () => {
  const ended = (how: string, fields: Told = {}) => config("proposal-ended", { proposal: "p", how, ...fields })
  expect(found([proposed("p"), ended("replaced"), proposed("q")])).toEqual([])

  expect(found([proposed("p"), proposed("q")])).toEqual(["entry 3: proposed while p waits"])
  expect(found([proposed("p"), ...ruled([alice, bob]), ended("replaced"), activated()])).toEqual([
    "entry 7: activated, and no such proposal waits",
  ])
  expect(found([proposed("p"), ended("rejected", { decision: "d" })])).toHaveLength(1)
  expect(found([ended("replaced")])).toHaveLength(1)
  expect(found([proposed("p", { before: "r-0" })])).toHaveLength(1)
})

test("R17 after a lost second a decision that the ledger lost is none of its business, but one that it knows is", () => {
  const era = config("era")
  expect(found([proposed("p"), era, activated()])).toEqual([])

  expect(found([proposed("p"), ...ruled([alice, bob], "reject"), era, activated()])).toHaveLength(1)
})
