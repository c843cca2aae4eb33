// Reads the credential in a file (`token_file`), at the start and whenever the file changes.
import { resolve } from "node:path"
import { flawOfCredential } from "../../domain/text/sendable.ts"
import type { ConfigProblem, Report } from "../reading/problems.ts"
import type { InstanceSettings, Settings } from "../schema/schema.ts"
import { riskOf } from "./credential.ts"

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
  /** True: the operator accepts a credential that may run agents as well. */
  readonly acceptRunScope: boolean
}

/** The credential, or why there is none, in words that follow the name of the file. */
export type TokenRead = { readonly ok: true; readonly token: string } | { readonly ok: false; readonly why: string }

/** Reads a file's text as the config reads a `token`: without white space around it, and by the same checks. */
export function readToken(text: string, { acceptRunScope }: Pick<TokenFile, "acceptRunScope">): TokenRead {
  const token = text.trim()
  if (token === "") return { ok: false, why: "is empty" }
  const flaw = flawOfCredential(token)
  if (flaw !== null) return { ok: false, why: flaw }
  const risk = acceptRunScope ? null : riskOf(token)
  return risk === null
    ? { ok: true, token }
    : { ok: false, why: `${risk}. Use one without, or set accept_run_scope: true` }
}

/** The settings with the credentials that their files hold, and what is wrong with these files. */
export function withTokenFiles(
  settings: Settings,
  files: Files,
  report: Report,
): { readonly settings: Settings; readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = []
  const instances = settings.instances.map((instance, index) => {
    if (instance.token_file === undefined) return instance
    const read = instance.token === undefined ? readAt(instance.token_file, files, instance) : standsBeside
    if (!read.ok) problems.push(report(["instances", index, "token_file"], read.why))
    return read.ok ? { ...instance, token: read.token } : instance
  })
  return { settings: { ...settings, instances }, problems }
}

const standsBeside: TokenRead = { ok: false, why: "stands beside token; give only one of them" }

function readAt(path: string, files: Files, { accept_run_scope: acceptRunScope }: InstanceSettings): TokenRead {
  const text = textAt(files, path)
  if (text === null) return { ok: false, why: "names a file that cannot be read" }
  const read = readToken(text, { acceptRunScope })
  return read.ok ? read : { ok: false, why: `names a file that ${read.why}` }
}

/** The file that holds the credential of an instance, if any. */
export function tokenFileOf(
  { token_file: path, accept_run_scope: acceptRunScope }: InstanceSettings,
  cwd: string,
): TokenFile | undefined {
  return path === undefined ? undefined : { path: resolve(cwd, path), acceptRunScope }
}

/** The text of a file that the config names; null if it cannot be read. */
export function textAt({ readFile, cwd }: Files, path: string): string | null {
  try {
    return readFile(resolve(cwd, path))
  } catch {
    return null // whatever is wrong with it, the operator sees which file it is
  }
}
