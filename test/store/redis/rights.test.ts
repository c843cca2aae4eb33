// The smallest ACL: no right in it is one too many. test/stories/rights.test.ts shows that none is missing.
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { smallestAcl } from "../../../src/store/redis/rights.ts"

const bullmq = join(dirname(createRequire(import.meta.url).resolve("bullmq/package.json")), "dist/esm")

/** All text below these folders, but that of the rights themselves. */
function textBelow(...folders: readonly string[]): string {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  const sources = files.filter((file) => /\.(ts|js)$/.test(file) && !/\.d\.ts$|rights\.ts$/.test(file))
  return sources.map((file) => readFileSync(file, "utf8")).join("\n")
}

test("each command of the smallest ACL is called by the store, by the job queue, or in a script of one of them", () => {
  const text = textBelow("src/store", "src/bot", join(bullmq, "scripts"), join(bullmq, "classes"))
  const commands = smallestAcl("default", "server")
    .split(" ")
    .flatMap((word) => /^\+(\w+)/.exec(word)?.[1] ?? [])

  const unused = commands.filter(
    (name) => !new RegExp(`call\\(\\s*['"]${name}['"]|\\.${name}\\(|"${name}"`, "i").test(text),
  )

  expect(commands.length).toBeGreaterThan(50)
  expect(unused.filter((name) => name !== "client")).toEqual([])
})

test("the smallest ACL allows the keys of one installation, no channel, and the commands of a cluster only in one", () => {
  const [server, cluster] = [smallestAcl("prod", "server"), smallestAcl("prod", "cluster")]

  expect(server).toMatch(/^resetchannels ~\{countersign:prod\}\* -@all \+/)
  expect(server).not.toMatch(/\+@|~\*|config|flush|\+keys\b|cluster/)
  expect(cluster).toMatch(/\+asking .*\+cluster\|info \+cluster\|slots/)
  expect(smallestAcl("prod", "sentinel")).toBe(server)
})
