// What a verification of the ledger found, in words; and the verification for whoever has the ledger's place at hand.
import { createSeal } from "../domain/seal.ts"
import type { Log } from "../log.ts"
import type { Verification } from "../store/ledger/verify-ledger.ts"
import { connectRedis } from "../store/redis/connection.ts"
import { createStore } from "../store/store.ts"

/** Which ledger. */
export interface LedgerOptions {
  readonly redisUrl: string
  readonly key: Buffer
  readonly installation: string
  readonly random: (size: number) => Buffer
  readonly log: Log
}

/** Verifies the ledger of an installation, also while its bot runs. Throws `StoreError` if Redis does not answer. */
export async function verifyLedger(options: LedgerOptions): Promise<Verification> {
  const { redisUrl, key, installation, random, log } = options
  const connection = await connectRedis({ url: redisUrl, log })
  try {
    const seal = createSeal({ key, installation, nonce: () => random(12) })
    return await createStore({ connection, installation, seal, log, sandbox: false, paceMs: 0 }).verifyLedger()
  } finally {
    await connection.close()
  }
}

/** What was found, in words. `anchors`: by how many it was measured. */
export function verificationWords(verification: Verification, anchors = 0): string {
  const { entries, chains, cases, anchored, superseded, erased, problem } = verification
  if (problem !== null)
    return `ledger BROKEN at entry ${problem.number ?? "?"} (${problem.chain ?? "no chain"}): ${problem.message}`
  const gone = erased === 0 ? "" : `; ${erased} texts and receipts beside it are erased, as its entries say`
  const held = `ledger verified: ${entries} entries in ${chains} chains, ${cases} of them cases; every MAC holds${gone}`
  const since =
    superseded === 0 ? "" : `; ${superseded} older checkpoints ended when an operator accepted a restored Redis`
  if (anchors === 0) return `${held}; no checkpoint was at hand, so nobody outside Redis vouches for order and length`
  const binding = anchors - superseded
  return `${held}; ${binding} checkpoints vouch for the first ${anchored} in this order, ${entries - anchored} came after${since}`
}
