// The key by which the same call is found when it is asked again, for a requester whom we know or for its run (R22).
import { sameCall } from "../../domain/again/lasting.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { findRequester } from "../people/eligibility.ts"
import { isPortError, type Ports } from "../ports.ts"

export type SameCallPorts = Pick<Ports, "seal" | "people" | "policy" | "log">

/** The key of an approval's calls; null if there can be none. Without an answer of Slack the requester is not known. */
export async function sameCallOf(ports: SameCallPorts, approval: Approval): Promise<string | null> {
  return sameCall(ports.seal, approval, await isRequesterKnown(ports, approval))
}

async function isRequesterKnown(ports: SameCallPorts, { id: approval, userId }: Approval): Promise<boolean> {
  try {
    return (await findRequester(ports, userId, ports.policy.identities)) !== null
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("requester-unknown", { approval, error })
    return false
  }
}
