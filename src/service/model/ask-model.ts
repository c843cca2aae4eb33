// Asks a model once, and reads its answer as it comes. Works with any endpoint that offers OpenAI's chat completions.
import type { OpenAI } from "openai"
import { conversationOf, type Utterance } from "../engine/conversation.ts"
import type { EngineRun, Usage } from "../engine/run.ts"
import type { ScriptedModel, ScriptedTool } from "../engine/script-schema.ts"
import type { ModelReply } from "../engine/take-in.ts"
import { writeExact } from "../wire/exact-json.ts"
import { failureOf, notUsable } from "./model-failure.ts"
import { keyOf, type ModelVariables, whyNoKey } from "./model-keys.ts"
import { createTranscript } from "./transcript.ts"

/** `signal` stops the reading of an answer. `onText` gets each piece of text. */
export interface Listening {
  readonly signal: AbortSignal
  readonly onText: (text: string) => void
}

/** Asks the model of a run for its next word. A failure is a reply, too, and never contains the key. */
export type AskModel = (run: EngineRun, listening: Listening) => Promise<ModelReply>

const none: Usage = { input_tokens: 0, output_tokens: 0 }

/** Makes `AskModel` over the variables that hold the keys. Loads the client when it first asks a model. */
export function createAskModel(environment: ModelVariables): AskModel {
  return async (run, listening) => {
    const { model } = run.state
    if (model === null) return { kind: "failed", error: "This run has no model", usage: none }
    const obstacle = askObstacle(run, model)
    if (obstacle !== null) return { kind: "failed", error: obstacle, usage: none }
    const key = keyOf(model, environment)
    if (key === undefined) return { kind: "failed", error: `${whyNoKey(model)}.`, usage: none }
    return askOnce(run, { model, key }, listening)
  }
}

/** Why the model must not be asked again, or null. */
function askObstacle({ state: { turns, usage } }: EngineRun, model: ScriptedModel): string | null {
  const { max_rounds: rounds, max_tokens: tokens, name } = model
  const raise = (key: string): string => `If its work needs more, raise ${key} of the agent's model.`
  if (turns.length >= rounds) return `${name} was asked ${rounds} times and was not done. ${raise("max_rounds")}`
  if (usage.input_tokens + usage.output_tokens < tokens) return null
  return `${name} took the ${tokens} tokens of this run and was not done. ${raise("max_tokens")}`
}

/** A model and its key; null if it needs none. */
interface Access {
  readonly model: ScriptedModel
  readonly key: string | null
}

async function askOnce(run: EngineRun, { model, key }: Access, { signal, onText }: Listening): Promise<ModelReply> {
  const late = AbortSignal.timeout(model.timeout_seconds * 1000)
  const transcript = createTranscript(run.state.toolbox, onText)
  try {
    const client = await clientFor(model, key)
    const stop = AbortSignal.any([signal, late])
    const stream = await client.chat.completions.create(modelRequest(run, model.name), { signal: stop })
    for await (const chunk of stream) {
      const fault = transcript.add(chunk)
      if (fault !== null) return { kind: "failed", error: notUsable(model, fault), usage: transcript.usage() }
    }
    // If a stream is stopped, the client ends it without an error.
    stop.throwIfAborted()
    const reply = transcript.reply()
    return reply.kind === "failed" ? { ...reply, error: notUsable(model, reply.error) } : reply
  } catch (error) {
    const cause = late.aborted ? "late" : error
    return { kind: "failed", error: failureOf(cause, { model, key }), usage: transcript.usage() }
  }
}

/** If there was no answer, or the answer says to come later, the client tries twice more, each time after a pause. */
const maxRetries = 2

async function clientFor(model: ScriptedModel, key: string | null): Promise<OpenAI> {
  const { OpenAI: Client } = await import("openai")
  return new Client({
    baseURL: model.base_url,
    apiKey: key ?? "none",
    // The client would otherwise read these from variables that were not meant for this endpoint.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    ...(key === null ? { defaultHeaders: { authorization: null } } : {}),
    maxRetries,
    timeout: model.timeout_seconds * 1000,
    // Otherwise the client would print to the console.
    logLevel: "off",
    // The key goes only to the address that the script names.
    fetchOptions: { redirect: "error" },
  })
}

type Request = OpenAI.ChatCompletionCreateParamsStreaming

/** The request for a run's next word. The ids of its calls are ours: a model may use the same id twice. */
function modelRequest(run: EngineRun, model: string): Request {
  const tools = run.state.toolbox.map(toolOf)
  return {
    model,
    messages: conversationOf(run).map(modelMessage),
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length === 0 ? {} : { tools }),
  }
}

function modelMessage(message: Utterance): OpenAI.ChatCompletionMessageParam {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.content }
    case "tool":
      return { role: "tool", tool_call_id: message.call.tool_call_id, content: message.content }
    case "assistant": {
      const calls = message.calls.map((call) => ({
        id: call.tool_call_id,
        type: "function" as const,
        function: { name: call.tool_name, arguments: writeExact(call.tool_args) },
      }))
      return { role: "assistant", content: message.content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
    }
  }
}

/** A tool as the model gets it: without the fields that people fill in, unless the script lists them as parameters. */
function toolOf({ name, description, parameters }: ScriptedTool): OpenAI.ChatCompletionFunctionTool {
  return {
    type: "function",
    function: {
      name,
      ...(description === null ? {} : { description }),
      parameters: parameters === null ? { type: "object", properties: {} } : { ...parameters },
    },
  }
}
