// News: how a call differs from earlier approved calls of its tool and caller, the most surprising first. Pure.
import type { z } from "zod"
import type { newsItemSchema, newsSchema, rejectedBeforeSchema } from "../content/record/case-parts.ts"
import type { Frozen } from "../content/record/frozen.ts"
import type { FieldValue } from "./call-fields.ts"
import type { CallReading } from "./call-reading.ts"
import { type FieldPrint, type Fingerprint, isLikeRejected, novelty } from "./fingerprint.ts"

/**
 * One difference. `new`: a value that was never approved there. `more`, `less`: a number above or below all approved
 * ones. `field`: a field that no approved call had. `changed`, `gone`, `back`: different from the last approved call.
 */
export interface NewsItem extends Frozen<z.infer<typeof newsItemSchema>> {}

/** What we know if people rejected a call like this one. */
export interface RejectedBefore extends Frozen<z.infer<typeof rejectedBeforeSchema>> {}

/** What is new about an approval's calls. */
export interface News extends Frozen<z.infer<typeof newsSchema>> {}

/** We keep at most this many items. */
export const maxNews = 20
/** We do not keep a longer place, but show only its path. */
const placeUnits = 300

/** What one call is compared with. */
export interface CallComparison {
  readonly call: number
  readonly print: Fingerprint
  readonly read: CallReading
  /** Paths that the rules show first. */
  readonly first: readonly string[]
}

interface Weighed {
  readonly item: NewsItem
  /** Decides the order: first the group, then what the rules show first, then how rarely the field differs. */
  readonly rank: readonly number[]
}

/**
 * The groups, in order. A new value is `seldom`, or `usual` if over half of the calls brought a new value to its field.
 * Of many new fields only two come early (`field`), so they hide nothing. A field that only differs from the last call
 * comes last.
 */
const groups = { seldom: 0, field: 1, usual: 2, moreFields: 3, unlike: 4 } as const
const maxFieldsAbove = 2

/** All that is new about calls. */
export function newsOf(comparisons: readonly CallComparison[]): Pick<News, "items" | "more"> {
  let fields = 0
  const ranked = comparisons.flatMap(differences).map((one): Weighed => {
    const [group, ...rest] = one.rank
    fields += Number(group === groups.field)
    return group === groups.field && fields > maxFieldsAbove ? { ...one, rank: [groups.moreFields, ...rest] } : one
  })
  const all = ranked.toSorted((a, b) => compareRanks(a.rank, b.rank))
  return { items: all.slice(0, maxNews).map(({ item }) => item), more: Math.max(0, all.length - maxNews) }
}

const hourMs = 3_600_000

/**
 * The newest rejection of a call that is like one of these; null if there is none. `times`: how many cases with such a
 * call were rejected in the hour before it.
 */
export function rejectedLike(
  comparisons: readonly CallComparison[],
): { readonly case: string; readonly at: number; readonly times: number } | null {
  const alike = comparisons.flatMap(({ print, read }) => print.rejected.filter((one) => isLikeRejected(one, read)))
  const newest = alike.toSorted((a, b) => b.at - a.at)[0]
  if (newest === undefined) return null
  const within = alike.filter(({ at }) => at > newest.at - hourMs)
  return { case: newest.case, at: newest.at, times: new Set(within.map((one) => one.case)).size }
}

function differences({ call, print, read, first }: CallComparison): readonly Weighed[] {
  if (print.calls === 0 || print.fields.length === 0) return []
  const weigh = (path: string, group: number, often: number, item: Omit<NewsItem, "call" | "path">): Weighed => {
    const place = first.indexOf(path.split(/[.[]/)[0] ?? "")
    const moved = place >= 0 && group === groups.usual ? groups.seldom : group
    return { item: { call, path, ...item }, rank: [moved, place < 0 ? first.length : place, often] }
  }
  const known = print.fields.flatMap((field): readonly Weighed[] => {
    const { path, times, fresh, turns, last } = field
    const reading = read.of(path)
    if (reading === null)
      return last === null ? [] : [weigh(path, groups.unlike, absences(field, print), { kind: "gone" })]
    const { values, all } = reading
    const found = novelty(field, reading)
    if (found !== null) {
      const perhaps = field.full === true && found.kind === "new" ? { perhaps: true as const } : {}
      const often = (fresh - 1) / Math.max(1, times - 1)
      const value = found.at === null ? undefined : values[found.at]
      const group = often > 1 / 2 ? groups.usual : groups.seldom
      return [weigh(path, group, often, { kind: found.kind, ...placed(value), ...perhaps })]
    }
    if (last === all) return []
    const kind = last === null ? ("back" as const) : ("changed" as const)
    const value = values.length === 1 ? values[0] : undefined
    return [weigh(path, groups.unlike, turns / Math.max(1, times - 1), { kind, ...placed(value) })]
  })
  const paths = new Set(print.fields.map(({ path }) => path))
  const others = [...read.fields.values()].filter(({ path }) => !paths.has(path))
  return [
    ...known,
    ...others.map(({ path, values }) => weigh(path, groups.field, 0, { kind: "field", ...placed(values[0]) })),
  ]
}

/** In what share of all approved calls a field was missing. At 0 it was always there, so its absence comes first. */
function absences({ times }: FieldPrint, { calls }: Fingerprint): number {
  return 1 - times / Math.max(times, calls)
}

function placed(value: FieldValue | undefined): Pick<NewsItem, "place"> {
  if (value === undefined || JSON.stringify(value.place).length > placeUnits) return {}
  return { place: value.place }
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}
