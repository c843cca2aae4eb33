// A person: a Slack user, looked up and judged; the Slack team and user id are the authority (R7).
import { isInvisibleAt } from "../../invisible.ts"

/** Where a Slack user is known: the id of their workspace (or enterprise) and their user id. */
export interface SlackId {
  readonly team: string
  readonly user: string
}

/** What Slack says about a user at one moment. `readAt` is epoch milliseconds. */
export interface Person extends SlackId {
  readonly name: string
  /** The verified address; null if the app may not read it. */
  readonly email: string | null
  readonly bot: boolean
  readonly deactivated: boolean
  readonly guest: boolean
  /** True if they belong to another workspace or organization. */
  readonly external: boolean
  readonly readAt: number
}

/** `team:user`, the one key of a person in votes, links and the ledger. */
export function personKey(id: SlackId): string {
  return `${id.team}:${id.user}`
}

/** The id that a key of `personKey` names. */
export function slackIdOf(key: string): SlackId {
  const [team = "", user = ""] = key.split(":")
  return { team, user }
}

/** Why somebody cannot decide under any rule, or null. For guests and externals the rule decides. */
export function unfitness(person: Person): "bot" | "deactivated" | null {
  if (person.bot) return "bot"
  return person.deactivated ? "deactivated" : null
}

/** Why somebody may not see a case (R8). `stranger`: nobody asked them, and they are in none of its channels. */
export type Barrier = "bot" | "deactivated" | "guest" | "external" | "stranger"

/**
 * The name that goes into `resolved_by`: the template with `{email}`, `{team}`, `{user}`, `{name}` filled in. If it
 * needs an address that we may not read, the name is `slack:{team}:{user}`. We refuse (`{ok: false}`) a name beyond 255
 * characters (specification 8).
 */
export function resolvedByFor(
  person: Person,
  template: string,
): { ok: true; subject: string } | { ok: false; length: number } {
  const usable = template.includes("{email}") && person.email === null ? "slack:{team}:{user}" : template
  const fields: Record<string, string> = {
    email: person.email ?? "",
    team: person.team,
    user: person.user,
    name: person.name,
  }
  const subject = usable.replaceAll(/\{(email|team|user|name)\}/g, (_, field: string) => fields[field] ?? "")
  const length = Array.from(subject).length
  return length > 255 ? { ok: false, length } : { ok: true, subject }
}

/** Where an app is installed: the workspace, and the Enterprise Grid organization that it belongs to, or null. */
export interface HomeTeam {
  readonly team: string
  readonly enterprise: string | null
}

/**
 * One identity for one person. In a grid, interactions name the organization's id, while commands and `users.info` name
 * the workspace's id. All ids that we compare come from here (`docs/slack-facts.md` 7.2).
 */
export function oneIdentity({ team, enterprise }: HomeTeam, id: SlackId): SlackId {
  return enterprise !== null && id.team === enterprise ? { ...id, team } : id
}

/** The name in Unicode's form NFKC, without invisible characters and without white space around it; capitals stay. */
export function cleanName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/[^ -~]/gu, seen)
    .normalize("NFKC")
    .trim()
}

/** What people see of a character in a name: nothing of invisible ones, line feeds, tabs and the colour of an emoji. */
function seen(character: string): string {
  return character === "\n" || character === "\t" || isInvisibleAt(character, 0) ? "" : character
}

/** The form that all spellings of a name share: cleaned, and in one case. Empty for a name that nobody sees. */
export function foldName(name: string): string {
  // Up and down again: some letters have a capital of two letters, two small forms, or a capital of their own (ẞ).
  return cleanName(cleanName(name).toLowerCase().toUpperCase().toLowerCase())
}
