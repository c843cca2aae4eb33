// Commands of pages that need a cluster: whether they are about what the chart makes, and name files that are there.
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = new URL("..", import.meta.url).pathname
const manifests = globSync("docs/kubernetes/*.yaml", { cwd: root })
  .map((path) => readFileSync(join(root, path), "utf8"))
  .join("\n---\n")

/** The deployments of the manifests, and the Secrets that their pods take. */
const deployments = [...manifests.matchAll(/^kind: Deployment\nmetadata:\n {2}name: (\S+)$/gm)].map(([, name]) => name)
const secrets = [...manifests.matchAll(/secret(?:Ref|KeyRef)?: \{ name: ([\w-]+)/g)].map(([, name]) => name)

const given = String.raw`--from-(?:literal=\w+=|file=[\w.-]+)(?:"[^"]*"|\S*)`
const replaced = String.raw` --dry-run=client --output=yaml \| kubectl apply --filename=-`
const values = String.raw`--values \S+ --set-file config=\S+(?: --set replicas=\d)?`

/** The commands that need a cluster, or helm, as pages have them, and what has to be there. */
const shapes: readonly (readonly [shape: string, holds: (part?: string) => boolean])[] = [
  [String.raw`kubectl rollout (?:status|restart) deployment/(\S+)`, isDeployment],
  [String.raw`kubectl exec deployment/(\S+) -- node dist/src/cli/countersign\.mjs \S.*`, isDeployment],
  [String.raw`kubectl create secret generic (\S+)(?: +${given})+(?:${replaced})?`, isSecret],
  [String.raw`kubectl apply((?: --filename \S+)+)`, areFiles],
  [`helm upgrade --install countersign charts/countersign ${values}`, () => true],
  [String.raw`helm show values countersign-chart-[\d.]+\.tgz`, () => true],
]

function isDeployment(name = ""): boolean {
  return deployments.includes(name)
}

function isSecret(name = ""): boolean {
  return secrets.includes(name)
}

function areFiles(said = ""): boolean {
  const paths = said.split(/ --filename /).filter((path) => path !== "")
  return paths.every((path) => existsSync(join(root, path)))
}

/** True for a command of kubectl or helm that fits what the chart makes. test/package/kubernetes.test.ts plays them. */
export function fitsCluster(command: string): boolean {
  return shapes.some(([shape, holds]) => {
    const found = new RegExp(`^${shape}$`).exec(command)
    return found !== null && holds(found[1])
  })
}
