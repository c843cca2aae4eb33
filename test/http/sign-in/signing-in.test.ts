// Signing in to the page by a real provider: who gets in, with what, for how long, and what an attacker's browser gets.
import { expect, test } from "vitest"
import {
  type CompanyProvider,
  type FewWords,
  fewWords,
  signInAt,
  startCompanyProvider,
} from "../../support/company-provider.ts"
import { opened } from "../../support/opened.ts"
import { aPlaceForSite, aSite, type SiteOptions } from "./a-site.ts"

type Site = Awaited<ReturnType<typeof aSite>>

/** A provider and a site that know each other. */
async function aCompany(
  options: Partial<Parameters<typeof startCompanyProvider>[0]> & { readonly site?: Partial<SiteOptions> } = {},
): Promise<{ readonly provider: CompanyProvider; readonly site: Site }> {
  const place = await aPlaceForSite()
  const provider = await opened(startCompanyProvider({ publicUrl: place.publicUrl, ...options }))
  return { provider, site: await aSite({ provider, port: place.port, ...options.site }) }
}

/** Begins at the site; gives back the provider's address. */
async function begin(browser: FewWords, site: Site, to = "/page"): Promise<URL> {
  const answer = await browser.send(`${site.url}/page/sign-in/start?to=${encodeURIComponent(to)}`)
  expect(answer.status).toBe(303)
  return new URL(answer.headers.get("location") ?? "")
}

/** Signs in up to the callback's answer. */
async function signIn(browser: FewWords, site: Site, login = "ann", to = "/page"): Promise<Response> {
  return browser.send(await signInAt(browser, (await begin(browser, site, to)).href, login))
}

async function reads(browser: FewWords, site: Site): Promise<number> {
  return (await browser.send(`${site.url}/page`)).status
}

const session = (site: Site) => `${new URL(site.url).host} countersign_session`
const away = (site: Site) => `${new URL(site.url).host} countersign_away`

