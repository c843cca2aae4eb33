// Computes once what follows from a value that never changes.

/**
 * Makes a function that does the same, but keeps its result for each object as long as the object is in use. Only for
 * pure functions of values that never change.
 */
export function once<K extends object, V>(make: (value: K) => V): (value: K) => V {
  const made = new WeakMap<K, { readonly result: V }>()
  return (value) => {
    const known = made.get(value)
    if (known !== undefined) return known.result
    const result = make(value)
    made.set(value, { result })
    return result
  }
}
