// Which credential the doctor tries to resolve with: the one that reads, another, or one signed as for a decision.
import type { Config } from "../../../config.ts"
import { createDelegate } from "../../../platform/delegate.ts"
import type { Finding, Notes } from "../finding.ts"
import { judgeToken } from "./platform-token.ts"

/** The credential, `own` if it is not the one that reads; or why there is none. */
export type Resolver =
  | {
      readonly kind: "fixed" | "delegated"
      readonly token: string | undefined
      readonly own: boolean
      readonly findings: readonly Finding[]
    }
  | { readonly kind: "none"; readonly findings: readonly Finding[] }

/** Somebody who decides nothing: what the instance says of this subject it says of nobody else. */
const NOBODY = { subject: "countersign-doctor", decision: "countersign-doctor" }

/** Finds the credential that resolves go out with; a delegated one is signed now. */
export async function resolverOf(
  { token, resolving }: Pick<Config["instances"][number], "token" | "resolving">,
  { notes, clock }: { readonly notes: Notes; readonly clock: () => number },
): Promise<Resolver> {
  switch (resolving.kind) {
    case "same":
      return { kind: "fixed", token, own: false, findings: [] }
    case "token":
      return {
        kind: "fixed",
        token: resolving.token,
        own: true,
        findings: judgeToken(notes, { token: resolving.token, uses: ["resolve"] }, clock()),
      }
    case "delegated": {
      const minted = await createDelegate({ ...resolving, clock }).mint(NOBODY)
      if (minted.ok) return { kind: "delegated", token: minted.token, own: true, findings: [] }
      const why = "no decision can be signed, so none arrives"
      const todo = "see to delegated.key or delegated.key_file; a new file is taken without a restart"
      return { kind: "none", findings: [notes.fail({ what: minted.why, why, todo })] }
    }
  }
}