test.each([true, false])(
  "who is in a listed group signs in and reads what it opens, with the claims in the ID token: %s",
  async (claimsInToken) => {
    const { site } = await aCompany({ claimsInToken })
    const browser = fewWords()

    const answer = await signIn(browser, site, "ann", "/page/cases/0123456789abcdef0123")
    const page = await browser.send(`${site.url}/page`)

    const [cookie = ""] = answer.headers.getSetCookie().filter((line) => line.startsWith("countersign_session="))
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/page/cases/0123456789abcdef0123"])
    expect(cookie).toMatch(/Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(await page.json()).toMatchObject({
      claims: { subject: "ann", scopes: ["cases:read", "ledger:read"] },
      by: "sign-in",
      name: "ann@corp.example",
    })
    expect(site.accesses).toEqual([{ act: "signed-in", by: "sign-in", subject: "ann", name: "ann@corp.example" }])
    expect(browser.cookies.has(away(site))).toBe(false)
  },
)

test("the provider is asked for a code, with PKCE by SHA-256, a state, a nonce, and our callback", async () => {
  const { site, provider } = await aCompany()

  const asked = await begin(fewWords(), site)
  const again = await begin(fewWords(), site)

  const said = Object.fromEntries(asked.searchParams)
  expect(said).toMatchObject({
    response_type: "code",
    client_id: provider.clientId,
    scope: "openid profile email",
    code_challenge_method: "S256",
    redirect_uri: `${site.url}/page/sign-in/callback`,
  })
  for (const name of ["state", "nonce", "code_challenge"]) {
    expect(asked.searchParams.get(name)).toMatch(/^[\w-]{43}$/)
    expect(asked.searchParams.get(name)).not.toBe(again.searchParams.get(name))
  }
})

test("where the page has https, no other site sets the cookies and they never travel by plain http", async () => {
  const provider = await opened(startCompanyProvider({ publicUrl: "https://countersign.example.com" }))
  const site = await aSite({ provider, publicUrl: "https://countersign.example.com" })

  const answer = await fetch(`${site.url}/page/sign-in/start`, { redirect: "manual" })

  expect(answer.headers.getSetCookie()[0]).toMatch(
    /^__Host-countersign_away=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  expect(answer.headers.get("cache-control")).toBe("no-store")
})

test.each([
  [
    "the list with a filter",
    "/page?tool=refund&when=args.amount+%3E+1000",
    "/page?tool=refund&when=args.amount+%3E+1000",
  ],
  ["the list with a question mark in its filter", "/page?tool=refund&text=why?", "/page?tool=refund&text=why%3F"],
  ["a download", "/page/cases.csv?tool=refund", "/page?tool=refund"],
  ["the list with a word that is no filter", "/page?tool=refund&to=//evil.example", "/page?tool=refund"],
  ["a filter that no cookie can hold", `/page?tool=refund&text=${"x".repeat(2_000)}`, "/page"],
])("whoever asked for %s comes back to the list, with the filter that it can have", async (_what, to, then) => {
  const { site } = await aCompany()

  expect((await signIn(fewWords(), site, "ann", to)).headers.get("location")).toBe(then)
})

/** Where the button of the page to sign in leads. */
async function buttonIn(answer: Response): Promise<string> {
  const [, to = ""] = /class="button" href="[^"]*[?]to=([^"]*)"/.exec(await answer.text()) ?? []
  return decodeURIComponent(to)
}

test("whoever could not sign in tries again by the same button, and comes to the page that they wanted", async () => {
  const { site, provider } = await aCompany()
  const [wanted, other] = ["/page?tool=refund&when=args.amount+%3E+1000", "/page/cases/0123456789abcdef0123"]
  const [browser, refused] = [fewWords(), fewWords()]
  const denied = await signInAt(refused, (await begin(refused, site, other)).href, "ann")
  const back = await signInAt(browser, (await begin(browser, site, wanted)).href, "ann")
  const start = `${site.url}/page/sign-in/start?to=`

  const wrong = await refused.send(denied.replace(/code=[^&]*/, "code=guessed"))
  await provider.close()
  const away = await browser.send(back)
  site.clock.forward(600_001)
  const begun = await fetch(start + encodeURIComponent(other), { redirect: "manual" })
  const evil = await fetch(`${start}https://evil.example`, { redirect: "manual" })

  expect([wrong.status, away.status, begun.status, evil.status]).toEqual([401, 503, 503, 503])
  expect(await Promise.all([wrong, away, begun, evil].map(buttonIn))).toEqual([other, wanted, other, "/page"])
})

test("signing in leads to a page of ours and to no other place", async () => {
  const { site } = await aCompany()

  for (const to of [
    "https://evil.example/",
    "//evil.example",
    "/page/../../x",
    "/\\evil.example",
    "/page//evil.example?tool=refund",
    "/page?//evil.example",
    "javascript:alert(1)",
  ])
    expect((await signIn(fewWords(), site, "ann", to)).headers.get("location")).toBe("/page")
})

test.each([
  ["a wrong state", (url: URL) => url.searchParams.set("state", "x".repeat(43))],
  ["no state", (url: URL) => url.searchParams.delete("state")],
  ["two states", (url: URL) => url.searchParams.append("state", url.searchParams.get("state") ?? "")],
  ["the issuer of another provider (mix-up)", (url: URL) => url.searchParams.set("iss", "https://evil.example")],
  ["no issuer, though the provider sends one", (url: URL) => url.searchParams.delete("iss")],
  ["a wrong code", (url: URL) => url.searchParams.set("code", "guessed")],
  ["no code", (url: URL) => url.searchParams.delete("code")],
])("a callback with %s signs nobody in", async (_what, change) => {
  const { site } = await aCompany()
  const browser = fewWords()
  const url = new URL(await signInAt(browser, (await begin(browser, site)).href, "ann"))

  change(url)
  const answer = await browser.send(url.href)

  expect(answer.status).toBe(401)
  expect(await answer.text()).toContain("You are not signed in")
  expect([browser.cookies.has(session(site)), await reads(browser, site)]).toEqual([false, 401])
  expect(site.accesses).toMatchObject([{ act: "sign-in-refused", by: "sign-in", subject: null }])
})

test("a callback that another browser began signs nobody in, so nobody is signed in as somebody else", async () => {
  const { site } = await aCompany()
  const attacker = fewWords()
  const victim = fewWords()
  const url = await signInAt(attacker, (await begin(attacker, site)).href, "ann")

  const bare = await victim.send(url)
  await begin(victim, site)
  const withOwn = await victim.send(url)

  expect([bare.status, withOwn.status]).toEqual([401, 401])
  expect(await bare.text()).toContain("begun in another browser")
  expect(await reads(victim, site)).toBe(401)
})

test("a stolen code is worth nothing with the thief's own state: PKCE binds it to the browser that began", async () => {
  const { site } = await aCompany()
  const [victim, thief] = [fewWords(), fewWords()]
  const stolen = new URL(await signInAt(victim, (await begin(victim, site)).href, "ann"))
  const own = new URL(await signInAt(thief, (await begin(thief, site)).href, "bob"))

  own.searchParams.set("code", stolen.searchParams.get("code") ?? "")
  const answer = await thief.send(own.href)

  expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining("invalid_grant")])
  expect([thief.cookies.has(session(site)), await reads(thief, site)]).toEqual([false, 401])
  expect(site.accesses).toMatchObject([{ act: "sign-in-refused", subject: null }])
})

test("a callback that nobody began here leaves no line, so strangers cannot fill the access log", async () => {
  const { site } = await aCompany()

  const bare = await fetch(`${site.url}/page/sign-in/callback?code=x&state=y`, { redirect: "manual" })
  const forged = await fetch(`${site.url}/page/sign-in/callback?code=x&state=y`, {
    headers: { cookie: "countersign_away=AAAA" },
    redirect: "manual",
  })

  expect([bare.status, forged.status, site.accesses]).toEqual([401, 401, []])
  expect(await bare.text()).toContain("begun in another browser")
})

test("a callback counts once: not again in the same browser, and not with a copy of its cookie", async () => {
  const { site } = await aCompany()
  const browser = fewWords()
  const url = await signInAt(browser, (await begin(browser, site)).href, "ann")
  const copy = fewWords()
  copy.cookies.set(away(site), browser.cookies.get(away(site)) ?? "")

  const first = await browser.send(url)
  const again = await browser.send(url)
  const copied = await copy.send(url)

  expect([first.status, again.status, copied.status]).toEqual([303, 401, 401])
  expect(await copied.text()).toContain("invalid_grant")
  expect(await reads(copy, site)).toBe(401)
})

test("whoever stays at the provider for more than ten minutes begins anew", async () => {
  const { site } = await aCompany()
  const browser = fewWords()
  const url = await signInAt(browser, (await begin(browser, site)).href, "ann")

  site.clock.forward(600_001)
  const answer = await browser.send(url)

  expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining("ten minutes ago")])
})

