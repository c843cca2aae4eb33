// countersign receipt: verifies receipts and inclusion proofs without asking us, and prints receipts and keys.
import { readFile } from "node:fs/promises"
import { type RecordMismatch, receiptHash, recordMismatches } from "../../domain/case/receipt.ts"
import { isJsonObject, type Json, parseJson } from "../../domain/content/json.ts"
import { readItem } from "../../platform/contract.ts"
import { ProofError } from "../../proof/errors.ts"
import { type Included, isInclusionProof, verifyInclusion } from "../../proof/inclusion.ts"
import { type VerifiedReceipt, verifyReceipt } from "../../proof/receipt.ts"
import type { SigningKeySet } from "../../proof/signed.ts"
import { loadKeySet } from "../installation/key-set.ts"
import { ownKeys, withStore } from "../installation/opened-store.ts"
import type { Terminal } from "../terminal.ts"

/** What to verify a receipt with. */
export interface ReceiptVerifyOptions {
  /** A key set: a file or an address. Default: the keys of this installation, from its Redis. */
  readonly keys?: string
  /** A file with the platform's record of the approval: the answer to `GET /approvals/{id}`. */
  readonly record?: string
  /** A file with the proof that the ledger has the entry of this receipt. */
  readonly proof?: string
}

/** Verifies a receipt, a platform's record with a receipt, or an inclusion proof. Exit code 1 if it is not valid. */
export async function receiptVerify(terminal: Terminal, file: string, options: ReceiptVerifyOptions): Promise<void> {
  const keys = await keySetFrom(terminal, options.keys)
  const text = (await readFile(file, "utf8")).trim()
  const json = text.startsWith("{") ? jsonOf(text, file) : null
  if (isInclusionProof(json)) return terminal.out(inclusionWords(await verifyInclusion(json, keys)))
  const verified = await verifyReceipt(json === null ? text : receiptIn(json, file), keys)
  for (const line of receiptWords(verified)) terminal.out(line)
  const record = options.record === undefined ? json : jsonOf(await readFile(options.record, "utf8"), options.record)
  if (record !== null) checkRecord(terminal, verified, record)
  if (options.proof !== undefined) await checkEntry(terminal, verified, { file: options.proof, keys })
}

function keySetFrom(terminal: Terminal, from: string | undefined): Promise<SigningKeySet> {
  return from === undefined ? withStore(terminal, ownKeys) : loadKeySet(from)
}

function jsonOf(text: string, file: string): Json {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new ProofError("bad-proof", `${file} is no JSON`, { cause })
  }
}

function receiptIn(record: Json, file: string): string {
  const data = isJsonObject(record) ? record["resolution_data"] : undefined
  const mark = isJsonObject(data) ? data["countersign"] : undefined
  const receipt = isJsonObject(mark) ? mark["receipt"] : undefined
  if (typeof receipt === "string") return receipt
  throw new ProofError("not-signed", `${file} holds no receipt in resolution_data.countersign.receipt`)
}

function checkRecord(terminal: Terminal, verified: VerifiedReceipt, record: Json): void {
  const item = readItem(verified.claims.instance, record)
  const mismatches = item.kind === "approval" ? recordMismatches(verified, item.approval) : []
  const wrong = item.kind === "approval" ? mismatches.map((mismatch) => mismatchWords[mismatch]) : [item.why]
  if (wrong.length === 0) return terminal.out("record: holds what was decided (digest recomputed)")
  process.exitCode = 1
  for (const words of wrong) terminal.out(`record: DIFFERS: ${words}`)
}

async function checkEntry(
  terminal: Terminal,
  verified: VerifiedReceipt,
  proof: { readonly file: string; readonly keys: SigningKeySet },
): Promise<void> {
  const included = await verifyInclusion(jsonOf(await readFile(proof.file, "utf8"), proof.file), proof.keys)
  const { event } = included.entry
  const names = isJsonObject(event) && event["receipt"] === receiptHash(verified.receipt)
  if (!names) throw new ProofError("bad-proof", `entry ${included.number} does not name this receipt`)
  terminal.out(inclusionWords(included))
}

/** Prints a decision's receipt, which lies beside the ledger. Throws `ProofError` if there is none. */
export async function receiptShow(terminal: Terminal, decision: string): Promise<void> {
  await withStore(terminal, async ({ store }) => {
    const receipt = await store.receipt(decision)
    if (receipt === null) throw new ProofError("not-signed", `there is no receipt of a decision ${decision}`)
    terminal.out(receipt)
  })
}

/** Prints the installation's key set. With a copy of it, receipts can be verified even when we are gone. */
export async function receiptKeys(terminal: Terminal): Promise<void> {
  terminal.out(JSON.stringify(await withStore(terminal, ownKeys)))
}

const past = { approve: "approved", reject: "rejected" } as const

/** What a valid receipt says, one line for each fact. */
export function receiptWords({ claims, kid }: VerifiedReceipt): readonly string[] {
  const { approval, instance, installation, verdict, at, decision, digest, revision, rules, votes, sandbox } = claims
  const { calls = [], expires, glass } = claims
  return [
    `receipt valid: approval ${approval} of ${instance} (installation ${installation}) was ${past[verdict]} at ` +
      `${time(at)}`,
    `  decision ${decision}, revision ${revision}, digest ${digest}, key ${kid}`,
    ...votes.map(
      (vote) =>
        `  ${didIn(vote)} by ${vote.person} (${vote.subject})${forWords(vote)} on ${vote.surface} at ${time(vote.at)}`,
    ),
    ...(glass === true ? [brokenWords] : []),
    ...(votes.length === 0 ? ["  by nobody: the time to decide was over, and the rules reject then"] : []),
    ...rules.map(({ name, hash, quorum }) => `  rule ${name} (quorum ${quorum}), hash ${hash}`),
    ...(expires === undefined ? [] : [`  good for ${counted(calls.length)} at a gate until ${time(expires)}`]),
    ...(sandbox ? ["  demo only: nobody really decided this"] : []),
  ]
}

const brokenWords = "  BY BREAKING GLASS: this one person approved it, and nobody met the quorum of its rules"

function didIn({ verb, calledBack }: VerifiedReceipt["claims"]["votes"][number]): string {
  return calledBack === undefined ? past[verb] : "called back"
}

function forWords({ for: people = [] }: VerifiedReceipt["claims"]["votes"][number]): string {
  return people.length === 0 ? "" : ` for ${people.join(", ")}, who was away,`
}

function counted(calls: number): string {
  return calls === 1 ? "1 call" : `${calls} calls`
}

function inclusionWords({ number, entry, anchor }: Included): string {
  const { event, chain } = entry
  const kind = isJsonObject(event) && typeof event["kind"] === "string" ? event["kind"] : "?"
  const where = `entry ${number} of installation ${anchor.installation}`
  return (
    `proof valid: ${where} (${typeof chain === "string" ? chain : "?"}: ` +
    `${kind}) is among the ${anchor.size} that were signed at ${time(anchor.at)}`
  )
}

const mismatchWords: Readonly<Record<RecordMismatch, string>> = {
  approval: "it is another approval's record",
  status: "its status is not the verdict",
  digest: "its content is not what was decided",
  decision: "it names another decision",
  receipt: "it holds another receipt",
  filled: "resolution_data holds other values than were decided",
  calls: "its calls are not those that were decided",
}

function time(at: number): string {
  return new Date(at).toISOString()
}
