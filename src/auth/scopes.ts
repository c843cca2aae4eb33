// Scopes: how they are written, and what a set of them opens (specification 5.3).

/** The scope that opens every endpoint, unless the configuration names another one (5.3). */
export const defaultAdminScope = "service:admin"

/** Resource families for which the form `resource:<id>:action` counts (5.3, rule 2). */
export const perResourceFamilies: ReadonlySet<string> = new Set(["agents", "teams", "workflows"])

const legacyAliases: ReadonlyMap<string, string> = new Map([
  ["system:read", "config:read"],
  ["system:write", "config:write"],
])

/** One scope, taken apart. `id` is null for the global form, and for the wildcard form, which means the same. */
interface Scope {
  readonly resource: string
  readonly id: string | null
  readonly action: string
}

/**
 * Takes a scope apart: `resource:action`, `resource:*:action`, and `resource:<id>:action` for agents, teams and
 * workflows. Legacy names `system:*` become `config:*` (5.3, rule 4). Null for any other text. Case matters.
 */
export function parseScope(text: string): Scope | null {
  const parts = (legacyAliases.get(text) ?? text).split(":")
  if (parts.some((part) => part === "" || part.trim() !== part)) return null
  const [resource, middle, last] = parts
  if (resource === undefined || middle === undefined || resource === "*") return null
  if (parts.length === 2) return middle === "*" ? null : { resource, id: null, action: middle }
  if (parts.length !== 3 || last === undefined || last === "*") return null
  if (middle === "*") return { resource, id: null, action: last }
  return perResourceFamilies.has(resource) ? { resource, id: middle, action: last } : null
}

/** True for the admin scope, as named or in an equal form (legacy names: 5.3, rule 4). Only it gives full access. */
export function isAdminScope(text: string, adminScope: string): boolean {
  return plainForm(text) === plainForm(adminScope)
}

/** The same spelling for all equal forms. A name that is not well formed stays as it is. */
function plainForm(text: string): string {
  const scope = parseScope(text)
  if (scope === null) return text
  return scope.id === null ? `${scope.resource}:${scope.action}` : `${scope.resource}:${scope.id}:${scope.action}`
}

/** A scope that a route demands. `text`: as it was written. `id`: set if it demands a single resource. */
export interface Need {
  readonly text: string
  readonly scope: string
  readonly resource: string
  readonly id: string | null
}

/** Reads a demanded scope. If it is not well formed, only exactly the same text meets it (5.5). */
export function toNeed(text: string): Need {
  const scope = parseScope(text)
  if (scope === null) return { text, scope: text, resource: "", id: null }
  return { text, scope: `${scope.resource}:${scope.action}`, resource: scope.resource, id: scope.id }
}

/** What a caller's scopes open. Made once per credential; each question costs two set look-ups. */
export interface ScopeSet {
  readonly admin: boolean
  /** True if the caller holds `required`: as named, in an equal form, for this `id` if it is set, or by admin scope. */
  covers(required: string, id: string | null): boolean
  /** True if the caller holds `required` for everything or for at least one id: enough for a list that is filtered. */
  coversSome(required: string): boolean
}

/**
 * Judges a caller's scopes. Only `adminScope` gives full access (`isAdminScope`): if it is not the default name, the
 * default name opens nothing. A scope that is not well formed meets only a demand with exactly its text (own names by
 * scope mappings: 5.5).
 */
export function createScopeSet(scopes: readonly string[], adminScope: string = defaultAdminScope): ScopeSet {
  const general = new Set(scopes)
  const single = new Set<string>()
  const some = new Set<string>()
  for (const scope of scopes.map(parseScope)) {
    if (scope === null) continue
    const plain = `${scope.resource}:${scope.action}`
    if (scope.id === null) general.add(plain)
    else {
      single.add(`${scope.resource}:${scope.id}:${scope.action}`)
      some.add(plain)
    }
  }
  const admin = scopes.some((scope) => isAdminScope(scope, adminScope))
  const coversAll = (required: string): boolean => admin || general.has(required)
  return {
    admin,
    covers: (required, id) => coversAll(required) || (id !== null && single.has(withId(required, id))),
    coversSome: (required) => coversAll(required) || some.has(required),
  }
}

function withId(required: string, id: string): string {
  const colon = required.indexOf(":")
  return `${required.slice(0, colon)}:${id}:${required.slice(colon + 1)}`
}

/** Known scopes that open nothing here, though a token may carry them. */
export const controlPlaneScopes: ReadonlySet<string> = new Set([
  "os:read",
  "os:write",
  "os:delete",
  "org:read",
  "org:write",
  "org:delete",
  "org:members:read",
  "org:members:write",
  "org:roles:read",
  "org:roles:write",
  "org:roles:delete",
  "billing:read",
  "billing:write",
])
