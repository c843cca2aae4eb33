// Brings the data of an older Countersign up to date, once. If a process dies meanwhile, the next start goes on.

import { openCase, sealCase } from "../cases/case-codec.ts"
import { indexWrites } from "../cases/case-indexes.ts"
import type { ActiveToken } from "../config/config-revision.ts"
import { attempt, StoreError } from "../errors.ts"
import { type InstallationOptions, readInstallation, writeInstallation } from "../ledger/installation.ts"
import { versionOf } from "../redis/data-schema.ts"
import { chainOf } from "../redis/keys.ts"
import { openRecord, readRecord } from "../redis/sealed-record.ts"

/** What a migration needs: everything that a claim needs, and the proof that this process may commit. */
export interface MigrateOptions extends InstallationOptions {
  readonly config: ActiveToken
}

/** What a migration did: from which version to which, and how many cases were rewritten. */
export interface Migrated {
  readonly from: number
  readonly to: number
  readonly cases: number
}

/** How many cases are written at once. */
const batch = 100

/**
 * Rewrites every case in today's shape, then says so in the installation's record and the ledger. Null if there is
 * nothing to do. Two replicas may do this at once. Throws `StoreError`; `newer-data` if another replica took over
 * meanwhile.
 */
export async function migrate(options: MigrateOptions, at: number): Promise<Migrated | null> {
  const { schema, keys } = options
  const found = await readInstallation(options)
  if (found === null || found.data >= schema.version) return null
  let cases = 0
  for (const index of [keys.list, keys.settled]) cases += await rewriteAll(options, index)
  const done: Migrated = { from: found.data, to: schema.version, cases }
  const event = { kind: "migrated", at, ...done } as const
  const written = await writeInstallation(options, found, { data: schema.version, event })
  return written ? done : await migrate(options, at)
}

async function rewriteAll(options: MigrateOptions, index: string): Promise<number> {
  let written = 0
  for (let start = 0; ; start += batch) {
    const page = () => options.redis.zrange(index, String(start), String(start + batch - 1))
    const ids = await attempt(`read ${index}`, page)
    if (ids.length === 0) return written
    const done = await Promise.all(ids.map((caseId) => rewrite(options, caseId)))
    written += done.filter(Boolean).length
  }
}

/** Rewrites a case, unless it has today's shape. Leaves a record that is not ours: the next step freezes the case. */
async function rewrite(options: MigrateOptions, caseId: string): Promise<boolean> {
  const { redis, keys, seal, schema, config } = options
  const key = keys.case(caseId)
  const record = await readRecord(redis, key)
  const stored = openRecord(seal, { purpose: "case", key }, record)
  if (stored === null || stored === "tampered" || versionOf(stored) >= schema.version) return false
  const read = openCase(options, key, record)
  if (read === null || read === "tampered") return false
  const written = { ...read, version: read.version + 1 }
  const result = await config.under((proof) =>
    options.commit({
      key,
      expectedVersion: String(read.version),
      fields: { version: String(written.version), sealed: sealCase(options, key, written) },
      chain: chainOf.case(caseId),
      chainCount: read.chain.count,
      entries: [],
      writes: indexWrites(keys, written),
      config: proof,
    }),
  )
  if (result.kind === "config")
    throw new StoreError("newer-data", "bringing the data up to date: another replica took over meanwhile, start again")
  return result.kind === "committed" || (await rewrite(options, caseId))
}
