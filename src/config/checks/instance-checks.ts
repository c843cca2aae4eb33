// Checks how the keys of an instance fit together: which credential reads, resolves and continues runs.
import { type DelegateAlgorithm, isReservedSubject, readDelegateKey } from "../../domain/people/delegated.ts"
import { nameOfFile } from "../../secret.ts"
import { bothPowers, flawOfDecider, flawOfRunner, powerRiskOf } from "../parts/credential.ts"
import { type Files, textAt } from "../parts/token-file.ts"
import type { ConfigProblem, Report } from "../reading/problems.ts"
import type { InstanceSettings, Settings } from "../schema/schema.ts"

/** Lists what is wrong about the instances although each key by itself is right. */
export function checkInstances(
  { instances, identities }: Settings,
  files: Files,
  report: Report,
): readonly ConfigProblem[] {
  const delegates = instances.some(({ delegated }) => delegated !== undefined)
  const reserved = identities.flatMap(({ subject }, index) => (isReservedSubject(subject) ? [index] : []))
  return [
    ...instances.flatMap((instance, index) => {
      const below: Report = (path, what) => report(["instances", index, ...path], what)
      return [...checkRisk(instance, below), ...checkResolving(instance, files, below), ...checkResume(instance, below)]
    }),
    ...(delegates ? reserved : []).map((index) =>
      report(["identities", index, "subject"], "is reserved by the platform, which takes no delegated token for it"),
    ),
  ]
}

/** Checks that no credential can both resolve and run, unless the operator takes the risk. */
function checkRisk(instance: InstanceSettings, report: Report): readonly ConfigProblem[] {
  const risk = powerRiskOf(instance)
  return (["token", "resolve_token"] as const).flatMap((key) => {
    const flaw = flawOfDecider(instance[key] ?? "", risk)
    return flaw === null ? [] : [report([key], flaw)]
  })
}

/** Checks that there is at most one way to resolve, and that its key can sign. */
function checkResolving(
  { resolve_token, delegated }: InstanceSettings,
  files: Files,
  report: Report,
): readonly ConfigProblem[] {
  if (delegated === undefined) return []
  const at = (key: readonly string[], what: string) => [report(["delegated", ...key], what)]
  if (resolve_token !== undefined) return at([], "stands beside resolve_token; give only one of them")
  const { algorithm, key, key_file } = delegated
  if (key !== undefined && key_file !== undefined) return at(["key_file"], "stands beside key; give only one of them")
  if (key !== undefined) {
    const named = algorithm === "HS256" ? nameOfFile(key) : null
    return named === null
      ? keyProblem(key, algorithm, (what) => at(["key"], what))
      : at(["key"], `${named}; name it in key_file`)
  }
  if (key_file === undefined) return at([], "needs key, from the environment, or key_file")
  const text = textAt(files, key_file)
  if (text === null) return at(["key_file"], "names a file that cannot be read")
  return keyProblem(text, algorithm, (what) => at(["key_file"], what))
}

function keyProblem(text: string, algorithm: DelegateAlgorithm, at: (what: string) => readonly ConfigProblem[]) {
  const found = readDelegateKey(text, algorithm)
  return found.ok ? [] : at(found.why)
}

/** Checks the credential that continues runs: it must lose no run, and not resolve (`docs/platform-facts.md` 5.8). */
function checkResume(instance: InstanceSettings, report: Report): readonly ConfigProblem[] {
  const { resume, resume_token: own, resume_token_file: file, token } = instance
  const key = file === undefined ? "resume_token" : "resume_token_file"
  if (resume === "off")
    return (["resume_url", "resume_token", "resume_token_file"] as const).flatMap((given) =>
      instance[given] === undefined || (given === "resume_token" && file !== undefined)
        ? []
        : [report([given], "is given, but resume is off")],
    )
  if (own === undefined) {
    const what = "needs a resume_token: who resolves must not run agents as well"
    return token === undefined || file !== undefined ? [] : [report(["resume"], what)]
  }
  const flaw = (file === undefined ? flawOfRunner(own, powerRiskOf(instance)) : null) ?? samenessFlaw(instance, own)
  return flaw === null ? [] : [report([key], flaw)]
}

/** Finds one credential for two uses. Where runs have an address of their own, no credential may go to both. */
function samenessFlaw(instance: InstanceSettings, own: string): string | null {
  const { token, resolve_token, delegated, resume_url, resume_token_file } = instance
  const risk = powerRiskOf(instance)
  if (risk === "accepted") return null
  const resolves = resolve_token ?? (delegated === undefined ? token : undefined)
  if (own === resolves) return `is the token that resolves: ${bothPowers(risk)}`
  const isApart = resume_url !== undefined || resume_token_file !== undefined
  return isApart && own === token ? `is the token that reads approvals. Use a separate one` : null
}
