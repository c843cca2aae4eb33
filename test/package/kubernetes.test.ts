// The manifests of docs/kubernetes as they stand: two replicas and a Redis are started as their pods say, and the main
// story is played on them, with the gate that the quickstart for operators starts.
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect } from "vitest"
import { aToken } from "../service/a-service.ts"
import { until } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { startsContainers, testAsRoot } from "./containers/as-root.ts"
import { type Cluster, type Pod, readManifests, startPod, type Workload } from "./containers/kubernetes.ts"
import { type Outside, startOutside } from "./containers/outside.ts"
import { blocksOf } from "./pages/blocks.ts"
import { playStory } from "./story.ts"

const root = new URL("../..", import.meta.url).pathname
const textOf = (path: string) => readFileSync(join(root, path), "utf8")
const running = textOf("docs/running.md")

let here: Outside
let close: () => Promise<void> = async () => undefined
let pods: readonly Pod[] = []

/** The Secrets that docs/running.md makes, and what a test needs besides, which every Secret may hold. */
function secretsOf(platformToken: string): Cluster["secrets"] {
  const password = randomBytes(12).toString("hex")
  const values: Readonly<Record<string, string>> = {
    REDIS_URL: `redis://:${password}@countersign-redis:6379`,
    COUNTERSIGN_KEY: randomBytes(32).toString("hex"),
    PLATFORM_TOKEN: platformToken,
    SLACK_BOT_TOKEN: here.sandbox.tokens.bot,
    SLACK_APP_TOKEN: here.sandbox.tokens.app,
  }
  const names = [...running.matchAll(/--from-literal=([A-Z_]+)=/g)].map(([, name = ""]) => name)
  return {
    "countersign-redis": { password },
    countersign: {
      ...Object.fromEntries(names.map((name) => [name, values[name] ?? ""])),
      SLACK_API_URL: here.sandbox.apiUrl,
      SLACK_SANDBOX: "true",
    },
  }
}

/** The rules with this platform and the sandbox's people in them. */
function filledIn(text: string): string {
  const replaced = [
    ["https://agents.example.com", "http://gate:7780"],
    ["C012AUDITS", sandboxCast.general],
    ["C012ABCDEF", sandboxCast.approvals],
    ["S012ABCDEF", sandboxCast.approvers],
  ] as const
  return replaced.reduce((filled, [from, to]) => {
    expect(text).toContain(from)
    return filled.replaceAll(from, to)
  }, text)
}

/**
 * The gate and a token of its own for the bot, by the two commands of the quickstart for operators: without the shell
 * around them, on the network of the cluster.
 */
async function startGate(): Promise<string> {
  const platform = await here.platformFor("cluster")
  const env = { SERVICE_UPSTREAM_TOKEN: await aToken(["approvals:read", "approvals:write"]) }
  const give = async (words: string) => {
    const { code, out, err } = await here.docker.run({ argv: gateCommand(words, platform), cwd: here.folder, env })
    expect([code, err], words).toEqual([0, ""])
    return out.trim()
  }
  const token = await give("token mint")
  await give("service --host")
  await until("the gate", () => (here.engine.container("gate")?.out().includes("listening on") ? true : undefined))
  return token
}

/** The words behind `docker` of the page's command with these words. */
function gateCommand(words: string, platform: string): readonly string[] {
  const lines = blocksOf("docs/quickstart-operators.md").flatMap(({ text }) => text.replaceAll("\\\n", "").split("\n"))
  const found = lines.find((line) => line.startsWith("docker run ") && line.includes(words)) ?? ""
  const filled = found.replace("countersign_default", "cluster").replace("https://agents.example.com", platform)
  return filled.replace(/ > .*/, "").split(/\s+/).slice(1)
}

function podsOf(workload: Workload, cluster: Cluster): Promise<readonly Pod[]> {
  const folder = join(here.folder, workload.name)
  mkdirSync(folder)
  const start = (at: number) => {
    const name = workload.replicas === 1 ? workload.name : `${workload.name}-${at}`
    return startPod(workload, { name, engine: here.engine, cluster, folder })
  }
  return Promise.all(Array.from({ length: workload.replicas }, (_none, at) => start(at)))
}

beforeAll(async () => {
  if (!startsContainers) return
  here = await startOutside()
  close = here.close
  await here.engine.build("countersign:0.1.0", here.folder)
  const secrets = secretsOf(await startGate())
  const [redis] = readManifests(textOf("docs/kubernetes/redis.yaml")).workloads
  const { workloads, configMaps } = readManifests(textOf("docs/kubernetes/countersign.yaml"))
  const [bot] = workloads
  if (redis === undefined || bot === undefined) throw new Error("a workload is missing")
  const rules = { "countersign.yaml": filledIn(configMaps["countersign"]?.["countersign.yaml"] ?? "") }
  const cluster = { secrets, configMaps: { countersign: rules } }
  for (const pod of await podsOf(redis, cluster)) await pod.ready()
  pods = await podsOf(bot, cluster)
  for (const pod of pods) await pod.ready()
})
afterAll(() => close())

testAsRoot("two replicas are ready, and a card is posted once, pressed and settled through the gate", async () => {
  const { row } = await playStory(here, "U-1")

  expect(pods).toHaveLength(2)
  expect(row).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example" })
  expect(here.sandbox.messages(sandboxCast.approvals)).toHaveLength(1)
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
