// POST /databases/…/migrate (4.3): the steps of the service's own database, reported and run.

import { expect, test } from "vitest"
import { migrations } from "../../../src/service/storage/migrations.ts"
import { aService, aToken, call } from "../a-service.ts"

test.each([
  ["all", "All databases migrated successfully to latest version"],
  ["countersign-service", "Database migrated successfully to latest version"],
])("POST /databases/%s/migrate runs what is missing, and says that nothing was", async (id, message) => {
  const service = await aService()

  const answer = await call(service, `POST /databases/${id}/migrate`, { token: await aToken(["config:write"]) })

  const version = migrations.length
  expect(answer).toMatchObject({ status: 200, body: { message, from_version: version, to_version: version, steps: 0 } })
  await service.close()
})

test("another database is unknown, and there is no way to another version", async () => {
  const service = await aService()
  const token = await aToken(["config:write"])
  const to = async (target: string | number) =>
    call(service, `POST /databases/all/migrate?target_version=${target}`, { token })

  expect(await call(service, "POST /databases/other/migrate", { token })).toMatchObject({
    status: 404,
    body: { detail: "No database found with id 'other'" },
  })
  expect(await to("2.0.0")).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("target_version 2.0.0") },
  })
  expect((await to(migrations.length)).status).toBe(200)
  expect((await call(service, "POST /databases/all/migrate", { token: await aToken(["config:read"]) })).status).toBe(
    403,
  )
  await service.close()
})
