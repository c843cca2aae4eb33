// A finding: what the doctor saw of one thing, and for what is not well why it matters and what to do.
import { isPortError } from "../../flow/ports.ts"
import type { Terminal } from "../terminal.ts"

/** What is wrong, why it matters, what to do: one sentence each. */
export interface Diagnosis {
  readonly what: string
  readonly why: string
  readonly todo: string
}

/** One finding. `area` is what it is about: `config`, `redis`, `platform main`, `slack`, `rule payments`. */
export type Finding =
  | { readonly level: "ok"; readonly area: string; readonly what: string }
  | ({ readonly level: "warn" | "fail"; readonly area: string } & Diagnosis)

/** See `notesOn`. */
export type Notes = ReturnType<typeof notesOn>

/** Makes findings of one area. `warn`: it works, but not as it should; `fail`: it does not, or is not safe. */
export function notesOn(area: string) {
  return {
    ok: (what: string): Finding => ({ level: "ok", area, what }),
    warn: (diagnosis: Diagnosis): Finding => ({ level: "warn", area, ...diagnosis }),
    fail: (diagnosis: Diagnosis): Finding => ({ level: "fail", area, ...diagnosis }),
  }
}

/** Prints findings, as text or as `{healthy, findings}`; exit code 1 for a failure, with `strict` for a warning too. */
export function printFindings(
  terminal: Terminal,
  findings: readonly Finding[],
  { json, strict = false }: { readonly json: boolean; readonly strict?: boolean },
): void {
  const healthy = findings.every(({ level }) => level === "ok" || (level === "warn" && !strict))
  terminal.out(json ? JSON.stringify({ healthy, findings }, null, 2) : report(findings))
  if (!healthy) process.exitCode = 1
}

/** All findings as text for a terminal: one line each, and below what is not well the why and what to do. */
export function report(findings: readonly Finding[]): string {
  return [...findings.map(lineOf), summary(findings)].join("\n")
}

function lineOf(finding: Finding): string {
  const head = `${finding.level.padEnd(4)}  ${finding.area}: ${finding.what}`
  return finding.level === "ok" ? head : `${head}\n      why: ${finding.why}\n      do:  ${finding.todo}`
}

function summary(findings: readonly Finding[]): string {
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length
  return `${count("ok")} ok, ${count("warn")} to look at, ${count("fail")} to mend`
}

/** Asks for a finding; what a module says it could not do becomes a failing one. A mistake of ours is thrown. */
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
