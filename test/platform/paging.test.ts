// Walking the list while it changes, breaks or is too large.
import { describe, expect, onTestFinished, test } from "vitest"
import type { Unreadable } from "../../src/flow/ports.ts"
import { createPlatformClient } from "../../src/platform/client.ts"
import { PlatformError } from "../../src/platform/errors.ts"
import { aRow, json, type Recorded, recorded, startServer } from "./replay.ts"

/** A page as it was asked for. */
interface Asked {
  readonly page: number
  readonly limit: number
}

/** How a list behaves. Rows are given newest first. */
interface Behaviour {
  readonly rows: string[]
  /** Runs before each answer; may change `rows`. */
  readonly before?: (asked: Asked, call: number) => void
  /** Answers instead of the list. */
  readonly instead?: (ids: readonly string[], asked: Asked, call: number) => Recorded | undefined
  readonly envelope?: (rows: readonly unknown[], asked: Asked, total: number) => unknown
  readonly bodyLimitBytes?: number
}

const agentOs = (data: readonly unknown[], { page, limit }: Asked, total: number) => ({
  data,
  meta: { page, limit, total_pages: Math.ceil(total / limit), total_count: total },
})

async function walk(behaviour: Behaviour) {
  const { rows, before, instead, envelope = agentOs, bodyLimitBytes = 1_000_000 } = behaviour
  const asked: Asked[] = []
  const server = await startServer(({ url }) => {
    const one = { page: Number(url.searchParams.get("page")), limit: Number(url.searchParams.get("limit")) }
    asked.push(one)
    before?.(one, asked.length)
    const of = url.searchParams.get("agent_id")
    const listed = of === null || of === "mailer" ? rows : []
    const ids = listed.slice((one.page - 1) * one.limit, one.page * one.limit)
    const rowsOf = (list: readonly string[]) => list.map((id) => aRow({ id }))
    return instead?.(ids, one, asked.length) ?? json(envelope(rowsOf(ids), one, rows.length))
  })
  const client = createPlatformClient({ name: "main", url: server.url, token: undefined, bodyLimitBytes })
  onTestFinished(server.close)
  onTestFinished(client.close)
  const found: string[] = []
  const unreadable: Unreadable[] = []
  const read = async () => {
    for await (const page of client.pending()) {
      found.push(...page.approvals.map(({ id }) => id))
      unreadable.push(...page.unreadable)
    }
  }
  const error = await read().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { found, unreadable, asked, error }
}

const ids = (count: number, prefix = "row") => Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
const once = (found: readonly string[]) => expect(new Set(found).size).toBe(found.length)

describe("trap 8: every approval is found once", () => {
  test.each([
    [0, 1],
    [1, 1],
    [99, 1],
    [100, 1],
    [101, 2],
    [250, 3],
  ])("every approval of %i is found once, in %i calls", async (count, calls) => {
    const { found, asked } = await walk({ rows: ids(count) })

    expect(found).toEqual(ids(count))
    expect(asked).toHaveLength(calls)
  })

  test("every approval is found once while new ones push others over page borders", async () => {
    const rows = ids(250)
    const { found } = await walk({ rows, before: (_, call) => call === 2 && rows.unshift(...ids(7, "new")) })

    once(found)
    expect(new Set(found)).toEqual(new Set([...ids(250), ...ids(7, "new")]))
  })

  test("every approval is found once while a whole page of new ones arrives", async () => {
    const rows = ids(250)
    const { found } = await walk({ rows, before: (_, call) => call === 2 && rows.unshift(...ids(100, "new")) })

    once(found)
    expect(found).toHaveLength(350)
  })

  test("every approval is found once while decided ones leave and pull others over page borders", async () => {
    const rows = ids(250)
    const { found } = await walk({ rows, before: (_, call) => call === 2 && rows.splice(0, 10) })

    once(found)
    expect(found).toEqual(expect.arrayContaining(ids(250).slice(10)))
  })

  test("every approval is found once while rows of one second change places", async () => {
    const rows = ids(150)
    // The first and the last change places between the pages: one is seen twice, the other not at all.
    const { found } = await walk({
      rows,
      before: (_, call) => call === 2 && rows.splice(0, 150, "row-149", ...ids(149).slice(1), "row-0"),
    })

    once(found)
    expect(new Set(found)).toEqual(new Set(ids(150)))
  })

  test("every approval is found once where the server keeps pages smaller than asked for", async () => {
    const rows = ids(120)
    const capped = (_: readonly unknown[], asked: { page: number; limit: number }) => {
      const limit = Math.min(asked.limit, 50)
      const part = rows.slice((asked.page - 1) * limit, asked.page * limit)
      return { approvals: part.map((id) => aRow({ id })), total: rows.length, limit, page: asked.page }
    }

    const { found, asked } = await walk({ rows, envelope: capped })

    expect(found).toEqual(rows)
    expect(asked).toHaveLength(3)
  })

  test("every approval of a bare array, which does not say where it ends, is found once", async () => {
    const { found, asked } = await walk({ rows: ids(250), envelope: (rows) => rows })

    expect(found).toEqual(ids(250))
    expect(asked).toHaveLength(4)
  })

  test("every approval of a bare array that knows no pages is found once", async () => {
    const { found, asked } = await walk({ rows: ids(30), envelope: () => ids(30).map((id) => aRow({ id })) })

    expect(found).toEqual(ids(30))
    expect(asked).toHaveLength(2)
  })

  test("every approval of a list that is longer than its own total is found once", async () => {
    const { found } = await walk({ rows: ids(150), envelope: (data) => ({ data, meta: { total_count: 1 } }) })

    expect(found).toEqual(ids(150))
  })
})

