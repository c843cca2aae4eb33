// Writes a checkpoint over a long ledger with many open cases, as the bot writes it. Redis holds only the last entry of
// that ledger.
import { randomBytes } from "node:crypto"
import { createMerkleTree, entryLeaf } from "../../src/domain/proof/merkle.ts"
import type { Bound } from "../../src/flow/ports.ts"
import { createHeadMap } from "../../src/store/freshness/head-map.ts"
import { createHeadTable } from "../../src/store/freshness/head-table.ts"
import type { StartOptions } from "../../src/store/freshness/start.ts"
import { extendChain, noEntries } from "../../src/store/ledger/entry.ts"
import { chainOf } from "../../src/store/redis/keys.ts"

/** How the ledger is to be. */
export interface Ledger {
  readonly installation: string
  readonly entries: number
  /** The ids of the cases that are open. */
  readonly open: Iterable<string>
}

/** Writes the heads of all open cases and the ledger's last entry. */
export async function writeCheckpoint(
  { redis, keys, seal, clock }: Omit<StartOptions, "map" | "now">,
  { installation, entries, open }: Ledger,
): Promise<Bound> {
  const table = createHeadTable()
  for (const id of open) {
    const mac = randomBytes(32).toString("base64url")
    table.set(chainOf.case(id), { count: 4, mac, era: 0, state: "open", voted: [randomBytes(9).toString("hex")] })
  }
  const end = { chain: chainOf.installation, head: noEntries, sandbox: false }
  const [entry] = extendChain(seal, end, [{ kind: "installed", at: clock(), installation, keyId: "bench" }]).entries
  if (entry === undefined) throw new Error("no entry was made")
  await redis.xadd(keys.ledger, `${entries}-0`, "body", entry.body, "mac", entry.mac)
  await redis.set(keys.sequence, entries)
  const tree = createMerkleTree()
  tree.append(entryLeaf(entry))
  const map = createHeadMap({ redis, keys, seal, replica: "bench", clock })
  const heads = await map.write(() => ({ table, eras: [] }))
  return { size: entries, mac: entry.mac, root: tree.root().toString("hex"), peaks: [], heads, era: 0, at: clock() }
}
