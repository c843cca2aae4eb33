// The orders of a stage, as a shell beside its bots changes them, and what the ledger says of cases under them.
import { caseIdOf } from "../../src/domain/case/case.ts"
import { readLedger } from "../../src/store/ledger/read-ledger.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { openStore } from "../store/support.ts"
import { testRedisUrl } from "../support/redis.ts"
import type { LedgerLine } from "../support/stop-oracle.ts"
import { withRedis } from "./acts.ts"
import { type Row, type Stage, sealKey } from "./world.ts"

/** The order book of a stage's installation. */
export async function ordersOf({ installation }: Pick<Stage, "installation">) {
  const { store } = await openStore({ installation, key: sealKey, revision: null })
  return store.config.orders
}

/** All entries of the ledger in order, each with its chain. */
export async function linesOf({ installation }: Pick<Stage, "installation">): Promise<readonly LedgerLine[]> {
  return withRedis({ url: testRedisUrl(), installation }, async ({ commands }) => {
    const lines: LedgerLine[] = []
    for await (const page of readLedger(commands, createKeys(installation), { after: "0-0", pageSize: 500 }))
      lines.push(...page.map(({ body }) => JSON.parse(body)))
    return lines
  })
}

/** The kinds of the entries about one approval. */
export function kindsIn(
  lines: readonly LedgerLine[],
  row: Row,
  { installation }: Pick<Stage, "installation">,
): readonly unknown[] {
  const chain = `case:${caseIdOf(installation, "main", row.id)}`
  return lines.filter((line) => line.chain === chain).map(({ event }) => event["kind"])
}
