// The files of docs/kubernetes are what helm makes of the chart: `npm run test:chart -- -u` writes them anew.
import { join } from "node:path"
import { expect, test } from "vitest"
import { setFile, template } from "./helm.ts"

const folder = new URL("../../docs/kubernetes", import.meta.url).pathname

/** By file what stands at its head, and the template that it is made of. */
const files = [
  [
    "countersign.yaml",
    "bot",
    "Countersign on Kubernetes: two replicas, no rights in the cluster, nothing writable but two empty folders.",
  ],
  [
    "gate.yaml",
    "gate",
    "The gate that AgentOS needs before Countersign (docs/how-to/agentos-gate.md), and no other platform. It alone holds the JWT that decides.",
  ],
  [
    "redis.yaml",
    "redis",
    "One Redis for Countersign, append-only, on a volume, to try it. A managed Redis, a cluster or one with Sentinels does as well, if it never drops keys.",
  ],
] as const

test.each(files)("docs/kubernetes/%s is rendered from the chart", async (file, source, words) => {
  const made = await template("countersign", "--values", setFile("agentos"), "--show-only", `templates/${source}.yaml`)
  const head = `# ${words}\n# Made of charts/countersign by its values ci/agentos.yaml. How to use it: docs/running.md.\n\n`
  const text = made.replaceAll(/^# Source: .*\n/gm, "").replace(/^---\n/, "")

  await expect(`${head}${text}`).toMatchFileSnapshot(join(folder, file))
})
