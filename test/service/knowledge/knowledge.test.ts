// Knowledge (4.3) over HTTP: texts and files that are kept, changed, searched and removed, and for whom.

import { beforeEach, describe, expect, test } from "vitest"
import { opened } from "../../support/opened.ts"
import { aService, aToken, type TestService } from "../a-service.ts"
import { added, ask, contentOf, foundBy, listed } from "./a-library.ts"

let service: TestService

beforeEach(async () => void (service = await opened(aService())))

async function upload(file: File, fields: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set("file", file)
  const headers = { authorization: `Bearer ${await aToken(["knowledge:write"])}` }
  const answer = await fetch(`${service.url}/knowledge/content`, { method: "POST", headers, body: form })
  return { status: answer.status, body: (await answer.json()) as unknown }
}

describe("content", () => {
  test("as a text is kept, and read again", async () => {
    const form = {
      text_content: "Tea is made of leaves.",
      name: "tea",
      description: "About tea",
      metadata: '{"topic":"tea"}',
    }

    const answer = await ask(service, "POST /knowledge/content", { form })

    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({
      id: expect.any(String),
      name: "tea",
      description: "About tea",
      type: "manual",
      size: "22",
      linked_to: null,
      metadata: { topic: "tea" },
      access_count: null,
      status: "completed",
      status_message: null,
      created_at: "2026-11-20T12:00:00Z",
      updated_at: "2026-11-20T12:00:00Z",
    })
    const { id } = answer.body as { id: string }
    expect((await ask(service, `GET /knowledge/content/${id}`)).body).toEqual(answer.body)
    const status = await ask(service, `GET /knowledge/content/${id}/status`)
    expect(status.body).toEqual({ id, status: "completed", status_message: "" })
    expect((await ask(service, "GET /knowledge/content/x/status")).status).toBe(404)
  })

  test("as a file keeps its name and type", async () => {
    const answer = await upload(new File(["# Tea\n\nLeaves."], "tea.md", { type: "text/markdown" }), {
      metadata: "green",
    })

    expect(answer).toMatchObject({
      status: 202,
      body: { name: "tea.md", type: "text/markdown", size: "14", metadata: { value: "green" }, status: "completed" },
    })
    expect(await foundBy(service, { query: "leaves" })).toEqual(["tea.md"])
  })

  test("what is added again is the same content, with what is told now", async () => {
    const { id } = await added(service, { text_content: "Tea.", name: "tea" })
    service.pass(60_000)

    const again = await added(service, { text_content: "Tea.", name: "tea", description: "Again" })

    expect(again).toMatchObject({ id, description: "Again", created_at: "2026-11-20T12:00:00Z" })
    expect(await listed(service)).toEqual(["tea"])
    expect(await foundBy(service, { query: "tea" })).toEqual(["tea"])
  })

  test.each<[string, Record<string, string>, number, RegExp]>([
    ["nothing to add", { name: "x" }, 400, /Provide a file, text_content, or URL/],
    [
      "an address that is not allowed",
      { url: "https://example.com/x" },
      403,
      /not under an address that this instance/,
    ],
    ["another reader", { text_content: "x", reader_id: "pdf" }, 400, /Invalid reader_id: pdf/],
    ["another way to cut", { text_content: "x", chunker: "semantic" }, 400, /Invalid chunker: semantic/],
    ["a name that is too long", { text_content: "x", name: "n".repeat(256) }, 422, /at most 255/],
  ])("is refused with %s", async (_name, form, status, text) => {
    const answer = await ask(service, "POST /knowledge/content", { form })

    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)])
    expect(await listed(service)).toEqual([])
  })

  test("a file that is no text is refused, and nothing is kept", async () => {
    const picture = new File([new Uint8Array([0xff, 0xd8, 0xff, 0x00])], "tea.jpg", { type: "image/jpeg" })

    expect(await upload(picture)).toMatchObject({ status: 400, body: { detail: "tea.jpg: It is not a text in UTF-8" } })
    expect(await listed(service)).toEqual([])
  })

  test("is changed by what is told; what is left out or empty stays", async () => {
    const { id } = await added(service, { text_content: "Tea.", name: "tea", metadata: '{"a":1}' })

    const changed = await ask(service, `PATCH /knowledge/content/${id}`, { form: { name: " ", description: "New" } })
    const filed = await ask(service, `PATCH /knowledge/content/${id}`, { form: { metadata: '{"b":2}' } })

    expect(changed.body).toMatchObject({ name: "tea", description: "New", metadata: { a: 1 } })
    expect(filed.body).toMatchObject({ description: "New", metadata: { b: 2 } })
    for (const form of [{ metadata: "{" }, { metadata: "[1]" }, { reader_id: "pdf" }]) {
      expect((await ask(service, `PATCH /knowledge/content/${id}`, { form })).status).toBe(400)
    }
    expect(await contentOf(service, id)).toMatchObject({ metadata: { b: 2 } })
  })

  test("is gone once it is deleted, and found no more", async () => {
    const { id } = await added(service, { text_content: "Tea.", name: "tea" })
    await added(service, { text_content: "Coffee and tea.", name: "coffee" })

    expect(await ask(service, `DELETE /knowledge/content/${id}`)).toMatchObject({ status: 200, body: { id } })

    expect(await foundBy(service, { query: "tea" })).toEqual(["coffee"])
    for (const method of ["GET", "DELETE", "PATCH"]) {
      expect(await ask(service, `${method} /knowledge/content/${id}`)).toMatchObject({
        status: 404,
        body: { detail: `Content not found: ${id}` },
      })
    }
    expect((await ask(service, "DELETE /knowledge/content")).text).toBe('"success"')
    expect(await listed(service)).toEqual([])
    expect(await foundBy(service, { query: "tea" })).toEqual([])
  })

  test("is listed newest first, ordered and cut into pages", async () => {
    for (const name of ["b", "a", "c"]) {
      await added(service, { text_content: name, name })
      service.pass(1000)
    }

    expect(await listed(service)).toEqual(["c", "a", "b"])
    expect(await listed(service, "?sort_by=name&sort_order=asc&limit=2")).toEqual(["a", "b"])
    expect(await listed(service, "?limit=1&page=2")).toEqual(["a"])
    expect((await ask(service, "GET /knowledge/content?sort_by=text")).status).toBe(422)
  })
})

