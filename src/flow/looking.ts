// Looking: a case, a list, the history, and who may decide, each as one person may see it (R8).
import type { Case } from "../domain/case.ts"
import { faceOf } from "../domain/face.ts"
import { type Person, personKey, type SlackId } from "../domain/person.ts"
import { isOver } from "../domain/timing.ts"
import { readCase } from "./access.ts"
import { isAskedFor, isPastAskedFor } from "./filter.ts"
import { approversOf, freshMs } from "./identify.ts"
import type { Details, ListAsk, Listing, PastFilter, Why } from "./inbound.ts"
import { type JudgePorts, judgePerson } from "./judgement.ts"
import { leafThrough } from "./leaf.ts"
import type { Ports } from "./ports.ts"
import { askedUnder, maySee, rulesOf } from "./sight.ts"

export type LookPorts = JudgePorts & Pick<Ports, "store">

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
  const { byRule } = await approversOf(ports, askedUnder(current, rules))
  const asked = rules.map(({ name, quorum }) => {
    const users = [...(byRule.get(name) ?? [])].map((key) => key.slice(key.indexOf(":") + 1))
    return { name, quorum, users }
  })
  return { details: shown, rules: asked }
}

/** What waits, newest first. `mine`: only what this person may still vote on. */
export async function list(ports: LookPorts & Pick<Ports, "clock">, id: SlackId, ask: ListAsk): Promise<Listing> {
  const person = await ports.people.look(id, freshMs)
  const now = ports.clock()
  return leafThrough((query) => ports.store.listOpen({ ...query, beginning: ask.filter.beginning }), ask, {
    asked: (one) => isAskedFor(one, ask.filter, now),
    shown: async (one) => (await maySee(ports, one, person)) && (!ask.mine || (await waitsFor(ports, one, person))),
  })
}

/** What was settled, latest first. */
export async function history(
  ports: LookPorts & Pick<Ports, "clock">,
  id: SlackId,
  ask: { readonly filter: PastFilter; readonly offset: number; readonly limit: number },
): Promise<Listing> {
  const person = await ports.people.look(id, freshMs)
  const now = ports.clock()
  return leafThrough((query) => ports.store.listSettled(query), ask, {
    asked: (one) => isPastAskedFor(one, ask.filter, now),
    shown: (one) => maySee(ports, one, person),
  })
}

async function see(ports: LookPorts, caseId: string, id: SlackId): Promise<{ readonly current: Case } | null> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return null
  const person = await ports.people.look(id, freshMs)
  return (await maySee(ports, current, person)) ? { current } : null
}

/** True if a case is open, not voted on by this person, and they may approve or reject it. */
export async function waitsFor(ports: LookPorts, current: Case, person: Person): Promise<boolean> {
  if (current.state !== "open" || isOver(current.time, ports.clock()) || ownVote(current, person) !== undefined)
    return false
  return (await judgePerson(ports, current, person, "reject")).ok
}

function ownVote(current: Case, id: SlackId) {
  return current.state === "open" && current.time.expired === null
    ? current.votes.find((one) => personKey(one.person) === personKey(id))
    : undefined
}

function judgementOf(judged: Awaited<ReturnType<typeof judgePerson>>): Details["approve"] {
  return judged.ok ? { ok: true, rules: judged.rules } : judged
}