test("what the provider refuses is told in its words, as text", async () => {
  const { site, provider } = await aCompany()
  const browser = fewWords()
  const state = (await begin(browser, site)).searchParams.get("state") ?? ""
  const said = { error: "access_denied", error_description: "<b>not today", state, iss: provider.issuer }

  const answer = await browser.send(`${site.url}/page/sign-in/callback?${new URLSearchParams(said).toString()}`)

  expect(answer.status).toBe(401)
  expect(await answer.text()).toContain("access_denied: &lt;b&gt;not today")
})

test.each([
  ["bob", ["sales"], "none of your groups may read here"],
  ["bob", [], "none of your groups may read here"],
  ["bob", null, "says nothing of your groups (its claim groups)"],
] as const)("%s with the groups %j is told why the page stays shut, and whom to ask", async (login, groups, words) => {
  const { site, provider } = await aCompany()
  provider.accounts.set(login, groups)
  const browser = fewWords()

  const answer = await signIn(browser, site, login)

  const text = await answer.text()
  expect(answer.status).toBe(403)
  expect(text).toContain("bob@corp.example")
  expect(text).toContain(words)
  expect(text).toContain("http.sign_in")
  expect(await reads(browser, site)).toBe(401)
  expect(site.accesses).toMatchObject([{ act: "sign-in-refused", subject: "bob", name: "bob@corp.example" }])
})

