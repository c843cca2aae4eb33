// Holds an answer of the embedded service against its own interface description.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"

/** What the description says of one operation, as far as answers go. */
interface Entry {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

/** An interface description as far as it is read. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Entry>>>>
}

/** One answer, and what was asked. */
export interface GivenAnswer {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  /** The media type alone; empty: the answer has none. */
  readonly type: string
  readonly text: string
}

/** Says what is wrong with an answer; null: it is as described. */
export type JudgeAnswer = (answer: GivenAnswer) => string | null

/** What may happen at any route without being named there: the answer that stands under `default`. */
const anywhere: readonly number[] = [405, 413, 429, 500, 501, 502, 503, 504]

/** What may be answered where no route is. */
const nowhere: readonly number[] = [401, 403, 404, 405, 429, 500, 501, 503]

/** Reads a description; judging reads it no more. `isOpenEnded`: there are routes beside those that it has. */
export function createJudge(description: Description, isOpenEnded: boolean): JudgeAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(closed(description), "described")
  const validatorAt = (pointer: string): ValidateFunction => {
    const found = ajv.getSchema(`described#${pointer}`)
    if (found === undefined) throw new Error(`the description has nothing at ${pointer}`)
    return found as ValidateFunction
  }
  const find = createFinder(description)
  return (answer) => {
    const method = answer.method.toLowerCase()
    const path = find(answer.path, method)
    const entry = path === undefined ? undefined : description.paths[path]?.[method]
    if (path === undefined || entry === undefined) return isOpenEnded ? null : faultElsewhere(answer, validatorAt)
    const named = entry.responses[answer.status] === undefined ? "default" : String(answer.status)
    const response = entry.responses[named]
    if (response === undefined || (named === "default" && !anywhere.includes(answer.status)))
      return `status ${answer.status} is not named`
    const types = Object.keys(response.content ?? {})
    if (types.length === 0) return answer.text === "" ? null : "has a body where none is described"
    if (!types.includes(answer.type)) return `is ${answer.type || "nothing"}, not ${types.join(" or ")}`
    if (answer.type !== "application/json") return null
    const steps = ["paths", path, method, "responses", named, "content", answer.type, "schema"]
    return faultIn(validatorAt(pointerTo(steps)), answer.text)
  }
}

function faultElsewhere({ status, text }: GivenAnswer, validatorAt: (pointer: string) => ValidateFunction) {
  if (!nowhere.includes(status)) return `status ${status} where no route is described`
  return faultIn(validatorAt("/components/schemas/Refusal"), text)
}

/** What was last found to be right by a schema: polls get the same text again and again, and it may be long. */
const rightBefore = new WeakMap<ValidateFunction, string>()

function faultIn(validate: ValidateFunction, text: string): string | null {
  if (rightBefore.get(validate) === text) return null
  if (validate(JSON.parse(text))) {
    rightBefore.set(validate, text)
    return null
  }
  const faults = (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath || "/"} ${message ?? ""} ${JSON.stringify(params)}`
  })
  return `${faults.join("; ")} in ${text.slice(0, 300)}`
}

function pointerTo(steps: readonly string[]): string {
  return steps.map((step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")
}

/** Finds the described path of a request: a slash at the end counts for nothing, a literal before a parameter. */
function createFinder({ paths }: Description): (path: string, method: string) => string | undefined {
  const known = Object.keys(paths)
    .toSorted((a, b) => rankOf(a).localeCompare(rankOf(b)))
    .map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`),
    }))
  return (path, method) => known.find((one) => one.pattern.test(path) && paths[one.path]?.[method] !== undefined)?.path
}

/** Literals as `0`, parameters as `1`, segment by segment. */
function rankOf(path: string): string {
  return path.replaceAll(/[^/]+/g, (segment) => (segment.startsWith("{") ? "1" : "0"))
}

/** The same, where an object may have no other keys than those described, unless it says that it may. */
function closed(value: unknown): object {
  const copy = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(copy)
    if (typeof one !== "object" || one === null) return one
    const fields = Object.fromEntries(Object.entries(one).map(([name, field]) => [name, copy(field)]))
    const isShape = "properties" in fields && fields["type"] === "object" && !("additionalProperties" in fields)
    return isShape ? { ...fields, additionalProperties: false } : fields
  }
  return copy(value) as object
}
