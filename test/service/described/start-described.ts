// Starts the embedded service for tests, and notes each of its answers that is not as its description says.
import { subscribe } from "node:diagnostics_channel"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { serviceRoutes } from "../../../src/service/all-routes.ts"
import { defaultA2aPrefix } from "../../../src/service/gate/route-table.ts"
import { openApiDocument } from "../../../src/service/openapi/document.ts"
import type { ServiceOptions } from "../../../src/service/service-options.ts"
import { type RunningService, startService } from "../../../src/service.ts"
import { createJudge, type Description, type JudgeAnswer } from "./described-answers.ts"
import { noteFault } from "./faults.ts"

/** Starts it, and judges its answers until it closes. */
export async function startDescribed(options: ServiceOptions): Promise<RunningService> {
  const service = await startService(options)
  const stop = judgeAnswersAt(service.port, options)
  return { ...service, close: () => service.close().finally(stop) }
}

type Judged = Pick<ServiceOptions, "upstream" | "a2aPrefix" | "scopeMappings">

/**
 * Judges what the server of this process at a port answers; gives back what ends that. What goes on to another instance
 * is that one's to describe, so such answers are not judged.
 */
export function judgeAnswersAt(port: number, { upstream, a2aPrefix = defaultA2aPrefix, scopeMappings }: Judged) {
  const judge = judgeOf(a2aPrefix, scopeMappings !== undefined)
  const goesOn = (path: string) =>
    upstream !== undefined && (upstream.routes === "all" || path.startsWith(`${a2aPrefix}/`))
  judges.set(port, (answer) => (goesOn(answer.path) ? null : judge(answer)))
  return (): void => void judges.delete(port)
}

const made = new Map<string, JudgeAnswer>()

function judgeOf(prefix: string, isOpenEnded: boolean): JudgeAnswer {
  const key = JSON.stringify([prefix, isOpenEnded])
  const judge =
    made.get(key) ?? createJudge(openApiDocument(serviceRoutes, prefix) as unknown as Description, isOpenEnded)
  made.set(key, judge)
  return judge
}

/** By the port that a service listens on. */
const judges = new Map<number, JudgeAnswer>()

interface Begun {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly server: Server
}

subscribe("http.server.request.start", (message) => {
  const { request, response, server } = message as Begun
  const address = server.address()
  const judge = address === null || typeof address === "string" ? undefined : judges.get(address.port)
  if (judge !== undefined) listenTo({ request, response, judge })
})

/** Keeps what is written, and judges it once all of it was sent. */
function listenTo({ request, response, judge }: Omit<Begun, "server"> & { readonly judge: JudgeAnswer }): void {
  const { method = "", url = "" } = request
  const [path = ""] = url.split("?")
  const chunks: Buffer[] = []
  const keep = ([chunk]: readonly unknown[]) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  let type = ""
  overhear(response, "write", keep)
  overhear(response, "end", keep)
  overhear(response, "writeHead", (given) => {
    const headers = new Headers(given.find((one) => typeof one === "object") as Record<string, string> | undefined)
    type = headers.get("content-type")?.split(";")[0] ?? ""
  })
  response.once("finish", () => {
    if (method === "HEAD" || method === "OPTIONS") return
    const fault = judge({ method, path, status: response.statusCode, type, text: Buffer.concat(chunks).toString() })
    if (fault !== null) noteFault(`${method} ${url}: ${response.statusCode} ${fault}`)
  })
}

/** Has a method tell what it is given before it does its work. */
function overhear(
  response: ServerResponse,
  name: "write" | "end" | "writeHead",
  hear: (given: readonly unknown[]) => void,
): void {
  const own = Reflect.get(response, name) as (...given: readonly unknown[]) => unknown
  Reflect.set(response, name, (...given: readonly unknown[]) => {
    hear(given)
    return Reflect.apply(own, response, given)
  })
}
