// Holds Kubernetes' manifests against the schemas and types of Kubernetes and of the Prometheus Operator.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = new URL("../..", import.meta.url).pathname

/** A manifest. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: unknown
  readonly data?: unknown
  readonly stringData?: unknown
}

/** The module that describes a kind: `kubernetes-models/apps/v1/Deployment`. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  const models = apiVersion.startsWith("monitoring.coreos.com/")
    ? "@kubernetes-models/prometheus-operator"
    : "kubernetes-models"
  return `${models}/${apiVersion}/${kind}`
}

/** What the schema of a manifest's kind says against it, or null. */
export async function problemWith(manifest: Manifest): Promise<string | null> {
  const { [manifest.kind]: Model } = await import(moduleOf(manifest))
  try {
    new Model(manifest).validate()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What the types of the models say against manifests: the schemas let a field pass that nobody knows. */
export function unknownFields(all: readonly Manifest[]): string {
  const cache = join(root, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "kubernetes-"))
  try {
    const lines = all.map((manifest, at) => {
      const type = `import("${moduleOf(manifest)}").I${manifest.kind}`
      return `export const manifest${at}: ${type} = ${JSON.stringify(manifest)}`
    })
    writeFileSync(join(folder, "manifests.ts"), lines.join("\n"))
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--ignoreConfig"]
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    execFileSync(process.execPath, [tsc, ...options, join(folder, "manifests.ts")], { cwd: folder, stdio: "pipe" })
    return ""
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
