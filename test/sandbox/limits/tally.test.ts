import { expect, test } from "vitest"
import { createCallCounts } from "../../../src/sandbox/limits/call-counts.ts"
import { aClient, aSandbox } from "../support.ts"

test("the busiest minute of a method is any sixty seconds, and stays what it was", () => {
  let now = 1_000
  const tally = createCallCounts(() => now)
  const callAt = (at: number) => {
    now = at
    tally.note("conversations.history")
  }

  for (const at of [0, 30_000, 59_999, 60_000, 200_000]) callAt(at)

  expect(tally.busiestMinute("conversations.history")).toBe(3)
  expect(tally.busiestMinute("chat.update")).toBe(0)
})

test("every call of the Web API counts, refused ones too", async () => {
  const sandbox = await aSandbox()
  const client = aClient(sandbox)
  sandbox.faults.web("auth.test", { kind: "error", error: "fatal_error" })

  await client.auth.test().catch(() => undefined)
  await client.auth.test()

  expect(sandbox.busiestMinute("auth.test")).toBe(2)
})
