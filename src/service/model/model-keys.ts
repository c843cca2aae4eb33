// The keys of models: which variable holds each, and how to keep a key out of a text.

import type { ScriptedAgent, ScriptedModel } from "../engine/script-schema.ts"
import { ServiceError } from "../errors.ts"

/** The variables of the process, as the embedding program hands them in. */
export type ModelVariables = Readonly<Record<string, string | undefined>>

/** The key of a model: null if it needs none, undefined if its variable is not set. */
export function keyOf({ key_env: name }: ScriptedModel, environment: ModelVariables): string | null | undefined {
  if (name === null) return null
  const key = environment[name]?.trim()
  return key === "" ? undefined : key
}

/** Throws `ServiceError` that says what to do if the key of a model is missing. */
export function checkModelKeys(agents: readonly ScriptedAgent[], environment: ModelVariables): void {
  for (const { id, model } of agents) {
    if (model === null || keyOf(model, environment) !== undefined) continue
    throw new ServiceError("model_key_missing", `script: agents.${id}.model.key_env: ${whyNoKey(model)}`)
  }
}

/** What to do if a model's variable is not set. */
export function whyNoKey({ key_env: name, base_url: url }: ScriptedModel): string {
  return `${name} is not set. Set it to the key of ${url}, or leave out key_env if no key is needed there`
}

/** A text without the key, at most 300 characters. */
export function withoutKey(text: string, key: string | null): string {
  const clean = key === null ? text : text.replaceAll(key, "[key]")
  return clean.length > 300 ? `${clean.slice(0, 300)}…` : clean
}
