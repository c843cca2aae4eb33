// Names in full, where a label cannot hold them.
import type { JsonObject } from "../../domain/json.ts"
import { writeArguments } from "../text/argument-text.ts"
import { NAME_UNITS } from "../text/headline.ts"
import { createLens } from "../text/text-fitter.ts"

/** Names that are too long for a label or hold characters that one does not see, as JSON; empty if there are none. */
export function inFull(names: JsonObject): readonly string[] {
  const odd = Object.entries(names).filter(([, name]) => typeof name === "string" && !fits(name))
  return odd.length === 0 ? [] : [`in full:\n${writeArguments(Object.fromEntries(odd))}`]
}

function fits(name: string): boolean {
  const lens = createLens()
  lens.word(name, NAME_UNITS)
  return lens.whole()
}
