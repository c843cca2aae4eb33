// Joins dimensions: all combinations of their values or, if there are too many, as many as fit.

/** Combinations, each with one value of every dimension in order. `complete` if these are all. */
export interface Combined<Value> {
  readonly combinations: readonly (readonly Value[])[]
  readonly complete: boolean
}

/**
 * Every combination of one value of each dimension. If there are more than `max`: first the combination of all first
 * values, then all that differ from it in one place, then in two.
 */
export function combined<Value>(dimensions: readonly (readonly Value[])[], max: number): Combined<Value> {
  const count = dimensions.reduce((product, { length }) => product * length, 1)
  if (count <= max) {
    const all = dimensions.reduce<readonly (readonly Value[])[]>(
      (joined, values) => joined.flatMap((one) => values.map((value) => [...one, value])),
      [[]],
    )
    return { combinations: all, complete: true }
  }
  const base = dimensions.flatMap((values) => values.slice(0, 1))
  const once = dimensions.flatMap((values, index) => values.slice(1).map((value) => base.with(index, value)))
  const twice = once.flatMap((one) =>
    dimensions.flatMap((values, index) =>
      one[index] === base[index] ? values.slice(1).map((value) => one.with(index, value)) : [],
    ),
  )
  return { combinations: [base, ...once, ...twice].slice(0, max), complete: false }
}
