// Signing in to the page in a real browser, by a real provider: which cookies it keeps, and that the way back works.
import { expect, it, onTestFinished } from "vitest"
import { ask, card } from "../stories/acts.ts"
import { startWorld } from "../stories/world.ts"
import { anAuthority } from "../support/certificates.ts"
import { startCompanyProvider } from "../support/company-provider.ts"
import { opened } from "../support/opened.ts"
import { startServer } from "../support/redis-server.ts"
import { startTlsFront } from "../support/tls-front.ts"
import { limitMs, openBrowser } from "./browser.ts"

it("an auditor signs in at the company's provider, reads the case of a link, and signs out there too", async () => {
  let behind = ""
  const front = await opened(startTlsFront(anAuthority().issue(["localhost"]), () => behind))
  const publicUrl = `https://localhost:${front.port}`
  const provider = await opened(startCompanyProvider({ publicUrl }))
  const { issuer, clientId, clientSecret } = provider
  const client = `client_id: ${clientId}, client_secret: "\${SIGN_IN_SECRET}"`
  const signIn = `issuer: "${issuer}", ${client}, public_url: "${publicUrl}", cases_read: auditors`
  const redis = await startServer()
  onTestFinished(() => redis.stop())
  const http = `, sign_in: { ${signIn} }`
  const world = await opened(
    startWorld({ http, env: { SIGN_IN_SECRET: clientSecret }, redisUrl: `redis://127.0.0.1:${redis.port}` }),
  )
  behind = world.bot.url
  await ask(world, { tool_args: { user_id: "U-55" } })
  await card(world, "U-55")
  const browser = await openBrowser(onTestFinished)
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en-GB" })
  const page = await context.newPage()
  page.setDefaultTimeout(limitMs)

  await page.goto(`${publicUrl}/page`)
  await page.getByRole("link", { name: "Sign in with your company's account" }).click()
  await page.getByPlaceholder("Enter any login").fill("ann")
  await page.getByPlaceholder("and password").fill("any")
  await page.getByRole("button", { name: "Sign-in" }).click()
  await page.getByRole("button", { name: "Continue" }).click()
  await page.getByRole("heading", { name: "Cases" }).waitFor()
  const cookies = (await context.cookies(publicUrl)).map(({ name, secure, httpOnly, sameSite }) => {
    return { name, secure, httpOnly, sameSite }
  })
  await page.getByRole("link", { name: /U-55/ }).click()
  await page.getByRole("heading", { name: /U-55/ }).waitFor()
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByRole("button", { name: "Yes, sign me out" }).click()
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  const left = await context.cookies(publicUrl)
  const again = await page.goto(`${publicUrl}/page`)

  expect(cookies).toEqual([{ name: "__Host-countersign_session", secure: true, httpOnly: true, sameSite: "Lax" }])
  expect(page.url()).toBe(`${publicUrl}/page`)
  expect(left).toEqual([])
  expect(again?.status()).toBe(401)
})
