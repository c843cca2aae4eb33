// The bot's configs in a seed, and what the oracle has to know about them.
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import type { Rules } from "./oracle.ts"
import type { Name, Schedule } from "./schedule.ts"

/** People by their names. */
export const idOf: Readonly<Record<Name, string>> = {
  alice: sandboxCast.alice,
  bob: sandboxCast.bob,
  rita: sandboxCast.rita,
  mallory: "U0MALLORY",
}

/** Somebody's e-mail, where agents tell for whom they work; Rita's may be somebody else's. */
export function emailOf(name: Name): string {
  return `${name}@sandbox.example`
}

/** The name in such an e-mail. Throws for another one. */
export function nameOfEmail(email: string): Name {
  const found = (["alice", "bob", "rita", "mallory"] as const).find((name) => emailOf(name) === email)
  if (found === undefined) throw new Error(`${email} is nobody's`)
  return found
}

/** The address that is Rita's at first. */
export const address = "desk@sandbox.example"

/** Who ever has that address. */
export const holders = [idOf.rita, idOf.mallory] as const

/** Who may decide, config after config: somebody is taken off the list each time. */
const lists = [
  { people: ["alice", "bob"], address: true },
  { people: ["bob"], address: true },
  { people: ["bob", "alice"], address: false },
] as const

/** The same where people approve other rules: somebody comes in, and goes again. */
const overseenLists = [
  { people: ["alice", "bob"], address: false },
  { people: ["bob", "mallory"], address: false },
  { people: ["bob", "alice"], address: false },
] as const

/** Configs are counted from 1; there are none after this one. */
export const lastRevision = lists.length

type Settled = Pick<Schedule, "quorum" | "alone" | "overseen" | "talks">

/** Who may decide under a config. */
export function rulesOf({ quorum, alone, overseen, talks }: Settled, revision: number): Rules {
  const all = overseen ? overseenLists : lists
  const list = all[revision - 1] ?? all[0]
  const people = list.people.map((name) => idOf[name])
  const rules = { people, address: list.address, quorum, alone, forbidsOwn: talks }
  return overseen ? { ...rules, standIns: [idOf.rita], breakers: [idOf.rita] } : rules
}

/** Who reviews broken glass, and who approves other rules. */
export const reviewers = [idOf.alice, idOf.rita, idOf.mallory] as const
export const changers = [idOf.alice, idOf.bob] as const

const oversight = {
  rule: `    stand_ins: [${idOf.rita}]
    break_glass: { approvers: [${idOf.rita}], reviewers: [${reviewers.join(", ")}], route: ${sandboxCast.payments} }
`,
  config: `rules_change: { approvers: [${changers.join(", ")}], route: ${sandboxCast.payments} }
`,
}

/** For so long a rejection may last where people answer agents, in ms: the shortest time that a rule takes. */
export const lastingMs = 60_000

const talk = `    forbid_self_approval: true
    after_rejection: { same_call: ${lastingMs / 1_000}s }
`

/** Each call adds one. */
function limitText(alone: number): string {
  return `    limit: { sum: args.amount, window: 1h, above: ${alone}, then: { quorum: 2 } }\n`
}

function livesText(livesMs: number): string {
  return `    expire_after: ${livesMs / 1_000}s\n    on_expiry: leave\n`
}

/** The text of a config. */
export function settingsText(options: {
  readonly schedule: Schedule
  readonly installation: string
  readonly folder: string
  readonly platformUrl: string
  readonly revision: number
}): string {
  const { schedule, installation, folder, platformUrl, revision } = options
  const { people, address: byAddress, quorum } = rulesOf(schedule, revision)
  const { runs, livesMs, alone, overseen, talks } = schedule
  const resume = runs ? `, resume: decided, resume_token: "\${RESUME_TOKEN}", resume_timeout: 2s` : ""
  return `
installation: ${installation}
data_folder: ${folder}
instances:
  - { name: main, url: "${platformUrl}", token: "\${PLATFORM_TOKEN}", poll_every: 1s, timeout: 4s${resume} }
slack: { mode: socket, sandbox: true, pace_ms: 100 }
http: { port: 0, host: 127.0.0.1 }
ledger: { checkpoint_every: 1s, checkpoint_entries: 1 }
${overseen ? oversight.config : ""}rules:
  - name: ${overseen ? "list" : `list-${revision}`}
    routes: [${sandboxCast.approvals}]
    approvers: [${[...people, ...(byAddress ? [address] : [])].join(", ")}]
    quorum: ${quorum}
    unknown_requester: allow
    require_reason: never
${overseen ? oversight.rule : ""}${talks ? talk : ""}${alone === 0 ? "" : limitText(alone)}${livesMs === null ? "" : livesText(livesMs)}`
}
