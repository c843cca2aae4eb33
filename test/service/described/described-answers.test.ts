// The judge of answers: it passes what the interface description says, and names what is otherwise.
import { createServer } from "node:http"
import { expect, test } from "vitest"
import { listenOn } from "../../../src/listen.ts"
import { serviceRoutes } from "../../../src/service/all-routes.ts"
import { openApiDocument } from "../../../src/service/openapi/document.ts"
import { createJudge, type Description, type GivenAnswer } from "./described-answers.ts"
import { takeFaults } from "./faults.ts"
import { judgeAnswersAt } from "./start-described.ts"

const json = { "content-type": "application/json" }

const description = openApiDocument(serviceRoutes, "/a2a") as unknown as Description
const judge = createJudge(description, false)

/** An answer of `GET /approvals/count`, which is `{count}`. */
function aCount(more: Partial<GivenAnswer> = {}): GivenAnswer {
  const asked = { method: "GET", path: "/approvals/count" }
  return { ...asked, status: 200, type: "application/json", text: '{"count":1}', ...more }
}

test("an answer that is as described passes, also with a slash at the end of its path", () => {
  expect(judge(aCount())).toBeNull()
  expect(judge(aCount({ path: "/approvals/count/" }))).toBeNull()
  expect(judge(aCount({ status: 401, text: '{"detail":"no"}' }))).toBeNull()
  expect(judge(aCount({ status: 500, text: '{"detail":"Internal server error"}' }))).toBeNull()
})

test.each<[string, Partial<GivenAnswer>, RegExp]>([
  ["lacks a key", { text: "{}" }, /must have required property 'count'/],
  ["has a key more", { text: '{"count":1,"more":2}' }, /must NOT have additional properties.*more/],
  ["has a value of another type", { text: '{"count":"1"}' }, /\/count must be integer/],
  ["has a status that is not named", { status: 404, text: '{"detail":"no"}' }, /status 404 is not named/],
  ["is no JSON", { type: "text/html", text: "<p>" }, /is text\/html, not application\/json/],
  ["refuses in another shape", { status: 403, text: '{"error":"no"}' }, /must have required property 'detail'/],
  ["succeeds where no route is", { path: "/nowhere", text: "{}" }, /status 200 where no route is described/],
  ["has a body where none is described", { method: "DELETE", path: "/approvals/x", status: 204 }, /has a body/],
])("an answer that %s is told", (_what, more, expected) => {
  expect(judge(aCount(more))).toMatch(expected)
})

test("a literal of a path counts before a parameter", () => {
  expect(judge(aCount({ path: "/approvals/counted", text: '{"count":1}' }))).toMatch(/required property 'id'/)
})

test("a wrong answer that a server gives is noted, with its request", async () => {
  const server = createServer((_request, response) => void response.writeHead(200, json).end('{"count":"one"}'))
  const { port, address } = await listenOn(server, { host: "127.0.0.1", port: 0, settings: { port: "", host: "" } })
  const stop = judgeAnswersAt(port, {})

  await (await fetch(`http://${address}:${port}/approvals/count?user_id=ann`)).text()
  await expect
    .poll(() => takeFaults())
    .toEqual([expect.stringMatching(/^GET \/approvals\/count\?user_id=ann: 200 \/count/)])

  stop()
  await (await fetch(`http://${address}:${port}/approvals/count`)).text()
  server.close()
  expect(takeFaults()).toEqual([])
})
