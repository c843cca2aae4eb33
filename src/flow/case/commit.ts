// How steps read and write a case. A tampered case freezes. After a lost race we make the step again, on the newer
// case. A touched case begins anew (R17).
import type { Case, Step } from "../../domain/case/case.ts"
import { renew as renewStep } from "../../domain/case/renewal-steps.ts"
import { sumName } from "../../domain/limit/sum.ts"
import {
  type CaseChange,
  type FingerprintChange,
  FlowError,
  type Ports,
  type SumChange,
  type Tampered,
} from "../ports.ts"

/** How often a step may lose the race before a later try does the work. Each loss means that somebody else won. */
const maxRaces = 20

export type ReadPorts = Pick<Ports, "store" | "alarm" | "clock">

/** Reads a case. If we did not seal it, freezes it with an alarm, and returns `frozen` (R14). */
export async function readCase(ports: ReadPorts, caseId: string): Promise<Case | "frozen" | null> {
  const found = await ports.store.read(caseId)
  return found === null || !("kind" in found) ? found : freezeTampered(ports, found)
}

/** Freezes a tampered case, with an alarm. */
export async function freezeTampered({ store, alarm, clock }: ReadPorts, { caseId, why }: Tampered): Promise<"frozen"> {
  await store.freeze(caseId, [{ kind: "frozen", at: clock(), why }])
  alarm({ code: "tampered-case", caseId, why })
  return "frozen"
}

/** The store for a step that rests on no rule and grants nothing: it commits under whatever config is active. */
export function underAnyConfig({ store, underAny }: Pick<Ports, "store" | "underAny">): Pick<Ports, "store"> {
  return { store: { ...store, commit: underAny.commit } }
}

/** A step with the sums and fingerprints that change with it. */
export interface CommitStep extends Step {
  readonly sums?: readonly SumChange[]
  readonly fingerprints?: readonly FingerprintChange[]
}

/** What became of a step: the case as committed, or as it is now if there was nothing (more) to do. */
export type Advanced =
  | { readonly kind: "committed" | "unchanged"; readonly case: Case }
  | { readonly kind: "duplicate" }

/**
 * Commits a step. `step` returns null if there is nothing to do. After a lost race it makes the step again, on the case
 * as it is then. If a sum that the step changes has changed meanwhile, it reads the sums again and does the same.
 * Throws `FlowError` if another config is active than the one that these ports were made for.
 */
export async function advance(
  ports: Pick<Ports, "store">,
  start: Case,
  step: (current: Case) => CommitStep | null | Promise<CommitStep | null>,
  interaction?: string,
): Promise<Advanced> {
  let current = start
  for (let races = 0; races < maxRaces; races += 1) {
    const made = await step(current)
    if (made === null) return { kind: "unchanged", case: current }
    const order = { ...made, expectedVersion: current.version }
    const done = await ports.store.commit(interaction === undefined ? order : { ...order, interaction })
    if (done.kind === "committed") return { kind: "committed", case: done.case }
    if (done.kind === "duplicate") return done
    if (done.kind === "config") throw new FlowError("other-config", current.id)
    if (done.kind === "frozen") return { kind: "unchanged", case: { ...current, state: "frozen", sending: null } }
    if (done.kind === "sum") continue
    const now = done.kind === "full" ? null : done.case
    if (now === null) return { kind: "unchanged", case: current }
    current = now
  }
  throw new FlowError("contention", start.id)
}

/** Like `advance`, but without an interaction, so that the result is always a case. */
export async function advanceCase(
  ports: Pick<Ports, "store">,
  start: Case,
  step: (current: Case) => Step | null,
): Promise<Case> {
  const done = await advance(ports, start, step)
  return done.kind === "duplicate" ? start : done.case
}

/**
 * Commits steps of several cases, all or none. `step` returns a step for each case; null for a case that stays as it
 * is. After a lost race it makes the steps again, on the cases as they are then. Returns the newest cases. Throws like
 * `advance`.
 */
export async function advanceTogether(
  ports: Pick<Ports, "store">,
  start: readonly Case[],
  step: (current: readonly Case[]) => readonly (Step | null)[],
): Promise<readonly Case[]> {
  let current = start
  for (let races = 0; races < maxRaces; races += 1) {
    const steps = step(current)
    const changes = current.flatMap(({ version: expectedVersion }, index): CaseChange[] => {
      const made = steps[index] ?? null
      return made === null ? [] : [{ ...made, expectedVersion }]
    })
    const [first, ...besides] = changes
    if (first === undefined) return current
    const done = await ports.store.commit({ ...first, besides })
    if (done.kind === "config") throw new FlowError("other-config", first.next.id)
    if (done.kind === "committed") return withNewest(current, [done.case, ...done.besides])
    if (done.kind !== "stale" || done.case === null) return current
    current = withNewest(current, [done.case])
  }
  throw new FlowError("contention", start[0]?.id ?? "")
}

function withNewest(cases: readonly Case[], newest: readonly Case[]): readonly Case[] {
  return cases.map((one) => newest.find(({ id }) => id === one.id) ?? one)
}

/** For how long after a start of Redis we assume that it forgot what was done just before, in ms (R17). */
export const forgetfulMs = 120_000

export type RenewPorts = Pick<Ports, "store" | "freshness" | "clock" | "jobs" | "alarm" | "log">

/** How many cases begin anew in one go. */
const maxAtOnce = 500

/** The case after it began anew; the given case if nothing touched it. */
export async function renewed(ports: RenewPorts, current: Case): Promise<Case> {
  const { id } = current
  if (!isTouched(ports, current)) return current
  // We use the shared clock because other replicas also judge how old this doubt is.
  const at = (await ports.store.sharedClock())()
  const next = await advanceCase(ports, current, (now) =>
    isTouched(ports, now) && now.state !== "frozen" ? renewStep(now, at) : null,
  )
  await ports.jobs.present(id)
  if (next.state === "sending") await ports.jobs.resolve(id, 0)
  return next
}

/** True if we may have lost the last acts: those on the case, or those on a sum that its unsent verdict rests on. */
export function isTouched({ freshness }: Pick<Ports, "freshness">, { id, state, reserved, chain }: Case): boolean {
  if (freshness.isTouched(id)) return true
  const sums = state === "sending" && reserved !== undefined ? reserved.sums.map((part) => sumName(part.id)) : []
  return sums.length > 0 && freshness.isShaken(sums, chain.era)
}

/** Begins all touched cases anew. A case that fails does not delay the others; the next call tries it again. */
export async function renewAll(ports: RenewPorts): Promise<void> {
  for (const caseId of ports.freshness.touched(maxAtOnce)) {
    try {
      const current = await readCase(ports, caseId)
      if (current !== null && current !== "frozen") await renewed(ports, current)
    } catch (error) {
      ports.log.warn("renewing-failed", { caseId, error })
    }
  }
}
