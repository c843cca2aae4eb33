// The fields of a call: what stands at each path of its arguments, in linear time, however many paths there are (R20).
import type { Approval, Call } from "../content/approval.ts"
import { sha256 } from "../content/canonical.ts"
import { isJsonArray, isJsonObject, type Json } from "../content/json.ts"
import { createMasker, type Masker } from "../text/masker.ts"

/** One value, and where it stands: names, and numbers for items of lists. */
export interface FieldValue {
  readonly value: Json
  readonly place: readonly (string | number)[]
}

/** Everything at one path. Items of a list all stand at the same path, such as `items[].price`. */
export interface CallField {
  readonly path: string
  readonly values: readonly FieldValue[]
  /** True if the rules mask any of it. */
  readonly masked: boolean
}

/** What a fingerprint is for. We compare a call with earlier calls of the same instance, caller and tool. */
export interface FingerprintId {
  readonly instance: string
  /** The id of agent, team or workflow, whichever the platform names first; its name if it has no id. */
  readonly caller: string
  readonly tool: string
}

/** Values nested deeper than this count as one value. */
const maxDepth = 6
/** We shorten longer names and paths, and add a hash, so that no two become the same. */
const nameUnits = 60
const pathUnits = 120

/** The fingerprint with which we compare a call. */
export function fingerprintIdOf(approval: Approval, { tool, agentId }: Call): FingerprintId {
  const { instance, teamId, workflowId, sourceName } = approval
  const callers = { agent: agentId, team: teamId, workflow: workflowId, name: sourceName }
  const [kind, id] = Object.entries(callers).find(([, one]) => one !== null) ?? ["", ""]
  return { instance, caller: `${kind}:${id ?? ""}`, tool: tool ?? "" }
}

/** The name of a fingerprint in keys and chains: 32 hex characters. */
export function fingerprintName({ instance, caller, tool }: FingerprintId): string {
  return sha256(JSON.stringify([instance, caller, tool])).slice(0, 32)
}

/** All fields of a call's arguments, in the order of the arguments. `mask`: the words of the rules. */
export function fieldsOf({ args }: Pick<Call, "args">, mask: readonly string[]): readonly CallField[] {
  const found = new Map<string, { values: FieldValue[]; masked: boolean }>()
  const { masker, hidden } = createMasker(mask)
  const isHidden = (value: Json): boolean => {
    const before = hidden.count
    masker.value(value)
    return hidden.count > before
  }
  const walk = (value: Json, at: Walk): void => {
    const inside = at.depth < maxDepth ? insideOf(value, at, masker) : []
    for (const [one, next] of inside) walk(one, next)
    if (inside.length > 0) return
    const field = found.get(at.path) ?? { values: [], masked: false }
    field.values.push({ value, place: at.place })
    field.masked ||= at.masked || isHidden(value)
    found.set(at.path, field)
  }
  for (const [one, next] of insideOf(args, { path: "", place: [], depth: 0, masked: false }, masker)) walk(one, next)
  return [...found].map(([path, field]) => ({ path, ...field }))
}

interface Walk {
  readonly path: string
  readonly place: FieldValue["place"]
  readonly depth: number
  readonly masked: boolean
}

/** What an object or a list holds; nothing for other values, or if it is empty. */
function insideOf(
  value: Json,
  { path, place, depth, masked }: Walk,
  masker: Masker,
): readonly (readonly [Json, Walk])[] {
  if (isJsonArray(value)) {
    const below = short(`${path}[]`)
    return value.map((one, at) => [one, { path: below, place: [...place, at], depth: depth + 1, masked }])
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value).map(([name, one]) => {
    const below = short(pathTo(path, name))
    return [one, { path: below, place: [...place, name], depth: depth + 1, masked: masked || masker.hides(name) }]
  })
}

/** The path to a member. A name that is no plain word stands in quotes, so that nobody takes it for something else. */
function pathTo(path: string, name: string): string {
  if (!/^[A-Za-z_][\w-]{0,59}$/.test(name)) return `${path}[${JSON.stringify(cut(name, nameUnits))}]`
  return path === "" ? name : `${path}.${name}`
}

function short(path: string): string {
  return cut(path, pathUnits)
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 20)}…${sha256(text).slice(0, 16)}`
}
