// countersign ledger verify and prove: they look into the installation's Redis, and print what they found.
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createMerkleTree, entryLeaf, type Hash } from "../../domain/proof/merkle.ts"
import { type Anchor, readAnchors } from "../../proof/anchors.ts"
import { ProofError } from "../../proof/errors.ts"
import { proveInclusion } from "../../proof/inclusion.ts"
import type { Audit } from "../../slack/chat/audit-channel.ts"
import { ChatError } from "../../slack/transport/errors.ts"
import type { Verification } from "../../store/admin/verify-ledger.ts"
import { openAudit } from "../installation/ask-slack.ts"
import { joined, loadKeySet } from "../installation/key-set.ts"
import { type Opened, ownKeys, type StorePlace, withStore, withStoreAt } from "../installation/opened-store.ts"
import type { Terminal } from "../terminal.ts"

/** Where anchors and keys are. */
export interface AnchorOptions {
  /** A file of anchors. Default: those that the bot of this installation keeps, in its file and its audit channel. */
  readonly anchors?: string
  /** A key set besides the installation's own: a file or an address. */
  readonly keys?: string
}

/** Verifies the ledger; exit code 1 if something is wrong. */
export async function ledgerVerify(terminal: Terminal, options: AnchorOptions): Promise<void> {
  await withStore(terminal, async (opened) => {
    const anchors = await anchorsOf(terminal, opened, options)
    const verification = await opened.store.verifyLedger(anchors)
    terminal.out(verificationWords(verification, anchors.length))
    if (verification.problem !== null) process.exitCode = 1
  })
}

/** Prints the proof that an entry is in the ledger, as JSON. Throws `ProofError` if no anchor covers it yet. */
export async function ledgerProve(terminal: Terminal, number: number, options: AnchorOptions): Promise<void> {
  await withStore(terminal, async (opened) => {
    const anchors = (await anchorsOf(terminal, opened, options)).filter(({ size }) => size >= number)
    if (anchors.length === 0)
      throw new ProofError(
        "bad-proof",
        `no checkpoint covers entry ${number} yet: wait for the next one, or give --anchors`,
      )
    const tree = createMerkleTree()
    const leaves: Hash[] = []
    let proved: { readonly body: string; readonly mac: string } | undefined
    for await (const entry of opened.store.entries(0)) {
      const leaf = entryLeaf(entry)
      leaves.push(leaf)
      tree.append(leaf)
      if (entry.number === number) proved = entry
      // An anchor from before an accepted roll-back (R17) does not fit; a later one does.
      const anchor = anchors.find(({ size, root }) => size === leaves.length && root === tree.root().toString("hex"))
      if (anchor === undefined || proved === undefined) continue
      terminal.out(JSON.stringify(proveInclusion({ number, entry: proved, leaves, anchor })))
      return
    }
    throw new ProofError(
      "bad-proof",
      `no checkpoint over entry ${number} fits the ledger, which ends at entry ${leaves.length}: ` +
        "run countersign ledger verify",
    )
  })
}

/** The anchors of this installation, verified, oldest first. Throws `ProofError`. */
export async function anchorsOf(
  terminal: Terminal,
  opened: Opened,
  { anchors, keys }: AnchorOptions,
): Promise<readonly Anchor[]> {
  const { installation } = opened.context.config
  const text = anchors === undefined ? await keptAnchors(terminal, opened) : await readFile(anchors, "utf8")
  const own = await ownKeys(opened)
  const known = keys === undefined ? own : joined(own, await loadKeySet(keys))
  const found = await readAnchors(text, known)
  const ours = found.filter((anchor) => anchor.installation === installation)
  if (ours.length === 0 && anchors !== undefined)
    throw new ProofError("bad-proof", `${anchors} holds no checkpoint of installation ${installation}`)
  return ours
}

/** What the bot keeps as anchors: its file, if it is there, and its messages in the audit channel. */
async function keptAnchors(terminal: Terminal, { context }: Opened): Promise<string> {
  const { checkpointFile: file } = context.config.ledger
  const filed = file !== null && existsSync(file) ? await readFile(file, "utf8") : ""
  const audit = await openAudit(terminal, context)
  const posted = audit === null ? [] : await postedAnchors(terminal, audit)
  return [filed, ...posted].join("\n")
}

async function postedAnchors(terminal: Terminal, audit: Audit): Promise<readonly string[]> {
  try {
    return await audit.signed()
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    terminal.err(`note: the audit channel was not read: ${error.message}`)
    return []
  }
}

/** Verifies the ledger of an installation, even while its bot runs. Throws `StoreError` if Redis does not answer. */
export function verifyLedger(place: Omit<StorePlace, "sandbox">): Promise<Verification> {
  return withStoreAt({ ...place, sandbox: false }, (store) => store.verifyLedger())
}

/** The result, in words. `anchors`: how many were compared. */
export function verificationWords(verification: Verification, anchors = 0): string {
  const { entries, chains, cases, anchored, superseded, erased, problem } = verification
  if (problem !== null) return problemWords(problem)
  const gone = erased === 0 ? "" : `; ${erased} texts and receipts beside it are erased, as its entries say`
  const held = `ledger verified: ${entries} entries in ${chains} chains, ${cases} of them cases; every MAC holds${gone}`
  if (anchors === 0) return `${held}; no checkpoint was at hand, so nobody outside Redis vouches for order and length`
  const binding = anchors - superseded
  return (
    `${held}; ${binding} checkpoints vouch for the first ${anchored} in this order, ` +
    `${entries - anchored} came after${acceptedWords(verification)}`
  )
}

/** What an accepted roll-back means for earlier checkpoints. */
function acceptedWords({ superseded, unvouched }: Verification): string {
  const range = unvouched === null ? "" : `vouches for entries ${unvouched.from} to ${unvouched.to}`
  if (superseded === 0)
    return range === "" ? "" : `; no checkpoint from before an operator accepted a restored Redis ${range}`
  const ended = `; ${superseded} older checkpoints ended when an operator accepted a restored Redis`
  return range === "" ? ended : `${ended}, and none of them ${range}`
}

/** What is wrong with the ledger, and where. */
export function problemWords({ code, number, chain, message }: NonNullable<Verification["problem"]>): string {
  const broken = `ledger BROKEN at entry ${number ?? "?"} (${chain ?? "no chain"}): ${message}`
  const putBack = code === "not-as-signed" || code === "rolled-back"
  return putBack ? `${broken}. If you restored Redis, accept that first: countersign ledger accept` : broken
}
