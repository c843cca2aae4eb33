// A small HTTP server that plays an OpenAI-compatible endpoint: each request gets the next answer of a list, and is
// kept.
import { createServer, type ServerResponse } from "node:http"
import { z } from "zod"
import { onLoopback } from "../../support/on-loopback.ts"

const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.boolean(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().nullable() })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
})

/** One request as it arrived. */
export type AskedOfModel = {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: z.output<typeof bodySchema>
}

/** Answers one request. */
export type ModelAnswer = (response: ServerResponse) => void

/** A running endpoint. `url` is its base_url. */
export type AModel = {
  readonly url: string
  readonly asked: readonly AskedOfModel[]
  /** Adds answers to the list. */
  answerWith(...answers: readonly ModelAnswer[]): void
  close(): Promise<void>
}

/** Starts one. A request for which no answer is left gets 500. */
export async function aModel(...first: readonly ModelAnswer[]): Promise<AModel> {
  const answers = [...first]
  const asked: AskedOfModel[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("error", () => undefined)
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("end", () => {
      const { url: path = "", headers } = request
      const body = bodySchema.parse(JSON.parse(Buffer.concat(chunks).toString()))
      asked.push({ path, authorization: headers.authorization, body })
      const answer = answers.shift() ?? refuses(500, "no answer is left", { "x-should-retry": "false" })
      answer(response)
    })
  })
  const { url, close } = await onLoopback(server)
  return { url: `${url}/v1`, asked, answerWith: (...more) => void answers.push(...more), close }
}

/** One piece of a stream. */
export type Piece = Readonly<Record<string, unknown>>

const chunk = (choices: readonly unknown[], more: Piece = {}): Piece => {
  return { id: "c-1", object: "chat.completion.chunk", created: 0, model: "m", choices, ...more }
}

/** A piece with a part of a message. */
export const delta = (part: Piece): Piece => chunk([{ index: 0, delta: part, finish_reason: null }])

/** The piece that ends a message. */
export const finished = (reason: string): Piece => chunk([{ index: 0, delta: {}, finish_reason: reason }])

/** The piece that counts tokens. */
export const counted = (input: number, output: number): Piece => {
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  return chunk([], { usage })
}

const head = { "content-type": "text/event-stream" }
const textOf = (piece: Piece | string): string =>
  `data: ${typeof piece === "string" ? piece : JSON.stringify(piece)}\n\n`

/** Streams pieces as they are. */
export function streams(...pieces: readonly (Piece | string)[]): ModelAnswer {
  return (response) => void response.writeHead(200, head).end(pieces.map(textOf).join(""))
}

/** Says a text, in one piece for each word. */
export function says(text: string, tokens: readonly [number, number] = [10, 5]): ModelAnswer {
  const words = text.split(/(?<= )/).map((content) => delta({ content }))
  return streams(delta({ role: "assistant" }), ...words, finished("stop"), counted(...tokens), "[DONE]")
}

/** A call as the model writes it: its arguments are a text. */
export type WrittenCall = readonly [name: string, args: unknown]

/** Calls tools, their arguments cut into two pieces, as models send them. */
export function calls(...wanted: readonly WrittenCall[]): ModelAnswer {
  return streams(...callPieces(wanted), finished("tool_calls"), counted(20, 10), "[DONE]")
}

/** The pieces of calls, without their end. Every model calls its first call `call_0` here, again and again. */
export function callPieces(wanted: readonly WrittenCall[]): readonly Piece[] {
  return wanted.flatMap(([name, args], index) => {
    const text = typeof args === "string" ? args : JSON.stringify(args)
    const half = Math.ceil(text.length / 2)
    const begin = { index, id: `call_${index}`, type: "function", function: { name, arguments: text.slice(0, half) } }
    const rest = { index, function: { arguments: text.slice(half) } }
    return [delta({ tool_calls: [begin] }), delta({ tool_calls: [rest] })]
  })
}

/** Refuses with a status, as such endpoints do. */
export function refuses(status: number, message: string, headers: Readonly<Record<string, string>> = {}): ModelAnswer {
  const quick = { "content-type": "application/json", "retry-after-ms": "1", ...headers }
  return (response) => void response.writeHead(status, quick).end(JSON.stringify({ error: { message } }))
}

/** Begins to stream, and then breaks the connection. */
export function breaksAfter(...pieces: readonly Piece[]): ModelAnswer {
  return (response) => {
    response.writeHead(200, head)
    response.write(pieces.map(textOf).join(""), () => response.socket?.destroy())
  }
}

/** Streams a beginning, and goes on when the test says so. */
export function waits(...pieces: readonly Piece[]) {
  const begun = Promise.withResolvers<ServerResponse>()
  const gone = Promise.withResolvers<void>()
  const answer: ModelAnswer = (response) => {
    response.on("close", () => gone.resolve())
    response.writeHead(200, head)
    response.write(`: hello\n\n${pieces.map(textOf).join("")}`, () => begun.resolve(response))
  }
  return {
    answer,
    /** Resolves when the beginning was sent. */
    begun: begun.promise.then(() => undefined),
    /** Resolves when the answer has ended, or somebody gave it up. */
    gone: gone.promise,
    /** Sends the rest. */
    goOn: async (...rest: readonly (Piece | string)[]): Promise<void> => {
      const response = await begun.promise
      response.end(rest.map(textOf).join(""))
    },
  }
}
