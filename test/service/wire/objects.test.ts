// Bodies and parts of them that have to be objects. A number whose digits are kept is one inside; on the wire it is
// none.
import { afterAll, beforeAll, expect, test } from "vitest"
import { aToken, call, type TestService } from "../a-service.ts"
import { aFullService } from "../components.ts"

let service: TestService
let token: string

beforeAll(async () => {
  service = await aFullService()
  token = await aToken(["service:admin"], { sub: "ann" })
})
afterAll(() => service.close())

test.each([
  ["POST /sessions", "50.0"],
  ["PATCH /components/x", "1e400"],
  ["PATCH /components/x", '{"guard":50.0}'],
  ["POST /traces/search", "50.0"],
  ["POST /knowledge/search", '{"query":"a","meta":50.0}'],
  ["POST /learnings", '{"learning_type":"a","content":50.0}'],
  ["POST /a2a/agents/support-member/v1/message:send", message("50.0")],
])("%s with %s is 422", async (request, raw) => {
  const { status, body } = await call(service, request, { token, raw })

  expect([status, body]).toEqual([
    422,
    { detail: [expect.objectContaining({ loc: expect.arrayContaining(["body"]) })] },
  ])
})

function message(configuration: string): string {
  const said = { messageId: "m-1", role: "user", parts: [{ kind: "text", text: "hello" }] }
  return `{"jsonrpc":"2.0","params":{"message":${JSON.stringify(said)},"configuration":${configuration}}}`
}
