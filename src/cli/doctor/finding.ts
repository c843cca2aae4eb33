// A finding: what the doctor saw of one thing; if something is wrong, also why it matters and what to do.
import type { JsonObject } from "../../domain/content/json.ts"
import { isPortError } from "../../flow/ports.ts"
import type { Terminal } from "../terminal.ts"

/** What is wrong, why it matters, what to do: one sentence each. */
export interface Diagnosis {
  readonly what: string
  readonly why: string
  readonly todo: string
}

/** A call that shows a finding, in words and for programs. */
export interface Example {
  readonly words: string
  readonly call: JsonObject
}

/**
 * One finding. `area` is what it is about: `config`, `redis`, `platform main`, `slack`, `rule payments`. A note says
 * something that may be intended.
 */
export type Finding =
  | { readonly level: "ok" | "note"; readonly area: string; readonly what: string; readonly example?: Example }
  | ({ readonly level: "warn" | "fail"; readonly area: string; readonly example?: Example } & Diagnosis)

/** See `notesOn`. */
export type Notes = ReturnType<typeof notesOn>

/** Makes findings of one area. `warn`: it works, but not as it should. `fail`: it does not work, or is not safe. */
export function notesOn(area: string) {
  return {
    ok: (what: string): Finding => ({ level: "ok", area, what }),
    note: (what: string): Finding => ({ level: "note", area, what }),
    warn: (diagnosis: Diagnosis): Finding => ({ level: "warn", area, ...diagnosis }),
    fail: (diagnosis: Diagnosis): Finding => ({ level: "fail", area, ...diagnosis }),
  }
}

/**
 * Prints findings, as text or as `{healthy, findings}`. Exit code 1 for a failure; with `strict`, for a warning, too.
 */
export function printFindings(
  terminal: Terminal,
  findings: readonly Finding[],
  { json, strict = false }: { readonly json: boolean; readonly strict?: boolean },
): void {
  const healthy = findings.every(({ level }) => level !== "fail" && (level !== "warn" || !strict))
  terminal.out(json ? JSON.stringify({ healthy, findings }, null, 2) : report(findings))
  if (!healthy) process.exitCode = 1
}

/** All findings as text for a terminal. Findings that are alike stand together, with one why and one what to do. */
export function report(findings: readonly Finding[]): string {
  const groups = Map.groupBy(findings, (one) =>
    JSON.stringify("why" in one ? [one.level, one.why, one.todo] : [one.level, one.what]),
  )
  return [...[...groups.values()].flatMap(groupWords), findingsSummary(findings)].join("\n")
}

/** One line for each observation, for all areas together; below it why it matters and what to do. */
function groupWords(group: readonly Finding[]): readonly string[] {
  const [first] = group
  if (first === undefined) return []
  const seen = Map.groupBy(group, ({ what }) => what)
  const lines = [...seen.values()].flatMap((alike) => observationWords(alike, levelWords[first.level]))
  return !("why" in first) ? lines : [...lines, `       why: ${first.why}`, `       do:  ${first.todo}`]
}

/** The line of an observation. If several areas share it, it shows only one call; else it shows all calls. */
function observationWords(alike: readonly Finding[], level: string): readonly string[] {
  const areas = [...new Set(alike.map(({ area }) => area))]
  const examples = [...new Set(alike.flatMap(({ example }) => (example === undefined ? [] : [example.words])))]
  const shown = areas.length === 1 ? examples : examples.slice(0, 1)
  const more = examples.length > shown.length ? ", and other calls (--json)" : ""
  const what = alike[0]?.what ?? ""
  return [
    `${level.padEnd(5)}  ${areas.join(", ")}: ${areas.length === 1 ? what : what.replace(/^it /, "each ")}`,
    ...shown.map((words) => `       e.g. ${words}${more}`),
  ]
}

const levelWords = { ok: "ok", note: "note", warn: "warn", fail: "error" } as const

function findingsSummary(findings: readonly Finding[]): string {
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length
  const counted = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`
  return `${count("ok")} ok, ${counted(count("warn"), "warning")}, ${counted(count("fail"), "error")}`
}

/** Asks for a finding. If a module could not do something, that is a failing finding. Throws other errors. */
export async function asking<Found extends Finding | null>(
  notes: Notes,
  otherwise: Pick<Diagnosis, "why" | "todo">,
  ask: () => Promise<Found>,
): Promise<Found | Finding> {
  try {
    return await ask()
  } catch (error) {
    if (!isPortError(error)) throw error
    return notes.fail({ what: error.message, ...otherwise })
  }
}
