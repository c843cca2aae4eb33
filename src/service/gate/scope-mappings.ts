// What an operator maps: "METHOD /path" to scopes of their own choice (specification 5.5).
import { z } from "zod"
import { AuthSetupError } from "../../auth/errors.ts"
import { parsePattern } from "../../auth/route.ts"
import type { RouteTable } from "./route-table.ts"

const mappingsSchema = z.record(z.string(), z.array(z.string().min(1)))

/**
 * Checks mappings as they come from a YAML or JSON file. Throws `AuthSetupError`, which names the pattern, for a list that is none and for a
 * pattern that no request could match: a mapping that is silently without effect would leave a route with other scopes than meant.
 */
export function readScopeMappings(input: unknown): RouteTable {
  const outcome = mappingsSchema.safeParse(input)
  if (!outcome.success) {
    const [issue] = outcome.error.issues
    const place = issue?.path.map(String).join(" → ") ?? ""
    throw new AuthSetupError(
      "mapping_invalid",
      `scope mappings: ${place}: ${issue?.message ?? "expected a list of scopes"}`,
    )
  }
  for (const pattern of Object.keys(outcome.data)) parsePattern(pattern)
  return outcome.data
}
