// Works out how limits stood when we judged a case: the sums of the past, from what we keep of approved cases.
import type { Case } from "../case/case.ts"
import { approvedAt } from "../case/verdict.ts"
import { callsOf } from "../content/approval.ts"
import { largest } from "../content/largest.ts"
import { type Charge, nobodyKnown, sumIdOf } from "../limit/limit.ts"
import { emptySum, type SumState, sumName, withAdded } from "../limit/sum.ts"
import { chargesOf, readLimits, type SumsNow, windowOf } from "../policy/limit-reading.ts"
import type { Policy } from "../policy/policy.ts"
import type { Circumstances } from "../policy/when.ts"
import type { Rule } from "../rule/rule.ts"
import { contentOf, type KeptContent } from "./kept-content.ts"
import { createPastSum, type PastSum } from "./past-sum.ts"
import { isExact, type LimitsThen, type Replay, replay } from "./replay.ts"

/** A case of the past, with what the rules look at besides its calls. */
export interface JudgedCase {
  readonly current: Case
  readonly circumstances: Circumstances
}

/** The sums of the past under one policy. Take all cases before you ask for anything. */
export interface LimitHistory {
  /** Takes what a case added. `otherwise`: other rules were in force, and nobody knows what they counted. */
  take(judged: JudgedCase, otherwise?: boolean): void
  /** Takes a case whose record cannot be read. Since it was opened (epoch ms), it may have added anything. */
  unreadable(openedAt: number): void
  /** How the limits stood when a case was judged last. `own`: the replay of the case without limits. */
  limitsOf(judged: JudgedCase, own: Replay): LimitsThen
}

/** What we need to know the sums. */
export interface LimitHistoryOptions {
  readonly policy: Policy
  /** We have all cases decided since this moment (epoch ms); null: we never remove any. */
  readonly keptSince: number | null
}

const nothing: LimitHistory = { take: () => undefined, unreadable: () => undefined, limitsOf: () => new Map() }

/** Makes a history. It holds one number for each approved call that a limit counts. */
export function createLimitHistory({ policy, keptSince }: LimitHistoryOptions): LimitHistory {
  const { rules } = policy
  if (rules.every(({ limit }) => limit === undefined)) return nothing
  const sums = new Map<string, PastSum>()
  const unread: number[] = []
  const sumOf = ({ sum }: Pick<Charge, "sum">): PastSum => {
    const known = sums.get(sumName(sum))
    const past = known ?? createPastSum(windowOf(sum, rules), keptSince)
    if (known === undefined) for (const openedAt of unread) past.doubt(openedAt, endless)
    sums.set(sumName(sum), past)
    return past
  }
  return {
    take: (judged, otherwise = false) => takeUnknown({ rules, sumOf }, judged, otherwise),
    unreadable: (openedAt) => {
      unread.push(openedAt)
      for (const past of sums.values()) past.doubt(openedAt, endless)
    },
    limitsOf: (judged, own) => {
      const content = contentOf(judged.current)
      const at = judgedAt(judged.current)
      if (at === null || !content.named || !isExact(own)) return new Map()
      return limitsAt({ rules, sumOf }, { ...judged, content }, at)
    },
  }
}

const endless = Number.POSITIVE_INFINITY

/** What a history is made with. */
interface Sums {
  readonly rules: readonly Rule[]
  readonly sumOf: (of: Pick<Charge, "sum">) => PastSum
}

/** Takes a case. If something is unknown, we doubt each sum that it may be in, for as long as it counts there. */
function takeUnknown({ rules, sumOf }: Sums, { current, circumstances }: JudgedCase, otherwise: boolean): void {
  const [from, until] = mayCount(current)
  if (from === null) return
  const content = contentOf(current)
  const { approval } = content
  const forms = callsOf(approval).some(({ fields }) => fields.length > 0)
  const values = current.decision?.votes.at(-1)?.values ?? null
  const own = replay(rules, { content, circumstances, filled: forms && values === null })
  const sure = from === until && !otherwise && content.named && isExact(own)
  const charges = sure ? chargesOf(approval, rules, { circumstances, filled: values }) : []
  for (const charge of charges) {
    const { whose, amount, open } = charge
    if (open || !isRead(content, charge)) sumOf(charge).doubt(from, until)
    else if (amount !== null) sumOf(charge).add({ at: from, whose, amount, caseId: current.id })
  }
  const doubted = sure
    ? []
    : (otherwise ? rules : own.possible).flatMap(({ limit }) => (limit === undefined ? [] : [limit]))
  for (const limit of doubted) sumOf({ sum: sumIdOf(current.instance, limit) }).doubt(from, until)
}

