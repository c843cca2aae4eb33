// Checks of what continues runs: a credential of its own, under which no run is lost, and which cannot resolve
// (`docs/platform-facts.md` 5.8).
import { claimsIn, scopesIn } from "../parts/credential.ts"
import type { Problem } from "../reading/problems.ts"
import type { Settings } from "../schema/schema.ts"
import type { Report } from "./slack-checks.ts"

type Instance = Settings["instances"][number]

/** What is wrong with how an instance's runs are to be continued. */
export function checkResume(instance: Instance, index: number, report: Report): readonly Problem[] {
  const at = (key: string, what: string) => [report(["instances", index, key], what)]
  const { resume = "off", resume_token: own, accept_run_scope: accepted = false } = instance
  const resolves = instance.resolve_token ?? (instance.delegated === undefined ? instance.token : undefined)
  if (resume === "off") return own === undefined ? [] : at("resume_token", "is given, but resume is off")
  if (own === undefined) {
    return instance.token === undefined
      ? []
      : at("resume", "needs a resume_token: who resolves must not run agents as well")
  }
  const problem = identityProblem(own) ?? (accepted ? null : powerProblem(own, resolves))
  return problem === null ? [] : at("resume_token", problem)
}

/**
 * A run that is continued under another identity than its own fails, and may be lost (`docs/platform-facts.md` 5.2).
 */
function identityProblem(own: string): string | null {
  if (/^(agno_pat|cs_sa)_/.test(own))
    return "is a service account's: continued under that identity, runs fail or are lost. Use a JWT without sub"
  if ((claimsIn(own)?.subject ?? null) === null) return null
  return "has a subject (sub): continued under another identity than their own, runs fail or are lost. Use a JWT without sub"
}

function powerProblem(own: string, resolves: string | undefined): string | null {
  const risk =
    "who resolves and runs could push a paused run past its approval. Use one of its own, or say accept_run_scope: true"
  if (own === resolves) return `is the token that resolves: ${risk}`
  const scopes = scopesIn(own) ?? []
  const power = scopes.find((scope) => scope === "approvals:write" || /^(agent_os|service):admin$/.test(scope))
  return power === undefined ? null : `holds ${power}: ${risk}`
}
