// The doctor on the credential that continues runs: it may run and must not resolve, and is nobody's
// (`docs/platform-facts.md` 5.8 and 7, probe 9).
import { claimsIn, isServiceAccount } from "../../config/credential.ts"
import type { InstanceProbe } from "../../platform/probe.ts"
import { runnable } from "../../platform/probe.ts"
import type { Finding, Notes } from "./finding.ts"
import { passed } from "./platform-access.ts"

/** Looks at the credential as it is, and at what the instance lets it do. */
export async function lookAtResume(notes: Notes, token: string, probe: InstanceProbe): Promise<readonly Finding[]> {
  const identity = judgeIdentity(notes, token)
  const resolves = passed(await probe.resolveNothing())
  const runs = await Promise.all(
    runnable.slice(0, 2).map(async (kind) => ({ kind, asked: await probe.continueNothing(kind) })),
  )
  const lacking = runs.filter(({ asked }) => passed(asked) !== true).map(({ kind }) => kind)
  return [
    ...identity,
    ...(resolves === false ? [] : [resolves === null ? notes.warn(UNTOLD) : notes.fail(PASSES_THE_GATE)]),
    lacking.length === 0
      ? notes.ok("the resume credential may continue runs")
      : notes.warn({
          what: `the resume credential may not continue runs of ${lacking.join(" and ")}`,
          why: "what is decided about them stays paused until somebody else continues it",
          todo: `give it ${lacking.map((kind) => `${kind}:run and ${kind}:read`).join(", ")}`,
        }),
  ]
}

const PASSES_THE_GATE = {
  what: "the resume credential may resolve approvals, too",
  why: "the platform's gate lets approvals:write pass, so it could continue a run that nobody has approved",
  todo: "use one with agents:run, agents:read, teams:run, teams:read and sessions:read, and no approvals:write",
}

const UNTOLD = {
  ...PASSES_THE_GATE,
  what: "whether the resume credential may resolve approvals, too, cannot be told",
}

/**
 * A run that is continued under another identity than its own is answered with ERROR, and before 3.0 it may be lost
 * (`docs/platform-facts.md` 5.2).
 */
function judgeIdentity(notes: Notes, token: string): readonly Finding[] {
  const subject = claimsIn(token)?.subject ?? null
  if (!isServiceAccount(token) && subject === null) return []
  const who = isServiceAccount(token) ? "is a service account" : `has the subject ${subject}`
  return [
    notes.fail({
      what: `the resume credential ${who}`,
      why: "the platform would look for the run among that identity's, not find it, and may lose it",
      todo: "use a JWT without a subject",
    }),
  ]
}
