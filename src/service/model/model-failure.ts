// Says why a model gave no answer, in a sentence for whoever reads the run. The sentence never contains a key.

import type { ScriptedModel } from "../engine/script-schema.ts"
import { messageOf } from "../errors.ts"
import { isJsonObject } from "../wire/exact-json.ts"
import { withoutKey } from "./model-keys.ts"

/** The model that was asked, and its key, which nobody may read. */
interface Asked {
  readonly model: ScriptedModel
  readonly key: string | null
}

/** Says that an answer cannot be used, and why. */
export function notUsable({ name, base_url: url }: ScriptedModel, fault: string): string {
  return `The answer of ${name} at ${url} cannot be used: ${fault}.`
}

/** What a failed request means. `late`: it took longer than the script allows. */
export function failureOf(failure: unknown, { model, key }: Asked): string {
  const { name, base_url: url } = model
  if (failure === "late") {
    const limit = `longer than ${model.timeout_seconds} seconds`
    return `${name} at ${url} took ${limit}. If it needs more, raise timeout_seconds of the agent's model.`
  }
  const status = failureStatus(failure)
  if (status === null) return brokenOff(failure, { model, key })
  const known = statusFailures[status]
  if (known !== undefined) return `${url} ${known(model)} (${status}).`
  const said = withoutKey(messageOf(failure), key)
  if (status >= 500) return `${url} failed (${said}). Start the run again later.`
  return `${url} did not accept the request for ${name} (${said}).`
}

/** Sentences for statuses whose own message says less, or repeats a part of the key. */
const statusFailures: Readonly<Record<number, (model: ScriptedModel) => string>> = {
  401: (model) => `refused ${keyName(model)}`,
  403: (model) => `does not let ${keyName(model)} use ${model.name}`,
  404: (model) => `knows no model ${model.name}, or no chat completions: check name and base_url of the agent's model`,
  429: () => "takes no more requests for now; start the run again later",
}

function keyName({ key_env: name }: ScriptedModel): string {
  return name === null ? "a request without a key; name its variable in key_env" : `the key of ${name}`
}

function brokenOff(failure: unknown, { model, key }: Asked): string {
  const { name, base_url: url } = model
  const reason = withoutKey(reasonOf(failure), key)
  return isUnreached(failure)
    ? `${url} cannot be reached (${reason}).`
    : `The answer of ${name} at ${url} broke off (${reason}).`
}

/** True if a request got no answer. Goes by the name of the client's error, so that nobody has to load the client. */
function isUnreached(failure: unknown): boolean {
  return failure instanceof Error && failure.constructor.name.startsWith("APIConnection")
}

function failureStatus(failure: unknown): number | null {
  const status = isJsonObject(failure) ? failure["status"] : null
  return typeof status === "number" ? status : null
}

/** The code (such as ECONNREFUSED) or the message of the innermost cause, which says most. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return "for a reason that it does not name"
  const { cause } = failure
  if (cause instanceof Error) return reasonOf(cause)
  const code = "code" in failure ? failure.code : undefined
  return typeof code === "string" ? code : messageOf(failure)
}
