// Who and what is in a workspace at the start.
import type { Channel } from "./channels.ts"
import type { Group, Person } from "./people.ts"

/** The contents of a new workspace. Ids must be unique; the bot is one of the people. */
export interface WorkspaceSeed {
  readonly team: { readonly id: string; readonly domain: string; readonly name: string }
  readonly app: { readonly id: string; readonly botId: string; readonly botUserId: string; readonly name: string }
  readonly people: readonly Person[]
  readonly groups: readonly Group[]
  readonly channels: readonly Channel[]
}

const TEAM = "T0SANDBOX"
const FOREIGN_TEAM = "T0ELSEWHERE"

/** A person of our workspace with nothing special about them; `more` says what is. */
export function aPerson(id: string, name: string, more: Partial<Person> = {}): Person {
  const realName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return {
    id,
    name,
    realName,
    email: `${name}@sandbox.example`,
    teamId: TEAM,
    isBot: false,
    deleted: false,
    isRestricted: false,
    isUltraRestricted: false,
    isStranger: false,
    ...more,
  }
}

/** A public channel with the given members. */
export function aChannel(id: string, name: string, memberIds: readonly string[]): Channel {
  return { id, name, memberIds, kind: "public", archived: false, external: false }
}

/** The ids of the default seed, by the role that each person plays. */
export const CAST = Object.freeze({
  bot: "U0COUNTERSIGN",
  alice: "U0ALICE",
  bob: "U0BOB",
  rita: "U0RITA",
  gus: "U0GUS",
  sam: "U0SAM",
  dan: "U0DAN",
  approvers: "S0APPROVERS",
  approvals: "C0APPROVALS",
  payments: "C0PAYMENTS",
  general: "C0GENERAL",
})

const EVERYONE = [CAST.bot, CAST.alice, CAST.bob, CAST.rita, CAST.gus, CAST.sam, CAST.dan]

/**
 * The default workspace: approvers Alice and Bob (both in the group @approvers), requester Rita, guest Gus, Sam of another
 * workspace, Dan who was deactivated; channels #approvals, #payments and #general with all of them and the bot.
 */
export const DEFAULT_SEED: WorkspaceSeed = {
  team: { id: TEAM, domain: "sandbox", name: "Sandbox" },
  app: { id: "A0COUNTERSIGN", botId: "B0COUNTERSIGN", botUserId: CAST.bot, name: "Countersign" },
  people: [
    aPerson(CAST.bot, "countersign", { isBot: true }),
    aPerson(CAST.alice, "alice"),
    aPerson(CAST.bob, "bob"),
    aPerson(CAST.rita, "rita"),
    aPerson(CAST.gus, "gus", { isRestricted: true }),
    aPerson(CAST.sam, "sam", { teamId: FOREIGN_TEAM, isStranger: true, email: "sam@elsewhere.example" }),
    aPerson(CAST.dan, "dan", { deleted: true }),
  ],
  groups: [
    { id: CAST.approvers, handle: "approvers", name: "Approvers", memberIds: [CAST.alice, CAST.bob], disabled: false },
  ],
  channels: [
    aChannel(CAST.approvals, "approvals", EVERYONE),
    aChannel(CAST.payments, "payments", EVERYONE),
    aChannel(CAST.general, "general", EVERYONE),
  ],
}
