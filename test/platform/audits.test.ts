// The list of audit rows: those alone, page by page, as far as anybody reads on.
import { expect, test } from "vitest"
import { clientOf } from "./clients.ts"
import { json, recorded } from "./replay.ts"

test("recorded audit rows are read, and only those", async () => {
  const { client, server } = await clientOf(() => recorded("list-audit"))

  const pages = await Array.fromAsync(client.audits())

  expect(pages.flatMap(({ approvals }) => approvals)).toMatchObject([
    { toolName: "export_report", status: "approved", agentId: "report-agent", createdAt: 1_795_185_123_000 },
  ])
  expect(server.seen.map(({ url }) => url.pathname + url.search)).toEqual([
    "/os/approvals?approval_type=audit&limit=100&page=1",
  ])
})

test("a service that ignores the filter gives none of its other rows away", async () => {
  const { client } = await clientOf(() => recorded("list-pending"))

  const pages = await Array.fromAsync(client.audits())

  expect(pages.flatMap(({ approvals }) => approvals)).toEqual([])
})

test("a row that cannot be read is reported beside its neighbours", async () => {
  const { data } = JSON.parse(recorded("list-audit").body) as { data: object[] }
  const { client } = await clientOf(() =>
    json({ data: [{ id: "bad" }, ...data], meta: { total_count: 2, limit: 100 } }),
  )

  const [page] = await Array.fromAsync(client.audits())

  expect(page?.approvals).toHaveLength(1)
  expect(page?.unreadable).toMatchObject([{ id: "bad" }])
})

test("whoever has read enough asks for no further page", async () => {
  const { data } = JSON.parse(recorded("list-audit").body) as { data: object[] }
  const page = Array.from({ length: 100 }, (_, row) => ({ ...data[0], id: `a-${row}` }))
  const { client, server } = await clientOf(() => json({ data: page, meta: { total_count: 1_000, limit: 100 } }))

  for await (const { approvals } of client.audits()) {
    expect(approvals).toHaveLength(100)
    break
  }

  expect(server.seen).toHaveLength(1)
})