describe("trap 5: a page that fails", () => {
  const poisoned = (bad: readonly string[]) => (page: readonly string[]) =>
    page.some((id) => bad.includes(id)) ? recorded("500-list-poisoned") : undefined

  test("is read in smaller ones, so that one bad row hides nobody", async () => {
    const { found, unreadable, asked } = await walk({ rows: ids(150), instead: poisoned(["row-42"]) })

    expect(found).toEqual(ids(150).filter((id) => id !== "row-42"))
    expect(unreadable).toEqual([
      {
        id: null,
        why: expect.stringMatching(/answered 500: Error serializing.*\(1 of 1, among those of mailer\)$/) as string,
      },
    ])
    expect(asked.length).toBeLessThan(40)
  })

  test("a page whose every row is bad does not end the list", async () => {
    const { found, unreadable } = await walk({ rows: ids(103), instead: poisoned(ids(100)) })

    expect(found).toEqual(["row-100", "row-101", "row-102"])
    expect(unreadable).toHaveLength(100)
  })

  test("a page that fails once is simply asked for again", async () => {
    const { found, asked } = await walk({
      rows: ids(5),
      instead: (_ids, _asked, call) => (call === 1 ? recorded("3.1.10/500-list-database-failed") : undefined),
    })

    expect(found).toEqual(ids(5))
    expect(asked).toHaveLength(2)
  })

  test("a page that fails because the whole list fails is an error after three calls, not after a hundred", async () => {
    const { error, asked } = await walk({ rows: ids(5), instead: () => recorded("3.1.10/500-list-database-failed") })

    expect(error).toBeInstanceOf(PlatformError)
    expect(error).toMatchObject({ code: "server", status: 500, retryable: true })
    expect(asked).toHaveLength(3)
  })

  test("a page that fails with 403 is an error at once", async () => {
    const { error, asked } = await walk({ rows: ids(5), instead: () => recorded("403-list") })

    expect(error).toMatchObject({ code: "forbidden", retryable: false })
    expect(asked).toHaveLength(1)
  })
})

test("trap 14: a page that is too large is read in smaller ones, and a row that is too large hides nobody", async () => {
  const big = { status: 200, body: JSON.stringify([aRow({ tool_args: { text: "x".repeat(9_000) } })]) }

  const { found, unreadable } = await walk({
    rows: ids(30),
    bodyLimitBytes: 8_000,
    instead: (page) => (page.includes("row-7") ? big : undefined),
  })

  expect(found).toEqual(ids(30).filter((id) => id !== "row-7"))
  expect(unreadable.map(({ why }) => why)).toEqual([expect.stringContaining("more than 8000 bytes")])
})

test("a page that is no JSON because of one row is read in smaller ones", async () => {
  const { found, unreadable } = await walk({
    rows: ids(12),
    instead: (page) => (page.includes("row-3") ? { status: 200, body: "[NaN" } : undefined),
  })

  expect(found).toHaveLength(11)
  expect(unreadable).toHaveLength(1)
})
