import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { KeyError, readKey } from "../../src/cli/key.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-key-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

const random = () => Buffer.alloc(32, 7)

describe("the key", () => {
  it("R14 is made once, for its owner only, and found again", () => {
    const path = join(folder, "data", "key")

    const made = readKey({ kind: "file", path }, random)

    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(made.toString()).toBe(readFileSync(path, "utf8").trim())
    expect(readKey({ kind: "file", path }, () => Buffer.alloc(32, 8))).toEqual(made)
  })

  it("R14 in a file that others may read is refused, with what to do", () => {
    const path = join(folder, "key")
    readKey({ kind: "file", path }, random)
    chmodSync(path, 0o644)

    expect(() => readKey({ kind: "file", path }, random)).toThrow(KeyError)
    expect(() => readKey({ kind: "file", path }, random)).toThrow(/chmod 600/)
  })

  it("that is too short is refused", () => {
    const path = join(folder, "key")
    writeFileSync(path, "short\n", { mode: 0o600 })

    expect(() => readKey({ kind: "file", path }, random)).toThrow(/too short/)
  })

  it("that cannot be made says so", () => {
    writeFileSync(join(folder, "file"), "")

    expect(() => readKey({ kind: "file", path: join(folder, "file", "key") }, random)).toThrow()
  })

  it("from the environment is taken as it is", () => {
    expect(readKey({ kind: "given", value: "k".repeat(40) }, random).toString()).toBe("k".repeat(40))
  })
})
