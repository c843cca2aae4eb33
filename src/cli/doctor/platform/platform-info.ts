// The doctor on what an instance tells without a credential: who it is, and whether it asks for credentials.
import { isServiceAccount } from "../../../config/parts/credential.ts"
import { isJsonObject, type Json } from "../../../domain/content/json.ts"
import { smallest } from "../../../domain/content/largest.ts"
import type { ProbeAnswer } from "../../../platform/probe.ts"
import { type Finding, type Notes, notesOn } from "../finding.ts"
import { keyViaGate, remedyOf } from "../remedy.ts"

/** Traits of an instance that change how to read its other answers. */
export interface InstanceTraits {
  /** How it recognises callers; null if it does not say. */
  readonly mode: "none" | "security_key" | "jwt" | null
  /** True for service accounts of AgentOS. Without admin they see only their own rows: an empty list proves nothing. */
  readonly selfScoped: boolean
  /** The version of agno; null for another service. `0.0.0` if agno was installed without metadata. */
  readonly version: string | null
  /** True if the roles of subjects decide; then the scopes of tokens do not count. */
  readonly roles: boolean
  /** True if it says that it isolates users. AgentOS tells this since 3.1.0. */
  readonly isolated: boolean
  /** True if it enforces each record's decision, in workflows, too. */
  readonly enforces: boolean
}

/** The traits, by `/info` and by the credential. */
export function traitsOf(info: ProbeAnswer, token: string | undefined): InstanceTraits {
  const body = info.kind === "answer" && info.status === 200 ? info.body : undefined
  const mode = member(body, "auth_mode")
  const known = mode === "none" || mode === "security_key" || mode === "jwt" ? mode : null
  const version = member(body, "agno_version")
  const agentOs = typeof version === "string"
  const selfScoped = agentOs && token !== undefined && isServiceAccount(token)
  const isolated = member(body, "user_isolation") === true
  const enforces = member(body, "enforces_rejection") === true
  return { mode: known, selfScoped, version: agentOs ? version : null, roles: false, isolated, enforces }
}

/** Adds what the answer of `GET /authz/roles` tells: an instance without roles does not have this route. */
export function withRoles(traits: InstanceTraits, asked: ProbeAnswer): InstanceTraits {
  const known = asked.kind === "answer" && (asked.status === 200 || /admin privileges/i.test(asked.detail))
  return { ...traits, roles: traits.mode === "jwt" && known }
}

/** True for the version `since` and all later ones, compared number by number. False if the version is unknown. */
export function isSince(version: string, since: string): boolean {
  const [numbers, limits] = [version, since].map((one) => one.split(".").map((part) => Number.parseInt(part, 10)))
  const at = (limits ?? []).findIndex((limit, index) => (numbers?.[index] ?? 0) !== limit)
  return at === -1 || (numbers?.[at] ?? 0) > (limits?.[at] ?? 0)
}

/**
 * Compares our clock with the instance's, which it tells in whole seconds. Clocks may differ by 10 s when AgentOS
 * checks a token's times (`docs/platform-facts.md` 6.3).
 */
export function judgeSkew(instance: string, info: ProbeAnswer, now: number): readonly Finding[] {
  if (info.kind === "none" || info.date === null) return []
  const seconds = Math.round((now - info.date) / 1_000)
  if (Math.abs(seconds) <= 5) return []
  const what = `our clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} its clock`
  const why = "beyond 10 s it takes the tokens that we sign as expired or not yet valid, and times on cards are wrong"
  const todo = "let both machines set their clocks by NTP"
  return [notesOn(`platform ${instance}`).warn({ what, why, todo })]
}

/** If an answer takes longer than this, the doctor mentions it. In ms. */
const slowMs = 1_000

/** Warns of a slow instance. The quickest of several answers counts: one slow answer means nothing. */
export function judgeLatency(
  notes: Notes,
  { asked, timeoutMs }: { readonly asked: readonly ProbeAnswer[]; readonly timeoutMs: number },
): readonly Finding[] {
  const took = smallest(
    Number.POSITIVE_INFINITY,
    asked.flatMap((one) => (one.kind === "answer" ? [one.tookMs] : [])),
  )
  if (!Number.isFinite(took) || took < Math.min(slowMs, timeoutMs / 2)) return []
  const seconds = (ms: number) => (ms / 1_000).toFixed(1)
  const what = `it takes ${seconds(took)} s to answer, and timeout allows ${seconds(timeoutMs)} s`
  const why =
    "cards come that much later, and a press waits for several answers; " +
    "what takes longer than allowed counts as not answered"
  const todo =
    "check the load of the platform and of what stands before it; if it cannot be quicker, " +
    "raise the instance's timeout"
  return [notes.warn({ what, why, todo })]
}

/** Says which service answers there. */
export function judgeInfo(instance: string, info: ProbeAnswer): readonly Finding[] {
  const notes = notesOn(`platform ${instance}`)
  if (info.kind === "none") return [unreachedInstance(notes, info.error)]
  if (info.status !== 200 || !isJsonObject(info.body ?? null)) return [notes.ok(silent(info))]
  return [judgeMode(notes, info)]
}

function unreachedInstance(notes: Notes, error: Error): Finding {
  const what = error.message
  const why = "approvals of this instance are neither seen nor decided"
  const todo = remedyOf(error)
  return notes.fail({ what, why, todo })
}

/** The words for a service without `/info`: the specification has none, so we judge it by its approvals alone. */
function silent({ status }: Extract<ProbeAnswer, { kind: "answer" }>): string {
  return `it answers, and does not say what it is (GET /info: ${status})`
}

function judgeMode(notes: Notes, info: Extract<ProbeAnswer, { kind: "answer" }>): Finding {
  const version = member(info.body, "agno_version")
  const who = typeof version === "string" ? `AgentOS on agno ${version}` : "an Agent Platform Service"
  switch (traitsOf(info, undefined).mode) {
    case "none":
      return notes.warn({
        what: `it is ${who} that asks nobody for a credential`,
        why: "whoever reaches it can resolve every approval without asking Countersign",
        todo: "switch authorization on there, or let nobody but Countersign reach it",
      })
    case "security_key":
      return notes.warn({
        what: `it is ${who} with one security key for everybody`,
        why: "the key may do everything, so whoever has it can also run agents and resolve approvals",
        todo: `${keyViaGate}; or switch to JWTs there`,
      })
    case "jwt":
      return notes.ok(`it answers: ${who}`)
    case null:
      return notes.ok(typeof version === "string" ? `it answers: ${who}` : silent(info))
  }
}

function member(body: Json | undefined, name: string): Json | undefined {
  return body !== undefined && isJsonObject(body) ? body[name] : undefined
}
