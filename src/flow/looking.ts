// Looking: a case, a list, the history, and who may decide, each as one person may see it (R8).
import type { Case } from "../domain/case.ts"
import { faceOf } from "../domain/face.ts"
import { type Person, personKey, type SlackId } from "../domain/person.ts"
import { readCase } from "./access.ts"
import { isAskedFor, isPastAskedFor } from "./filter.ts"
import { approversOf, freshMs } from "./identify.ts"
import type { Details, ListAsk, Listing, PastFilter, Why } from "./inbound.ts"
import { type JudgePorts, judgePerson } from "./judgement.ts"
import type { Ports } from "./ports.ts"
import { maySee, rulesOf } from "./sight.ts"

export type LookPorts = JudgePorts & Pick<Ports, "store">

/** How many cases one look goes through; lists say so where there are more. */
const mostLooked = 500

/** A case as one person may see it, or null: unknown, or not theirs to see. */
export async function details(
  ports: LookPorts,
  caseId: string,
  id: SlackId,
  route: string | null,
): Promise<Details | null> {
  const seen = await see(ports, caseId, id)
  if (seen === null) return null
  const { current } = seen
  const [approve, reject] = await Promise.all([
    judgePerson(ports, current, id, "approve"),
    judgePerson(ports, current, id, "reject"),
  ])
  const face = faceOf(current, route ?? current.cards[0]?.route ?? "")
  return { face, approve: judgementOf(approve), reject: judgementOf(reject), own: ownVote(current, id)?.verb ?? null }
}

/** Who may decide a case and why this person may or may not; null like `details`. */
export async function why(ports: LookPorts, caseId: string, id: SlackId): Promise<Why | null> {
  const shown = await details(ports, caseId, id, null)
  const current = shown === null ? null : await readCase(ports, caseId)
  if (shown === null || current === null || current === "frozen") return null
  const rules = rulesOf(ports, current)
  const { byRule } = await approversOf(ports, { rules, covered: true })
  const asked = rules.map(({ name, quorum }) => {
    const users = [...(byRule.get(name) ?? [])].map((key) => key.slice(key.indexOf(":") + 1))
    return { name, quorum, users }
  })
  return { details: shown, rules: asked }
}

/** What waits, newest first. `mine`: only what this person may still vote on. */
export async function list(ports: LookPorts & Pick<Ports, "clock">, id: SlackId, ask: ListAsk): Promise<Listing> {
  const [page, person] = await Promise.all([
    ports.store.listOpen({ offset: 0, limit: mostLooked }),
    ports.people.look(id, freshMs),
  ])
  const now = ports.clock()
  const asked = page.cases.filter((one) => isAskedFor(one, ask.filter, now))
  const seen = await keep(asked, (one) => maySee(ports, one, person))
  const mine = ask.mine ? await keep(seen, (one) => waitsFor(ports, one, person)) : seen
  return pageOf(mine, ask, page.total > mostLooked)
}

/** What was settled, latest first. */
export async function history(
  ports: LookPorts & Pick<Ports, "clock">,
  id: SlackId,
  ask: { readonly filter: PastFilter; readonly offset: number; readonly limit: number },
): Promise<Listing> {
  const [page, person] = await Promise.all([
    ports.store.listSettled({ offset: 0, limit: mostLooked }),
    ports.people.look(id, freshMs),
  ])
  const now = ports.clock()
  const asked = page.cases.filter((one) => isPastAskedFor(one, ask.filter, now))
  return pageOf(await keep(asked, (one) => maySee(ports, one, person)), ask, page.total > mostLooked)
}

async function see(ports: LookPorts, caseId: string, id: SlackId): Promise<{ readonly current: Case } | null> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return null
  const person = await ports.people.look(id, freshMs)
  return (await maySee(ports, current, person)) ? { current } : null
}

/** True if a case is open, not voted on by this person, and they may approve or reject it. */
async function waitsFor(ports: LookPorts, current: Case, person: Person): Promise<boolean> {
  if (current.state !== "open" || ownVote(current, person) !== undefined) return false
  return (await judgePerson(ports, current, person, "reject")).ok
}

function ownVote(current: Case, id: SlackId) {
  return current.state === "open" ? current.votes.find((one) => personKey(one.person) === personKey(id)) : undefined
}

function judgementOf(judged: Awaited<ReturnType<typeof judgePerson>>): Details["approve"] {
  return judged.ok ? { ok: true, rules: judged.rules } : judged
}

async function keep(cases: readonly Case[], judged: (one: Case) => Promise<boolean>): Promise<readonly Case[]> {
  const kept = await Promise.all(cases.map(judged))
  return cases.filter((_, index) => kept[index] === true)
}

function pageOf(
  cases: readonly Case[],
  ask: { readonly offset: number; readonly limit: number },
  more: boolean,
): Listing {
  const shown = cases.slice(ask.offset, ask.offset + ask.limit)
  return { faces: shown.map((one) => faceOf(one, one.cards[0]?.route ?? "")), total: cases.length, more }
}
