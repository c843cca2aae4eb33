// Compares an answer with what a check expects of it.
import { isDeepStrictEqual } from "node:util"
import type { z } from "zod"
import type { CheckOutcome, PlatformCheck, WireReply } from "./check.ts"

/** How many characters of an answer a report repeats. */
const shownCharacters = 200

/** The JSON of an answer; undefined if it is no JSON. */
export function jsonOf({ text }: Pick<WireReply, "text">): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a report shows such an answer as text
  }
}

/** Judges an answer. `conceal` removes credentials from a text. */
export function judgeReply(check: PlatformCheck, reply: WireReply, conceal: (text: string) => string): CheckOutcome {
  const got = conceal(shownReply(reply))
  if (reply.status === 403 && (check.as ?? "caller") === "caller" && !check.status.includes(403))
    return { kind: "untested", why: `the credential may not: ${got}` }
  if (!check.status.includes(reply.status))
    return { kind: "deviates", expected: `status ${check.status.join(" or ")}`, got }
  if (check.header !== undefined && reply.headers[check.header] === undefined)
    return { kind: "deviates", expected: `a header ${check.header}`, got }
  const body = jsonOf(reply)
  const fault = (check.shape === undefined ? null : faultIn(check.shape, body)) ?? otherwiseIn(check.holds ?? {}, body)
  return fault === null ? { kind: "passed" } : { kind: "deviates", expected: fault, got }
}

/** The first field without the value that it must have, in words. */
function otherwiseIn(holds: Readonly<Record<string, unknown>>, body: unknown): string | null {
  const fields = new Map(Object.entries(typeof body === "object" && body !== null ? body : {}))
  const other = Object.entries(holds).find(([name, value]) => !isDeepStrictEqual(fields.get(name), value))
  return other === undefined ? null : `${other[0]}: ${JSON.stringify(other[1])}`
}

/** What is wrong with a value, in words; null if it fits. */
export function faultIn(shape: z.ZodType, value: unknown): string | null {
  if (value === undefined) return "JSON"
  const read = shape.safeParse(value)
  if (read.success) return null
  const [first] = read.error.issues
  const place = first?.path.join(".") ?? ""
  return `${place === "" ? "" : `${place}: `}${first?.message ?? "another shape"}`
}

/** The outcome of an answer whose fault was found elsewhere. */
export function outcomeOf(fault: string | null, reply: WireReply): CheckOutcome {
  return fault === null ? { kind: "passed" } : { kind: "deviates", expected: fault, got: shownReply(reply) }
}

/** The status and the beginning of an answer. */
export function shownReply({ status, text }: Pick<WireReply, "status" | "text">): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  const cut = line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line
  return cut === "" ? `status ${status}` : `status ${status} ${cut}`
}
