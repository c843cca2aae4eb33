// Puts a model's answer together from the pieces of its stream, and says what is wrong with it.
import { z } from "zod"
import type { Usage } from "../engine/run.ts"
import type { ScriptedTool } from "../engine/script-schema.ts"
import type { AskedCall, ModelReply } from "../engine/take-in.ts"
import { isJsonObject } from "../wire/exact-json.ts"
import { parseJson } from "../wire/read-request.ts"

/** An answer that is being read. */
export interface Transcript {
  /** Takes in one piece. If the answer can no longer be used, says what is wrong, else null. */
  add(piece: unknown): string | null
  /** The whole answer, once the stream has ended. If it is an error, its words complete a sentence about the answer. */
  reply(): ModelReply
  /** What the endpoint counted so far. */
  usage(): Usage
}

const tokens = z.number().min(0).catch(0)

/** The parts of a piece that we read. Endpoints leave out some of them. */
const pieceSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().min(0).nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish(),
})

type Choice = NonNullable<z.output<typeof pieceSchema>["choices"]>[number]
type CallPart = NonNullable<NonNullable<Choice["delta"]>["tool_calls"]>[number]

/** Longest answer, text and arguments together, in characters. */
const maxAnswerLength = 1_048_576
/** Most calls in one answer. */
const maxCalls = 64

/** A call, as far as it has come. */
interface CallText {
  readonly name: string
  readonly text: string
}

/** Begins the answer of a model that may call these tools. `onText` gets each piece of text. */
export function createTranscript(toolbox: readonly ScriptedTool[], onText: (text: string) => void): Transcript {
  const calls = new Map<number, CallText>()
  let said = ""
  let length = 0
  let finish: string | null = null
  let usage: Usage = { input_tokens: 0, output_tokens: 0 }

  const hear = ({ delta, finish_reason: reason }: Choice): void => {
    const text = delta?.content ?? ""
    said += text
    length += text.length
    if (text !== "") onText(text)
    for (const part of delta?.tool_calls ?? []) length += addCallPart(calls, part)
    finish = reason ?? finish
  }
  return {
    usage: () => usage,
    add: (piece) => {
      const read = pieceSchema.safeParse(piece)
      if (!read.success) return "it holds what is no part of a chat completion"
      const { choices, usage: counted } = read.data
      if (counted) usage = { input_tokens: counted.prompt_tokens, output_tokens: counted.completion_tokens }
      const [choice] = choices ?? []
      if (choice !== undefined) hear(choice)
      if (length > maxAnswerLength) return `it is longer than ${maxAnswerLength} characters`
      return calls.size > maxCalls ? `it asks for more than ${maxCalls} calls at once` : null
    },
    reply: () => {
      const fault = finish === null ? "it broke off" : endFaults[finish]
      if (fault !== undefined) return { kind: "failed", error: fault, usage }
      return replyOf({ said: said.toWellFormed(), calls: inOrder(calls), toolbox, usage })
    },
  }
}

/** Adds a part of a call, and returns the part's length. If a part has a name but no number, it begins a call. */
function addCallPart(calls: Map<number, CallText>, { index, function: part }: CallPart): number {
  const name = part?.name ?? ""
  const text = part?.arguments ?? ""
  const at = index ?? (name === "" ? Math.max(0, calls.size - 1) : calls.size)
  const known = calls.get(at) ?? { name: "", text: "" }
  calls.set(at, { name: known.name + name, text: known.text + text })
  return name.length + text.length
}

function inOrder(calls: ReadonlyMap<number, CallText>): readonly CallText[] {
  return [...calls.entries()].sort(([left], [right]) => left - right).map(([, call]) => call)
}

/** Why an answer with this end is not whole. */
const endFaults: Readonly<Record<string, string>> = {
  length: "it reached the model's own limit of tokens",
  content_filter: "the endpoint withheld it (content_filter)",
}

interface Heard {
  readonly said: string
  readonly calls: readonly CallText[]
  readonly toolbox: readonly ScriptedTool[]
  readonly usage: Usage
}

function replyOf({ said, calls: texts, toolbox, usage }: Heard): ModelReply {
  if (texts.length === 0) return { kind: "answer", text: said, usage }
  const calls: AskedCall[] = []
  for (const { name, text } of texts) {
    if (!toolbox.some((tool) => tool.name === name)) {
      const error = `it calls ${JSON.stringify(name.slice(0, 100))}, which is none of the agent's tools`
      return { kind: "failed", error, usage }
    }
    const args = parseJson(text.trim() === "" ? "{}" : text)
    if (!args.ok || !isJsonObject(args.value)) {
      return { kind: "failed", error: `it calls ${name} with arguments that are no JSON object`, usage }
    }
    calls.push({ tool: name, args: args.value })
  }
  return { kind: "calls", calls, said, usage }
}
