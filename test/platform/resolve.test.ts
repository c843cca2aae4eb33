// The platform client against recorded answers of AgentOS, replayed by a real HTTP server: resolving.
import { describe, expect, test } from "vitest"
import { clientOf, failure, idIn } from "./clients.ts"
import { json, recorded } from "./replay.ts"

describe("resolve", () => {
  test("sends the exact body as JSON and brings the row", async () => {
    const body = '{"status":"approved","resolution_data":{"values":{"n":12345678901234567890,"f":50.0}}}'
    const { client, server } = await clientOf(() => recorded("resolve-approved-with-sub"))
    const id = idIn("resolve-approved-with-sub")

    const resolved = await client.resolve(id, body)

    expect(resolved).toMatchObject({ kind: "row", approval: { id, status: "approved" } })
    expect(server.seen[0]).toMatchObject({ method: "POST", body })
    expect(server.seen[0]?.headers["content-type"]).toBe("application/json")
    expect(server.seen[0]?.url.pathname).toBe(`/os/approvals/${id}/resolve`)
  })

  test.each([
    ["409-resolve-again", { kind: "conflict", detail: "Approval is already 'approved' and cannot be resolved" }],
    ["409-resolve-expired", { kind: "conflict", detail: "Approval is already 'expired' and cannot be resolved" }],
    [
      "3.1.10/409-resolve-database-locked",
      { kind: "conflict", detail: expect.stringContaining("already 'pending'") as string },
    ],
    ["403-resolve", { kind: "refused", status: 403 }],
    ["404-resolve", { kind: "refused", status: 404, detail: "Approval not found" }],
    ["404-resolve-service-account", { kind: "refused", status: 404 }],
    ["422-resolve-status-pending", { kind: "refused", status: 422 }],
    ["401-expired", { kind: "later", status: 401, barred: true }],
    ["429-service-account", { kind: "later", status: 429, barred: true }],
  ])("a resolve that is answered with %s comes back as a value", async (name, expected) => {
    const { client } = await clientOf(() => recorded(name))

    expect(await client.resolve("x", "{}")).toMatchObject(expected)
  })

  test.each(["500-resolve-poisoned", "500-resolve-form-body", "503-no-db"])(
    "a resolve that is answered with %s is unaccounted for",
    async (name) => {
      const { client, server } = await clientOf(() => recorded(name))

      expect(await failure(client.resolve("x", "{}"))).toMatchObject({ code: "server", retryable: true })
      expect(server.seen).toHaveLength(1)
    },
  )

  test("a 200 whose row is no approval is unaccounted for", async () => {
    const { client } = await clientOf(() => json({ ok: true }))

    expect(await failure(client.resolve("x", "{}"))).toMatchObject({ code: "unexpected_shape" })
  })
})
