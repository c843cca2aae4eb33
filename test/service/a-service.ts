// Starts a real service for a test and speaks HTTP with it.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { SignJWT } from "jose"
import { z } from "zod"
import { readScript } from "../../src/service/components/script.ts"
import type { ServiceOptions } from "../../src/service/service-options.ts"
import type { RunningService } from "../../src/service.ts"
import { startDescribed } from "./described/start-described.ts"

export const secret = "a secret of the tests, long enough for HS256"
/** 2026-11-20T12:00:00Z */
export const noon = 1_795_176_000_000

export const agents = readScript(readFileSync(new URL("../fixtures/service/agents.yaml", import.meta.url), "utf8"))

export type TestService = RunningService & {
  /** Moves the service's clock. */
  pass(milliseconds: number): void
}

export async function aService(overrides: Partial<ServiceOptions> = {}): Promise<TestService> {
  let now = noon
  const service = await startDescribed({
    database: ":memory:",
    script: agents,
    authorization: true,
    verificationKeys: [secret],
    algorithm: "HS256",
    clock: () => now,
    random: randomBytes,
    ...overrides,
  })
  return { ...service, pass: (milliseconds) => void (now += milliseconds) }
}

/** A JWT of the tests' secret with these scopes, and a subject if one is named. */
export async function aToken(scopes: unknown, claims: Record<string, unknown> = {}): Promise<string> {
  const key = new TextEncoder().encode(secret)
  return new SignJWT({ scopes, ...claims }).setProtectedHeader({ alg: "HS256" }).sign(key)
}

export type Answer = {
  readonly status: number
  readonly text: string
  readonly body: unknown
  readonly headers: Headers
}

export type Call = {
  readonly token?: string
  readonly json?: unknown
  readonly form?: Record<string, string>
  readonly raw?: string
  readonly type?: string
}

/** Sends one request: "METHOD /path" and what goes with it. */
export async function call(service: { readonly url: string }, request: string, options: Call = {}): Promise<Answer> {
  const [method = "", path = ""] = request.split(" ")
  const body = bodyOf(options)
  const response = await fetch(service.url + path, {
    method,
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(body === undefined ? {} : { "content-type": body.type }),
    },
    ...(body === undefined ? {} : { body: body.text }),
  })
  const text = await response.text()
  const json = text !== "" && response.headers.get("content-type")?.startsWith("application/json") === true
  return { status: response.status, text, body: json ? JSON.parse(text) : null, headers: response.headers }
}

function bodyOf({ json, form, raw, type }: Call): { readonly text: string; readonly type: string } | undefined {
  if (json !== undefined) return { text: JSON.stringify(json), type: "application/json" }
  if (form !== undefined)
    return { text: new URLSearchParams(form).toString(), type: "application/x-www-form-urlencoded" }
  return raw === undefined ? undefined : { text: raw, type: type ?? "application/json" }
}

const rowSchema = z.object({ id: z.string(), run_id: z.string(), session_id: z.string(), status: z.string() })

/** The part of an approval's row that tests steer by. */
export type SeenApproval = z.output<typeof rowSchema>

/** Asks for an approval and gives its row. */
export async function anApproval(
  service: { readonly url: string },
  fields: Record<string, unknown> = {},
): Promise<SeenApproval> {
  const token = await aToken(["approvals:create"])
  const json = { tool_name: "delete_user_data", tool_args: { user_id: "U-1" }, ...fields }
  return rowSchema.parse((await call(service, "POST /approvals", { token, json })).body)
}

/** Reads the approvals of a run, newest first. */
export async function approvalsOf(service: { readonly url: string }, runId: string): Promise<readonly SeenApproval[]> {
  const token = await aToken(["approvals:read"])
  const { body } = await call(service, `GET /approvals?run_id=${runId}`, { token })
  return z.object({ data: z.array(rowSchema) }).parse(body).data
}

/** Resolves an approval. */
export async function resolve(service: { readonly url: string }, id: string, json: unknown): Promise<Answer> {
  return call(service, `POST /approvals/${id}/resolve`, { token: await aToken(["approvals:write"]), json })
}

/** Resolves the newest approval of a run. */
export async function decide(service: { readonly url: string }, runId: string, json: unknown): Promise<void> {
  const [newest] = await approvalsOf(service, runId)
  const answer = await resolve(service, newest?.id ?? "", json)
  if (answer.status !== 200) throw new Error(answer.text)
}

const runSchema = z.object({ run_id: z.string(), session_id: z.string(), status: z.string() })

/** Starts a run of the admin agent (or another) and gives its first answer. */
export async function aRun(
  service: { readonly url: string },
  message: string,
  agent = "admin-agent",
): Promise<z.output<typeof runSchema>> {
  const token = await aToken(["agents:run"], { sub: "alice@example.com" })
  const { body } = await call(service, `POST /agents/${agent}/runs`, {
    token,
    form: { message, stream: "false", session_id: "s-1" },
  })
  return runSchema.parse(body)
}

/** Continues a run. */
export async function continued(
  service: { readonly url: string },
  runId: string,
  agent = "admin-agent",
  more: Record<string, string> = {},
): Promise<Answer> {
  const token = await aToken(["agents:run"])
  return call(service, `POST /agents/${agent}/runs/${runId}/continue`, {
    token,
    form: { session_id: "s-1", stream: "false", ...more },
  })
}
