// The decision that nobody made: the rejection of what expired, which its rules ask for (R13). It never approves.
import { hashOf } from "../domain/content/canonical.ts"
import type { Case, Decision, Step } from "../domain/case/case.ts"
import type { Seal } from "../domain/proof/seal.ts"
import { decide } from "../domain/case/verdict.ts"
import { freezeVerdict, type SigningPorts } from "./body.ts"

/** The frozen rejection of an expired case that owes one (R9); null if it owes none. */
export async function runOut(ports: SigningPorts, current: Case, at: number): Promise<Step | null> {
  const id = idOf(ports.seal, current)
  if (current.state !== "open" || id === null) return null
  const decision: Decision = { id, verb: "reject", votes: [], at, by: "expiry" }
  const { body, receipt } = await freezeVerdict(ports, current, decision)
  return decide(current, decision, body, receipt)
}

/** True if a decision without votes is the rejection that this case owes, made by us (R14). */
export function isByExpiry(seal: Seal, current: Case, { id, verb, votes }: Decision): boolean {
  return verb === "reject" && votes.length === 0 && id === idOf(seal, current)
}

/** It is made once for each time that it is owed, whoever makes it, and nobody without our key makes one. Null where none is owed. */
function idOf(seal: Seal, { id, revision, time }: Case): string | null {
  const { rejectAt = null } = time.expired ?? {}
  if (rejectAt === null) return null
  const mac = seal.mac("expiry", { case: id, revision: revision.number, digest: revision.digest, rejectAt })
  return hashOf({ expiry: mac }).slice(0, 32)
}
