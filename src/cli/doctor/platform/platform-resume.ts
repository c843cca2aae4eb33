// The doctor on the credential that continues runs: what it says about itself, and what it may do at the instance.
import { claimsIn, isServiceAccount } from "../../../config/parts/credential.ts"
import { isJsonObject } from "../../../domain/content/json.ts"
import { type InstanceProbe, type ProbeAnswer, runnable } from "../../../platform/probe.ts"
import { asksWhichDatabase } from "../../../platform/sessions.ts"
import type { Finding, Notes } from "../finding.ts"
import { remedyOf } from "../remedy.ts"
import { passed, said, todoOf } from "./platform-access.ts"
import { askSessions } from "./platform-config.ts"
import type { InstanceTraits } from "./platform-info.ts"
import { isSpent, judgeToken } from "./platform-token.ts"

/** A credential that continues runs, and the instance where we try it. */
export interface Resuming {
  readonly notes: Notes
  /** Asks with this credential. */
  readonly probe: InstanceProbe
  readonly traits: InstanceTraits
  readonly token: string
  /** The time by the instance's own clock, epoch ms. */
  readonly now: number
}

/** One kind of run, and the instance's answers if we read and continue one. */
interface Tried {
  readonly kind: string
  readonly asked: readonly ProbeAnswer[]
}

/** Looks at what the credential says about itself, and what it may do there. A 401 tells nothing about scopes. */
export async function lookAtResume(resuming: Resuming): Promise<readonly Finding[]> {
  const { notes, probe, traits, token, now } = resuming
  const credential = { token, uses: [], key: "resume_token" } as const
  const offline = [...judgeToken(notes, credential, now), ...judgeIdentity(notes, token)]
  if (isSpent(credential, now)) return offline
  const resolve = await probe.resolveNothing()
  if (resolve.kind === "answer" && resolve.status === 401) return [...offline, judgeRefused(resuming, resolve)]
  const kinds = traits.enforces ? runnable : runnable.slice(0, 2)
  const runs = await Promise.all(kinds.map((kind) => tryRuns(probe, kind)))
  return [
    ...offline,
    ...judgeGate(notes, passed(resolve), traits),
    ...judgeRuns(resuming, runs),
    ...judgeResumeSessions(notes, await askSessions(probe, await probe.config())),
    ...(traits.enforces ? [] : [notes.ok(left)]),
  ]
}

const staysPaused = "after a decision all runs stay paused until somebody else continues them"

/** What is said where our gate stands at `url` and runs have no address of their own. */
export function noWayToRuns(notes: Notes): Finding {
  return notes.fail({
    what: "Countersign's gate stands at url, and runs have no address of their own",
    why: `the gate lets nobody continue a run: ${staysPaused}`,
    todo: "set resume_url to AgentOS's own address: docs/how-to/agentos-gate.md",
  })
}

/** Judges the place where runs are continued: the service that answers there has to be the one behind `url`. */
export function judgePlace(
  notes: Notes,
  { resumeUrl, here, there }: Readonly<Record<"here" | "there", ProbeAnswer>> & { readonly resumeUrl: string },
): Finding {
  if (there.kind === "none")
    return notes.fail({ what: `resume_url: ${there.error.message}`, why: staysPaused, todo: remedyOf(there.error) })
  const differing = ["os_id", "agno_version"].flatMap((name) => {
    const [one, other] = [here, there].map((answer) => toldBy(answer, name))
    return one === other ? [] : [`${name} is ${one ?? "not told"} at url and ${other ?? "not told"} at resume_url`]
  })
  if (differing.length === 0) return notes.ok(`runs are read and continued at ${resumeUrl}`)
  return notes.fail({
    what: `another service answers at resume_url than at url: ${differing.join(", ")}`,
    why: `the runs are not there: ${staysPaused}`,
    todo: "set resume_url to the address of the service that stands behind the gate at url",
  })
}

/** What the answer of `GET /info` has at a name; null if it has no text there. */
function toldBy(answer: ProbeAnswer, name: string): string | null {
  const body = answer.kind === "answer" && answer.status === 200 ? (answer.body ?? null) : null
  const value = isJsonObject(body) ? body[name] : null
  return typeof value === "string" ? value : null
}

/** Tries to read and to continue a run: we read each run before we continue it. */
async function tryRuns(probe: InstanceProbe, kind: (typeof runnable)[number]): Promise<Tried> {
  return { kind, asked: [await probe.continueNothing(kind), await probe.readNothing(kind)] }
}

