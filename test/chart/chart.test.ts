// The chart by helm itself: it is in order, what it makes fits the schemas, and values that do not fit are refused.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { loadConfig } from "../../src/config.ts"
import { type Manifest, problemWith, unknownFields } from "../support/manifests.ts"
import { changed, chartFile, chartFolder, helm, manifestsIn, setFile, sets, template } from "./helm.ts"

const docs = new URL("../../docs", import.meta.url).pathname

async function rendered(...args: readonly string[]): Promise<readonly Manifest[]> {
  return manifestsIn(await template("countersign", ...args))
}

function found(all: readonly Manifest[], kind: string, name = "countersign"): Manifest {
  const manifest = all.find((one) => one.kind === kind && one.metadata.name === name)
  if (manifest === undefined) throw new Error(`there is no ${kind} ${name}`)
  return manifest
}

describe.each(sets)("with the values %s", (set) => {
  test("the chart is in order", async () => {
    expect(await helm(["lint", chartFolder, "--strict", "--quiet", "--values", setFile(set)])).not.toContain("[ERROR]")
  })

  test("all that it makes fits the schemas of Kubernetes and of the Prometheus Operator, field by field", async () => {
    const all = await rendered("--values", setFile(set))

    const problems = await Promise.all(all.map(problemWith))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
    expect(unknownFields(all)).toBe("")
  })

  test("no pod runs as root, writes to its image or has rights in the cluster", async () => {
    const pods = (await rendered("--values", setFile(set))).flatMap(({ kind, spec }) =>
      kind === "Deployment" || kind === "StatefulSet" ? [(spec as { template: { spec: Pod } }).template.spec] : [],
    )

    expect(pods.length).toBeGreaterThan(0)
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      })
      for (const { securityContext } of pod.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        })
    }
  })
})

interface Pod {
  readonly containers: readonly { readonly securityContext: unknown }[]
}

/** The values of a file, each by its path; a list is one value, and so is a map that is empty by default. */
function pathsOf(values: unknown, defaults: unknown, path = ""): readonly (readonly [path: string, value: unknown])[] {
  const isWhole = typeof defaults !== "object" || defaults === null || Array.isArray(defaults)
  if (isWhole || Object.keys(defaults).length === 0) return [[path, values]]
  return Object.entries(defaults).flatMap(([key, below]) => {
    const value = typeof values === "object" && values !== null ? Reflect.get(values, key) : undefined
    return pathsOf(value, below, path === "" ? key : `${path}.${key}`)
  })
}

test("each value is at another than its default in one of the sets", () => {
  const defaults: unknown = parse(chartFile("values.yaml"))
  const said = sets.flatMap((set) => pathsOf(parse(readFileSync(setFile(set), "utf8")), defaults))

  const untried = pathsOf(defaults, defaults).filter(([path, usual]) =>
    said.every(([one, value]) => one !== path || value === undefined || isSame(value, usual)),
  )
  expect(untried.map(([path]) => path)).toEqual([])
})

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

test("alerts and dashboard are those of docs", async () => {
  for (const [copy, original] of [
    ["alerts.yml", "alerts.yml"],
    ["dashboard.json", "dashboard.json"],
  ] as const)
    await expect(readFileSync(join(docs, original), "utf8")).toMatchFileSnapshot(join(chartFolder, "files", copy))
})

test("version and image are those of the package", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))

  expect(parse(chartFile("Chart.yaml"))).toMatchObject({ version, appVersion: version })
})

test("alerts and dashboard go where they are read, under the name of the release", async () => {
  const all = manifestsIn(await template("our", "--values", setFile("everything")))
  const rules = JSON.stringify(found(all, "PrometheusRule", "our-countersign").spec)

  expect(rules).toContain(String.raw`up{job=\"our-countersign\"} == 0`)
  expect(rules).toContain("{{ $labels.instance }}")
  expect(found(all, "ServiceMonitor", "our-countersign")).toMatchObject({
    metadata: { labels: { release: "prometheus" } },
    spec: {
      endpoints: [
        { port: "http", interval: "15s", authorization: { credentials: { name: "our-variables", key: "OUR_TOKEN" } } },
      ],
    },
  })
  const board = found(all, "ConfigMap", "our-countersign-dashboard").data as Record<string, string>
  expect(JSON.parse(board["countersign.json"] ?? "")).toEqual(JSON.parse(chartFile("files/dashboard.json")))
})

