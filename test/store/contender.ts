// A process that commits to one case as often as it can win; started several times by contention.test.ts.

import { randomBytes } from "node:crypto"
import { rulesSchema } from "../../src/config.ts"
import type { Case } from "../../src/domain/case/case.ts"
import { miss } from "../../src/domain/case/verdict.ts"
import { createSeal } from "../../src/domain/proof/seal.ts"
import { callsAMinute } from "../../src/slack/transport/rate-limits.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createStore } from "../../src/store/store.ts"
import { limitMs } from "../support/limits.ts"
import { aSharedConfig } from "../support/shared-config.ts"

const [url = "", installation = "", caseId = "", wins = "0", contenders = "1"] = process.argv.slice(2)
const nothing = () => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const connection = await connectRedis({ url, installation, log })
const seal = createSeal({ key: Buffer.alloc(32, 7), installation, nonce: () => randomBytes(12) })
const store = createStore({
  connection,
  installation,
  seal,
  rulesSchema,
  log,
  sandbox: false,
  paceMs: 1_030,
  callsAMinute,
})
await store.config.activate({ shared: aSharedConfig(), activate: false, at: 0 })
const cases = store.casesUnder(store.config)

async function readCase(): Promise<Case> {
  const current = await cases.read(caseId)
  if (current === null || "kind" in current) throw new Error("the case is gone")
  return current
}

/** Waits until all contenders hold the same version: only one of them can win the next. */
async function allReady(): Promise<void> {
  const key = `${store.keys.tag}:contenders`
  await connection.commands.incr(key)
  const end = Date.now() + limitMs
  while ((await connection.commands.get(key)) !== contenders) {
    if (Date.now() > end) throw new Error("the other contenders did not come")
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const won: number[] = []
let lost = 0
let current = await readCase()
await allReady()
while (won.length < Number(wins)) {
  const done = await cases.commit({ ...miss(current, Date.now()), expectedVersion: current.version })
  if (done.kind === "committed") won.push(done.case.version)
  else lost += 1
  current = await readCase()
}
console.log(JSON.stringify({ won, lost }))
await connection.close()
