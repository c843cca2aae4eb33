// What a stop covers just now: open approvals, verdicts on their way, runs that wait. And values that nobody knows.
import type { Case } from "../../domain/case/case.ts"
import { callsOf } from "../../domain/content/approval.ts"
import { nearestTo } from "../../domain/order/read-stop.ts"
import { coverOf, type Stop, type StopMatch, stopWords } from "../../domain/order/stop.ts"
import { contentOf } from "../../domain/simulation/kept-content.ts"
import type { NamedCase, Ports, UnderStop, UnknownValue } from "../ports.ts"

export type UnderPorts = Pick<Ports, "store" | "clock">

/** We read this many cases at once. */
const pageSize = 100
/** The most cases with work left that we look at. */
const maxUnfinished = 5_000
/** How far back a value has to be known, in ms, and after how many settled cases we look no further. */
const knownMs = 30 * 86_400_000
const maxLooked = 20_000

/** What is under a stop, with the cases themselves. */
export interface Found {
  readonly open: readonly { readonly current: Case; readonly perhaps: boolean }[]
  /** Verdicts to approve on their way. */
  readonly sending: readonly Case[]
  /** Decided cases whose run we would continue. */
  readonly waiting: readonly Case[]
}

/** Finds what a stop covers. `but`: leaves out what these others cover, too. */
export async function findUnder({ store }: UnderPorts, stop: Stop, but: readonly Stop[] = []): Promise<Found> {
  const isUnder = (one: Case) => coverOf(stop, one) !== null && but.every((other) => coverOf(other, one) === null)
  const found: Case[] = []
  for (let offset = 0; ; offset += pageSize) {
    const { cases } = await store.listOpen({ offset, limit: pageSize })
    for (const one of cases) if (isUnder(one)) found.push(one)
    if (cases.length < pageSize) break
  }
  const open = found.filter(({ state }) => state === "open")
  const perhaps = (current: Case) => coverOf(stop, current) === "perhaps"
  return {
    open: open.map((current) => ({ current, perhaps: perhaps(current) })),
    sending: found.filter(({ state, decision }) => state === "sending" && decision?.verb === "approve"),
    waiting: (await runsLeft(store)).filter(isUnder),
  }
}

/** Settled cases that were approved and whose run was not continued yet. */
async function runsLeft(store: UnderPorts["store"]): Promise<readonly Case[]> {
  const found: Case[] = []
  for (const caseId of await store.unfinished(maxUnfinished)) {
    const one = await store.read(caseId)
    if (one === null || "kind" in one) continue
    if (one.decision?.verb === "approve" && one.resumption?.kind === "waiting") found.push(one)
  }
  return found
}

/** The same in numbers and names, for whoever made the stop. */
export async function countUnder(ports: UnderPorts & Pick<Ports, "toldGates">, stop: Stop): Promise<UnderStop> {
  const [{ open, sending, waiting }, gates] = await Promise.all([
    findUnder(ports, stop),
    ports.toldGates.count(ports.clock(), { stops: [stop] }),
  ])
  return {
    waiting: open.length,
    perhaps: open.filter(({ perhaps }) => perhaps).length,
    runs: waiting.map(namedAs),
    onWay: sending.map((one) => ({ ...namedAs(one), at: one.decision?.at ?? 0 })),
    gates,
  }
}

/** A case by what it is about. */
export function namedAs({ id, summary: { tool, agent } }: Case): NamedCase {
  return { caseId: id, tool, agent }
}

/**
 * The values of a stop that no case of the last 30 days had. Looks through the latest cases until it has seen all
 * values; after very many it takes the rest for known.
 */
export async function unknownValues({ store, clock }: UnderPorts, match: StopMatch): Promise<readonly UnknownValue[]> {
  let left = stopWords.flatMap((word) => (match[word] ?? []).map((value) => ({ word, value })))
  const names = new Map(stopWords.map((word) => [word, new Set<string>()]))
  const since = clock() - knownMs
  const look = (cases: readonly Case[]) => {
    for (const one of cases) {
      const { approval } = contentOf(one)
      for (const [word, name] of namesIn(approval, one)) names.get(word)?.add(name)
      left = left.filter(
        ({ word, value }) =>
          coverOf({ match: { [word]: [value] } }, { instance: one.instance, approval }) !== "certain",
      )
    }
  }
  const lists = [store.listOpen.bind(store), store.listSettled.bind(store)] as const
  for (const read of lists)
    for (let offset = 0; left.length > 0; offset += pageSize) {
      const { cases } = await read({ offset, limit: pageSize })
      const young = cases.filter(({ outcome }) => outcome === null || outcome.at >= since)
      look(young)
      if (offset > maxLooked) return []
      if (young.length < pageSize) break
    }
  return left.map(({ word, value }) => ({ word, value, nearest: nearestTo(value, [...(names.get(word) ?? [])]) }))
}

/** Every name of a case that a word of a stop is compared with. */
function namesIn(
  approval: ReturnType<typeof contentOf>["approval"],
  { instance, summary }: Case,
): readonly (readonly [keyof StopMatch, string])[] {
  const calls = callsOf(approval).flatMap(
    ({ tool, agentId }) =>
      [
        ["tool", tool],
        ["agent", agentId],
      ] as const,
  )
  const all = [
    ["instance", instance],
    ["team", approval.teamId],
    ["workflow", approval.workflowId],
    ["tool", summary.tool],
    ...calls,
  ] as const
  return all.flatMap(([word, name]) => (name === null ? [] : [[word, name] as const]))
}
