// The manifests of docs/kubernetes as they stand: two replicas, a Redis and a gate are started as their pods say, with
// what docs/running.md makes beside them, and the main story is played on them.
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect } from "vitest"
import { aToken, call } from "../service/a-service.ts"
import { card, press, threadSays } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { startsContainers, testAsRoot } from "./containers/as-root.ts"
import { type Cluster, type Pod, readManifests, startPod, type Workload } from "./containers/kubernetes.ts"
import { type Outside, startOutside } from "./containers/outside.ts"
import { playStory } from "./story.ts"

const root = new URL("../..", import.meta.url).pathname
const textOf = (path: string) => readFileSync(join(root, path), "utf8")
const running = textOf("docs/running.md").replaceAll("\\\n", "")

let here: Outside
let close: () => Promise<void> = async () => undefined
let pods: readonly Pod[] = []

/** The Secrets of literals that docs/running.md makes, and what a test needs besides, which every Secret may hold. */
function secretsOf(platform: string, upstream: string): Cluster["secrets"] {
  const password = randomBytes(12).toString("hex")
  const values: Readonly<Record<string, string>> = {
    password,
    SERVICE_UPSTREAM: platform,
    SERVICE_UPSTREAM_TOKEN: upstream,
    COUNTERSIGN_KEY: randomBytes(32).toString("hex"),
    SLACK_BOT_TOKEN: here.sandbox.tokens.bot,
    SLACK_APP_TOKEN: here.sandbox.tokens.app,
  }
  const made = [...running.matchAll(/^ *kubectl create secret generic (\S+) (.*)$/gm)]
  const secrets = made.map(([, name = "", words = ""]) => {
    const keys = [...words.matchAll(/--from-literal=(\w+)=/g)].map(([, key = ""]) => [key, values[key] ?? ""])
    return [name, Object.fromEntries(keys)] as const
  })
  const sandbox = { SLACK_API_URL: here.sandbox.apiUrl, SLACK_SANDBOX: "true" }
  // The page makes one of files, too, and shows how to replace it.
  const { countersign = {}, "countersign-files": _files, ...others } = Object.fromEntries(secrets)
  return { ...others, countersign: { ...countersign, ...sandbox } }
}

/** The rules with this platform and the sandbox's people in them. */
function filledIn(text: string, platform: string): string {
  const replaced = [
    ["https://agents.example.com", platform],
    ["C012AUDITS", sandboxCast.general],
    ["C012ABCDEF", sandboxCast.approvals],
    ["S012ABCDEF", sandboxCast.approvers],
  ] as const
  return replaced.reduce((filled, [from, to]) => {
    expect(text).toContain(from)
    return filled.replaceAll(from, to)
  }, text)
}

/** What a command of the page inside a pod says: `kubectl exec`, and what stands behind the two dashes. */
async function givenIn(pod: Pod | undefined, words: string): Promise<string> {
  const lines = running.split("\n").filter((line) => line.trim().startsWith("kubectl exec "))
  const line = lines.find((one) => one.includes(words)) ?? ""
  const command = line
    .replace(/^.*? -- /, "")
    .replace(/ > .*/, "")
    .trim()
    .split(/\s+/)
  const said = await pod?.exec(command)
  expect(said, words).toMatchObject({ code: 0, err: "" })
  return said?.out.trim() ?? ""
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
  const [, build = ""] = /`docker (build --tag [^`]+)`/.exec(running) ?? []
  const built = await here.docker.run({ argv: build.split(" "), cwd: here.folder, env: {} })
  expect([built.code, built.err], build).toEqual([0, ""])
  const platform = await here.platformFor("cluster")
  const upstream = await aToken(["approvals:read", "approvals:write"])
  const secrets = secretsOf(platform, upstream)
  const [redis, gate] = ["redis", "gate"].flatMap(
    (name) => readManifests(textOf(`docs/kubernetes/${name}.yaml`)).workloads,
  )
  const { workloads, configMaps } = readManifests(textOf("docs/kubernetes/countersign.yaml"))
  const [bot] = workloads
  if (redis === undefined || gate === undefined || bot === undefined) throw new Error("a workload is missing")
  const rules = filledIn(configMaps["countersign"]?.["countersign.yaml"] ?? "", platform)
  const first = { secrets, configMaps: {} }
  const [[redisPod], [gatePod]] = [await podsOf(redis, first), await podsOf(gate, first)]
  await redisPod?.ready()
  await gatePod?.ready()
  const files = {
    "platform.token": await givenIn(gatePod, "token mint"),
    "resume.jwt": await aToken(["agents:run", "agents:read", "teams:run", "teams:read", "sessions:read"]),
  }
  const cluster = {
    secrets: { ...secrets, "countersign-files": files },
    configMaps: { countersign: { "countersign.yaml": rules } },
  }
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
