// What serves the page: its frame and files, the live socket, and whom both refuse. How it looks is played in
// test/browser.
import { once } from "node:events"
import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { Snapshot } from "../../src/sandbox/user-actions/snapshot.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../src/sandbox.ts"
import { aClient, aSandbox } from "./support.ts"

const files = { script: "let a = 1", style: "p {}" }

function withPage(): Promise<Sandbox> {
  return aSandbox("socket", { loadPage: async () => files })
}

/** Follows what a person sees, as the page does. */
function follow(sandbox: Sandbox, person: string) {
  const query = new URLSearchParams({ token: sandbox.controlToken, as: person })
  const socket = new WebSocket(`${sandbox.url.replace("http", "ws")}/live?${query.toString()}`)
  const heard: Snapshot[] = []
  socket.on("message", (data: Buffer) => heard.push(JSON.parse(data.toString()) as Snapshot))
  const until = async (condition: (seen: Snapshot) => boolean): Promise<Snapshot> => {
    for (;;) {
      const found = heard.find(condition)
      if (found) return found
      await once(socket, "message", { signal: AbortSignal.timeout(3_000) })
    }
  }
  return { socket, heard, until }
}

/** The status with which an upgrade is refused; fetch and WebSocket do not let a caller forge Host. */
async function refusal(sandbox: Sandbox, path: string, host = "127.0.0.1"): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = {
    host,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  }
  const asked = request(`${sandbox.url}${path}`, { headers, agent: false })
  asked.on("response", (response) => resolve(response.statusCode ?? 0)).on("error", reject)
  asked.on("upgrade", (_response, socket) => {
    socket.destroy()
    resolve(101)
  })
  asked.end()
  return await promise
}

describe("the page's files", () => {
  it("are served with the token, under a policy that lets nothing in from elsewhere", async () => {
    const sandbox = await withPage()

    const page = await fetch(sandbox.pageUrl)

    expect(await page.text()).toContain('<script src="/page.js" defer>')
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    )
    expect(page.headers.get("content-security-policy")).not.toMatch(/unsafe|http|\*/)
    expect(await (await fetch(`${sandbox.url}/page.js`)).text()).toBe(files.script)
    expect(await (await fetch(`${sandbox.url}/page.css`)).text()).toBe(files.style)
    expect((await fetch(`${sandbox.url}/icon.svg`)).headers.get("content-type")).toBe("image/svg+xml")
  })

  it("are closed without the token, and not there in a sandbox without a page", async () => {
    const sandbox = await withPage()
    const bare = await aSandbox()

    expect((await fetch(sandbox.url)).status).toBe(403)
    expect((await fetch(`${sandbox.url}/?token=guess`)).status).toBe(403)
    expect((await fetch(bare.pageUrl)).status).toBe(404)
    expect((await fetch(`${bare.url}/page.js`)).status).toBe(404)
  })

  it("answer 500 with the reason when they cannot be bundled", async () => {
    const broken = await aSandbox("socket", { loadPage: () => Promise.reject(new Error("a source is wrong")) })

    const answer = await fetch(`${broken.url}/page.js`)

    expect([answer.status, await answer.text()]).toEqual([500, "The page could not be made: a source is wrong"])
  })
})

describe("the live socket", () => {
  it("tells a person everything at first and after every change, and nobody else's ephemerals", async () => {
    const sandbox = await withPage()
    const { chat } = aClient(sandbox)
    const alice = follow(sandbox, sandboxCast.alice)
    const bob = follow(sandbox, sandboxCast.bob)
    const first = await alice.until(() => true)

    const card = await chat.postMessage({ channel: sandboxCast.approvals, text: "a card" })
    await chat.postMessage({ channel: sandboxCast.approvals, text: "a line", thread_ts: card.ts ?? "" })
    await chat.postEphemeral({ channel: sandboxCast.approvals, user: sandboxCast.bob, text: "for Bob only" })
    const seen = await bob.until(({ ephemerals }) => ephemerals.length > 0)
    await alice.until(({ channels }) => channels[0]?.messages[0]?.replies.length === 1)

    expect(first).toMatchObject({
      me: { id: sandboxCast.alice, title: "Approver" },
      app: { name: "Countersign" },
      view: null,
    })
    expect(seen.channels[0]?.messages).toMatchObject([{ message: { text: "a card" }, replies: [{ text: "a line" }] }])
    expect(JSON.stringify(alice.heard)).not.toContain("for Bob only")
  })

  it("the live socket without a name is the first person's, and ends when the sandbox closes", async () => {
    const sandbox = await withPage()
    const somebody = follow(sandbox, "")
    const seen = await somebody.until(() => true)

    const closed = once(somebody.socket, "close")
    await sandbox.close()

    expect(seen.me.id).toBe(sandboxCast.alice)
    expect(await closed).toMatchObject([1001, expect.anything()])
  })

  it("tells the newest state when many changes come at once", async () => {
    const sandbox = await withPage()
    const alice = follow(sandbox, sandboxCast.alice)
    await alice.until(() => true)

    for (let count = 1; count <= 200; count++) sandbox.workspace.notify(sandboxCast.alice, `notice ${count}`)
    await alice.until(({ notices }) => notices.length === 200)

    expect(alice.heard.length).toBeLessThan(20)
  })

  it("refuses a wrong token, an unknown person and any host name that is not loopback", async () => {
    const sandbox = await withPage()
    const token = sandbox.controlToken

    expect(await refusal(sandbox, "/live?token=guess")).toBe(401)
    expect(await refusal(sandbox, `/live?token=${token}&as=U0NOBODY`)).toBe(401)
    expect(await refusal(sandbox, `/live?token=${token}`, "evil.example")).toBe(401)
    expect(await refusal(sandbox, `/elsewhere?token=${token}`)).toBe(401)
    expect(await refusal(sandbox, `/live?token=${token}`)).toBe(101)
  })
})

