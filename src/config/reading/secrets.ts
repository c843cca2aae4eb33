// Secrets belong into the environment: one that stands in the file itself is refused, and all of them are kept out of the log.
import { httpSecrets } from "../parts/http.ts"
import { keyAt } from "../schema/keys.ts"
import type { Settings } from "../schema/schema.ts"
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

/** Every secret of a config, and `more` that come from elsewhere, in each form in which it may be said. */
export function secretsOf(settings: Settings, more: readonly (string | undefined)[]): readonly string[] {
  const { bot_token, app_token, signing_secret } = settings.slack
  const password = settings.redis_url === undefined ? "" : new URL(settings.redis_url).password
  const credentials = settings.instances.flatMap((one) => [
    one.token,
    one.resolve_token,
    one.resume_token,
    one.delegated?.key,
  ])
  const found = [...credentials, bot_token, app_token, signing_secret, ...httpSecrets(settings.http), ...more]
  return [...found, password, decoded(password)].flatMap((secret) => (secret ? [secret] : []))
}

/** The password as it is sent; as it stands where its escapes are broken. */
function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
