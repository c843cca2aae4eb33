// The Kubernetes manifests in docs/kubernetes: checked against Kubernetes' own schemas, and for what this software
// needs of them.
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, test } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { loadConfig } from "../../src/config.ts"
import { type Manifest, problemWith, unknownFields } from "../support/manifests.ts"

const root = new URL("../..", import.meta.url).pathname

function manifestsIn(file: string): readonly Manifest[] {
  const text = readFileSync(join(root, "docs/kubernetes", file), "utf8")
  return parseAllDocuments(text).map((document) => document.toJS())
}

const manifests = ["countersign.yaml", "redis.yaml", "gate.yaml"].flatMap(manifestsIn)

test.each(manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one] as const))(
  "%s fits Kubernetes' schema",
  async (_name, manifest) => {
    expect(await problemWith(manifest)).toBeNull()
  },
)

test("no manifest has a field that Kubernetes does not know", () => {
  expect(unknownFields(manifests)).toBe("")
})

test("a manifest that does not fit is refused, and so is a misspelt field", async () => {
  const deployment = manifests.find(({ kind }) => kind === "Deployment")
  if (deployment === undefined) throw new Error("there is no Deployment")
  const wrong = { ...deployment, spec: { ...Object(deployment.spec), replicas: "two" } }
  const misspelt = { ...deployment, spec: { ...Object(deployment.spec), replicaz: 2 } }

  expect(await problemWith(wrong)).toContain("replicas must be integer")
  expect(await problemWith(misspelt)).toBeNull()
  expect(unknownFields([misspelt])).toMatch(/replicaz.* does not exist/)
})

interface PodSpec {
  readonly automountServiceAccountToken: boolean
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumes?: readonly unknown[]
  readonly containers: readonly {
    readonly image: string
    readonly securityContext: Readonly<Record<string, unknown>>
    readonly [probe: string]: unknown
  }[]
}

function podsIn(all: readonly Manifest[]): readonly PodSpec[] {
  const specs = all.map(({ spec }) => spec as { readonly template?: { readonly spec: PodSpec } } | undefined)
  return specs.flatMap((spec) => (spec?.template === undefined ? [] : [spec.template.spec]))
}

test("no pod runs as root, writes to its image or has rights in the cluster", () => {
  const pods = podsIn(manifests)

  expect(pods).toHaveLength(3)
  for (const { automountServiceAccountToken, securityContext, containers } of pods) {
    expect(automountServiceAccountToken).toBe(false)
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } })
    for (const container of containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      })
    }
  }
})

test("the bot runs twice and is asked for its health where it answers", () => {
  const deployment = manifests.find(({ kind }) => kind === "Deployment")
  const [pod] = podsIn(deployment === undefined ? [] : [deployment])
  const [container] = pod?.containers ?? []

  expect(deployment?.spec).toMatchObject({ replicas: 2 })
  expect(container).toMatchObject({
    startupProbe: { httpGet: { path: "/healthz" } },
    livenessProbe: { httpGet: { path: "/healthz" } },
    readinessProbe: { httpGet: { path: "/readyz" } },
    ports: [{ name: "http", containerPort: 3000 }],
  })
})

/** The config that the ConfigMap and the secret of docs/running.md make. */
function configOfManifest() {
  const files = manifests.find(({ kind }) => kind === "ConfigMap")?.data as Readonly<Record<string, string>>
  const made = readFileSync(join(root, "docs/running.md"), "utf8").matchAll(/--from-literal=([A-Z_]+)=/g)
  const secret = Object.fromEntries([...made].map(([, name = ""]) => [name, valueOf(name)]))
  const env = { ...secret, REDIS_URL: "redis://:secret@countersign-redis:6379" }

  const readFile = (path: string) =>
    path.endsWith(".yaml") ? (files["countersign.yaml"] ?? "") : `in ${basename(path)}`

  return { env, config: loadConfig({ env, readFile, cwd: "/app" }) }
}

