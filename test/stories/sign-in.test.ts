// The company's sign-in in the whole bot: people by their groups, programs by tokens, also while the provider is away.
import { afterAll, beforeAll, expect, test } from "vitest"
import { type CompanyProvider, fewWords, signInAt, startCompanyProvider } from "../support/company-provider.ts"
import { aReadToken, readingOn } from "../support/read-token.ts"
import { ask, card } from "./acts.ts"
import { startWorld, type World } from "./world.ts"

let provider: CompanyProvider
let world: World
/** Where the config says that the page is. A request to it goes to the bot itself. */
const publicUrl = "http://127.0.0.1:9"
const atBot = (url: string) => url.replace(publicUrl, world.bot.url)

beforeAll(async () => {
  provider = await startCompanyProvider({ publicUrl })
  const { issuer, clientId, clientSecret } = provider
  const client = `client_id: ${clientId}, client_secret: "\${SIGN_IN_SECRET}"`
  const signIn = `issuer: "${issuer}", ${client}, public_url: "${publicUrl}", cases_read: auditors`
  const http = `${readingOn}, sign_in: { ${signIn} }`
  world = await startWorld({ http, env: { SIGN_IN_SECRET: clientSecret } })
})

afterAll(async () => {
  await world.close()
  await provider.close()
})

test("an auditor signs in, reads the case they wanted, and signs out; each is a line of the log", async () => {
  await ask(world, { tool_args: { user_id: "U-91" } })
  await card(world, "U-91")
  const { url } = world.bot
  const token = await aReadToken()
  const told = await (await fetch(`${url}/cases`, { headers: { authorization: `Bearer ${token}` } })).text()
  const path = `/page/cases/${/"id":"([0-9a-f]{20})"/.exec(told)?.[1]}`
  const browser = fewWords()

  const asked = await browser.send(url + path)
  const [, link = ""] = /class="button" href="([^"]+)"/.exec(await asked.text()) ?? []
  const begun = await browser.send(atBot(link))
  const back = await browser.send(atBot(await signInAt(browser, begun.headers.get("location") ?? "", "ann")))
  const page = await browser.send(url + (back.headers.get("location") ?? ""))
  const out = await browser.send(`${url}/page/sign-out`, { method: "POST" })
  const after = await browser.send(url + path)

  expect([asked.status, begun.status, back.headers.get("location")]).toEqual([401, 303, path])
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("U-91")])
  expect([out.status, after.status]).toEqual([200, 401])
  const ann = { by: "sign-in", subject: "ann", name: "ann@corp.example" }
  expect(world.log.filter(({ event, by }) => event === "access" && by === "sign-in")).toMatchObject([
    { ...ann, act: "signed-in", what: "GET /page/sign-in/callback" },
    { ...ann, act: "read", what: `GET ${path}` },
    { ...ann, act: "signed-out" },
  ])
  expect(JSON.stringify(world.log)).not.toContain(provider.clientSecret)
})

test("an auditor whose session is over comes back to the list as they had filtered it", async () => {
  const path = "/page?tool=delete_user_data&when=args.user_id+%3D%3D+%27U-91%27"
  const browser = fewWords()

  const asked = await browser.send(world.bot.url + path)
  const [, link = ""] = /class="button" href="([^"]+)"/.exec(await asked.text()) ?? []
  const begun = await browser.send(atBot(link))
  const back = await browser.send(atBot(await signInAt(browser, begun.headers.get("location") ?? "", "ann")))
  const page = await browser.send(world.bot.url + (back.headers.get("location") ?? ""))

  expect([asked.status, back.headers.get("location")]).toEqual([401, path])
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("U-91")])
})

test("with a sign-in no pasted token opens the page, and read.reachable is about programs", async () => {
  const { url } = world.bot
  const token = await aReadToken()
  const elsewhere = { "x-forwarded-for": "203.0.113.9" }

  const pasted = await fetch(`${url}/page/sign-in`, { method: "POST", body: new URLSearchParams({ token }) })
  const cookie = await fetch(`${url}/page`, { headers: { cookie: `countersign_read=${token}` } })
  const page = await fetch(`${url}/page`, { headers: elsewhere })
  const program = await fetch(`${url}/cases`, { headers: { ...elsewhere, authorization: `Bearer ${token}` } })

  expect([pasted.status, cookie.status, page.status, program.status]).toEqual([404, 401, 401, 403])
  expect(await page.text()).toContain("Sign in with your company&#39;s account")
})

test("while the provider is away the page says so, and programs read on by their tokens", async () => {
  await provider.close()
  const { url } = world.bot
  const again = await world.start()

  const start = await fetch(`${again.url}/page/sign-in/start`, { redirect: "manual" })
  const program = await fetch(`${url}/cases`, { headers: { authorization: `Bearer ${await aReadToken()}` } })

  expect([start.status, await start.text()]).toEqual([503, expect.stringContaining("Programs with a token read on")])
  expect(program.status).toBe(200)
})
