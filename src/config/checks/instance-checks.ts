// Checks how the keys of an instance fit together: which credential reads, resolves and continues runs.
import { type DelegateAlgorithm, isReservedSubject, readDelegateKey } from "../../domain/people/delegated.ts"
import { nameOfFile } from "../../secret.ts"
import { claimsIn, riskOf, scopesIn } from "../parts/credential.ts"
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
  if (instance.accept_run_scope) return []
  return (["token", "resolve_token"] as const).flatMap((key) => {
    const risk = riskOf(instance[key] ?? "")
    return risk === null ? [] : [report([key], `${risk}. Use one without, or set accept_run_scope: true`)]
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

/** Checks the credential that continues runs: it loses no run, and cannot resolve (`docs/platform-facts.md` 5.8). */
function checkResume(instance: InstanceSettings, report: Report): readonly ConfigProblem[] {
  const { resume, resume_token: own, accept_run_scope: accepted, token, resolve_token, delegated } = instance
  if (resume === "off") return own === undefined ? [] : [report(["resume_token"], "is given, but resume is off")]
  if (own === undefined) {
    const what = "needs a resume_token: who resolves must not run agents as well"
    return token === undefined ? [] : [report(["resume"], what)]
  }
  const resolves = resolve_token ?? (delegated === undefined ? token : undefined)
  const problem = identityProblem(own) ?? (accepted ? null : powerProblem(own, resolves))
  return problem === null ? [] : [report(["resume_token"], problem)]
}

/** Finds a credential with an identity: it fails or loses runs of others (`docs/platform-facts.md` 5.2). */
function identityProblem(own: string): string | null {
  if (/^(agno_pat|cs_sa)_/.test(own))
    return "is a service account's: continued under that identity, runs fail or are lost. Use a JWT without sub"
  if ((claimsIn(own)?.subject ?? null) === null) return null
  return (
    "has a subject (sub): continued under another identity than their own, runs fail or are lost. " +
    "Use a JWT without sub"
  )
}

function powerProblem(own: string, resolves: string | undefined): string | null {
  const risk =
    "who resolves and runs could push a paused run past its approval. Use a separate one, or set accept_run_scope: true"
  if (own === resolves) return `is the token that resolves: ${risk}`
  const scopes = scopesIn(own) ?? []
  const power = scopes.find((scope) => scope === "approvals:write" || /^(agent_os|service):admin$/.test(scope))
  return power === undefined ? null : `holds ${power}: ${risk}`
}
