// Resolves approvals, each with the credential that is meant for its instance. Never sends a POST twice.
import type { MayLeave, Principal, Resolved } from "../flow/ports.ts"
import type { Delegate, Minted } from "./delegate.ts"
import { refusesCredential, unlessHeldBack } from "./errors.ts"
import type { Reader } from "./reader.ts"
import type { Request, Transport } from "./transport.ts"

/** A credential that only resolves: a fixed one, or one that we sign for each decision. */
export type Resolving =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "delegated"; readonly delegate: Delegate }

/** The port's `resolve`. A fixed credential needs no principal. Default for `mayLeave`: it may. */
export type Resolve = (
  approvalId: string,
  body: string,
  principal?: Principal,
  mayLeave?: MayLeave,
) => Promise<Resolved>

/** Makes the function that resolves. `resolving`: undefined if resolves use the same credential as everything else. */
export function createResolve(options: {
  readonly transport: Transport
  readonly reader: Reader
  readonly resolving: Resolving | undefined
}): Resolve {
  const { transport, reader, resolving } = options
  return async (id, body, principal, mayLeave) => {
    const minted = await credentialFor(resolving, principal)
    if (minted !== null && !minted.ok) return { kind: "unsigned", why: minted.why }
    const answer = await resolve(transport, reader, { id, body, token: minted?.token, mayLeave })
    return resolving?.kind === "delegated" ? withRole(answer, principal?.subject ?? "") : answer
  }
}

/** The credential of one attempt; null if it is the one that everything else uses. */
async function credentialFor(resolving: Resolving | undefined, principal?: Principal): Promise<Minted | null> {
  if (resolving === undefined) return null
  if (resolving.kind === "token") return { ok: true, token: resolving.token }
  return resolving.delegate.mint(principal ?? { subject: "", decision: "" })
}

/** Adds the role that may be missing: AgentOS only speaks of a scope (`docs/platform-facts.md` 1.3). We name both. */
function withRole(answer: Resolved, subject: string): Resolved {
  if (answer.kind !== "refused" || answer.status !== 403) return answer
  const hint =
    `the token was signed for ${subject} with approvals:write; where the platform decides by roles, ` +
    "they need one there"
  return { ...answer, detail: `${answer.detail} (${hint})` }
}

async function resolve(
  transport: Transport,
  reader: Reader,
  verdict: {
    readonly id: string
    readonly body: string
    readonly token: string | undefined
    readonly mayLeave: MayLeave | undefined
  },
): Promise<Resolved> {
  const { id, body, token, mayLeave } = verdict
  const own = { ...(token === undefined ? {} : { token }), ...(mayLeave === undefined ? {} : { mayLeave }) }
  const request: Request = { method: "POST", path: `${pathOf(id)}/resolve`, body, ...own }
  const answer = await unlessHeldBack(transport.exchange(request))
  if (answer === null) return { kind: "held-back" }
  const { status } = answer
  switch (status) {
    case 200:
      return { kind: "row", approval: reader.approval(request, id, answer) }
    case 409:
      return { kind: "conflict", detail: reader.words(answer) }
    case 403:
    case 404:
    case 422:
      return { kind: "refused", status, detail: reader.words(answer) }
    case 401:
    case 429: {
      const detail = reader.words(answer)
      return { kind: "later", status, detail, barred: refusesCredential(status, detail) }
    }
    default:
      return reader.refuse(request, answer)
  }
}

/** The path of an approval. */
export function pathOf(id: string): string {
  return `/approvals/${encodeURIComponent(id)}`
}