test("the rules in the ConfigMap are a configuration that starts with the secret that docs/running.md makes", () => {
  const { env, config } = configOfManifest()

  expect(config.http).toEqual({ port: 3000, host: "0.0.0.0", metrics: { reachable: "loopback" } })
  expect(config.warnings.map(({ what }) => what)).toEqual([
    "instance main: http://countersign-gate:7780 is not https, so its credential travels unprotected",
  ])
  expect(config.instances).toMatchObject([
    {
      resume: "approved",
      resumeUrl: "https://agents.example.com",
      token: "in platform.token",
      resumeToken: "in resume.jwt",
    },
  ])
  expect(Object.keys(env)).toContain("COUNTERSIGN_KEY")
})

test("R17 checkpoints go to the audit channel, since nothing that a pod keeps outlives it", () => {
  expect(configOfManifest().config.ledger).toMatchObject({ checkpointFile: null, auditChannel: "C012AUDITS" })
})

function valueOf(name: string): string {
  const values: Readonly<Record<string, string>> = {
    SLACK_BOT_TOKEN: "xoxb-1",
    SLACK_APP_TOKEN: "xapp-1",
    COUNTERSIGN_KEY: "0".repeat(64),
  }
  return values[name] ?? "a.json.token"
}

test("every variable of the Secret reaches the bot, which finds the rules, and files of a second Secret beside them", () => {
  const [bot] = podsIn(manifests)
  const [container] = bot?.containers ?? []

  expect(container).toMatchObject({
    envFrom: [{ secretRef: { name: "countersign" } }],
    env: [
      { name: "COUNTERSIGN_CONFIG", value: "config/countersign.yaml" },
      { name: "REDIS_PASSWORD", valueFrom: { secretKeyRef: { name: "countersign-redis", key: "password" } } },
      { name: "REDIS_URL", value: "redis://:$(REDIS_PASSWORD)@countersign-redis:6379" },
    ],
  })
  expect(container?.["volumeMounts"]).toContainEqual({ name: "config", mountPath: "/app/config", readOnly: true })
  const sources = [{ configMap: { name: "countersign" } }, { secret: { name: "countersign-files", optional: true } }]
  expect(bot?.volumes).toContainEqual({ name: "config", projected: { sources } })
})

test("a credential is replaced by a command that can be given again, since a Secret is created only once", () => {
  const [, section = ""] =
    /^## Replacing a credential\n([\s\S]*?)^## /m.exec(readFileSync(join(root, "docs/running.md"), "utf8")) ?? []

  expect(section).toMatch(
    /^kubectl create secret generic countersign-files .*--dry-run=client --output=yaml \| kubectl apply --filename=-$/m,
  )
})

test("Redis keeps what it was given and never drops a key", () => {
  const [, redis] = podsIn(manifests)
  const args = redis?.containers[0]?.["args"]

  expect(args).toEqual(expect.arrayContaining(["--appendonly", "--maxmemory-policy", "noeviction"]))
  const compose = parse(readFileSync(join(root, "compose.yaml"), "utf8"))
  expect(redis?.containers[0]?.image).toBe(compose.services.redis.image)
})

test("the gate holds the JWT that decides, and the bot does not; only the bot reaches it", () => {
  const [bot, , gate] = podsIn(manifests)
  const policy = manifests.find(
    ({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "countersign-gate",
  )
  const compose = parse(readFileSync(join(root, "compose.yaml"), "utf8"))

  expect(gate?.containers[0]).toMatchObject({
    args: compose.services.gate.command,
    envFrom: [{ secretRef: { name: "countersign-gate" } }],
  })
  expect(JSON.stringify(bot)).not.toContain("countersign-gate")
  expect(policy?.spec).toMatchObject({
    ingress: [{ from: [{ podSelector: { matchLabels: { "app.kubernetes.io/name": "countersign" } } }] }],
  })
})
