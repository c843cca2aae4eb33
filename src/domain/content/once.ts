// What follows from a value that never changes is computed once for it.

/**
 * The same function, which keeps what it made of each object as long as that is used. For pure ones of fixed values.
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
