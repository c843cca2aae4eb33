// Several processes, one case: each version is won once, and the ledger has no gap.
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { z } from "zod"
import { testRedisUrl } from "../support/redis.ts"
import { committedCase, openStore } from "./support.ts"

const run = promisify(execFile)
const program = fileURLToPath(new URL("contender.ts", import.meta.url))
const report = z.object({ won: z.array(z.number()), lost: z.number() })

test("exactly one of several processes wins each version, and the ledger stays whole", async () => {
  const open = await openStore()
  const { id } = await committedCase(open)
  const wins = 40
  const contenders = 4
  const given = [testRedisUrl(), open.installation, id, String(wins), String(contenders)]

  const reports = await Promise.all(
    Array.from({ length: contenders }, async () => {
      const { stdout } = await run(process.execPath, [program, ...given])
      return report.parse(JSON.parse(stdout))
    }),
  )

  const versions = reports.flatMap((one) => one.won).toSorted((a, b) => a - b)
  expect(versions).toEqual(Array.from({ length: contenders * wins }, (_, index) => index + 2))
  expect(reports.reduce((sum, one) => sum + one.lost, 0)).toBeGreaterThanOrEqual(contenders - 1)
  expect(await open.store.cases.read(id)).toMatchObject({
    version: contenders * wins + 1,
    chain: { count: contenders * wins + 1 },
  })
  expect(await open.store.verifyLedger()).toMatchObject({ entries: 3 + contenders * wins, problem: null })
})
