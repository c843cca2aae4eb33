// Names of people, groups and channels for one page: as the case tells them, else as Slack does. The page keeps none.
import { erasedName } from "../../domain/case/erasure.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../../domain/content/json.ts"
import type { ToldCase, ToldEntry } from "../reading/models.ts"

/** Names by the words of the record for people, groups and channels: `team:user`, an id of Slack, an address. */
export type Names = ReadonlyMap<string, string>

/** Asks for the name of somebody, or of a channel (`channel:C…`); null if nobody tells it. */
export type NameOf = (who: string) => Promise<string | null>

/** One page asks for at most this many names, and waits this long for all of them, in ms. The others stay ids. */
const maxAsked = 60
const waitMs = 2_000

const person = /^[TE][A-Z0-9]+:[UW][A-Z0-9]+$/
const idOrAddress = /^(?:[UWS][A-Z0-9]{2,30}|channel:[CG][A-Z0-9]{2,30}|[^\s:@]{1,100}@[^\s:@]{1,100})$/

/** The names that a case itself tells: those on its votes. An erased name counts too, so that nobody asks for it. */
export function namesOnVotes({ votes }: Pick<ToldCase, "votes">): Names {
  const named = votes.flatMap(({ person: key, subject, name }) => [key, userIn(key), subject].map((who) => [who, name]))
  return new Map(named.filter((pair): pair is [string, string] => pair[1] !== ""))
}

/** The names for the page of a case. */
export async function namesFor(told: ToldCase, entries: readonly ToldEntry[], nameOf: NameOf): Promise<Names> {
  const names = new Map(namesOnVotes(told))
  for (const who of entries.flatMap(erasedIn)) names.set(who, erasedName).set(userIn(who), erasedName)
  const all = [
    ...peopleIn([told.requester, told.outcome?.resolved_by ?? null, ...told.cards.map(({ route }) => route)]),
    ...entries.flatMap(({ event }) => (isJsonObject(event) ? peopleIn(whoIn(event)) : [])),
  ]
  const unknown = [...new Set(all)].filter((who) => !names.has(who) && !names.has(userIn(who))).slice(0, maxAsked)
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, waitMs)
  const found = unknown.map(async (who) => {
    const name = await nameOf(who)
    const id = who.replace(/^channel:/, "")
    if (name !== null) names.set(id, name).set(userIn(id), name)
  })
  try {
    await Promise.race([Promise.all(found), late.promise])
  } finally {
    clearTimeout(timer)
  }
  return new Map(names)
}

/** The user id in `team:user`; anything else as it is. */
export function userIn(who: string): string {
  return person.test(who) ? who.slice(who.indexOf(":") + 1) : who
}

/** The person that an operator erased here: we do not ask Slack for their name. */
function erasedIn({ kind, event }: ToldEntry): readonly string[] {
  const who = kind === "erased" && isJsonObject(event) ? event["person"] : null
  return typeof who === "string" ? [who] : []
}

/** The values of an event that may mean somebody. Addresses that rules list stand beside the event, as `address 1`. */
function whoIn(event: JsonObject): readonly (Json | undefined)[] {
  const { person: one, people, voided, resolvedBy, who, route, asked } = event
  const approvers = isJsonArray(asked) ? asked.map((each) => (isJsonObject(each) ? each["approvers"] : null)) : []
  const addresses = Object.entries(event).flatMap(([name, value]) => (name.startsWith("address ") ? [value] : []))
  return [one, people, voided, resolvedBy, who, route, ...approvers, ...addresses]
}

/** The texts among these values, or in their lists, that may mean somebody in Slack, or are the route to a channel. */
function peopleIn(values: readonly (Json | undefined)[]): readonly string[] {
  return values.flatMap((value) => {
    if (isJsonArray(value)) return peopleIn(value)
    const who = typeof value === "string" ? value.replace(/^person:/, "") : ""
    return person.test(who) || idOrAddress.test(who) ? [who] : []
  })
}
