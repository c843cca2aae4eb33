// Remarks on rules that are valid but hardly meant, such as a word that looks like a pattern, or a very late deadline.
import { workingMomentAfter } from "../../domain/policy/timing.ts"
import type { Match, Rule, Timing } from "../../domain/rule/rule.ts"
import type { Remark } from "./credential.ts"
import { spanWords } from "./key-words.ts"

/** A remark for each word of a rule that looks like a pattern or like a list: we take each word literally. */
export function remarksOnRules(rules: readonly Rule[]): readonly Remark[] {
  return rules.flatMap(({ name, match, mask }) => [
    ...matchWords(match).flatMap(([field, word]) => remarkOn(`rule ${name}: match.${field}`, word, field === "tool")),
    ...mask.filter((word) => !word.startsWith("/")).flatMap((word) => remarkOn(`rule ${name}: mask`, word, true)),
  ])
}

/** Remarks on a rule that sends results, if no instance of the rule continues runs: then nothing is ever sent. */
export function remarksOnResults(
  rules: readonly Rule[],
  instances: readonly { readonly name: string; readonly resume: string }[],
): readonly Remark[] {
  const resuming = instances.filter(({ resume }) => resume !== "off").map(({ name }) => name)
  const sending = rules.filter(({ resultToRequester }) => resultToRequester === true)
  const idle = sending.filter(({ match }) => !resuming.some((name) => match.instance?.includes(name) ?? true))
  return idle.map(({ name }) => ({
    what: `rule ${name} says show_result: requester, and no instance that it is for has resume`,
    why: "only a run that Countersign continues has an answer to send, so nobody is ever sent one",
    todo: "set the instance's resume, or leave show_result out",
  }))
}

const dayMs = 86_400_000

/** Hardly anybody means a deadline that is more than this many days away. */
const farDays = 365

/** Remarks on deadlines of rules that working hours put over a year away; each remark names the day. */
export function remarksOnHours(rules: readonly Rule[], now: number): readonly Remark[] {
  return rules.flatMap(({ name, timing }) =>
    timing === undefined ? [] : timesOf(timing).flatMap(([key, ms]) => farOff(`rule ${name}: ${key}`, ms, timing, now)),
  )
}

function timesOf({ remindAfter, escalate, expireAfter }: Timing): readonly (readonly [key: string, ms: number])[] {
  return [
    ...remindAfter.map((ms) => ["remind_after", ms] as const),
    ...escalate.map(({ after }) => ["escalate", after] as const),
    ...(expireAfter === null ? [] : [["expire_after", expireAfter] as const]),
  ]
}

function farOff(where: string, ms: number, { workingHours }: Timing, now: number): readonly Remark[] {
  if (workingHours === null) return []
  const at = workingMomentAfter(now, ms, workingHours)
  const days = Math.round((at - now) / dayMs)
  if (days <= farDays) return []
  const far = days < 2 * farDays ? `${days} days` : `${Math.round(days / 365.25)} years`
  return [
    {
      what: `${where} of ${spanWords(ms)} comes ${far} after a call: for one of today on ${dateOf(at)}`,
      why: "only working_hours count, so the call waits that long",
      todo: "write how many working hours may go by, such as 8h for a working day, or give working_hours more of them",
    },
  ]
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Remarks on a rule of high risk: if one person may approve, if no reason is needed, if it never expires. */
export function remarksOnRisk(rules: readonly Rule[]): readonly Remark[] {
  return rules
    .filter(({ risk }) => risk === "high")
    .flatMap((rule) =>
      weaknessesOf(rule).map((one) => ({ ...one, what: `rule ${rule.name} says risk: high ${one.what}` })),
    )
}

function weaknessesOf({ timing, quorum, requireReason }: Rule): readonly Remark[] {
  const forEver = (timing?.expireAfter ?? null) === null
  const gives = requireReason === "approve" || requireReason === "always"
  return [
    ...(forEver
      ? [
          {
            what: "and has no expire_after",
            why: "it can be approved long after it was asked for",
            todo: "set expire_after, such as 8h",
          },
        ]
      : []),
    ...(quorum < 2 ? [{ what: "and quorum: 1", why: "one person alone decides it", todo: "set quorum: 2" }] : []),
    ...(gives
      ? []
      : [
          {
            what: "and asks for no reason to approve",
            why: "nobody can say later why it was approved",
            todo: "set require_reason: always",
          },
        ]),
  ]
}

function matchWords(match: Match): readonly (readonly [field: string, word: string])[] {
  return Object.entries(match).flatMap(([field, words]: [string, readonly string[]]) =>
    words.map((word) => [field, word] as const),
  )
}

function remarkOn(where: string, word: string, takesGlobs: boolean): readonly Remark[] {
  const quoted = JSON.stringify(word)
  if (word.includes(",")) {
    const parts = word.split(",").map((part) => part.trim())
    const why = "nothing has that name, so it never matches"
    return [{ what: `${where} has a comma in ${quoted}, which is one word`, why, todo: `write [${parts.join(", ")}]` }]
  }
  if (looksLikePattern(word)) {
    const what = `${where} looks like a regular expression: ${quoted}`
    const todo = takesGlobs ? "write * for any text and ? for one character; list several words: [a, b]" : listNames
    return [{ what, why: "each character stands for itself here, so it hardly ever matches", todo }]
  }
  if (takesGlobs || !/[*?]/.test(word)) return []
  const why = "only match.tool and mask know * and ?, so it hardly ever matches"
  return [{ what: `${where} has * or ? in ${quoted}, which stand for themselves`, why, todo: listNames }]
}

const listNames = "list the whole names: [one, another]"

/** `/x/`, `a|b`, `^x`, `x$`, `.*`, `.+`, `[a-z]`, `\w`: no name and no glob contains these. */
function looksLikePattern(word: string): boolean {
  return /^\/.+\/[a-z]*$|\||^\^|\$$|\.[*+]|\[.*\]|\\[a-z.]/i.test(word)
}
