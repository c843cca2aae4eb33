// Compares two states of an approval: lists by name all that people read of it, and says what differs.
import { type Approval, type Call, callsOf } from "./approval.ts"
import { canonicalJson } from "./canonical.ts"
import type { Json, JsonObject } from "./json.ts"

/** What changed since the case first asked, so that earlier votes do not count. Epoch ms. */
export interface ContentChange {
  /** The last change of the content, how many there were, and the names of what differs from the content `before`. */
  readonly content?: {
    readonly at: number
    readonly times: number
    readonly before: Approval
    readonly parts: readonly string[]
  }
  /** When other rules came into force, if the content has not changed since. */
  readonly rulesAt?: number
}

/** Something that happened to a case; only its revisions matter here. */
interface Happened {
  readonly kind: string
  readonly at: number
  readonly why?: unknown
}

/** Tells from the case's `revised` lines what changed. `before`: the content before the last change. Null: nothing. */
export function changeSince(
  before: Approval | undefined,
  { approval, lines }: { readonly approval: Approval | null; readonly lines: readonly Happened[] },
): ContentChange | null {
  const revisions = lines.filter(({ kind }) => kind === "revised")
  const contents = revisions.filter(({ why }) => why === "content")
  const [last, latest] = [revisions.at(-1), contents.at(-1)]
  const rules = last?.why === "rules" ? { rulesAt: last.at } : {}
  if (latest === undefined || before === undefined || approval === null) return last === undefined ? null : rules
  return {
    ...rules,
    content: { at: latest.at, times: contents.length, before, parts: changedParts(before, approval) },
  }
}

/** One part of an approval that a person reads. */
type Part = readonly [name: string, value: Json]

/** Everything that a person reads of an approval, by name, without nulls. If a name comes twice, it gets a number. */
export function partsOf(approval: Approval): ReadonlyMap<string, Json> {
  const { agentId: agent, teamId: team, workflowId: workflow, pauseType: pause, sourceType: source } = approval
  const record = { requester: approval.userId, agent, team, workflow, pause, source }
  const calls = callsOf(approval)
  const { toolName: tool, toolArgs } = approval
  const own = isListed(approval, calls) ? {} : { ...(tool === null ? {} : { tool }), ...toolArgs }
  const parts = new Map<string, Json>()
  for (const [name, value] of [
    ...namedParts(record),
    ...Object.entries(own).map(([name, value]): Part => [`record: ${name}`, value]),
    ...calls.flatMap(partsOfCall),
  ])
    parts.set(parts.has(name) ? `${name} (${parts.size})` : name, value)
  return parts
}

/** The names of the parts that differ, in the order of the content. */
export function changedParts(before: Approval, now: Approval): readonly string[] {
  const [old, fresh] = [partsOf(before), partsOf(now)]
  return [...new Set([...fresh.keys(), ...old.keys()])].filter((name) => partText(old, name) !== partText(fresh, name))
}

/** True if the record's own tool and arguments are those of one of its calls. */
export function isListed(approval: Approval, calls: readonly Call[]): boolean {
  const own = canonicalJson(approval.toolArgs ?? {})
  if (approval.toolName === null && approval.toolArgs === null) return true
  return calls.some((call) => call.tool === approval.toolName && canonicalJson(call.args) === own)
}

function partText(parts: ReadonlyMap<string, Json>, name: string): string | undefined {
  const value = parts.get(name)
  return value === undefined ? undefined : canonicalJson(value)
}

function namedParts(names: JsonObject): readonly Part[] {
  return Object.entries(names).filter(([, value]) => value !== null)
}

function partsOfCall(call: Call, index: number, all: readonly Call[]): readonly Part[] {
  const at = (name: string) => (all.length === 1 ? name : `call ${index + 1}: ${name}`)
  const state = call.open ? "waits" : "done already"
  const parts: readonly Part[] = [
    ...namedParts({ tool: call.tool, member: call.memberName }),
    ["state", call.gated ? state : `${state}, not part of this decision`],
    ...Object.entries(call.args),
    ...call.fields.map((field, place): Part => [`to fill in, ${place + 1}`, field]),
    ...call.others.map(([name, one], place): Part => [`also there, ${place + 1}: ${name}`, one]),
  ]
  return parts.map(([name, value]) => [at(name), value])
}