describe("the address of a message", () => {
  const go = (address: string, cookie: string) => fetch(address, { headers: { cookie }, redirect: "manual" })

  async function withReply() {
    const sandbox = await withPage()
    const { chat } = aClient(sandbox)
    const channel = sandboxCast.approvals
    const { ts = "" } = await chat.postMessage({ channel, text: "a card" })
    const reply = await chat.postMessage({ channel, text: "a line", thread_ts: ts })
    const linkTo = async (message_ts: string) => (await chat.getPermalink({ channel, message_ts })).permalink ?? ""
    const page = await fetch(sandbox.pageUrl)
    const [cookie = ""] = page.headers.getSetCookie()
    return { sandbox, channel, card: ts, reply: reply.ts ?? "", linkTo, cookie }
  }

  it("opens the page at the message, or at the reply in its thread, in a browser that had the page open", async () => {
    const { sandbox, channel, card, reply, linkTo, cookie } = await withReply()
    const token = sandbox.controlToken

    const [toCard, toReply] = [await go(await linkTo(card), cookie), await go(await linkTo(reply), cookie)]

    const at = (thread: string, message: string) =>
      `/?${new URLSearchParams({ token, at: channel, thread, message }).toString()}`
    expect([toCard.status, toCard.headers.get("location")]).toEqual([303, at("", card)])
    expect([toReply.status, toReply.headers.get("location")]).toEqual([303, at(card, reply)])
    expect(cookie).toMatch(/^links-\d+=[0-9a-f]{64}; Path=\/archives; HttpOnly; SameSite=Strict$/)
    expect(cookie).not.toContain(token)
  })

  it("is closed to everybody else, and says if there is no such message", async () => {
    const { sandbox, card, linkTo, cookie } = await withReply()

    const stranger = await go(await linkTo(card), "")
    const guess = await go(await linkTo(card), cookie.replace(/=[0-9a-f]{6}/, "=000000"))
    const gone = await go(`${sandbox.url}/archives/${sandboxCast.approvals}/p1000000000000001`, cookie)

    expect([stranger.status, guess.status]).toEqual([403, 403])
    expect(await stranger.text()).not.toContain(sandbox.controlToken)
    expect([gone.status, await gone.text()]).toEqual([404, "This workspace has no such message."])
  })
})

describe("a tour", () => {
  const lead = {
    try: "form",
    round: "1",
    place: { channel: "C1", ts: "1.0" },
    person: sandboxCast.alice,
    hint: "Press it.",
    next: null,
  }
  const door = { url: "http://127.0.0.1:1/page", cookie: { name: "signed", value: "in", path: "/page" } }
  const tour = {
    welcome: "This is a demo.",
    first: "Press it first.",
    last: "All is done:",
    tries: () => [{ id: "form", label: "A form", about: "Values from you", was: "a form", ended: [] }],
    run: async () => lead,
    auditDoor: async () => door,
  }
  const tryOut = (sandbox: Sandbox, body: object) =>
    fetch(`${sandbox.url}/control/try`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.controlToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    })

  it("a tour is offered to every page that is open, and a try answers where it led", async () => {
    const sandbox = await withPage()
    const alice = follow(sandbox, sandboxCast.alice)
    await alice.until((seen) => seen.tour === null)

    sandbox.offerTour(tour)
    const seen = await alice.until((seen) => seen.tour !== null)
    const answer = await tryOut(sandbox, { try: "form" })

    expect(seen.tour).toEqual({ welcome: tour.welcome, first: tour.first, last: tour.last, tries: tour.tries() })
    expect(await answer.json()).toEqual({ ok: true, lead })
  })

  it("a sandbox without a tour has nothing to try and no auditor's page, and says who has", async () => {
    const sandbox = await withPage()

    const answer = await tryOut(sandbox, { try: "form" })
    const audit = await fetch(`${sandbox.url}/audit?token=${sandbox.controlToken}`)

    expect([answer.status, await answer.json()]).toMatchObject([400, { message: expect.stringContaining("demo has") }])
    expect([audit.status, await audit.text()]).toMatchObject([404, expect.stringContaining("demo has")])
  })

  it("the way to the auditor's page signs the browser in, for whoever has the token", async () => {
    const sandbox = await withPage()
    sandbox.offerTour(tour)
    const go = (token: string) => fetch(`${sandbox.url}/audit?token=${token}`, { redirect: "manual" })

    const led = await go(sandbox.controlToken)

    expect((await go("guess")).status).toBe(403)
    expect([led.status, led.headers.get("location")]).toEqual([303, door.url])
    expect(led.headers.get("set-cookie")).toBe("signed=in; Path=/page; HttpOnly; SameSite=Strict")
  })
})
