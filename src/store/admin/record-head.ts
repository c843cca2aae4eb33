// Finds the chain of a record, and the head that the record names. Reads each record with the checks of its own file.

import { z } from "zod"
import { openCase, openTombstone } from "../cases/case-codec.ts"
import { readConfigHead } from "../config/config-record.ts"
import { StoreError } from "../errors.ts"
import type { ChainHead } from "../ledger/entry.ts"
import { checkInstallation } from "../ledger/installation.ts"
import type { LedgerProblem } from "../ledger/ledger-walk.ts"
import { chainOf, type Keys } from "../redis/keys.ts"
import { openRecord, type RecordPlace, readRecord } from "../redis/sealed-record.ts"
import type { VerifyOptions } from "./verify-ledger.ts"

const withChain = z.object({ chain: z.object({ count: z.number(), mac: z.string() }) })

/** The head that a chain's record names, or what is wrong with the record. Throws `StoreError` if Redis is silent. */
export async function readHead(options: VerifyOptions, chain: string): Promise<ChainHead | LedgerProblem> {
  try {
    return (await findHead(options, chain)) ?? problem("record-missing", chain, `the record of ${chain} is gone`)
  } catch (error) {
    const ours = error instanceof StoreError && !error.retryable
    if (!ours) throw error
    return problem("record-tampered", chain, error.message)
  }
}

async function findHead(options: VerifyOptions, chain: string): Promise<ChainHead | LedgerProblem | null> {
  const { redis, keys } = options
  const [, kind, name] = /^(case|link|audits|sum|fingerprint):(.+)$/s.exec(chain) ?? []
  if (kind === "case" && name !== undefined) {
    const key = keys.case(name)
    const record = await readRecord(redis, key)
    const read = openCase(options, key, record) ?? openTombstone(options.seal, key, record)
    return read === "tampered" ? tampered(chain) : (read?.chain ?? null)
  }
  if (kind === "link" && name !== undefined)
    return await plainHead(options, chain, { purpose: "link", key: keys.identityLink(name) })
  if (kind === "audits" && name !== undefined)
    return await plainHead(options, chain, { purpose: "audits", key: keys.audits(name) })
  if (kind === "sum" && name !== undefined)
    return await plainHead(options, chain, { purpose: "sum", key: keys.sum(name) })
  if (kind === "fingerprint" && name !== undefined)
    return await plainHead(options, chain, { purpose: "fingerprint", key: keys.fingerprint(name) })
  if (chain === chainOf.config) return await readConfigHead(options)
  if (chain === chainOf.signingKeys)
    return await plainHead(options, chain, { purpose: "signing-keys", key: keys.signingKeys })
  if (chain !== chainOf.installation)
    return problem("unknown-subject", chain, `an entry speaks of ${chain}, which is nothing we keep`)
  if ((await checkInstallation(options)) === "absent") return null
  return await plainHead(options, chain, { purpose: "installation", key: keys.installation })
}

async function plainHead(
  { redis, seal }: VerifyOptions,
  chain: string,
  place: { readonly purpose: Exclude<RecordPlace["purpose"], "case" | "config">; readonly key: string },
): Promise<ChainHead | LedgerProblem | null> {
  const value = openRecord(seal, place, await readRecord(redis, place.key))
  if (value === null) return null
  const read = withChain.safeParse(value)
  return read.success ? read.data.chain : tampered(chain)
}

function tampered(chain: string): LedgerProblem {
  return problem("record-tampered", chain, `the record of ${chain} was not sealed by us, or was changed since`)
}

function problem(code: LedgerProblem["code"], chain: string, message: string): LedgerProblem {
  return { code, number: null, chain, message }
}

/** The chain of the record under a key; null if it is not the key of a record with a chain. */
export function chainOfKey(keys: Keys, key: string): string | null {
  if (key === keys.config) return chainOf.config
  if (key === keys.signingKeys) return chainOf.signingKeys
  if (key === keys.installation) return chainOf.installation
  const [, kind, name] = /^:(case|link|audits|sum|fingerprint):(.+)$/s.exec(key.slice(keys.tag.length)) ?? []
  return kind === undefined || name === undefined ? null : `${kind}:${name}`
}
