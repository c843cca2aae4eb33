// What version 1 of the data looks like: records as 0.1.0 wrote them, opened. They are read as they stand, so that an
// installation goes on under what runs today.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { rulesSchema } from "../../../src/config.ts"
import { openCase } from "../../../src/store/cases/case-codec.ts"
import { readSharedConfig } from "../../../src/store/config/shared-config-schema.ts"
import { ourSchema } from "../../../src/store/redis/data-schema.ts"
import { sealRecord } from "../../../src/store/redis/sealed-record.ts"
import { openStore } from "../support.ts"

const file = new URL("../../fixtures/data-1/records.json", import.meta.url)
const { cases, config } = JSON.parse(readFileSync(file, "utf8"))

test.each(["with no vote", "with one of two votes", "that is decided and closed"].map((what, at) => [what, at]))(
  "a case %s is read as it stands",
  async (_what, at) => {
    const { seal } = await openStore()
    const { data, ...stored } = cases[at as number]
    const version = Buffer.from(String(stored.version))
    const sealed = sealRecord(seal, { purpose: "case", key: "k" }, stored.version, JSON.stringify({ ...stored, data }))

    const read = openCase({ seal, schema: ourSchema }, "k", { version, sealed, frozen: false })

    expect(data).toBe(1)
    expect(read).toEqual(stored)
  },
)

test("the config that was active makes the same revision, so nobody has to activate it anew", () => {
  const read = readSharedConfig(config.shared, { revision: config.revision, rules: rulesSchema })

  expect(read.unread).toBeUndefined()
})
