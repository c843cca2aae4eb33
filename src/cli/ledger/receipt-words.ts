// Receipts and proofs in words, for the terminal.
import { isJsonObject } from "../../domain/json.ts"
import type { RecordMismatch } from "../../domain/receipt.ts"
import type { Included } from "../../proof/inclusion.ts"
import type { VerifiedReceipt } from "../../proof/receipt.ts"

const past = { approve: "approved", reject: "rejected" } as const

/** What a valid receipt says, a line each. */
export function receiptWords({ claims, kid }: VerifiedReceipt): readonly string[] {
  const { approval, instance, installation, verdict, at, decision, digest, revision, rules, votes, sandbox } = claims
  return [
    `receipt valid: approval ${approval} of ${instance} (installation ${installation}) was ${past[verdict]} at ${time(at)}`,
    `  decision ${decision}, revision ${revision}, digest ${digest}, key ${kid}`,
    ...votes.map(
      (vote) => `  ${past[vote.verb]} by ${vote.person} (${vote.subject}) on ${vote.surface} at ${time(vote.at)}`,
    ),
    ...(votes.length === 0 ? ["  by nobody: the time to decide was over, and the rules reject then"] : []),
    ...rules.map(({ name, hash, quorum }) => `  rule ${name} (quorum ${quorum}), hash ${hash}`),
    ...(sandbox ? ["  made in the sandbox: nobody really decided this"] : []),
  ]
}

/** What a valid inclusion proof says. */
export function inclusionWords({ number, entry, anchor }: Included): string {
  const { event, chain } = entry
  const kind = isJsonObject(event) && typeof event["kind"] === "string" ? event["kind"] : "?"
  const where = `entry ${number} of installation ${anchor.installation}`
  return `proof valid: ${where} (${typeof chain === "string" ? chain : "?"}: ${kind}) is among the ${anchor.size} that were signed at ${time(anchor.at)}`
}

/** What is wrong with a record, in words. */
export function mismatchWords(mismatch: RecordMismatch): string {
  switch (mismatch) {
    case "approval":
      return "it is another approval's record"
    case "status":
      return "its status is not the verdict"
    case "digest":
      return "its content is not what was decided"
    case "decision":
      return "it names another decision"
    case "receipt":
      return "it holds another receipt"
    case "filled":
      return "resolution_data holds other values than were decided"
  }
}

function time(at: number): string {
  return new Date(at).toISOString()
}
