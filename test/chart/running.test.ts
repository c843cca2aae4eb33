// The values and the commands of docs/running.md, given to helm without a cluster.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { commandsIn } from "../doc-commands.ts"
import { problemWith } from "../support/manifests.ts"
import { aFolder } from "../support/opened.ts"
import { chartFolder, helm, manifestsIn, setFile } from "./helm.ts"

const page = readFileSync(new URL("../../docs/running.md", import.meta.url), "utf8")

/** A folder as its reader has it: with the chart, the page's values, and rules. */
function aReader(): string {
  const folder = aFolder("reader")
  const [, values = ""] = /^ *```yaml\n( +variables:[^`]*)```/m.exec(page) ?? []
  symlinkSync(join(chartFolder, ".."), join(folder, "charts"))
  writeFileSync(join(folder, "values.yaml"), values)
  writeFileSync(join(folder, "countersign.yaml"), parse(readFileSync(setFile("agentos"), "utf8")).config)
  return folder
}

test("the commands of the page start all but the bot, and then the bot twice", async () => {
  const folder = aReader()
  const commands = commandsIn(page).filter((command) => command.startsWith("helm upgrade --install "))

  const made = await Promise.all(
    commands.map(async (command) => {
      const words = command.replace("helm upgrade --install", "template").split(" ")
      return manifestsIn(await helm(words, folder))
    }),
  )

  const replicas = made.map((all) => all.find(({ kind }) => kind === "Deployment")?.spec)
  expect(replicas).toMatchObject([{ replicas: 0 }, { replicas: 2 }])
  for (const all of made) {
    expect(all.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
      expect.arrayContaining(["Deployment countersign-gate", "StatefulSet countersign-redis", "ConfigMap countersign"]),
    )
    expect((await Promise.all(all.map(problemWith))).filter((problem) => problem !== null)).toEqual([])
  }
})