function judgeRefused({ notes, traits, token }: Resuming, answer: Extract<ProbeAnswer, { kind: "answer" }>): Finding {
  return notes.fail({
    what: `the resume credential is refused: ${said("resolving an approval that does not exist", answer)}`,
    why: staysPaused,
    todo: todoOf(answer, { traits, token, key: "resume_token" }),
  })
}

function judgeGate(notes: Notes, resolves: boolean | null, { mode }: InstanceTraits): readonly Finding[] {
  if (resolves === false) return []
  if (resolves === null) return [notes.warn(untold)]
  return [notes.fail(mode === "security_key" ? { ...passesTheGate, todo: keyResolves } : passesTheGate)]
}

const keyResolves =
  "leave resume off: a security key may do everything, so it also passes the platform's gate; or switch to JWTs there"

function judgeRuns(resuming: Resuming, runs: readonly Tried[]): readonly Finding[] {
  const { notes } = resuming
  const refused = runs.filter(({ asked }) => asked.some((one) => passed(one) === false))
  const unknown = runs.filter((run) => !refused.includes(run) && run.asked.some((one) => passed(one) === null))
  if (refused.length + unknown.length === 0) return [notes.ok("the resume credential may continue runs")]
  return [
    ...(refused.length === 0 ? [] : [notes.warn(lacking(resuming, refused))]),
    ...(unknown.length === 0 ? [] : [notes.warn(notTold(resuming, unknown))]),
  ]
}

function lacking({ traits }: Resuming, runs: readonly Tried[]) {
  const isolated = runs.some(({ asked }) => asked.some((one) => one.kind === "answer" && isOfIsolation(one.detail)))
  return {
    what: `the resume credential may not continue runs of ${runKinds(runs)}`,
    why: "after a decision these runs stay paused until somebody else continues them",
    todo: isolated
      ? underIsolation
      : traits.roles
        ? underRoles
        : `give it ${runs.map(({ kind }) => `${kind}:run and ${kind}:read`).join(", ")}`,
  }
}

/** If users are isolated, AgentOS 3.x shows no run to a JWT without a subject (`docs/platform-facts.md` 5.8). */
const isOfIsolation = (detail: string) => /user identity/i.test(detail)

const underIsolation =
  "leave resume off: under user isolation no run is shown to a credential without a subject; " +
  "or switch isolation off there"

const underRoles =
  "roles decide there: sign one without a subject whose claim names a role that may run and read them, " +
  "if the instance has a roles_claim; else leave resume off"

function notTold({ traits, token }: Resuming, runs: readonly Tried[]) {
  const first = runs.flatMap(({ asked }) => asked).find((one) => passed(one) === null)
  return {
    what: `whether the resume credential may continue runs of ${runKinds(runs)} cannot be told`,
    why: "after a decision these runs may stay paused until somebody else continues them",
    todo: first === undefined ? "" : todoOfUntold(first, { traits, token }),
  }
}

function todoOfUntold(asked: ProbeAnswer, asking: Pick<Resuming, "traits" | "token">): string {
  return asked.kind === "none" ? remedyOf(asked.error) : todoOf(asked, { ...asking, key: "resume_token" })
}

function runKinds(runs: readonly Tried[]): string {
  return runs.map(({ kind }) => kind).join(" and ")
}

function judgeResumeSessions(notes: Notes, asked: ProbeAnswer): readonly Finding[] {
  if (asked.kind === "none") return []
  const scope = asksWhichDatabase(asked) ? "config:read" : asked.status === 403 ? "sessions:read" : null
  if (scope === null) return []
  return [
    notes.warn({
      what: "the resume credential may not read sessions",
      why: "a run of a team's member or of a workflow's step is found by its session: without that it stays paused",
      todo: `give it ${scope}`,
    }),
  ]
}

const left = "runs of workflows are not continued here: the platform does not let them go by their approvals"

const passesTheGate = {
  what: "the resume credential may resolve approvals, too",
  why: "the platform's gate lets approvals:write pass, so it could continue a run that nobody has approved",
  todo: "use one with agents:run, agents:read, teams:run, teams:read and sessions:read, and no approvals:write",
}

const untold = { ...passesTheGate, what: "whether the resume credential may resolve approvals, too, cannot be told" }

/** Fails a credential with an identity: runs of others fail under it, or get lost (`docs/platform-facts.md` 5.2). */
function judgeIdentity(notes: Notes, token: string): readonly Finding[] {
  const subject = claimsIn(token)?.subject ?? null
  if (!isServiceAccount(token) && subject === null) return []
  const who = isServiceAccount(token) ? "is a service account" : `has the subject ${subject}`
  const what = `the resume credential ${who}`
  const why = "the platform looks only among that identity's runs, does not find this one, and may lose it"
  const todo = "use a JWT without a subject"
  return [notes.fail({ what, why, todo })]
}
