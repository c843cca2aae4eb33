// Finds what no JSON document of ours may contain: lone surrogates, and nesting that would exhaust the stack.
import { isJsonObject } from "./exact-json.ts"

const deepest = 200

/** Where a document is not acceptable; `path` are keys and positions from its root. */
export type TextProblem = { readonly kind: "lone_surrogate" | "too_deep"; readonly path: readonly (string | number)[] }

/**
 * The first problem of a parsed document, or null. A lone surrogate is refused because it cannot be written as UTF-8: every
 * later reader would see another text than the one that was approved. The limit of 200 levels is ours.
 */
export function findTextProblem(value: unknown, path: readonly (string | number)[] = []): TextProblem | null {
  if (path.length > deepest) return { kind: "too_deep", path: path.slice(0, 8) }
  if (typeof value === "string") return value.isWellFormed() ? null : { kind: "lone_surrogate", path }
  if (Array.isArray(value)) return firstOf(value.entries(), path)
  return isJsonObject(value) ? firstOf(Object.entries(value), path) : null
}

function firstOf(
  items: Iterable<readonly [string | number, unknown]>,
  path: readonly (string | number)[],
): TextProblem | null {
  for (const [key, item] of items) {
    if (typeof key === "string" && !key.isWellFormed()) return { kind: "lone_surrogate", path }
    const found = findTextProblem(item, [...path, key])
    if (found !== null) return found
  }
  return null
}
