// The steps that lead from older data to ours.
import { expect, test } from "vitest"
import { isJsonObject, parseJson } from "../../src/domain/json.ts"
import { unseen } from "../../src/domain/surroundings.ts"
import { migrateCase, ourSchema } from "../../src/store/admin/data-schema.ts"
import { parseCase } from "../../src/store/cases/case-schema.ts"
import { aCase } from "../support/builders.ts"

test("a case of version 1 has told no notices, and nothing was found around it", () => {
  const { noticed: _, around: __, ...old } = aCase()
  const stored = parseJson(JSON.stringify(old))
  if (!isJsonObject(stored)) throw new Error("a case is an object")

  const read = parseCase(migrateCase(ourSchema, stored))

  expect(read).toMatchObject({ id: old.id, noticed: [], around: unseen })
})
