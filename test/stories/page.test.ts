// The page without a browser: signing in, what is refused, and that nothing of an agent becomes markup.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createSeal } from "../../src/domain/proof/seal.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { aReadToken, readingOn } from "../support/read-token.ts"
import { testRedisUrl } from "../support/redis.ts"
import { ask, card, decided, press } from "./acts.ts"
import { sandboxCast, sealKey, startWorld, type World } from "./world.ts"

let world: World

beforeAll(async () => {
  world = await startWorld({ http: readingOn })
})

afterAll(() => world.close())

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(world.bot.url + path, { headers, redirect: "manual" })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function post(path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const body = new URLSearchParams(form)
  const response = await fetch(world.bot.url + path, { method: "POST", body, headers, redirect: "manual" })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The Cookie header of somebody who signed in. */
async function cookie(changes: Parameters<typeof aReadToken>[0] = {}): Promise<string> {
  const { headers } = await post("/page/sign-in", { token: await aReadToken(changes) })
  return headers.getSetCookie()[0]?.split(";")[0] ?? ""
}

describe("signing in", () => {
  it("keeps the token in a cookie that ends with it, out of reach of scripts and other sites", async () => {
    const { status, headers } = await post("/page/sign-in", { token: await aReadToken({ lifeSeconds: 300 }) })

    const [set = ""] = headers.getSetCookie()
    const life = Number(/Max-Age=(\d+)/.exec(set)?.[1])
    expect([status, headers.get("location")]).toEqual([303, "/page"])
    expect(set).toMatch(/HttpOnly.*SameSite=Strict|SameSite=Strict.*HttpOnly/)
    expect(set).toContain("Path=/page")
    expect(life).toBeGreaterThan(290)
    expect(life).toBeLessThanOrEqual(300)
  })

  it("takes a token with the word Bearer before it, as a header has it, and keeps the token alone", async () => {
    const token = await aReadToken({ lifeSeconds: 300 })

    const { status, headers } = await post("/page/sign-in", { token: `Bearer ${token}` })

    expect(status).toBe(303)
    expect(headers.get("set-cookie")).toContain(`=${token};`)
  })

  it("lasts eight hours at most, however long the token does", async () => {
    const { headers } = await post("/page/sign-in", { token: await aReadToken({ lifeSeconds: 9_999_999 }) })

    expect(headers.getSetCookie()[0]).toContain(`Max-Age=${8 * 3_600};`)
  })

  it("leads back to where one wanted to go, and to no other place", async () => {
    const token = await aReadToken()
    const path = "/page/cases/0123456789abcdef0123"
    const asked = await get(path)

    expect(asked.text).toContain(`name="to" value="${path}"`)
    expect((await post("/page/sign-in", { token, to: path })).headers.get("location")).toBe(path)
    for (const to of ["https://evil.example/", "//evil.example", "/page/cases/../../cases", "javascript:alert(1)"])
      expect((await post("/page/sign-in", { token, to })).headers.get("location")).toBe("/page")
  })

  it("keeps where one wanted to go, if the token is refused", async () => {
    const path = "/page/cases/0123456789abcdef0123"
    const { text } = await post("/page/sign-in", { token: "nonsense", to: path })
    const evil = await post("/page/sign-in", { token: "nonsense", to: "https://evil.example/" })

    expect([text, evil.text]).toMatchObject([
      expect.stringContaining(`name="to" value="${path}"`),
      expect.stringContaining('name="to" value="/page"'),
    ])
  })

  it.each([
    ["no token", "", "Invalid token"],
    ["nonsense", "nonsense", "Invalid token"],
    ["a token that no browser would keep", "x".repeat(4_000), "too long"],
  ])("refuses %s", async (_name, token, words) => {
    const { status, text, headers } = await post("/page/sign-in", { token })

    expect([status, headers.getSetCookie()]).toEqual([401, []])
    expect(text).toContain(words)
  })

  it("refuses a token without cases:read, one for another audience and one that has ended", async () => {
    const lacking = await post("/page/sign-in", { token: await aReadToken({ scopes: ["ledger:read"] }) })
    const foreign = await post("/page/sign-in", { token: await aReadToken({ audience: ["agents"] }) })
    const ended = await post("/page/sign-in", { token: await aReadToken({ lifeSeconds: -60 }) })

    expect([lacking.status, foreign.status, ended.status]).toEqual([401, 401, 401])
    expect(lacking.text).toContain("lacks the scope cases:read")
  })

  it("cannot be done by another site", async () => {
    const token = await aReadToken()
    const cross = await post("/page/sign-in", { token }, { "sec-fetch-site": "cross-site" })
    const sibling = await post("/page/sign-in", { token }, { "sec-fetch-site": "same-site" })
    const foreign = await post("/page/sign-in", { token }, { origin: "https://evil.example" })

    expect([cross.status, sibling.status, foreign.status]).toEqual([403, 403, 403])
    expect(cross.headers.getSetCookie()).toEqual([])
  })

  it("is over after signing out, and a form that is too long is not read", async () => {
    const out = await post("/page/sign-out", {}, { cookie: await cookie() })
    const long = await post("/page/sign-in", { token: "x".repeat(20_000) })

    expect(out.headers.getSetCookie()[0]).toContain("Max-Age=0")
    expect(long.status).toBe(422)
  })
})

describe("looking", () => {
  it("looking without a cookie, or with one that does not hold, is 401 and the form to sign in", async () => {
    const bare = await get("/page")
    const wrong = await get("/page", { cookie: "countersign_read=x.y.z" })
    const header = await get("/page", { authorization: `Bearer ${await aReadToken()}` })

    expect([bare.status, wrong.status, header.status]).toEqual([401, 401, 401])
    expect(bare.text).toContain("Read token")
  })

  it("looking from another machine is refused", async () => {
    const { status, text } = await get("/page", { cookie: await cookie(), "x-forwarded-for": "203.0.113.9" })

    expect(status).toBe(403)
    expect(text).toContain("on this machine")
  })

  it("allows no script, no frame and no other site anything", async () => {
    const { headers } = await get("/page", { cookie: await cookie() })

    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain("script-src")
    expect(policy).not.toContain("unsafe")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
  })

  it("shows agents' text as text, wherever it stands, and counts what it cuts", async () => {
    const evil = `"><script>alert(1)</script>'\u202E\u0000`
    await ask(world, { tool_name: evil, agent_id: evil, tool_args: { [evil]: evil, long: "y".repeat(30_000) } })
    await card(world, "script")

    const list = await get(`/page?text=${encodeURIComponent(evil.slice(0, 9))}`, { cookie: await cookie() })
    const path = /\/page\/cases\/[0-9a-f]{20}/.exec(list.text)?.[0] ?? ""
    const one = await get(path, { cookie: await cookie() })

    for (const { status, text } of [list, one]) {
      expect(status).toBe(200)
      expect(text).not.toContain("<script")
      expect(text).not.toContain("\u202E")
      expect(text).toContain("&lt;script&gt;")
      expect(text).toContain("⟨U+202E⟩")
    }
    expect(one.text).toMatch(/more characters\)/)
  })

  it("keeps what was chosen in its filters", async () => {
    const { text } = await get("/page?outcome=rejected&team=finance", { cookie: await cookie() })

    expect(text).toContain('<option value="rejected" selected>')
    expect(text).toMatch(/name="team" value="finance"/)
    expect(text).toContain("No case is like that.")
  })

  it("says what is wrong with a filter, and finds nothing for an unknown case", async () => {
    const wrong = await get("/page?since=yesterday", { cookie: await cookie() })
    const unknown = await get("/page/cases/nobody", { cookie: await cookie() })

    expect([wrong.status, unknown.status]).toEqual([422, 404])
    expect(wrong.text).toContain("First seen from (UTC) must be a day or a time such as 2026-11-21")
  })

  it("tells a receipt that was changed in Redis from one that holds", async () => {
    const row = await ask(world, { tool_name: "forge_me" })
    await press(world, sandboxCast.alice, await card(world, "forge_me"), "approve")
    const { resolution_data: data } = await decided(world, row.id)
    const list = await get("/page?tool=forge_me", { cookie: await cookie() })
    const path = /\/page\/cases\/[0-9a-f]{20}/.exec(list.text)?.[0] ?? ""
    const honest = await get(path, { cookie: await cookie() })
    const decision = /Decision <bdi>([0-9a-f]+)/.exec(honest.text)?.[1] ?? ""
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
    const connection = await connectRedis({ url: testRedisUrl(), installation: world.installation, log })
    const key = createKeys(world.installation).receipt(decision)
    const [head, , signature] = (data as { countersign: { receipt: string } }).countersign.receipt.split(".")
    // Nobody without the key can seal one.
    const seal = createSeal({ key: sealKey, installation: world.installation, nonce: () => Buffer.alloc(12) })
    await connection.commands.hset(key, "sealed", seal.encrypt("receipt", `${head}.e30.${signature}`, key))
    await connection.close()

    const forged = await get(path, { cookie: await cookie() })

    expect(honest.text).toContain("Verified")
    expect(honest.text).toMatch(/Entry \d+ of the ledger names it by its hash/)
    expect(forged.text).toContain("Not verified")
    expect(forged.text).not.toContain(">Verified<")
    expect(forged.text).toMatch(/Entry \d+ of the ledger names another receipt/)
  })

  it("has an icon of its own, for everybody, and asks no other site for one", async () => {
    const icon = await get("/page/icon.svg")
    const { text } = await get("/page/sign-in")

    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"])
    expect(icon.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(text).toContain('<link rel="icon" type="image/svg+xml" href="/page/icon.svg">')
  })
})
