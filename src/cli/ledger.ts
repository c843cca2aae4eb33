// countersign ledger verify: recomputes every MAC and chain, and says what it found.
import { createSeal } from "../domain/seal.ts"
import type { Log } from "../log.ts"
import { connectRedis } from "../store/connection.ts"
import { createStore } from "../store/store.ts"
import type { Verification } from "../store/verify-ledger.ts"

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

/** What was found, in words. */
export function verificationWords({ entries, chains, cases, problem }: Verification): string {
  if (problem === null)
    return `ledger verified: ${entries} entries in ${chains} chains, ${cases} of them cases; every MAC holds`
  return `ledger BROKEN at entry ${problem.number ?? "?"} (${problem.chain ?? "no chain"}): ${problem.message}`
}
