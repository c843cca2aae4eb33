// Answers of the A2A endpoints: JSON-RPC responses.
import { answer, type Reply } from "../wire/reply.ts"

/** Codes of the protocol (A2A 0.3.0, section 8.2), and JSON-RPC's general one for refusals that it has no code for. */
export const a2aErrors = { taskNotFound: -32001, taskNotCancelable: -32002, refused: -32000 } as const

/** Answers with a result; 200 unless told otherwise. */
export function answerA2a(id: string | number, result: unknown, status = 200): Reply {
  return answer({ jsonrpc: "2.0", id, result }, status)
}

/** Refuses in both languages: the protocol's error for its clients, status and `detail` for those of the other routes. */
export function refuseA2a(
  id: string | number,
  { status, code, detail }: { readonly status: number; readonly code: number; readonly detail: string },
): Reply {
  return answer({ jsonrpc: "2.0", id, error: { code, message: detail }, detail }, status)
}
