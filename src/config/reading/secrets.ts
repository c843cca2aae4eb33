// Secrets belong in the environment: we refuse one in the file, and keep all secrets out of the log.
import { secretsInAddress } from "../../redis-address.ts"
import { keyAt } from "../schema/keys.ts"
import type { Settings } from "../schema/schema.ts"
import type { ConfigProblem } from "./problems.ts"
import { type Origin, problemAt } from "./wording.ts"

/** Secrets that stand in the file itself. We look for them before we check anything else of the settings. */
export function literalSecrets(settings: unknown, origin: Origin): readonly ConfigProblem[] {
  const { source } = origin
  if (!source) return []
  return scalarsIn(settings)
    .filter(({ path, value }) => (keyAt(path)?.secret || holdsPassword(path, value)) && source.literal(path))
    .map(({ path }) =>
      problemAt(path, "is a secret and must not stand in the file; name a variable of the environment", origin),
    )
}

interface Scalar {
  readonly path: readonly PropertyKey[]
  readonly value: unknown
}

function scalarsIn(value: unknown, path: readonly PropertyKey[] = []): readonly Scalar[] {
  if (Array.isArray(value)) return value.flatMap((member, index) => scalarsIn(member, [...path, index]))
  if (typeof value !== "object" || value === null) return [{ path, value }]
  return Object.entries(value).flatMap(([key, member]) => scalarsIn(member, [...path, key]))
}

function holdsPassword([key]: readonly PropertyKey[], value: unknown): boolean {
  return key === "redis_url" && typeof value === "string" && /@|sentinel_password=/.test(value)
}

/** Every secret of a config, and `more` from elsewhere, in each form that it may appear in. */
export function secretsOf(settings: Settings, more: readonly (string | undefined)[]): readonly string[] {
  const found = scalarsIn(settings).flatMap(({ path, value }) => (keyAt(path)?.secret ? [String(value)] : []))
  return [...found, ...more, ...secretsInAddress(settings.redis_url ?? "")].flatMap((secret) =>
    secret ? [secret] : [],
  )
}
