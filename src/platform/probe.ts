// What the doctor asks an instance: who is there, and what the credential may do. It resolves and runs nothing.
import { type Json, tryParseJson } from "../domain/content/json.ts"
import { PlatformError } from "./errors.ts"
import { detailOf } from "./reader.ts"
import { createTransport, formOf, type Request, type Transport, type TransportOptions } from "./transport.ts"

/** An answer of any status: the server's own words, and its body if that is JSON. Or why there was no answer. */
export type ProbeAnswer =
  | {
      readonly kind: "answer"
      readonly status: number
      readonly detail: string
      readonly body: Json | undefined
      /** The service's clock, epoch ms; null if the answer does not give it. */
      readonly date: number | null
      /** See `HttpAnswer.ofUpstream`. */
      readonly ofUpstream: string | null
      /** How long the call took, in ms. */
      readonly tookMs: number
    }
  | { readonly kind: "none"; readonly error: PlatformError }

/** The kinds of component that can run, so that their runs can be continued. */
export const runnable = ["agents", "teams", "workflows"] as const

/** Asks one instance. Every answer is a value; only mistakes of our own code throw. */
export type InstanceProbe = ReturnType<typeof createInstanceProbe>

/** An id that no approval has: version 4, where all random bits are zero. */
const nothingId = "00000000-0000-4000-8000-000000000000"

const firstPath = "/approvals?status=pending&approval_type=required&limit=1"

/** Makes the probe of one instance. */
export function createInstanceProbe(options: Pick<TransportOptions, "name" | "url" | "token" | "timeoutMs" | "way">) {
  const common = { ...options, bodyLimitBytes: 8 * 1024 * 1024, connections: 1 }
  const stranger = createTransport({ ...common, token: undefined })
  const caller = createTransport(common)
  const get = (path: string) => ask(caller, { method: "GET", path })
  const post = (request: Omit<Request, "method">) => ask(caller, { method: "POST", ...request })
  return {
    /** `GET /info`, without the credential. */
    info: () => ask(stranger, { method: "GET", path: "/info" }),
    count: () => get("/approvals/count"),
    /** The first row of the list of pending approvals. */
    first: () => get(firstPath),
    /** The same for a user who does not exist. If rows come all the same, callers always get their own rows. */
    firstOfNobody: () => get(`${firstPath}&user_id=countersign-doctor-nobody`),
    /** `GET /authz/roles`: 404 unless the instance decides by roles (`docs/platform-facts.md` 1.3). */
    roles: () => get("/authz/roles"),
    /** Resolves an approval that cannot exist: 403 without `approvals:write`, else 404. */
    resolveNothing: () => post({ path: `/approvals/${nothingId}/resolve`, body: '{"status":"rejected"}' }),
    /** Continues a run that cannot exist: 403 without a scope to run. */
    continueNothing: (kind: (typeof runnable)[number]) =>
      post({ path: `/${kind}/no-such/runs/no-such/continue`, form: formOf({ session_id: "probe", stream: "false" }) }),
    /** Reads a run that cannot exist: 403 without the scopes to read runs. */
    readNothing: (kind: (typeof runnable)[number]) => get(`/${kind}/no-such/runs/no-such?session_id=probe`),
    /** `GET /config`, which needs `config:read` wherever scopes are enforced. */
    config: () => get("/config"),
    /** The newest approval of any status or kind. */
    newest: () => get("/approvals?limit=1"),
    /** `GET /sessions`, a single row, if needed from one of several databases. Needs `sessions:read`. */
    sessions: (database?: string) =>
      get(`/sessions?limit=1${database === undefined ? "" : `&db_id=${encodeURIComponent(database)}`}`),
    close: async () => void (await Promise.all([stranger.close(), caller.close()])),
  }
}

async function ask(transport: Transport, request: Request): Promise<ProbeAnswer> {
  try {
    const began = performance.now()
    const answer = await transport.exchange(request)
    const tookMs = performance.now() - began
    const { status, text, date, ofUpstream } = answer
    return { kind: "answer", status, detail: detailOf(answer), body: tryParseJson(text), date, ofUpstream, tookMs }
  } catch (error) {
    if (error instanceof PlatformError) return { kind: "none", error }
    throw error
  }
}
