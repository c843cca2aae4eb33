// Reads Kubernetes' manifests, and starts their pods as a kubelet does: volumes, variables, users, rights and probes.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"
import { z } from "zod"
import { until } from "../../stories/acts.ts"
import type { Mount } from "./container.ts"
import type { Engine, Started } from "./engine.ts"

const probe = z.looseObject({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }).optional(),
  tcpSocket: z.strictObject({ port: z.string() }).optional(),
})
const rights = z.strictObject({
  allowPrivilegeEscalation: z.literal(false),
  readOnlyRootFilesystem: z.literal(true),
  capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
})
const fromSecret = z.strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) })
const containerSchema = z.strictObject({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.string().optional(),
  args: z.array(z.string()),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })).default([]),
  env: z
    .array(z.strictObject({ name: z.string(), value: z.string().optional(), valueFrom: fromSecret.optional() }))
    .default([]),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.number() })),
  startupProbe: probe.optional(),
  readinessProbe: probe,
  livenessProbe: probe,
  lifecycle: z.unknown().optional(),
  resources: z.unknown().optional(),
  securityContext: rights,
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() })),
})
const source = z.strictObject({
  configMap: z.strictObject({ name: z.string() }).optional(),
  secret: z.strictObject({ name: z.string(), optional: z.boolean().optional() }).optional(),
})
const volume = z.strictObject({
  name: z.string(),
  emptyDir: z.unknown().optional(),
  persistentVolumeClaim: z.strictObject({ claimName: z.string() }).optional(),
  projected: z.strictObject({ sources: z.array(source) }).optional(),
})
const podSchema = z.looseObject({
  terminationGracePeriodSeconds: z.number(),
  securityContext: z.looseObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.number(),
    runAsGroup: z.literal(1000),
    fsGroup: z.number(),
  }),
  containers: z.tuple([containerSchema]),
  volumes: z.array(volume).default([]),
})

type Container = z.infer<typeof containerSchema>
type Files = Readonly<Record<string, string>>

/** What a cluster has besides the manifests' workloads: files by the names of ConfigMaps and Secrets. */
export interface Cluster {
  readonly configMaps: Readonly<Record<string, Files>>
  readonly secrets: Readonly<Record<string, Files>>
}

/** A workload of the manifests. */
export interface Workload {
  readonly name: string
  readonly replicas: number
  readonly pod: z.infer<typeof podSchema>
}

/** The Deployments and StatefulSets of a file, and its ConfigMaps. */
export function readManifests(text: string): {
  readonly workloads: readonly Workload[]
  readonly configMaps: Cluster["configMaps"]
} {
  const all = parseAllDocuments(text).map((document) => document.toJS())
  const maps = all.filter(({ kind }) => kind === "ConfigMap")
  return {
    workloads: all
      .filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet")
      .map(({ metadata, spec }) => {
        return { name: metadata.name, replicas: spec.replicas, pod: podSchema.parse(spec.template.spec) }
      }),
    configMaps: Object.fromEntries(maps.map(({ metadata, data }) => [metadata.name, data])),
  }
}

/** A pod that runs. */
export interface Pod extends Started {
  /** Asks a probe as the kubelet does, from outside. */
  readonly probe: (which: "startupProbe" | "readinessProbe" | "livenessProbe") => Promise<boolean>
  /** Resolves when the pod started, lives and is ready. */
  readonly ready: () => Promise<void>
  readonly graceMs: number
}

/** Starts a pod of a workload. */
export async function startPod(
  workload: Workload,
  options: { readonly name: string; readonly engine: Engine; readonly cluster: Cluster; readonly folder: string },
): Promise<Pod> {
  const { pod } = workload
  const [container] = pod.containers
  const env = environmentOf(container, options.cluster.secrets)
  const started = await options.engine.start({
    name: options.name,
    image: container.image,
    network: "cluster",
    command: container.args.map((arg) => expanded(arg, env)),
    env,
    volumes: [],
    folder: options.folder,
    mounts: container.volumeMounts.map((mount) => mountOf(mount, workload, options)),
    user: pod.securityContext.runAsUser,
    groups: [pod.securityContext.fsGroup],
    readOnly: container.securityContext.readOnlyRootFilesystem,
    noRights: !container.securityContext.allowPrivilegeEscalation,
  })
  const ask = (which: "startupProbe" | "readinessProbe" | "livenessProbe") => probeOf(container, which, started.address)
  return {
    ...started,
    probe: ask,
    graceMs: pod.terminationGracePeriodSeconds * 1_000,
    ready: async () => {
      for (const which of ["startupProbe", "livenessProbe", "readinessProbe"] as const)
        await until(`${which} of ${options.name}`, async () => ((await ask(which)) ? true : undefined)).catch(
          (cause: unknown) => {
            throw new Error(`it said: ${started.out()}${started.err()}`, { cause })
          },
        )
    },
  }
}

function environmentOf({ envFrom, env }: Container, secrets: Cluster["secrets"]): Files {
  const whole = envFrom.map(({ secretRef }) => existing(secrets, secretRef.name))
  const set: Record<string, string> = Object.assign({}, ...whole)
  for (const { name, value, valueFrom } of env) {
    const { name: secret = "", key = "" } = valueFrom?.secretKeyRef ?? {}
    set[name] = expanded(value ?? existing(secrets, secret)[key] ?? "", set)
  }
  return set
}

/** A text with `$(NAME)` as the kubelet writes it out. */
function expanded(text: string, env: Files): string {
  return text.replaceAll(/\$\((\w+)\)/g, (_all, name: string) => env[name] ?? "")
}

function existing(files: Readonly<Record<string, Files>>, name: string): Files {
  const found = files[name]
  if (found === undefined) throw new Error(`there is no ${name} in the cluster`)
  return found
}

/**
 * Every volume is a folder that the pod's group may use; what is projected is there as files. A claim is a folder that
 * is empty at first; the replicas of a workload share what they claim by one name.
 */
function mountOf(
  { name, mountPath, readOnly = false }: Container["volumeMounts"][number],
  { pod }: Workload,
  { cluster, folder }: { readonly cluster: Cluster; readonly folder: string },
): Mount {
  const claimed = pod.volumes.find((one) => one.name === name)
  const claim = claimed?.persistentVolumeClaim?.claimName
  const place = claim === undefined ? mkdtempSync(join(folder, `${name}-`)) : join(folder, claim)
  mkdirSync(place, { recursive: true })
  const sources = claimed?.projected?.sources ?? []
  for (const { configMap, secret } of sources) {
    const optional = secret !== undefined && secret.optional === true ? (cluster.secrets[secret.name] ?? {}) : undefined
    const files =
      configMap === undefined
        ? (optional ?? existing(cluster.secrets, secret?.name ?? ""))
        : existing(cluster.configMaps, configMap.name)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text)
  }
  chownSync(place, 0, pod.securityContext.fsGroup)
  chmodSync(place, 0o2777)
  return { source: place, target: mountPath, readOnly }
}

async function probeOf(
  container: Container,
  which: "startupProbe" | "readinessProbe" | "livenessProbe",
  address: string,
) {
  const said = container[which]
  const name = said?.httpGet?.port ?? said?.tcpSocket?.port
  const port = container.ports.find((one) => one.name === name)?.containerPort
  if (said === undefined) return true
  if (port === undefined) throw new Error(`no port ${name}`)
  if (said.httpGet !== undefined) {
    const answer = await fetch(`http://${address}:${port}${said.httpGet.path}`).catch(() => null)
    return answer?.ok === true
  }
  return connects(address, port)
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false))
    socket.on("connect", () => socket.destroy())
  })
}
