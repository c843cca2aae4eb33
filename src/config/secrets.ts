// Secrets belong into the environment; one that stands in the file itself is refused.
import { keyAt } from "./keys.ts"
import type { Problem } from "./problems.ts"
import { type Origin, problemAt } from "./wording.ts"

/** Secrets that stand in the file itself; they belong into the environment. Asked before anything else is said of them. */
export function literalSecrets(settings: unknown, origin: Origin): readonly Problem[] {
  const { source } = origin
  if (!source) return []
  return secretPaths(settings)
    .filter((path) => source.literal(path))
    .map((path) =>
      problemAt(path, "is a secret and must not stand in the file; name a variable of the environment", origin),
    )
}

function secretPaths(value: unknown, path: readonly PropertyKey[] = []): readonly (readonly PropertyKey[])[] {
  if (Array.isArray(value)) return value.flatMap((member, index) => secretPaths(member, [...path, index]))
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, member]) => secretPaths(member, [...path, key]))
  }
  const holdsPassword = path[0] === "redis_url" && typeof value === "string" && value.includes("@")
  return (path.length > 1 && keyAt(path)?.secret) || holdsPassword ? [path] : []
}