/** So many groups, each named by a GUID. */
function guids(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`)
}

test.each([
  ["30 groups", 30, true],
  ["60 groups, so that the ID token has no room beside them", 60, false],
])("somebody in %s that are listed stays signed in, since the cookie is one that browsers keep", async (...given) => {
  const [, count, hinted] = given
  const groups = guids(count)
  const { site, provider } = await aCompany({
    site: { more: { groupsOf: { "cases:read": groups, "ledger:read": [] } } },
  })
  provider.accounts.set("ann", groups)
  const browser = fewWords()

  const answer = await signIn(browser, site)
  const status = await reads(browser, site)
  const out = await browser.send(`${site.url}/page/sign-out`, { method: "POST" })

  expect([answer.status, status]).toEqual([303, 200])
  expect(out.headers.get("refresh")?.includes("id_token_hint=")).toBe(hinted)
})

test("somebody in more listed groups than a cookie can hold is told what to do, and is not signed in", async () => {
  const groups = guids(90)
  const { site, provider } = await aCompany({
    site: { more: { groupsOf: { "cases:read": groups, "ledger:read": [] } } },
  })
  provider.accounts.set("ann", groups)
  const browser = fewWords()

  const answer = await signIn(browser, site)

  expect(answer.status).toBe(403)
  const text = await answer.text()
  expect(text).toContain("You are known as ann@corp.example, but you are in 90 of the groups that may read here")
  expect(text).toContain("list fewer groups in http.sign_in")
  expect(answer.headers.getSetCookie().filter((line) => line.startsWith("countersign_session="))).toEqual([])
  expect(site.accesses).toMatchObject([
    { act: "sign-in-refused", subject: "ann", why: "in 90 listed groups, too many for a cookie" },
  ])
})

test("a group opens only the scope that it is listed for", async () => {
  const { site, provider } = await aCompany()
  provider.accounts.set("mia", ["managers"])
  const browser = fewWords()

  await signIn(browser, site, "mia")

  const page = await browser.send(`${site.url}/page`)
  expect(await page.json()).toMatchObject({ claims: { scopes: ["cases:read"] } })
})

test("a session ends when its time is over, and counts on every replica until then", async () => {
  const place = await aPlaceForSite()
  const provider = await opened(startCompanyProvider({ publicUrl: place.publicUrl }))
  const [one, other] = [await aSite({ provider, ...place }), await aSite({ provider, publicUrl: place.publicUrl })]
  const browser = fewWords()
  await signIn(browser, one)
  const cookie = `countersign_session=${browser.cookies.get(session(one))}`
  const onOther = async () => (await fetch(`${other.url}/page`, { headers: { cookie } })).status

  const before = await onOther()
  other.clock.forward(3_600_001)
  const after = await onOther()

  expect([before, after]).toEqual([200, 401])
})

test("a session of another installation or client, a changed one, and the cookie of the way there open nothing", async () => {
  const { site, provider } = await aCompany()
  const browser = fewWords()
  await begin(browser, site)
  const wayThere = browser.cookies.get(away(site)) ?? ""
  await signIn(browser, site)
  const good = browser.cookies.get(session(site)) ?? ""
  const status = async (at: Site, value: string) =>
    (await fetch(`${at.url}/page`, { headers: { cookie: `countersign_session=${value}` } })).status
  const publicUrl = site.url
  const elsewhere = await aSite({ provider, publicUrl, installation: "two" })
  const otherClient = await aSite({ provider: { ...provider, clientId: "another" }, publicUrl })
  const changed = good.slice(0, 60) + (good[60] === "A" ? "B" : "A") + good.slice(61)

  expect(await status(site, good)).toBe(200)
  expect([await status(elsewhere, good), await status(otherClient, good)]).toEqual([401, 401])
  for (const bad of [changed, good.slice(0, -4), "", "x", wayThere, "null"]) expect(await status(site, bad)).toBe(401)
})

test("a group that the config lists no more opens nothing from then on", async () => {
  const { site, provider } = await aCompany()
  const browser = fewWords()
  await signIn(browser, site)
  const groupsOf = { "cases:read": ["managers"], "ledger:read": [] }
  const later = await aSite({ provider, publicUrl: site.url, more: { groupsOf } })

  const headers = { cookie: `countersign_session=${browser.cookies.get(session(site))}` }
  const answer = await fetch(`${later.url}/page`, { headers })

  expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining("none of your groups")])
})

test("signing out needs a form of ours; then it ends the session here and at the provider", async () => {
  const { site, provider } = await aCompany()
  const browser = fewWords()
  await signIn(browser, site)
  const out = (headers: Record<string, string>) =>
    browser.send(`${site.url}/page/sign-out`, { method: "POST", headers })

  const cross = await out({ "sec-fetch-site": "cross-site" })
  const sibling = await out({ "sec-fetch-site": "same-site" })
  const foreign = await out({ origin: "https://evil.example" })
  const still = await reads(browser, site)
  const own = await out({ "sec-fetch-site": "same-origin" })
  const address = /^0; url=(.*)$/.exec(own.headers.get("refresh") ?? "")?.[1] ?? ""
  const there = await browser.send(address)

  expect([cross.status, sibling.status, foreign.status, still]).toEqual([403, 403, 403, 200])
  expect([own.status, await reads(browser, site)]).toEqual([200, 401])
  expect(address).toMatch(new RegExp(`^${provider.issuer}/session/end\\?id_token_hint=`))
  expect(new URL(address).searchParams.get("post_logout_redirect_uri")).toBe(`${site.url}/page/sign-in`)
  expect(there.status).toBe(200)
  expect(site.accesses.at(-1)).toMatchObject({ act: "signed-out", subject: "ann" })
})

test("the provider's metadata are read once for many, and anew after ten minutes", async () => {
  const { site, provider } = await aCompany()

  await Promise.all([begin(fewWords(), site), begin(fewWords(), site)])
  await signIn(fewWords(), site)
  const before = provider.discoveries()
  site.clock.forward(600_001)
  await begin(fewWords(), site)

  expect([before, provider.discoveries()]).toEqual([1, 2])
})

test("after the provider changed its keys the next sign-in works at once", async () => {
  const { site, provider } = await aCompany()
  const first = await signIn(fewWords(), site)

  provider.rotateKeys()
  const second = await signIn(fewWords(), site)

  expect([first.status, second.status]).toEqual([303, 303])
})

test("without a line of the access log nobody is signed in, but everybody signs out", async () => {
  const { site } = await aCompany()
  const [early, late] = [fewWords(), fewWords()]
  await signIn(early, site)
  site.breakLog()

  const answer = await signIn(late, site)
  const out = await early.send(`${site.url}/page/sign-out`, { method: "POST" })

  expect([answer.status, await reads(late, site)]).toEqual([503, 401])
  expect([out.status, await reads(early, site)]).toEqual([503, 401])
})

test("a client secret that the provider does not take, or that cannot be read, is told as the operator's trouble", async () => {
  const { site } = await aCompany({ site: { clientSecret: () => "an old secret" } })
  const unread = await aCompany({
    site: {
      clientSecret: () => {
        throw new Error("ENOENT")
      },
    },
  })

  const answer = await signIn(fewWords(), site)
  const start = await fetch(`${unread.site.url}/page/sign-in/start`, { redirect: "manual" })

  expect([answer.status, start.status]).toEqual([503, 503])
  expect(await answer.text()).toContain("Programs with a token read on")
  expect(site.lines).toMatchObject([{ event: "sign-in-unavailable", why: expect.stringContaining("invalid_client") }])
})

test("while the provider is away the page says so, and who is signed in reads on and can sign out", async () => {
  const { site, provider } = await aCompany()
  const browser = fewWords()
  await signIn(browser, site)
  await provider.close()
  site.clock.forward(600_001)

  const start = await fetch(`${site.url}/page/sign-in/start`, { redirect: "manual" })
  const still = await reads(browser, site)
  const out = await browser.send(`${site.url}/page/sign-out`, { method: "POST" })

  expect(start.status).toBe(503)
  expect(await start.text()).toContain("sign-in does not work now")
  expect(start.headers.getSetCookie()).toEqual([])
  expect(still).toBe(200)
  expect([out.status, out.headers.get("location"), await reads(browser, site)]).toEqual([303, "/page/sign-in", 401])
  expect(site.lines).toMatchObject([{ event: "sign-in-unavailable" }, { event: "sign-in-unavailable" }])
})
