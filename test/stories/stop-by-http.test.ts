// A program stops an agent by POST /stops, and people in Slack and readers hear who did (R21).
import { expect, test } from "vitest"
import { models } from "../../src/http/reading/models.ts"
import { aReadToken, readingOn } from "../support/read-token.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, cardSaying, press, record } from "./acts.ts"
import { sandboxCast } from "./world.ts"

const stopping = `${readingOn}, stops: { reachable: anywhere }`

test("R21 a stop over HTTP holds from its answer on, and nobody ends it over HTTP", async () => {
  const here = await aWorld({ http: stopping })
  const { id } = await ask(here, { tool_name: "refund_order", agent_id: "billing-agent" })
  const open = await card(here, "refund_order")
  const send = async (method: string, path: string, more: Record<string, string> = {}) => {
    const scopes = ["cases:read", "stops:write"]
    const authorization = `Bearer ${await aReadToken({ scopes, subject: "pager" })}`
    const response = await fetch(here.bot.url + path, { method, headers: { authorization, ...more } })
    return { status: response.status, allow: response.headers.get("allow"), body: JSON.parse(await response.text()) }
  }
  const fromAway = { "x-real-ip": "203.0.113.7" }

  const made = await send("POST", "/stops?agent=billing-agent&reason=runaway%20refunds&for=2h", fromAway)
  await press(here, sandboxCast.alice, open, "approve")

  expect(made.status).toBe(201)
  expect(made.body.under).toEqual({ waiting: 1, perhaps: 0, runs: 0, gates: 0, on_way: 0 })
  await cardSaying(here, "Stopped by pager")
  expect(await record(here, id)).toMatchObject({ status: "pending" })
  expect(await send("DELETE", "/stops")).toMatchObject({ status: 405, allow: "GET" })
  expect(await send("DELETE", `/stops/${made.body.stop.id}`)).toMatchObject({ status: 404 })
  expect(await send("GET", "/stops", fromAway)).toMatchObject({ status: 403 })

  const read = await send("GET", "/stops")
  expect(() => models.StopList.parse(read.body)).not.toThrow()
  expect(read.body.stops).toEqual([made.body.stop])
  const signIn = new URLSearchParams({ token: await aReadToken() })
  const signedIn = await fetch(`${here.bot.url}/page/sign-in`, { method: "POST", body: signIn, redirect: "manual" })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const page = await (await fetch(`${here.bot.url}/page`, { headers: { cookie } })).text()
  expect(page).toMatch(
    /<h1>.*<\/h1>\s*<section[^>]*>\s*<ul><li><b>Stopped:<\/b> <code><bdi>agent:billing-agent<\/bdi><\/code>/s,
  )
  const { body: document } = await send("GET", "/openapi.json")
  expect(document.paths["/stops"]).toMatchObject({ get: { operationId: "list_stops" }, post: { operationId: "stop" } })
})

test("without http.stops nobody stops over HTTP, whatever the token says", async () => {
  const here = await aWorld({ http: readingOn })
  const headers = { authorization: `Bearer ${await aReadToken({ scopes: ["stops:write", "countersign:admin"] })}` }

  const answer = await fetch(`${here.bot.url}/stops?everything=true&reason=x`, { method: "POST", headers })

  expect(answer.status).toBe(405)
  const list = await fetch(`${here.bot.url}/stops`, { headers })
  expect(JSON.parse(await list.text())).toEqual({ stops: [] })
  const document = await (await fetch(`${here.bot.url}/openapi.json`)).text()
  expect(document).not.toContain("stops:write")
})
