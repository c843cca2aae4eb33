// The answer of a resumed run, sent to whoever asked: with the embedded service, from the run's start to its end.
import { expect, it } from "vitest"
import { everythingIn } from "../queue/support.ts"
import { testRedisUrl } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import { card, directOf, ledgerOf, press, startRun, threadSays, until, withRedis, wordsOf } from "./acts.ts"
import { limitMs, plainRule, sandboxCast, type World, type WorldOptions } from "./world.ts"

const agent = (id: string, answer: string) => ({
  id,
  tools: [{ name: "delete_user_data", gated: true }],
  runs: [{ name: "go", turns: [[{ tool: "delete_user_data", args: { user_id: "U-100" } }]], answer }],
})
const script = {
  agents: [
    agent("admin-agent", "The data of U-100 is gone.\n<!channel> ticket tk-4711."),
    agent("silent-agent", ""),
    agent("long-agent", Array.from({ length: 60 }, (_, at) => `row ${at + 1}`).join("\n")),
  ],
}
const rules = `${plainRule}
    show_result: requester
    mask: ["/tk-[0-9]+/"]`

const resuming = (options: WorldOptions = {}) => aWorld({ script, rules, resume: "decided", ...options })

/** What stands in the threads of what Rita, who starts all runs, was sent directly. */
function sentTo(here: World, person: string): readonly string[] {
  const channel = directOf(here, person)
  return here.sandbox
    .messages(channel)
    .flatMap(({ ts }) => here.sandbox.thread(channel, ts).map((line) => wordsOf(line.blocks)))
}

const isAnswer = (line: string) => line.includes("What the run answered")

/** Starts a run of an agent, approves its call, and gives what Rita was sent of its answer. */
async function answered(here: World, agentId: string): Promise<string> {
  await startRun(here, `agents/${agentId}`)
  const open = await card(here)
  await press(here, sandboxCast.bob, open, "approve")
  await threadSays(here, open, "is completed")
  const look = () => sentTo(here, sandboxCast.rita).find(isAnswer)
  return here.sandbox.waitFor(look, { limitMs, what: "the answer of the run" })
}

it("whoever asked is sent the answer once, literal and masked, and the channel is not", async () => {
  const here = await resuming()

  const said = await answered(here, "admin-agent")

  expect(said).toContain("The data of U-100 is gone.\n<!channel> ticket ▒▒▒▒ 7 characters masked ▒▒▒▒.")
  await ledgerSays(here, "closed")
  expect(sentTo(here, sandboxCast.rita).filter(isAnswer)).toHaveLength(1)
  const open = await card(here)
  const lines = here.sandbox.thread(open.channel, open.ts).map((line) => wordsOf(line.blocks))
  expect(lines.join()).not.toContain("is gone")
})

it("R15 Redis holds nothing of the answer, while it is sent or afterwards", async () => {
  const here = await resuming()

  await answered(here, "admin-agent")
  await ledgerSays(here, "closed")

  const kept = await withRedis({ url: testRedisUrl(), installation: here.installation }, ({ commands }) =>
    everythingIn({ commands }, `{countersign:${here.installation}}`),
  )
  expect(kept).not.toContain("is gone")
})

it("a long answer is cut between lines, and says how much is left out", async () => {
  const said = await answered(await resuming(), "long-agent")

  expect(said).toContain("20 more lines left out")
  expect(said).toContain("row 40")
  expect(said).not.toContain("row 41")
})

it("an empty answer is said to be nothing", async () => {
  expect(await answered(await resuming(), "silent-agent")).toContain("What the run answered : nothing")
})

it("an answer that the platform does not show is said to be unread, and all else goes on", async () => {
  const here = await resuming()
  await startRun(here, "agents/admin-agent")
  const open = await card(here)
  const path = /\/agents\/admin-agent\/runs\/[^/]+$/
  // What is read before the continue has to be read.
  here.proxy.fail({ method: "POST", path: /\/continue$/, times: 1, fault: { kind: "delay", ms: 300 } })
  await press(here, sandboxCast.bob, open, "approve")
  await until("the continue to be on its way", () =>
    here.proxy.passed.some((one) => one.fault === "delay") ? true : undefined,
  )
  here.proxy.fail({
    method: "GET",
    path,
    times: 1_000,
    fault: { kind: "answer", status: 500, body: { detail: "down" } },
  })

  const look = () => sentTo(here, sandboxCast.rita).find(isAnswer)
  const said = await here.sandbox.waitFor(look, { limitMs, what: "the answer of the run" })

  expect(said).toContain("What the run answered : it could not be read")
  await ledgerSays(here, "closed")
})

/** Waits until the ledger holds an entry of that kind. */
function ledgerSays(here: World, kind: string): Promise<true> {
  return until(`an entry ${kind}`, async () =>
    (await ledgerOf(here)).some((event) => event["kind"] === kind) ? true : undefined,
  )
}
