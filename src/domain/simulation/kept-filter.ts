// Finds cases of the past by their arguments, in the language of a rule's condition, and by what is kept of them.
import type { Case } from "../case/case.ts"
import { type Condition, placedFlawWords, readCondition } from "../condition/condition.ts"
import { evaluate, type Truth } from "../condition/evaluate.ts"
import { pathsIn, type ValuePath } from "../condition/tree.ts"
import { openGatedCalls } from "../content/approval.ts"
import { callFacts } from "../policy/when.ts"
import { seenContentOf } from "./kept-content.ts"

/** A condition that looks at nothing but what is kept of a call. */
export type CallFilter = Condition

/** Reads a filter, or says in words what is wrong with it: as the config does of `when`. */
export function readFilter(
  text: string,
): { readonly ok: true; readonly filter: CallFilter } | { readonly ok: false; readonly why: string } {
  const read = readCondition(text)
  if (!read.ok)
    return {
      ok: false,
      why: read.flaws
        .slice(0, 1)
        .map((flaw) => placedFlawWords(text, flaw))
        .join(),
    }
  const [what] = pathsIn(read.condition.expression).flatMap(unkeptIn)
  if (what === undefined) return { ok: true, filter: read.condition }
  return { ok: false, why: `looks at ${what}, which is not kept: a filter looks at args, and at call but its classes` }
}

function unkeptIn({ root, names }: ValuePath): readonly string[] {
  if (root === "requester" || root === "time") return [root]
  return root === "call" && names[0] === "classes" ? ["call.classes"] : []
}

/**
 * What a filter comes to for each gated call of a case; for one call where the names of its calls are gone. It is
 * unknown where a value is masked, erased or in doubt. For a call that does not have the value it is false: masks hide
 * values, and no names.
 */
export function truthsOf({ expression }: CallFilter, current: Case): readonly Truth[] {
  const { approval } = seenContentOf(current)
  return openGatedCalls(approval).map((call) =>
    evaluate(expression, { ...callFacts(approval, call, {}), lackingFails: true }),
  )
}

/** True if a filter holds for one call of a case; else unknown if nobody can tell it of one. */
export function truthOfFilter(filter: CallFilter, current: Case): Truth {
  const truths = truthsOf(filter, current)
  return (["true", "unknown"] as const).find((one) => truths.includes(one)) ?? "false"
}
