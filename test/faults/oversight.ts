// Oversight in a seed: which seeds have people who stand in, broken glass or other rules, and what must hold of them.
import { caseIdOf } from "../../src/domain/case/case.ts"
import { builtInInstance } from "../../src/domain/rule/rules-change.ts"
import { oversightBreaches } from "../support/oversight-oracle.ts"
import type { Roles } from "../support/oversight-standing.ts"
import { keyOf } from "./absences.ts"
import type { Look, SeenCase } from "./look.ts"
import { type Chance, createChance } from "./prng.ts"
import type { Act, Fault, PressAct, Schedule, Story } from "./schedule.ts"
import { approversUnder, lastRevision } from "./settings.ts"
import { oversight } from "./terms.ts"

/** Tells this draw of a seed from that of its schedule. */
const salt = 0x41_00_00

/** Where the end of an absence gets in between: from the judgement of a press to its commit. */
const between = [
  "store.commit.decided:before",
  "store.commit.decided:before",
  "store.commit.voted:before",
  "store.commit.voted:after",
  "platform.get:after",
  "people.look:before",
] as const
/** Where a process dies between the verdict about other rules and what comes of it. */
const cuts = ["store.commit.decided:after", "platform.resolve:before", "platform.resolve:after"] as const

/** The schedule, with oversight in two of five seeds. It is drawn apart, so that all else stays as it is drawn. */
export function withOversight(drawn: Schedule): Schedule {
  const chance = createChance(drawn.seed + salt)
  if (!chance.percent(40) || drawn.stories.length > most) return drawn
  const overseen = { ...drawn, terms: { ...drawn.terms, overseen: true } }
  const isAbsent = chance.percent(50)
  const isBroken = chance.percent(50)
  const first = isAbsent ? absent(chance, overseen) : overseen
  const second = isBroken ? broken(chance, first) : first
  return chance.percent(45) || !(isAbsent || isBroken) ? ruled(chance, second) : second
}

/** Seeds with more stories than this are about something else. */
const most = 4

const waitFor = (ms: number): Act => ({ kind: "wait", ms })

function absent(chance: Chance, drawn: Schedule): Schedule {
  const person = chance.pick(["alice", "bob"] as const)
  const lasting = chance.pick([chance.between(4_000, 9_000), 120_000])
  const away: Fault = { when: { kind: "time", ms: chance.below(1_500) }, strike: { kind: "away", person, ms: lasting } }
  const when: Fault["when"] = chance.percent(75)
    ? { kind: "label", label: chance.pick(between), nth: chance.pick([1, 1, 2, 2, 3]) }
    : { kind: "time", ms: chance.between(2_000, 9_000) }
  const back: Fault = { when, strike: { kind: "back", person, ms: 0 } }
  const press = (who: PressAct["person"]): PressAct => ({
    kind: "press",
    person: who,
    verb: drawn.terms.runs === "held" ? "reject" : "approve",
    route: chance.below(drawn.routes),
  })
  const acts = [waitFor(chance.between(1_500, 3_500)), press("rita"), waitFor(chance.between(0, 2_000))]
  const other = press(chance.pick([person, person === "alice" ? "bob" : "alice"]))
  return inStory(chance, { ...drawn, faults: [...drawn.faults, away, back] }, [...acts, other])
}

function broken(chance: Chance, drawn: Schedule): Schedule {
  if (drawn.terms.runs === "held") return drawn
  const review = (): Act => ({
    kind: "review-glass",
    person: chance.pick(["alice", "rita", "rita", "bob"] as const),
    right: chance.percent(60),
  })
  const person = chance.percent(85) ? "bob" : "alice"
  const breaks: Act = { kind: "break-glass", person, route: chance.below(drawn.routes) }
  const reviews = Array.from({ length: chance.pick([0, 1, 2]) }, review)
  return inStory(chance, drawn, [waitFor(chance.between(1_000, 3_000)), breaks, ...reviews])
}

