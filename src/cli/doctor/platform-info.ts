// What an instance says of itself without a credential: who it is, and whether it asks for credentials at all.
import type { Json } from "../../domain/json.ts"
import { isJsonObject } from "../../domain/json.ts"
import type { Asked } from "../../platform/probe.ts"
import { type Finding, type Notes, notesOn } from "./finding.ts"

/** What of an instance changes how its other answers are to be read. */
export interface Nature {
  /** How callers are recognised; null where it does not say. */
  readonly mode: "none" | "security_key" | "jwt" | null
  /** True for a service account's token on AgentOS: it sees only its own rows, unless it is admin, and an empty list proves nothing. */
  readonly selfScoped: boolean
}

/** Reads the nature off `/info` and the credential. */
export function natureOf(info: Asked, token: string | undefined): Nature {
  const body = info.kind === "answer" && info.status === 200 ? info.body : undefined
  const mode = member(body, "auth_mode")
  const known = mode === "none" || mode === "security_key" || mode === "jwt" ? mode : null
  const agentOs = typeof member(body, "agno_version") === "string"
  return { mode: known, selfScoped: agentOs && token?.startsWith("agno_pat_") === true }
}

/** Says who is there. */
export function judgeInfo(instance: string, info: Asked): readonly Finding[] {
  const notes = notesOn(`platform ${instance}`)
  if (info.kind === "none") return [unreachable(notes, info.error.message)]
  if (info.status !== 200 || !isJsonObject(info.body ?? null)) return [notes.ok(silent(info))]
  return [...judgeMode(notes, info), ...judgeIsolation(notes, info)]
}

function unreachable(notes: Notes, what: string): Finding {
  return notes.fail({
    what,
    why: "approvals of this instance are neither seen nor decided",
    todo: "check the instance's url (PLATFORM_URL), that the service runs, and that this machine may reach it",
  })
}

/** The specification knows no `/info`: without one the service is judged by its approvals alone. */
function silent({ status }: Extract<Asked, { kind: "answer" }>): string {
  return `it answers, and does not say what it is (GET /info: ${status})`
}

function judgeMode(notes: Notes, info: Extract<Asked, { kind: "answer" }>): readonly Finding[] {
  const version = member(info.body, "agno_version")
  const who = typeof version === "string" ? `AgentOS on agno ${version}` : "an Agent Platform Service"
  switch (natureOf(info, undefined).mode) {
    case "none":
      return [
        notes.warn({
          what: `it is ${who} that asks nobody for a credential`,
          why: "whoever reaches it can resolve every approval without asking Countersign",
          todo: "switch authorization on there, or let nobody but Countersign reach it",
        }),
      ]
    case "security_key":
      return [
        notes.warn({
          what: `it is ${who} with one security key for everybody`,
          why: "the key may do everything, so whoever has it can also run agents and resolve approvals",
          todo: "use JWTs or service accounts with scopes instead",
        }),
      ]
    case "jwt":
    case null:
      return [notes.ok(`it answers: ${who}`)]
  }
}

function judgeIsolation(notes: Notes, { body }: Extract<Asked, { kind: "answer" }>): readonly Finding[] {
  if (member(body, "user_isolation") !== true) return []
  return [
    notes.warn({
      what: "it isolates users from each other",
      why: "a credential with a subject sees only approvals of its own runs and can resolve none, unless it is admin",
      todo: "give Countersign a credential that sees every approval, or switch user isolation off",
    }),
  ]
}

function member(body: Json | undefined, name: string): Json | undefined {
  return body !== undefined && isJsonObject(body) ? body[name] : undefined
}
