// countersign people away and people back: who is away, who stands in for them, and the end of that.
import type { Absence } from "../../domain/order/absence.ts"
import { dayBegins } from "../../domain/order/read-absence.ts"
import { ordererWords } from "../../domain/people/orderer.ts"
import { personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import { policyOf } from "../../domain/policy/policy.ts"
import { whoMayStandIn } from "../../flow/people/may-stand-in.ts"
import type { SlackProbe } from "../../slack/probe.ts"
import { askSlack } from "../installation/ask-slack.ts"
import { withStore } from "../installation/opened-store.ts"
import { shellOperator } from "../installation/shell-operator.ts"
import { type Watched, withWatchedStore } from "../installation/watched-store.ts"
import { CommandError, type Terminal } from "../terminal.ts"

/** When the person is back, and in which time zone days begin. */
interface AwayOptions {
  readonly until?: string
  readonly zone: string
  readonly json: boolean
}

/** Begins an absence; without people, lists them. Throws `CommandError` if no rule lets the other person stand in. */
export async function peopleAway(
  terminal: Terminal,
  person: string | undefined,
  standIn: string | undefined,
  options: AwayOptions,
): Promise<void> {
  if (person === undefined) return list(terminal, options.json)
  if (standIn === undefined || options.until === undefined)
    throw new CommandError("say who stands in, and until when: countersign people away U… U… --until 2026-12-01")
  const { until, zone } = options
  await withWatchedStore(
    terminal,
    async (watched) => {
      const slack = await reachedSlack(watched)
      const [away, other] = [personMeant(person, slack), personMeant(standIn, slack)]
      const at = watched.context.clock()
      const ends = dayBegins(until, at, zone)
      if (ends === null) throw new CommandError(`${until} is no day: tomorrow, monday, or a date such as 2026-12-01`)
      const rules = await rulesFor(watched, slack, { away, other })
      const who = { person: personKey(away), standIn: personKey(other), by: shellOperator() }
      const made = await watched.store.config.orders.beginAbsence({ ...who, from: at, until: ends, at })
      if (made.kind === "refused") throw new CommandError(refusals[made.why])
      if (made.kind === "away") throw new CommandError(`they are away already: ${absenceWords(made.absence)}`)
      await watched.keep()
      terminal.out(`Away: ${absenceWords(made.absence)}, under ${rules.join(", ")}`)
      terminal.out(bothTold)
    },
    { need: "all" },
  )
}

/** Ends an absence: of this person, or with this id. Throws `CommandError` if there is none. */
export async function peopleBack(terminal: Terminal, named: string): Promise<void> {
  await withWatchedStore(
    terminal,
    async ({ context, store, keep }) => {
      const all = await store.config.orders.listAbsences()
      const found = all.find(({ id, person }) => id === named || person === named || slackIdOf(person).user === named)
      const how = { by: shellOperator(), at: context.clock() }
      const ended = found === undefined ? null : await store.config.orders.endAbsence(found.id, how)
      if (ended === null) throw new CommandError(`${named} is not away: countersign people away lists who is`)
      await keep()
      terminal.out(`Back: ${absenceWords(ended)}`)
      terminal.out(bothTold)
    },
    { need: "all" },
  )
}

async function list(terminal: Terminal, json: boolean): Promise<void> {
  const all = await withStore(terminal, ({ store }) => store.config.orders.listAbsences())
  if (json) return terminal.out(JSON.stringify(all, null, 2))
  if (all.length === 0) return terminal.out("nobody is away")
  for (const one of all) terminal.out(absenceWords(one))
}

async function reachedSlack({ context }: Watched): Promise<SlackProbe> {
  const slack = await askSlack(context)
  if ("why" in slack) throw new CommandError(`only Slack says who may stand in for whom: ${slack.why}`)
  return slack
}

function personMeant(text: string, { identity }: SlackProbe): SlackId {
  const [, team = identity.team, user] = /^(?:([TE][A-Z0-9]+):)?([UW][A-Z0-9]+)$/.exec(text) ?? []
  if (user !== undefined) return { team, user }
  throw new CommandError(`${text} is no Slack id: those are T…:U…, or U… in our own workspace`)
}

/** The rules of the active config under which one person may stand in for the other. */
async function rulesFor(
  { context, store }: Watched,
  { people }: SlackProbe,
  { away, other }: { readonly away: SlackId; readonly other: SlackId },
): Promise<readonly string[]> {
  await store.config.obstacle()
  const shared = store.config.active()?.shared
  if (shared === undefined) throw new CommandError("no config is active here yet: start Countersign once")
  const policy = policyOf(shared.rules, shared.identities)
  const { identityLinks } = store
  const may = await whoMayStandIn({ people, identityLinks, policy, clock: context.clock, alarm: () => {} }, away)
  const found = may.find(({ id }) => personKey(id) === personKey(other))
  if (found !== undefined) return found.rules
  const names = may.map(({ id, name }) => `${name} (${personKey(id)})`)
  const others = names.length === 0 ? "no rule names anybody who may" : `these may: ${names.join(", ")}`
  throw new CommandError(`no rule lets ${personKey(other)} stand in for ${personKey(away)}; ${others}`)
}

/** A shell only makes the entry: whoever runs there tells people, as of any absence. */
const bothTold = "Countersign tells both by direct message, at once or when it next runs."

const refusals = {
  "no-time": "that day has begun already: nothing has changed",
  "too-long": "somebody can be away for at most 180 days: nothing has changed",
  own: "nobody stands in for themselves: nothing has changed",
  "too-many": "500 people are away already: countersign people away lists them",
  "too-often": "they went and came back ten times today: more is possible tomorrow",
} as const

function absenceWords({ id, person, standIn, from, until, by }: Absence): string {
  const time = (ms: number) => new Date(ms).toISOString()
  return `${id}  ${standIn} for ${person} from ${time(from)} until ${time(until)}, by ${ordererWords(by)}`
}
