// What a request with several faults is told: what its route looks for first, then its query, then its body.
import { afterAll, beforeAll, expect, test } from "vitest"
import { aToken, call, type TestService } from "../a-service.ts"
import { aFullService } from "../components.ts"

let service: TestService
let open: TestService

beforeAll(async () => {
  service = await aFullService()
  open = await aFullService({ authorization: false, verificationKeys: [] })
})
afterAll(async () => {
  await service.close()
  await open.close()
})

test.each<[string, number, "form" | "json"]>([
  ["PATCH /sessions/unknown", 404, "json"],
  ["POST /sessions/unknown/rename", 404, "json"],
  ["PATCH /sessions/unknown?type=none", 422, "json"],
  ["POST /agents/unknown/runs", 404, "form"],
  ["POST /agents/support-member/runs", 422, "form"],
  ["GET /agents/unknown/runs", 404, "json"],
  ["GET /agents/support-member/runs", 422, "json"],
  ["GET /components/unknown/configs?include_config=perhaps", 422, "json"],
  ["PATCH /components/unknown", 422, "json"],
  ["PATCH /agents/unknown", 422, "json"],
  ["DELETE /components/unknown?expected_current_version=x", 422, "json"],
  ["POST /approvals/unknown/resolve", 422, "json"],
  ["GET /knowledge/unknown/sources/x/files?limit=0", 422, "json"],
  ["POST /a2a/agents/unknown/v1/message:send", 422, "json"],
  ["POST /sessions?type=none", 422, "json"],
])("%s with a body that no route takes is %i", async (request, status, kind) => {
  const token = await aToken(["service:admin"])
  const body = request.startsWith("GET ") ? {} : kind === "form" ? { form: {} } : { json: [] }

  expect((await call(service, request, { token, ...body })).status).toBe(status)
})

test("whoever is nobody is told so before their wish for an account is read", async () => {
  expect((await call(open, "POST /service-accounts", { json: [] })).status).toBe(401)
})
