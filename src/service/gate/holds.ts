// What a caller holds, asked by handlers that learn more than the path says.
import type { Standing } from "../parts.ts"

/** True if the caller holds a scope, for this id or for all; always where scopes are not enforced. */
export function holds({ enforced, scopes }: Standing, scope: string, id: string | null): boolean {
  return !enforced || scopes.covers(scope, id)
}
