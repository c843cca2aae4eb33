// Reads the credentials in files (`token_file`, `resume_token_file`), at the start and whenever a file changes.
import { resolve } from "node:path"
import { flawOfCredential } from "../../domain/text/sendable.ts"
import type { ConfigProblem, Report } from "../reading/problems.ts"
import type { InstanceSettings, Settings } from "../schema/schema.ts"
import { flawOfDecider, flawOfRunner, type PowerRisk, powerRiskOf } from "./credential.ts"

/** Reads the files that the config names. */
export interface Files {
  readonly readFile: (path: string) => string
  /** Where relative paths begin. */
  readonly cwd: string
}

/** A file that holds a credential. */
export interface TokenFile {
  /** Absolute. */
  readonly path: string
  readonly holds: HeldCredential
  readonly risk: PowerRisk
}

/** What the credential in a file is for: it decides approvals, or it continues runs. */
export type HeldCredential = "token" | "resume_token"

/** The credential, or why there is none, in words that follow the name of the file. */
export type TokenRead = { readonly ok: true; readonly token: string } | { readonly ok: false; readonly why: string }

/** Reads a file's text as the config reads a `token`: without white space around it, and by the same checks. */
export function readToken(text: string, { holds, risk }: Pick<TokenFile, "holds" | "risk">): TokenRead {
  const token = text.trim()
  if (token === "") return { ok: false, why: "is empty" }
  const flaw = flawOfCredential(token)
  if (flaw !== null) return { ok: false, why: flaw }
  if (holds === "token") {
    const why = flawOfDecider(token, risk)
    return why === null ? { ok: true, token } : { ok: false, why }
  }
  const why = flawOfRunner(token, risk)
  return why === null ? { ok: true, token } : { ok: false, why: `holds a credential that ${why}` }
}

/** The settings with the credentials that their files hold, and what is wrong with these files. */
export function withTokenFiles(
  settings: Settings,
  files: Files,
  report: Report,
): { readonly settings: Settings; readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = []
  const instances = settings.instances.map((instance, index) =>
    heldCredentials.reduce((filled, holds) => {
      const read = readHeld(instance, holds, files)
      if (read?.ok === false) problems.push(report(["instances", index, `${holds}_file`], read.why))
      return read?.ok === true ? { ...filled, [holds]: read.token } : filled
    }, instance),
  )
  return { settings: { ...settings, instances }, problems }
}

const heldCredentials: readonly HeldCredential[] = ["token", "resume_token"]

/** Reads what a file of the instance holds; null if it names no such file. */
function readHeld(instance: InstanceSettings, holds: HeldCredential, files: Files): TokenRead | null {
  const path = instance[`${holds}_file`]
  if (path === undefined) return null
  if (instance[holds] !== undefined) return { ok: false, why: `stands beside ${holds}; give only one of them` }
  const text = textAt(files, path)
  if (text === null) return { ok: false, why: "names a file that cannot be read" }
  const read = readToken(text, { holds, risk: powerRiskOf(instance) })
  return read.ok ? read : { ok: false, why: `names a file that ${read.why}` }
}

/** The file that holds a credential of an instance, if any. */
export function tokenFileOf(instance: InstanceSettings, holds: HeldCredential, cwd: string): TokenFile | undefined {
  const path = instance[`${holds}_file`]
  return path === undefined ? undefined : { path: resolve(cwd, path), holds, risk: powerRiskOf(instance) }
}

/** The text of a file that the config names; null if it cannot be read. */
export function textAt({ readFile, cwd }: Files, path: string): string | null {
  try {
    return readFile(resolve(cwd, path))
  } catch {
    return null // whatever is wrong with it, the operator sees which file it is
  }
}