describe("a search", () => {
  beforeEach(async () => {
    await added(service, {
      text_content: "Green tea. Tea of the hills, tea of the plains.",
      name: "tea",
      metadata: '{"kind":"drink","hot":true,"year":2026}',
    })
    await added(service, {
      text_content: "Coffee is stronger than tea.",
      name: "coffee",
      metadata: '{"kind":"drink","year":2025}',
    })
    await added(service, { text_content: "Café crème", name: "café" })
  })

  test("finds words, best first, whatever their case and accents", async () => {
    expect(await foundBy(service, { query: "TEA" })).toEqual(["tea", "coffee"])
    expect(await foundBy(service, { query: "cafe" })).toEqual(["café"])
    expect(await foundBy(service, { query: "milk stronger" })).toEqual(["coffee"])
  })

  test("tells of each piece where it stands", async () => {
    const { body } = await ask(service, "POST /knowledge/search", { json: { query: "coffee" } })

    expect(body).toMatchObject({
      data: [
        {
          content: "Coffee is stronger than tea.",
          name: "coffee",
          meta_data: { kind: "drink", year: 2025 },
          content_origin: null,
          size: 28,
        },
      ],
      meta: { page: 1, limit: 20, total_pages: 1, total_count: 1 },
    })
  })

  test.each([
    [{ kind: "drink" }, ["tea", "coffee"]],
    [{ kind: "drink", year: 2025 }, ["coffee"]],
    [{ hot: true }, ["tea"]],
    [{ kind: "food" }, []],
  ])("is narrowed by metadata: %j", async (filters, names) => {
    expect(await foundBy(service, { query: "tea", filters })).toEqual(names)
  })

  test("is cut into pages, and to as many as are wanted", async () => {
    expect(await foundBy(service, { query: "tea", meta: { limit: 1, page: 2 } })).toEqual(["coffee"])
    expect(await foundBy(service, { query: "tea", meta: { limit: 1, page: 3 } })).toEqual([])
    const { body } = await ask(service, "POST /knowledge/search", { json: { query: "tea", max_results: 1 } })
    expect(body).toMatchObject({ data: [{ name: "tea" }], meta: { total_count: 1 } })
  })

  test.each(['"', "tea OR", "NEAR(tea", "text:tea*", "", "!!!", "tea AND NOT coffee"])(
    "takes %j as words, not as a language",
    async (query) => {
      const answer = await ask(service, "POST /knowledge/search", { json: { query } })

      expect(answer.status).toBe(200)
    },
  )

  test("a search has a hundred filters at most", async () => {
    const search = (count: number) => {
      const filters = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]))
      return ask(service, "POST /knowledge/search", { json: { query: "tea", filters } })
    }

    expect((await search(100)).status).toBe(200)
    for (const count of [101, 2_000])
      expect(await search(count)).toMatchObject({ status: 400, body: { detail: "filters: 100 at most" } })
  })

  test.each<[Record<string, unknown>, number, RegExp]>([
    [{ query: "tea", search_type: "vector" }, 400, /Search type vector is not here/],
    [{ query: "tea", knowledge_id: "other" }, 404, /Knowledge base 'other' not found/],
    [{ query: "tea", filters: { a: { b: 1 } } }, 400, /filters: expected/],
    [{ query: "tea", max_results: 0 }, 422, /greater than or equal to 1/],
    [{ query: "tea", meta: { page: 0 } }, 422, /greater than or equal to 1/],
    [{}, 422, /Field required/],
  ])("for %j is refused", async (json, status, text) => {
    const answer = await ask(service, "POST /knowledge/search", { json })

    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)])
  })

  test("finds a long text piece by piece", async () => {
    const paragraphs = Array.from({ length: 40 }, (_, at) => `Paragraph ${at} of words. `.repeat(8).trim())
    await added(service, { text_content: `${paragraphs.join("\n\n")}\n\nNeedle`, name: "long" })
    await added(service, { text_content: "x".repeat(5000), name: "one word" })

    const { body } = await ask(service, "POST /knowledge/search", { json: { query: "needle" } })

    expect(body).toMatchObject({ data: [{ name: "long" }] })
    expect((body as { data: { size: number }[] }).data[0]?.size).toBeLessThan(1600)
  })
})

