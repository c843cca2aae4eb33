// Who read what, in the whole bot: each sign-in and each read leaves a line, and without a line nobody reads.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { aReadToken, readingOn } from "../support/read-token.ts"
import { ask, card, ledgerOf } from "./acts.ts"
import { startWorld, type World } from "./world.ts"

let world: World

beforeAll(async () => {
  world = await startWorld({ http: `${readingOn}, access_log: {}` })
})

afterAll(() => world.close())

const folder = () => join(world.folder, "access")

function lines(): readonly Record<string, unknown>[] {
  return readdirSync(folder())
    .flatMap((file) => readFileSync(join(folder(), file), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line): Record<string, unknown> => JSON.parse(line))
}

function send(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(world.bot.url + path, { ...init, redirect: "manual" })
}

function signIn(token: string): Promise<Response> {
  return send("/page/sign-in", { method: "POST", body: new URLSearchParams({ token }) })
}

test("signing in, being refused, reading and signing out each leave a line, and none enters the ledger", async () => {
  await ask(world, { tool_args: { user_id: "U-77" } })
  await card(world, "U-77")
  const token = await aReadToken({ subject: "ann@example.com" })

  await signIn("nonsense")
  await signIn(token)
  const cookie = { cookie: `countersign_read=${token}` }
  const list = await (await send("/page", { headers: cookie })).text()
  const path = /\/page\/cases\/[0-9a-f]{20}/.exec(list)?.[0] ?? ""
  await send(path, { headers: cookie })
  await send("/page/cases/00000000000000000000", { headers: cookie })
  await send("/page")
  const bearer = { authorization: `Bearer ${token}` }
  await send(path.replace("/page", ""), { headers: bearer })
  await send("/ledger?after=x", { headers: bearer })
  await send("/page/sign-out", { method: "POST", headers: cookie })

  const ann = { by: "token", subject: "ann@example.com", from: "127.0.0.1" }
  expect(lines()).toMatchObject([
    { act: "sign-in-refused", by: "token", subject: null, why: expect.stringContaining("Invalid token") },
    { ...ann, act: "signed-in", what: "POST /page/sign-in" },
    { ...ann, act: "read", what: "GET /page" },
    { ...ann, act: "read", what: `GET ${path}` },
    { ...ann, act: "read", what: `GET ${path.replace("/page", "")}` },
    { ...ann, act: "signed-out" },
  ])
  expect(JSON.stringify(lines())).not.toContain(token)
  expect(JSON.stringify(await ledgerOf(world))).not.toContain("ann@example.com")
})

test("while no line can be kept nobody reads, by page or program, and everybody can sign out", async () => {
  const token = await aReadToken({ subject: "bob@example.com" })
  const cookie = { cookie: `countersign_read=${token}` }
  rmSync(folder(), { recursive: true, force: true })
  writeFileSync(folder(), "no folder")

  const page = await send("/page", { headers: cookie })
  const api = await send("/cases", { headers: { authorization: `Bearer ${token}` } })
  const into = await signIn(token)
  const out = await send("/page/sign-out", { method: "POST", headers: cookie })
  rmSync(folder())
  const again = await send("/page", { headers: cookie })

  expect([page.status, api.status, into.status]).toEqual([503, 503, 503])
  expect(await page.text()).toContain("cannot be read now")
  expect(into.headers.getSetCookie()).toEqual([])
  expect(out.headers.getSetCookie()[0]).toContain("Max-Age=0")
  expect(again.status).toBe(200)
  expect(world.log.filter(({ code }) => code === "access-log-not-kept")).toHaveLength(1)
})
