// How helm is found, what is said when there is none, and how a file is taken out of an archive.
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { deflateRawSync } from "node:zlib"
import { expect, test } from "vitest"
import { fileInZip, findHelm } from "../../src/setup/helm.mjs"
import { aFolder } from "../support/opened.ts"

const silent = () => undefined

test("the helm that HELM names is taken as it is, and else the first on PATH that can be run", async () => {
  const [first, second, cache] = [aFolder("helm"), aFolder("helm"), aFolder("helm")]
  for (const folder of [first, second]) writeFileSync(join(folder, "helm"), "")
  chmodSync(join(second, "helm"), 0o755)
  const env = { PATH: `${first}:${second}`, XDG_CACHE_HOME: cache }

  expect(await findHelm({ env: { ...env, HELM: "/opt/helm" }, log: silent })).toBe("/opt/helm")
  expect(await findHelm({ env, log: silent })).toBe(join(second, "helm"))
})

test.each([
  ["linux-x64", /fetching it failed[^]*set HELM/],
  ["darwin-arm64", /none is brought for darwin-arm64[^]*set HELM/],
])("without a helm on %s, and with none that can be fetched, the error says what to do", async (system, words) => {
  const env = { PATH: aFolder("helm"), XDG_CACHE_HOME: aFolder("helm") }

  await expect(findHelm({ env, log: silent, system })).rejects.toThrow(words)
})

/** An archive as zip writes it: each file with a head before it, and a directory of all at the end. */
function anArchive(files: readonly (readonly [name: string, text: string, isPacked: boolean])[]): Buffer {
  const parts: Buffer[] = []
  const entries: Buffer[] = []
  for (const [name, text, isPacked] of files) {
    const packed = isPacked ? deflateRawSync(text) : Buffer.from(text)
    const entry = Buffer.alloc(46)
    entry.writeUInt16LE(isPacked ? 8 : 0, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt16LE(3, 30)
    entry.writeUInt32LE(Buffer.concat(parts).length, 42)
    entries.push(entry, Buffer.from(`${name}...`))
    const head = Buffer.alloc(30)
    head.writeUInt16LE(name.length, 26)
    head.writeUInt16LE(2, 28)
    parts.push(head, Buffer.from(`${name}..`), packed)
  }
  const end = Buffer.alloc(22)
  end.write("PK\u0005\u0006", 0, "latin1")
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(Buffer.concat(parts).length, 16)
  return Buffer.concat([...parts, ...entries, end])
}

test("a file is taken out of an archive, packed or stored, and one that is not there is an error", () => {
  const archive = anArchive([
    ["helm/", "", false],
    ["helm/helm", "a program".repeat(9), true],
    ["kubectl", "another", false],
  ])

  expect(fileInZip(archive, "helm/helm").toString()).toBe("a program".repeat(9))
  expect(fileInZip(archive, "kubectl").toString()).toBe("another")
  expect(() => fileInZip(archive, "tar")).toThrow("there is no tar in the archive")
  expect(() => fileInZip(Buffer.from("no archive"), "helm/helm")).toThrow("there is no helm/helm")
})
