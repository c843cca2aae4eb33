// A cluster of the test's own: Redis, gate and bot are started as the pods of their manifests say, with what
// docs/running.md makes beside them.
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { aToken } from "../../service/a-service.ts"
import { sandboxCast } from "../../stories/world.ts"
import { type Cluster, type Pod, readManifests, startPod, type Workload } from "./kubernetes.ts"
import type { Outside } from "./outside.ts"

const root = new URL("../../..", import.meta.url).pathname

/** The page that says what is made beside the manifests. */
export const running = readFileSync(join(root, "docs/running.md"), "utf8").replaceAll("\\\n", "")

/** The manifests of each part, as YAML. */
export interface Manifests {
  readonly redis: string
  readonly gate: string
  readonly bot: string
}

/** The Secrets of literals that docs/running.md makes, and what a test needs besides, which every Secret may hold. */
function secretsOf(here: Outside, platform: string, upstream: string): Cluster["secrets"] {
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
  const filled = replaced.reduce((rest, [from, to]) => rest.replaceAll(from, to), text)
  expect(filled).not.toMatch(/https:\/\/agents\.example\.com|\b[CS]012[A-Z]+/)
  return filled
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

function podsOf(here: Outside, workload: Workload, cluster: Cluster): Promise<readonly Pod[]> {
  const folder = join(here.folder, workload.name)
  mkdirSync(folder)
  const start = (at: number) => {
    const name = workload.replicas === 1 ? workload.name : `${workload.name}-${at}`
    return startPod(workload, { name, engine: here.engine, cluster, folder })
  }
  return Promise.all(Array.from({ length: workload.replicas }, (_none, at) => start(at)))
}

/** Starts all of it, and gives back the bot's pods, which are ready. They end with what is around. */
export async function startCluster(here: Outside, manifests: Manifests): Promise<readonly Pod[]> {
  const [, build = ""] = /`docker (build --tag [^`]+)`/.exec(running) ?? []
  const built = await here.docker.run({ argv: build.split(" "), cwd: here.folder, env: {} })
  expect([built.code, built.err], build).toEqual([0, ""])
  const platform = await here.platformFor("cluster")
  const upstream = await aToken(["approvals:read", "approvals:write"])
  const secrets = secretsOf(here, platform, upstream)
  const [redis, gate] = [manifests.redis, manifests.gate].flatMap((text) => readManifests(text).workloads)
  const { workloads, configMaps } = readManifests(manifests.bot)
  const [bot] = workloads
  if (redis === undefined || gate === undefined || bot === undefined) throw new Error("a workload is missing")
  const rules = filledIn(configMaps["countersign"]?.["countersign.yaml"] ?? "", platform)
  const first = { secrets, configMaps: {} }
  const [[redisPod], [gatePod]] = [await podsOf(here, redis, first), await podsOf(here, gate, first)]
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
  const pods = await podsOf(here, bot, cluster)
  for (const pod of pods) await pod.ready()
  return pods
}