test("Secrets from files lose the line feed at their end, and what stands there stays text", async () => {
  const all = await rendered("--values", setFile("another-platform"))
  const files = await rendered("--values", setFile("everything"))

  expect(found(all, "Secret").stringData).toMatchObject({
    COUNTERSIGN_KEY: expect.stringMatching(/^[0-9a-f]{64}$/),
    PLATFORM_TOKEN: "12345",
  })
  expect(found(files, "Secret", "countersign-files").stringData).toEqual({
    "platform.token": "cs_sa_1",
    "ca.pem": "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----",
  })
  expect(found(files, "Secret", "countersign-gate").stringData).toEqual({
    SERVICE_UPSTREAM: "https://agents.example.com",
    SERVICE_UPSTREAM_TOKEN: "e30.e30.e30",
  })
})

test("where all Secrets are named none is made", async () => {
  const all = await rendered("--values", setFile("agentos"))

  expect(all.filter(({ kind }) => kind === "Secret")).toEqual([])
})

test("the JWT that decides is in no pod of the bot, and only the bot reaches the gate", async () => {
  const all = await rendered("--values", setFile("everything"))

  expect(JSON.stringify(found(all, "Deployment"))).not.toContain("gate")
  expect(found(all, "NetworkPolicy", "countersign-gate").spec).toMatchObject({
    ingress: [{ from: [{ podSelector: { matchLabels: { "app.kubernetes.io/name": "countersign" } } }] }],
  })
})

test("traffic goes to the places that are named, and to no other", async () => {
  const peers = (policy: Manifest) => JSON.stringify((policy.spec as { egress: unknown }).egress)
  const all = await rendered("--values", setFile("everything"))
  const bot = peers(found(all, "NetworkPolicy"))

  for (const place of ["10.2.0.0/16", "10.3.0.1/32", '"app":"redis"', "26379", "8443", "7780"])
    expect(bot).toContain(place)
  expect(bot).not.toMatch(/\{"ports":\[\{"port":443\}\]\}/)
  expect(peers(found(all, "NetworkPolicy", "countersign-gate"))).not.toContain("10.3.0.1/32")
})

test.each(["agentos", "another-platform", "trying"] as const)(
  "the rules of %s are a configuration that starts",
  async (set) => {
    const all = await rendered("--values", setFile(set))
    const yaml = (found(all, "ConfigMap").data as Record<string, string>)["countersign.yaml"] ?? ""
    const named = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [
      name,
      name.startsWith("SLACK_APP") ? "xapp-1" : "xoxb-1",
    ])
    const env = { ...Object.fromEntries(named), REDIS_URL: "rediss://redis:6379", COUNTERSIGN_KEY: "0".repeat(64) }
    const readFile = (path: string) => (path.endsWith(".yaml") ? yaml : `in ${path}`)

    const config = loadConfig({ env, readFile, cwd: "/app" })

    expect(config.http.host).toBe("0.0.0.0")
    expect(found(all, "Service").spec).toMatchObject({ ports: [{ port: config.http.port }] })
  },
)

test("pods begin anew when the rules change, and not when nothing does", async () => {
  const sum = async (...args: readonly string[]) =>
    JSON.stringify(
      (found(await rendered(...args), "Deployment").spec as { template: { metadata: unknown } }).template.metadata,
    )
  const values = ["--values", setFile("another-platform")]
  const { config } = parse(readFileSync(setFile("another-platform"), "utf8"))

  expect(await sum(...values)).toBe(await sum(...values))
  expect(await sum(...changed("another-platform", { config: `${config}# another\n` }))).not.toBe(await sum(...values))
  expect(await sum("--values", setFile("agentos"))).not.toContain("checksum")
})

test("an access log on the volume that all bots share is as good as one on stdout", async () => {
  const instances = "instances: [{ name: main, url: 'http://countersign-gate:7780' }]"
  const http = "http: { host: 0.0.0.0, access_log: { folder: /proof/access } }"
  const config = `${http}\nledger: { audit_channel: C0A }\n${instances}`

  const made = await rendered(...changed("agentos", { config, checkpoints: { volume: { enabled: true } } }))

  expect(JSON.stringify(made)).toContain('"mountPath":"/proof"')
  expect(JSON.stringify(made)).toContain("folder: /proof/access")
})

