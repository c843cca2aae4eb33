// The chart, rendered by helm with one of its sets of values, or with values of a test's own.
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { parseAllDocuments, stringify } from "yaml"
import type { Manifest } from "../support/manifests.ts"
import { aFolder } from "../support/opened.ts"

const root = new URL("../..", import.meta.url).pathname

/** Where the chart lies. */
export const chartFolder = join(root, "charts/countersign")

/** The sets of values in the chart's folder `ci`. */
export const sets = ["agentos", "another-platform", "trying", "everything"] as const

/** The file of a set. */
export function setFile(set: (typeof sets)[number]): string {
  return join(chartFolder, "ci", `${set}.yaml`)
}

/** Runs helm in a folder, and throws what it said if it fails. */
export async function helm(args: readonly string[], cwd = root): Promise<string> {
  const program = process.env["HELM"]
  if (program === undefined) throw new Error("HELM is not set: start these tests by npm run test:chart")
  const home = aFolder("helm")
  // No repository, plugin or cluster of this machine counts.
  const env = {
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
    HOME: home,
    KUBECONFIG: "/dev/null",
  }
  const { stdout } = await promisify(execFile)(program, [...args], { env, cwd, maxBuffer: 16 * 1024 * 1024 })
  return stdout
}

/** The text that helm makes of the chart, as a release of this name. */
export function template(name: string, ...args: readonly string[]): Promise<string> {
  return helm(["template", name, chartFolder, ...args])
}

/** The manifests in a text of helm's. */
export function manifestsIn(text: string): readonly Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)
}

/** A set of values with changes over it, saved: helm puts the second file over the first. */
export function changed(set: (typeof sets)[number], changes: unknown): readonly string[] {
  const file = join(aFolder("values"), "values.yaml")
  writeFileSync(file, stringify(changes))
  return ["--values", setFile(set), "--values", file]
}

/** A file of the chart. */
export function chartFile(path: string): string {
  return readFileSync(join(chartFolder, path), "utf8")
}
