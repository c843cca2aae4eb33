// Remote content (4.3): fetched from what an operator allows, and from nowhere else.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { aFolder } from "../../support/opened.ts"
import { aService, type TestService } from "../a-service.ts"
import { type AnUpstream, anUpstream } from "../an-upstream.ts"
import { ask, contentOf, foundBy, listed, type SeenContent } from "./a-library.ts"

let service: TestService
let site: AnUpstream
let folder: string

beforeEach(async () => {
  site = await anUpstream((response, { url = "" }) => {
    if (url.endsWith("/away")) return void response.writeHead(302, { location: "http://127.0.0.1:1/secret" }).end()
    if (url.endsWith("/none")) return void response.writeHead(404).end("no")
    if (url.endsWith("/long")) return void response.end("x".repeat(100_001))
    if (url.endsWith("/picture")) return void response.end(Buffer.from([0xff, 0xfe, 0x00]))
    return void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("Tea from afar")
  })
  folder = aFolder("knowledge")
  mkdirSync(join(folder, "notes", "old"), { recursive: true })
  writeFileSync(join(folder, "notes", "tea.md"), "Tea in a folder")
  writeFileSync(join(folder, "notes", "a.txt"), "A")
  writeFileSync(join(folder, "secret.txt"), "Secret")
  symlinkSync(join(folder, "secret.txt"), join(folder, "notes", "link.txt"))
  const knowledgeSources = [`site=${site.url}/docs`, `notes=${join(folder, "notes")}`]
  service = await aService({ knowledgeSources, maxBodyBytes: 100_000 })
})
afterEach(async () => {
  await service.close()
  await site.close()
})

/** Waits until content is there, or is known not to come. */
async function settled(body: unknown): Promise<SeenContent> {
  const { id } = body as { id: string }
  return vi.waitFor(async () => {
    const content = await contentOf(service, id)
    expect(content.status).not.toBe("processing")
    return content
  })
}

describe("an address", () => {
  test("under one that is allowed is fetched, and its text is found", async () => {
    const form = { url: `${site.url}/docs/tea.html`, metadata: '{"a":1}' }

    const answer = await ask(service, "POST /knowledge/content", { form })

    expect(answer).toMatchObject({ status: 202, body: { name: form.url, status: "processing", size: "0" } })
    expect(await settled(answer.body)).toMatchObject({ status: "completed", type: "text/html", size: "13" })
    const { body } = await ask(service, "POST /knowledge/search", { json: { query: "afar" } })
    expect(body).toMatchObject({ data: [{ content: "Tea from afar", content_origin: form.url }] })
    expect(site.arrived[0]?.headers).not.toHaveProperty("authorization")
  })

  test.each([
    ["beside it", (url: string) => `${url}/other`],
    ["above it", (url: string) => `${url}/docs/../other`],
    ["above it in disguise", (url: string) => `${url}/docs/%2e%2e/other`],
    ["with an encoded slash", (url: string) => `${url}/docs/..%2fother`],
    ["with the same beginning", (url: string) => `${url}/docsother`],
    ["with credentials", (url: string) => `${url.replace("//", "//a:b@")}/docs/x`],
    ["elsewhere", () => "http://169.254.169.254/latest/meta-data"],
    ["of a file", () => "file:///etc/passwd"],
    ["that is none", () => "tea"],
  ])("%s is refused, and nothing is sent", async (_name, urlOf) => {
    const answer = await ask(service, "POST /knowledge/content", { form: { url: urlOf(site.url) } })

    expect(answer.status).toBe(403)
    expect(site.arrived).toEqual([])
    expect(await listed(service)).toEqual([])
  })

  test.each([
    ["away", /answered with 302, a redirect/],
    ["none", /answered with 404/],
    ["long", /longer than 100000 bytes/],
    ["picture", /not a text in UTF-8/],
  ])("an address that answers otherwise fails, and says why: %s", async (path, why) => {
    const answer = await ask(service, "POST /knowledge/content", { form: { url: `${site.url}/docs/${path}` } })

    const content = await settled(answer.body)

    expect(content).toMatchObject({ status: "failed", status_message: expect.stringMatching(why) })
    expect(site.arrived).toHaveLength(1)
  })

  test("where nobody listens fails, and says so", async () => {
    await site.close()

    const answer = await ask(service, "POST /knowledge/content", { form: { url: `${site.url}/docs/x` } })

    expect(await settled(answer.body)).toMatchObject({
      status: "failed",
      status_message: expect.stringContaining("GET "),
    })
  })

  test("an address whose fetching a restart cut off is told after two minutes", async () => {
    const never = await anUpstream(() => undefined)
    const file = join(folder, "service.sqlite")
    const knowledgeSources = [`never=${never.url}/`]
    const first = await aService({ database: file, knowledgeSources })
    await ask(first, "POST /knowledge/content", { form: { url: `${never.url}/x`, name: "x" } })
    await first.close()
    const second = await aService({ database: file, knowledgeSources })

    expect((await ask(second, "GET /knowledge/content")).body).toMatchObject({ data: [{ status: "processing" }] })
    second.pass(121_000)

    expect((await ask(second, "GET /knowledge/content")).body).toMatchObject({
      data: [{ status: "failed", status_message: "It did not come in time; add it again" }],
    })
    await second.close()
    await never.close()
  })
})