/** From when to when a case may have counted; the same moment twice if we know it. Nulls: the case never counted. */
function mayCount(current: Case): readonly [from: number, until: number] | readonly [null, null] {
  const { state, ended, openedAt, decision, outcome } = current
  const at = approvedAt(current)
  if (state === "frozen") return [openedAt, endless]
  if (ended.length > 0) return [openedAt, outcome?.at ?? decision?.at ?? endless]
  // We approved it, but then the platform's record said otherwise.
  if (at === null && decision?.verb === "approve") return [decision.at, outcome?.at ?? endless]
  return at === null ? [null, null] : [at, at]
}

/** False if what a limit looks at may be masked: then nobody knows what the call added, or to whose sum. */
function isRead({ lacks }: KeptContent, { amount, whose }: Charge): boolean {
  return lacks === null || (amount !== null && whose !== nobodyKnown)
}

/**
 * When we last read the limits of a case: with the last approving vote, else when it was opened. Null: nobody knows. A
 * later vote may be gone, or we read them again for a later revision.
 */
function judgedAt({ decision, votes, used, openedAt, revision }: Case): number | null {
  const all = [...votes, ...(decision?.votes ?? [])]
  const approving = all.filter(({ verb }) => verb === "approve").map(({ at }) => at)
  const last = largest(Number.NEGATIVE_INFINITY, approving)
  if (decision?.verb === "approve" && approving.length > 0) return last
  const known = new Set(all.map(({ interaction }) => interaction))
  if (used.some(({ interaction, at }) => !known.has(interaction) && at > last)) return null
  return approving.length > 0 ? last : revision.number === 1 ? openedAt : null
}

/** Reads each limit twice: with the least and with the most that its sums can have been at that time. */
function limitsAt(
  { rules, sumOf }: Sums,
  { current, content, circumstances }: JudgedCase & { readonly content: KeptContent },
  at: number,
): LimitsThen {
  const { approval } = content
  const known = { circumstances }
  const charges = chargesOf(approval, rules, known)
  const unread = new Set(charges.filter((one) => !isRead(content, one)).map(({ sum }) => sumName(sum)))
  const sums = (side: "least" | "most"): SumsNow =>
    new Map(
      [...Map.groupBy(charges, ({ sum }) => sumName(sum))].map(([name, [first, ...others]]) => {
        const own = first === undefined ? [] : [first, ...others]
        return [name, first === undefined ? null : stateThen(sumOf(first), own, { side, at, current })]
      }),
    )
  const [least, most] = (["least", "most"] as const).map((side) =>
    readLimits(approval, { rules, known, sums: sums(side), now: at }),
  )
  const ruleOf = new Map(rules.map((rule) => [rule.name, rule] as const))
  return new Map(
    (least ?? []).map(({ rule: name, passed }, index) => {
      const limit = ruleOf.get(name)?.limit
      const hidden = limit === undefined || unread.has(sumName(sumIdOf(approval.instance, limit)))
      const same = passed === most?.[index]?.passed
      return [name, hidden || !same ? null : passed] as const
    }),
  )
}

/** A sum with the owners of these calls. If some of the sum is unknown, nobody knows the most that it can have been. */
function stateThen(
  past: PastSum,
  own: readonly Charge[],
  { side, at, current }: { readonly side: "least" | "most"; readonly at: number; readonly current: Case },
): SumState {
  const { windowMs } = past
  const owners = [...new Set(own.map(({ whose }) => whose))]
  const added = { caseId: current.id, at: approvedAt(current) }
  const amounts = owners.map((whose) => ({ whose, amount: past[side]({ whose, at, own: added }) }))
  const blindUntil = side === "most" && past.isDoubted(at) ? endless : 0
  return withAdded(emptySum(windowMs, at, blindUntil), amounts, at).state
}