test("the config tells readers, ways to cut, filters and sources", async () => {
  await added(service, { text_content: "x", metadata: '{"kind":"drink"}' })

  expect((await ask(service, "GET /knowledge/config")).body).toMatchObject({
    readers: { text: { id: "text", chunkers: ["paragraph"] } },
    chunkers: { paragraph: { key: "paragraph" } },
    filters: ["kind"],
    vector_dbs: [],
    remote_content_sources: [],
  })
})

test("under user isolation somebody finds their own and nobody's, and changes their own", async () => {
  const isolated = await aService({ userIsolation: true })
  const hers = await added(isolated, { text_content: "Tea of ann", name: "ann" }, "ann")
  await added(isolated, { text_content: "Tea of bob", name: "bob" }, "bob")
  const admin = { authorization: `Bearer ${await aToken(["service:admin"])}` }
  const body = new URLSearchParams({ text_content: "Tea of all", name: "all" })
  const shared = await fetch(`${isolated.url}/knowledge/content`, { method: "POST", headers: admin, body })
  const { id: sharedId } = (await shared.json()) as { id: string }

  expect((await listed(isolated, "", "bob")).toSorted()).toEqual(["all", "bob"])
  expect((await foundBy(isolated, { query: "tea" }, "bob")).toSorted()).toEqual(["all", "bob"])
  expect((await ask(isolated, `GET /knowledge/content/${hers.id}`, { sub: "bob" })).status).toBe(404)
  expect((await ask(isolated, `DELETE /knowledge/content/${hers.id}`, { sub: "bob" })).status).toBe(404)
  expect((await ask(isolated, `DELETE /knowledge/content/${sharedId}`, { sub: "bob" })).status).toBe(403)
  expect((await ask(isolated, `PATCH /knowledge/content/${sharedId}`, { sub: "bob" })).status).toBe(403)
  expect((await ask(isolated, "DELETE /knowledge/content", { sub: "bob" })).status).toBe(200)
  expect((await listed(isolated, "", "ann")).toSorted()).toEqual(["all", "ann"])
  expect((await ask(isolated, "GET /knowledge/content")).status).toBe(403)
  await isolated.close()
})
