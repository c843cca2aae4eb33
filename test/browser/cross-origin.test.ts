// A page of another origin asks the embedded service in a real browser: what it may read there, and what it may not.
import { createServer } from "node:http"
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import type { ServiceOptions } from "../../src/service/service-options.ts"
import { aService, aToken } from "../service/a-service.ts"
import { onLoopback } from "../support/on-loopback.ts"
import { opened } from "../support/opened.ts"
import { limitMs, openBrowser } from "./browser.ts"

/** Serves an empty page, and gives back its origin. */
async function anOrigin(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>UI</title>")
  })
  return (await opened(onLoopback(server))).url
}

/** Pages of two origins, the first of which the service allows. */
async function aScene(options: Partial<ServiceOptions> = {}) {
  const [allowed, foreign] = [await anOrigin(), await anOrigin()]
  const service = await opened(aService({ allowedOrigins: [allowed], ...options }))
  const context = await (await openBrowser()).newContext()
  const open = async (origin: string) => {
    const page = await context.newPage()
    await page.goto(origin)
    return page
  }
  return { service, context, pages: [await open(allowed), await open(foreign)] as const }
}

/** What a script may say of its request. */
interface Init {
  readonly headers?: Record<string, string>
  readonly credentials?: "include"
}

/** What a script of the page gets: a status and the answer's id of the instance, or that the browser kept it back. */
function ask(page: Page, url: string, init: Init): Promise<string> {
  return page.evaluate(
    async ([address, request]) => {
      try {
        const response = await fetch(address, request)
        return `${response.status} ${Object.keys((await response.json()) as object).includes("os_id")}`
      } catch (error) {
        return (error as Error).name
      }
    },
    [url, init] as const,
  )
}

test(
  "a page of an allowed origin loads /config with its token, a page of another one reads nothing",
  async () => {
    const { service, pages } = await aScene()
    const headers = { authorization: `Bearer ${await aToken(["config:read"])}`, "content-type": "application/json" }

    const answers = await Promise.all(pages.map((page) => ask(page, `${service.url}/config`, { headers })))

    expect(answers).toEqual(["200 true", "TypeError"])
    expect(await ask(pages[0], `${service.url}/config`, {})).toBe("401 false")
  },
  limitMs,
)

test(
  "a cookie goes along from an allowed origin only",
  async () => {
    const { service, context, pages } = await aScene({ credentialPlace: { source: "COOKIE" } })
    await context.addCookies([{ name: "access_token", value: await aToken(["config:read"]), url: service.url }])
    const init = { credentials: "include" } as const

    const answers = await Promise.all(pages.map((page) => ask(page, `${service.url}/config`, init)))

    expect(answers).toEqual(["200 true", "TypeError"])
  },
  limitMs,
)

/** Submits a form as any page can, and gives what the browser shows afterwards. */
async function submit(page: Page, url: string): Promise<string> {
  const fields = '<input name="message" value="ungated"><input name="stream" value="false"><button>Send</button>'
  await page.setContent(`<form method="post" action="${url}">${fields}</form>`)
  await Promise.all([page.waitForURL(url), page.click("button")])
  return page.innerText("body")
}

test(
  "a form of a neighbour's page starts no run in its reader's name, one of an allowed page does",
  async () => {
    const { service, context, pages } = await aScene({ credentialPlace: { source: "COOKIE" } })
    await context.addCookies([{ name: "access_token", value: await aToken(["agents:run"]), url: service.url }])
    const url = `${service.url}/agents/admin-agent/runs`

    const [allowed, foreign] = [await submit(pages[0], url), await submit(pages[1], url)]

    expect(allowed).toContain('"status":"')
    expect(foreign).toContain("Cross-site request with a cookie")
  },
  limitMs,
)
