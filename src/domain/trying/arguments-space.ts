// Makes arguments that try conditions: joins the values for each path to objects.

import type { Condition } from "../condition/condition.ts"
import { type LookingPart, looksIn, pathAsText } from "../condition/tree.ts"
import type { Json } from "../content/json.ts"
import { combined } from "./combined.ts"
import { type ArgumentValue, type Dimension, factsWith, isAbove, toldApart, valuesFor, withValue } from "./dimension.ts"

/** What can stand at one path of the arguments. */
export interface ArgumentDimension extends Dimension<ArgumentValue> {
  readonly names: readonly string[]
}

const maxItems = 60
const maxSubsets = 4

/** Every path of the arguments that these conditions look at. A path comes before those below it. */
export function argumentDimensions(conditions: readonly Condition[]): readonly ArgumentDimension[] {
  const looks = conditions.flatMap(({ expression }) => looksIn(expression)).filter(({ path }) => path.root === "args")
  const byPath = Map.groupBy(looks, ({ path }) => JSON.stringify(path.names))
  const dimensions = [...byPath.values()].map((parts) => dimensionAt(parts, looks))
  return dimensions.toSorted((a, b) => a.names.length - b.names.length)
}

function dimensionAt(parts: readonly LookingPart[], looks: readonly LookingPart[]): ArgumentDimension {
  const names = parts[0]?.path.names ?? []
  const [plain, lists] = [valuesFor(parts), listsFor(parts)]
  const nested = looks.some(({ path }) => parts.some((one) => isAbove(one.path, path)))
  const values = toldApart([...plain.values, ...lists.values], parts, (value) => [
    [factsWith(withValue({}, names, value))],
  ])
  const path = pathAsText({ root: "args", names })
  const untold = nested ? [`${path} is looked at, and so is what is below it`] : []
  return { names, values, untold: [...plain.untold, ...lists.untold, ...untold] }
}

/** Lists of every mixture of items that `exists` and `all` tell apart. */
function listsFor(parts: readonly LookingPart[]): Dimension<Json> {
  const overLists = parts.flatMap((part) => ("part" in part ? [part] : []))
  if (overLists.length === 0) return { values: [], untold: [] }
  const looks = overLists.flatMap(({ part }) => looksIn(part))
  const beside = looks.filter(({ path }) => typeof path.root === "string")
  const items = itemsFor(looks.filter((look) => !beside.includes(look)))
  const names = overLists[0]?.path.names ?? []
  const apart = toldApart(items.values, overLists, (item) => [[factsWith(withValue({}, names, [item]))]])
  const few = apart.length <= maxSubsets
  const lists = few ? subsetsOf(apart) : [[], ...apart.map((one) => [one]), ...pairsOf(apart)]
  return {
    values: lists.flatMap((list) => [list, ...longer(list, parts)]),
    untold: [
      ...items.untold,
      ...(few ? [] : ["a list is looked at in too many ways"]),
      ...beside.slice(0, 1).map(({ path }) => `${pathAsText(path)} is looked at for each item of a list`),
    ],
  }
}

/** Longer lists: the last item is repeated, up to each length that a rule asks for. */
function longer(list: readonly Json[], parts: readonly LookingPart[]): readonly Json[] {
  const last = list.at(-1)
  if (last === undefined) return []
  const lengths = parts.flatMap((part) =>
    part.kind === "size" && part.literal.kind === "number" ? [part.literal.double ?? 0] : [],
  )
  const wanted = lengths.flatMap((length) => [length - 1, length, length + 1]).filter((length) => length <= 1_000)
  return wanted
    .filter((length) => length > list.length)
    .map((length) => [...list, ...Array.from({ length: length - list.length }, () => last)])
}

/** Items of a list: every mixture of values at the paths below an item. */
function itemsFor(looks: readonly LookingPart[]): Dimension<Json> {
  const byPath = Map.groupBy(looks, ({ path }) => JSON.stringify(path.names))
  const dimensions = [...byPath.values()].map((parts) => ({ names: parts[0]?.path.names ?? [], ...valuesFor(parts) }))
  const whole = dimensions.filter(({ names }) => names.length === 0)
  const below = dimensions.filter(({ names }) => names.length > 0)
  const { combinations, complete } = combined(
    below.map(({ names, values }) => values.map((value) => ({ names, value }))),
    maxItems,
  )
  const objects = combinations.map((all) => all.reduce((item, { names, value }) => withValue(item, names, value), {}))
  const values = whole.flatMap((one) => one.values).filter((value) => value !== undefined)
  const nested = dimensions.some((one) => dimensions.some((other) => isAbove(pathText(one), pathText(other))))
  return {
    values: [...values, ...(below.length === 0 ? [] : objects), null],
    untold: [
      ...dimensions.flatMap(({ untold }) => untold),
      ...(complete && !nested ? [] : ["items of a list are looked at in too many ways"]),
    ],
  }
}

function pathText({ names }: { readonly names: readonly string[] }) {
  return { root: "args" as const, names }
}

function subsetsOf(items: readonly Json[]): readonly (readonly Json[])[] {
  return items.reduce<readonly (readonly Json[])[]>((all, item) => [...all, ...all.map((one) => [...one, item])], [[]])
}

function pairsOf(items: readonly Json[]): readonly (readonly Json[])[] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other]))
}
