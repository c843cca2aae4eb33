// A process that commits to one case as often as it can win; started several times by contention.test.ts.
import { randomBytes } from "node:crypto"
import { createSeal } from "../../src/domain/seal.ts"
import { miss } from "../../src/domain/verdict.ts"
import { connectRedis } from "../../src/store/connection.ts"
import { createStore } from "../../src/store/store.ts"

const [url = "", installation = "", caseId = "", wins = "0"] = process.argv.slice(2)
const nothing = () => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const connection = await connectRedis({ url, log })
const seal = createSeal({ key: Buffer.alloc(32, 7), installation, nonce: () => randomBytes(12) })
const store = createStore({ connection, installation, seal, log, sandbox: false, paceMs: 1_010 })
await store.config.activate({ revision: "rev-1", rules: [], activate: false, at: 0 })

const won: number[] = []
let lost = 0
while (won.length < Number(wins)) {
  const current = await store.cases.read(caseId)
  if (current === null || "kind" in current) throw new Error("the case is gone")
  const done = await store.cases.commit({ ...miss(current, Date.now()), expectedVersion: current.version })
  if (done.kind === "committed") won.push(done.case.version)
  else lost += 1
}
console.log(JSON.stringify({ won, lost }))
await connection.close()
