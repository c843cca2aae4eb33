// The people, channels and app of a workspace at the start.
import type { SlackChannel } from "./channels.ts"
import type { Group, SlackAccount } from "./people.ts"

/** A slash command, as the app's manifest declares it. */
export interface SlashCommand {
  /** With its slash. */
  readonly command: string
  readonly description: string
  /** What may follow the command, such as "list | show ID | help". */
  readonly hint: string
}

/** A shortcut in a message's menu, as the app's manifest declares it. */
export interface MessageShortcut {
  readonly name: string
  readonly callbackId: string
}

/** The one app that is installed in the workspace. */
export interface InstalledApp {
  readonly id: string
  readonly botId: string
  readonly botUserId: string
  readonly name: string
  readonly commands: readonly SlashCommand[]
  readonly shortcuts: readonly MessageShortcut[]
}

/** The contents of a new workspace. Ids must be unique; the bot is one of the people. */
export interface WorkspaceSeed {
  readonly team: {
    readonly id: string
    readonly domain: string
    readonly name: string
    /** The Enterprise Grid organization of the workspace. Default: none. */
    readonly enterprise?: { readonly id: string; readonly name: string }
  }
  readonly app: InstalledApp
  readonly people: readonly SlackAccount[]
  readonly groups: readonly Group[]
  readonly channels: readonly SlackChannel[]
}

const homeTeam = "T0SANDBOX"
const foreignTeam = "T0ELSEWHERE"

/** A plain person of our workspace; `more` says what is special about them. */
export function aPerson(id: string, name: string, more: Partial<SlackAccount> = {}): SlackAccount {
  const realName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return {
    id,
    name,
    realName,
    email: `${name}@sandbox.example`,
    title: "",
    teamId: homeTeam,
    isBot: false,
    deleted: false,
    isRestricted: false,
    isUltraRestricted: false,
    isStranger: false,
    ...more,
  }
}

/** A public channel with the given members. */
export function aChannel(id: string, name: string, memberIds: readonly string[]): SlackChannel {
  return { id, name, memberIds, kind: "public", archived: false, external: false }
}

/** The ids of the people in the default seed, by their role. */
export const sandboxCast = Object.freeze({
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

const everyone = Object.values(sandboxCast).filter((id) => id.startsWith("U"))

/**
 * The default workspace: approvers Alice and Bob (both in the group @approvers), requester Rita, guest Gus, Sam of
 * another workspace, and Dan, who was deactivated. The channels #approvals, #payments and #general have all of them and
 * the bot.
 */
export const defaultSeed: WorkspaceSeed = {
  team: { id: homeTeam, domain: "sandbox", name: "Sandbox" },
  app: {
    id: "A0COUNTERSIGN",
    botId: "B0COUNTERSIGN",
    botUserId: sandboxCast.bot,
    name: "Countersign",
    commands: [{ command: "/approvals", description: "What waits for a decision", hint: "list | show ID | help" }],
    shortcuts: [],
  },
  people: [
    aPerson(sandboxCast.bot, "countersign", { isBot: true }),
    aPerson(sandboxCast.alice, "alice", { title: "Approver" }),
    aPerson(sandboxCast.bob, "bob", { title: "Second approver" }),
    aPerson(sandboxCast.rita, "rita", { title: "Requester" }),
    aPerson(sandboxCast.gus, "gus", { title: "Guest", isRestricted: true }),
    aPerson(sandboxCast.sam, "sam", {
      title: "Stranger, of another workspace",
      teamId: foreignTeam,
      isStranger: true,
      email: "sam@elsewhere.example",
    }),
    aPerson(sandboxCast.dan, "dan", { deleted: true }),
  ],
  groups: [
    {
      id: sandboxCast.approvers,
      handle: "approvers",
      name: "Approvers",
      memberIds: [sandboxCast.alice, sandboxCast.bob],
      disabled: false,
    },
  ],
  channels: [
    aChannel(sandboxCast.approvals, "approvals", everyone),
    aChannel(sandboxCast.payments, "payments", everyone),
    aChannel(sandboxCast.general, "general", everyone),
  ],
}

/** The scopes of the bot token: all that Countersign's manifest asks for, also the optional ones. */
export const defaultScopes: readonly string[] = [
  "chat:write",
  "commands",
  "users:read",
  "users:read.email",
  "usergroups:read",
  "channels:read",
  "groups:read",
  "im:read",
  "channels:history",
  "groups:history",
  "im:history",
  "im:write",
]
