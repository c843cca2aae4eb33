// The calendar of time zones. Its package is loaded when a rule first looks at the clock of a zone.
import { createRequire } from "node:module"
import type * as Polyfill from "temporal-polyfill"

const load = createRequire(import.meta.url)

/** `Temporal`, which Node 24 does not have. Loaded late, as the parser of conditions is. */
export function temporal(): typeof Polyfill.Temporal {
  const found: typeof Polyfill =
    typeof require === "function" ? require("temporal-polyfill") : load("temporal-polyfill")
  return found.Temporal
}
