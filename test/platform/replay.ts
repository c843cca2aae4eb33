// Recorded answers of AgentOS, and a small real HTTP server that gives them or any other answer.
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { text as readText } from "node:stream/consumers"
import { onLoopback } from "../support/on-loopback.ts"

const FOLDER = new URL("../fixtures/agentos/", import.meta.url)

/** A recorded answer: its status, and its body as it stood on the wire. */
export interface Recorded {
  readonly status: number
  readonly body: string
}

/**
 * Reads a recorded answer by name, as in `list-pending` or `3.1.10/info`. The body is cut out of the file: parsing
 * would change numbers.
 */
export function recorded(name: string): Recorded {
  const text = readFileSync(new URL(`${name}.json`, FOLDER), "utf8")
  const start = text.lastIndexOf('\n  "body": ')
  const { status } = JSON.parse(text) as { status: number }
  return { status, body: text.slice(start + 11, text.lastIndexOf("}")).trim() }
}

/** A request as the server saw it. */
export interface Seen {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  readonly socket: Socket
}

/** A server on loopback that answers as `answer` says. */
export interface TestServer {
  readonly url: string
  readonly seen: readonly Seen[]
  readonly sockets: ReadonlySet<Socket>
  readonly close: () => Promise<void>
}

/** Starts a server. `answer` may return a recorded answer, or write to `response` itself and return nothing. */
export async function startServer(
  answer: (seen: Seen, response: ServerResponse) => Recorded | undefined,
): Promise<TestServer> {
  const seen: Seen[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const { method = "", headers, socket } = request
      const one: Seen = { method, url: new URL(request.url ?? "/", "http://server.test"), headers, body, socket }
      seen.push(one)
      const found = answer(one, response)
      if (found) response.writeHead(found.status, { "content-type": "application/json" }).end(found.body)
    })
  })
  server.keepAliveTimeout = 30_000
  server.on("connection", (socket) => sockets.add(socket))
  return { ...(await onLoopback(server)), seen, sockets }
}

/** A JSON answer. */
export function json(value: unknown, status = 200): Recorded {
  return { status, body: JSON.stringify(value) }
}

/** A pending approval as it travels. */
export function aRow(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: "approval-1",
    run_id: "run-1",
    session_id: "session-1",
    status: "pending",
    source_type: "agent",
    approval_type: "required",
    pause_type: "confirmation",
    tool_name: "send_email",
    tool_args: { to: "ann@example.com" },
    agent_id: "mailer",
    requirements: [],
    created_at: 1_795_185_122,
    ...fields,
  }
}