describe("a source", () => {
  test("is listed with those that an operator allows", async () => {
    const sources = [
      { id: "site", name: "site", type: "http", metadata: null, prefix: `${site.url}/docs/` },
      { id: "notes", name: "notes", type: "folder", metadata: null, prefix: null },
    ]

    expect((await ask(service, "GET /knowledge/knowledge/sources")).body).toEqual(sources)
    expect((await ask(service, "GET /knowledge/config")).body).toMatchObject({ remote_content_sources: sources })
    expect((await ask(service, "GET /knowledge/other/sources")).status).toBe(404)
  })

  test("a source that is a folder lists its files and folders, a page at a time", async () => {
    const { body } = await ask(service, "GET /knowledge/knowledge/sources/notes/files?limit=1&page=2")

    expect(body).toMatchObject({
      source_id: "notes",
      prefix: null,
      folders: [{ prefix: "old/", name: "old", is_empty: true }],
      files: [{ key: "tea.md", name: "tea.md", size: 15, content_type: "text/markdown" }],
      meta: { page: 2, limit: 1, total_pages: 2, total_count: 2 },
    })
    expect((await ask(service, "GET /knowledge/knowledge/sources/notes/files?prefix=old/")).body).toMatchObject({
      prefix: "old/",
      files: [],
    })
  })

  test.each([
    ["notes/files?prefix=..", 404],
    ["notes/files?prefix=none", 404],
    ["notes/files?limit=0", 422],
    ["site/files", 400],
    ["none/files", 404],
  ])("answers GET …/%s with %i", async (path, status) => {
    expect((await ask(service, `GET /knowledge/knowledge/sources/${path}`)).status).toBe(status)
  })

  test("gives a file of a folder, and what stands under an address", async () => {
    const file = { config_id: "notes", path: "tea.md" }
    const page = { config_id: "site", path: "tea.html", name: "page" }

    const [first, second] = [
      await ask(service, "POST /knowledge/remote-content", { form: file }),
      await ask(service, "POST /knowledge/remote-content", { form: page }),
    ]

    expect(first).toMatchObject({ status: 202, body: { name: "tea.md", status: "processing" } })
    expect(await settled(first.body)).toMatchObject({ status: "completed", type: "text/markdown" })
    expect(await settled(second.body)).toMatchObject({ status: "completed", name: "page" })
    expect((await foundBy(service, { query: "tea" })).toSorted()).toEqual(["page", "tea.md"])
  })

  test.each([["../secret.txt"], ["link.txt"], ["none.md"], ["/etc/passwd"]])(
    "gives nothing that is not in its folder: %s",
    async (path) => {
      const answer = await ask(service, "POST /knowledge/remote-content", { form: { config_id: "notes", path } })

      expect(await settled(answer.body)).toMatchObject({
        status: "failed",
        status_message: `${path} is no file of this source`,
      })
      expect(await foundBy(service, { query: "secret root" })).toEqual([])
    },
  )

  test.each<[Record<string, string>, number, RegExp]>([
    [{ config_id: "none", path: "x" }, 400, /Unknown content source: none/],
    [{ config_id: "notes", path: "old/" }, 400, /expected the path of a file/],
    [{ config_id: "notes", path: "" }, 400, /expected the path of a file/],
    [{ config_id: "site", path: "../other" }, 400, /is not under source site/],
    [{ config_id: "site", path: "http://example.com/x" }, 400, /is not under source site/],
    [{ config_id: "notes", path: "a.txt", source_params: "{}" }, 400, /do not accept source_params/],
    [{ path: "a.txt" }, 422, /Field required/],
  ])("is refused with %j", async (form, status, text) => {
    const answer = await ask(service, "POST /knowledge/remote-content", { form })

    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)])
    expect(site.arrived).toEqual([])
  })
})

test.each([
  "notes",
  "=x",
  "a b=/srv",
  "web=ftp://example.com/",
  "web=https://a:b@example.com/",
  "web=https://example.com/?q=1",
])("a source %j is refused at start", async (source) => {
  await expect(aService({ knowledgeSources: [source] })).rejects.toMatchObject({ code: "source_invalid" })
})

test("two sources of one name are refused at start", async () => {
  await expect(aService({ knowledgeSources: ["a=/x", "a=/y"] })).rejects.toMatchObject({
    code: "source_invalid",
    message: "knowledge source a: the name is used twice",
  })
})