/** At the beginning of a story, before anything else is decided there. */
function inStory(chance: Chance, drawn: Schedule, acts: Story): Schedule {
  const chosen = chance.below(Math.max(1, drawn.stories.length))
  const stories = drawn.stories.map((story, number) => (number === chosen ? [...acts, ...story] : story))
  return { ...drawn, stories }
}

/** In some, all else waits, so that the first verdict is about the rules, and a process dies with it. */
function ruled(chance: Chance, drawn: Schedule): Schedule {
  const how = chance.pick(["approve", "approve", "approve", "reject", "replace", "leave"] as const)
  const propose: Fault = { when: { kind: "time", ms: chance.below(4_000) }, strike: { kind: "propose", how } }
  if (!chance.percent(50)) return { ...drawn, faults: [...drawn.faults, propose] }
  const label = chance.pick(cuts)
  const dies: Fault = {
    when: { kind: "label", label, nth: 1 },
    strike: { kind: "kill", restartMs: chance.between(0, 6_000) },
  }
  const stories = drawn.stories.map((story): Story => [waitFor(15_000), ...story])
  return { ...drawn, stories, faults: [...drawn.faults, propose, dies] }
}

/** Every breach: by the ledger exactly, and of what came to the platform. */
export function oversightFound(look: Look): readonly string[] {
  if (!look.schedule.terms.overseen) return []
  const { schedule, revisions, installation, absences } = look
  const roles = new Map(revisions.slice(0, lastRevision).map((hash, at) => [hash, rolesUnder(schedule, at + 1)]))
  const askers = new Map(look.cases.map(({ caseId, asked }) => [caseId, asked.requester]))
  const requesterOf = (caseId: string) => {
    const user = askers.get(caseId) ?? null
    return user === null ? null : keyOf(user)
  }
  const caseOf = (proposal: string) => caseIdOf(installation, builtInInstance, proposal)
  return [
    ...oversightBreaches(look.entries, { roles, caseOf, requesterOf, absences }),
    ...look.cases.flatMap((one) => wireBreaches(look, one).map((breach) => `${one.asked.tool}: ${breach}`)),
  ]
}

function rolesUnder({ terms, quorum }: Schedule, revision: number): Roles {
  const keys = (users: readonly string[]) => users.map(keyOf)
  return {
    approvers: keys(approversUnder(terms, revision)),
    quorum,
    standIns: keys(oversight.standIns),
    breakers: keys(oversight.breakers),
    reviewers: keys(oversight.reviewers),
    changers: keys(oversight.changers),
  }
}

/**
 * What came to the platform says of each voter for whom they stood in, and of the glass, what the ledger says of that
 * decision. Broken glass that the platform knows owes a review, whatever Redis lost.
 */
function wireBreaches({ lost }: Look, { posts, entries, mark, row }: SeenCase): readonly string[] {
  const sent = posts.filter((body) => body.includes("decision_id")).map((body) => JSON.parse(body))
  const words = sent.flatMap(({ resolution_data: { countersign } }) => {
    const id = String(countersign.decision_id)
    const at = entries.findLastIndex(({ kind, event }) => kind === "decided" && event["decision"] === id)
    const decided = entries[at]
    if (decided === undefined) return lost.length > 0 ? [] : [`decision ${id} was sent, and the ledger has none`]
    if (countersign.glass !== decided.event["glass"]) return [`decision ${id} was sent with other words on the glass`]
    const named: readonly { readonly slack: string; readonly for?: readonly string[] }[] = countersign.approvers
    return named.flatMap(({ slack, for: away = [] }) => {
      const vote = entries.slice(0, at).findLast(({ kind, event }) => kind === "voted" && event["person"] === slack)
      const stood = (vote?.event["for"] ?? []) as readonly string[]
      const isSame = JSON.stringify(stood) === JSON.stringify(away)
      return isSame || vote === undefined ? [] : [`decision ${id} was sent as ${slack} for ${away.join(", ")}`]
    })
  })
  const isOurs = row.status === "approved" && mark?.glass === true
  const owes = entries.some(({ kind }) => kind === "glass-broken")
  return [...new Set(words), ...(isOurs && !owes ? ["approved by breaking glass, and nobody owes a review"] : [])]
}
