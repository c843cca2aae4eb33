// The manifests of docs/kubernetes as they stand: two replicas, a Redis and a gate are started as their pods say, with
// what docs/running.md makes beside them, and the main story is played on them.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect } from "vitest"
import { aToken, call } from "../service/a-service.ts"
import { card, press, threadSays } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { startsContainers, testAsRoot } from "./containers/as-root.ts"
import { running, startCluster } from "./containers/cluster.ts"
import type { Pod } from "./containers/kubernetes.ts"
import { type Outside, startOutside } from "./containers/outside.ts"
import { playStory } from "./story.ts"

const root = new URL("../..", import.meta.url).pathname
const textOf = (path: string) => readFileSync(join(root, path), "utf8")

let here: Outside
let close: () => Promise<void> = async () => undefined
let pods: readonly Pod[] = []

beforeAll(async () => {
  if (!startsContainers) return
  here = await startOutside()
  close = here.close
  const [redis, gate, bot] = ["redis", "gate", "countersign"].map((name) => textOf(`docs/kubernetes/${name}.yaml`))
  pods = await startCluster(here, { redis: String(redis), gate: String(gate), bot: String(bot) })
})
afterAll(() => close())

testAsRoot("two replicas are ready, and a card is posted once, pressed and settled through the gate", async () => {
  const { row } = await playStory(here, "U-1")

  expect(pods).toHaveLength(2)
  expect(row).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example" })
  expect(here.sandbox.messages(sandboxCast.approvals)).toHaveLength(1)
})

testAsRoot("a run of an agent goes on, past the gate, once its card is approved", async () => {
  const token = await aToken(["agents:run"], { sub: "jane@example.com" })

  await call(here.service, "POST /agents/admin-agent/runs", { token, form: { message: "go", stream: "false" } })
  const open = await card(here, "Approval needed U-100")
  await press(here, sandboxCast.bob, open, "approve")

  await threadSays(here, open, "The run is completed")
  expect(here.service.executions()).toMatchObject([{ toolName: "delete_user_data" }])
})

testAsRoot("a pod is an ordinary user's, without rights, and can write to its two empty folders alone", async () => {
  const [pod] = pods
  const { out: status } = (await pod?.exec(["cat", "/proc/1/status"])) ?? { out: "" }
  const write = (path: string) => pod?.exec(["sh", "-c", `echo x > ${path}/written`])

  expect(status).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m)
  expect(status).toMatch(/^CapBnd:\s+0+$/m)
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
  for (const path of ["/", "/app", "/tmp", "/app/config"])
    expect((await write(path))?.err, path).toMatch(/Read-only file system|Permission denied/)
  for (const path of ["/app/.countersign", "/home/node/.cache"]) expect(await write(path)).toMatchObject({ code: 0 })
})

testAsRoot("what docs/running.md runs inside a pod works there", async () => {
  const lines = [...running.matchAll(/kubectl exec\s+deployment\/countersign -- ([^`]+)`/g)]
  const commands = lines.map(([, words = ""]) => words.split(/\s+/))

  expect(commands.map((words) => words.at(-1))).toEqual(["doctor", "accept"])
  const [doctor = [], accept = []] = commands
  expect(await pods[0]?.exec(doctor)).toMatchObject({ code: 0, out: expect.stringContaining("0 errors") })
  expect(await pods[0]?.exec(accept)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/There is nothing to accept/),
  })
  const verify = [...doctor.slice(0, -1), "ledger", "verify"]
  expect(await pods[0]?.exec(verify)).toMatchObject({ code: 0, out: expect.stringMatching(/ledger verified: \d+/) })
})

testAsRoot("SIGTERM ends a pod with 0 well before its time, and the other one goes on alone", async () => {
  const [first, second] = pods

  const ended = await first?.stop(first.graceMs)
  const { row } = await playStory(here, "U-2")

  expect(ended?.code).toBe(0)
  expect(ended?.ms).toBeLessThan((first?.graceMs ?? 0) - 5_000)
  expect(row).toMatchObject({ status: "approved" })
  expect(await second?.probe("readinessProbe")).toBe(true)
})
