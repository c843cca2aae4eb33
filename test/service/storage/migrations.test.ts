// The steps that make the tables: a step that a file may have taken never changes.

import { createHash } from "node:crypto"
import { globSync } from "node:fs"
import { expect, test } from "vitest"
import type { Resource } from "../../../src/service/resources/resource.ts"
import { openDatabase } from "../../../src/service/storage/database.ts"
import { migrations } from "../../../src/service/storage/migrations.ts"

/** The beginnings of the steps' SHA-256. To change a table add a step; never change a line of this list. */
const known: readonly string[] = ["7143365af72a93b3"]

test("every step is the one that was there before, and new ones come last", () => {
  const steps = migrations.map((step) => createHash("sha256").update(step).digest("hex").slice(0, 16))

  expect(steps).toEqual(known)
})

/** Whatever a file of the folder describes. */
async function describedResources(): Promise<readonly Resource[]> {
  const folder = new URL("../../../src/service/resources/", import.meta.url)
  const files = globSync("*.ts", { cwd: folder.pathname })
  const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href) as Promise<object>))
  return modules.flatMap((module) => Object.values(module) as unknown[]).filter(isResource)
}

function isResource(value: unknown): value is Resource {
  return typeof value === "object" && value !== null && "table" in value && "row" in value
}

test("every described resource finds its table with its columns", async () => {
  const described = await describedResources()
  const database = openDatabase(":memory:")

  const columns = (table: string) =>
    database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name))

  expect(described.length).toBeGreaterThan(5)
  for (const { table, row } of described) {
    expect(columns(table)).toEqual(expect.arrayContaining(["seq", ...Object.keys(row.shape)]))
  }
  database.close()
})