const rules = (more: string) => ({ config: `http: { host: 0.0.0.0 }\n${more}` })

test.each([
  ["no rules", { config: "" }, "config: give your countersign.yaml"],
  ["rules twice", { configMap: "other" }, "config stands beside configMap"],
  ["rules that are no YAML", { config: "rules: [" }, "config is no YAML"],
  ["a bot that no probe reaches", { config: "ledger: { audit_channel: C0A }" }, "write http: { host: 0.0.0.0 }"],
  [
    "any free port",
    {
      config:
        "http: { host: 0.0.0.0, port: 0 }\nledger: { audit_channel: C0A }\ninstances: [{ url: 'http://countersign-gate:7780' }]",
    },
    "http.port is 0",
  ],
  [
    "no place for checkpoints",
    rules("ledger: { checkpoint_file: none }"),
    "no checkpoint of the ledger would outlive a pod",
  ],
  [
    "checkpoints on a volume that is not there",
    rules("ledger: { checkpoint_file: /proof/a }"),
    "no checkpoint of the ledger would outlive",
  ],
  [
    "an access log that goes away with its pod",
    { config: "http: { host: 0.0.0.0, access_log: { keep: 90d } }\nledger: { audit_channel: C0A }" },
    "leave http.access_log out",
  ],
  [
    "an access log on a volume that is not there",
    { config: "http: { host: 0.0.0.0, access_log: { folder: /proof/access } }\nledger: { audit_channel: C0A }" },
    "the access log would go away with its pod",
  ],
  ["no variables", { variables: { secret: "" } }, "variables: the bot needs COUNTERSIGN_KEY"],
  [
    "variables twice",
    { variables: { values: { A: "b" } } },
    "variables.secret names a Secret of yours, and values stand beside it",
  ],
  ["the gate's JWT twice", { gate: { token: "a" } }, "gate.secret names a Secret of yours"],
  ["a gate without a JWT", { gate: { secret: "" } }, "gate: it needs AgentOS's address and the JWT"],
  ["a Redis without a password", { redis: { own: { secret: "" } } }, "redis.own: it needs a password"],
  ["two kinds of Redis", { redis: { url: "rediss://a" } }, "redis.url stands beside redis.own"],
  [
    "no Redis",
    { redis: { own: { enabled: false } }, variables: { secret: "", values: { A: "b" } } },
    "redis: give its address",
  ],
  [
    "a gate that no instance goes through",
    rules("ledger: { audit_channel: C0A }\ninstances: [{ name: main, url: 'https://agents.example.com' }]"),
    "gate: no instance of config goes through it: write url: http://countersign-gate:7780",
  ],
  [
    "a platform at a port that no traffic goes to",
    rules(
      "ledger: { audit_channel: C0A }\ninstances: [{ name: main, url: 'http://countersign-gate:7780', resume_url: 'http://agentos.ai.svc:8000' }]",
    ),
    "networkPolicy.platform.ports lacks 8000, which http://agentos.ai.svc:8000 needs",
  ],
  [
    "an AgentOS behind the gate at a port that no traffic goes to",
    { gate: { secret: "", upstream: "http://agentos.ai.svc:8000", token: "e30.e30.e30" } },
    "networkPolicy.platform.ports lacks 8000, which http://agentos.ai.svc:8000 needs",
  ],
  [
    "a Prometheus that the bot would refuse",
    { monitoring: { serviceMonitor: { enabled: true } } },
    "monitoring.serviceMonitor: Prometheus would be refused",
  ],
  ["a password in values", { redis: { url: "rediss://:hush@a" } }, "redis.url holds a password"],
  ["a value that nobody knows", { replicaz: 2 }, "replicaz"],
  ["a word for a number", { replicas: "two" }, "replicas"],
])("the chart refuses %s before anything is installed, and says what to do", async (_what, changes, words) => {
  const said = await rendered(...changed("agentos", changes)).then(
    () => "",
    (error: unknown) => String(error instanceof Error && "stderr" in error ? error.stderr : error),
  )

  expect(said).toContain(words)
  expect(said).not.toContain("hush")
})
