import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { KeyError, openKeyFile, openSigningKey, readKey } from "../../../src/cli/installation/key.ts"
import { makeKeyText, readSigningKey } from "../../../src/proof/signing-key.ts"
import { load, SOCKET_ENV, type Sources } from "../../config/load.ts"
import { aFolder } from "../../support/opened.ts"

let folder = ""
beforeEach(() => void (folder = aFolder("key")))

const random = () => Buffer.alloc(32, 7)

describe("a secret file", () => {
  it("a secret file in a folder that cannot be made says what else to do", () => {
    writeFileSync(join(folder, "file"), "")
    const make = () => "x".repeat(40)

    const read = () => openKeyFile({ path: join(folder, "file", "key"), make, instead: "set COUNTERSIGN_RECEIPT_KEY" })

    expect(read).toThrow(KeyError)
    expect(read).toThrow(/give its folder to this user, or set COUNTERSIGN_RECEIPT_KEY/)
  })
})

describe("the signing key", () => {
  const config = (changes: Sources) => load({ env: SOCKET_ENV, ...changes })

  it("is made once in the data folder, for its owner only, and found again", async () => {
    const { receipts } = config({})
    expect(receipts).toEqual({
      algorithm: "EdDSA",
      key: { kind: "file", path: "/srv/bot/.countersign/receipt-key.pem" },
    })
    const path = join(folder, "data", "receipt-key.pem")
    const own = { ...config({}), receipts: { algorithm: "ES256", key: { kind: "file", path } } } as const

    const made = await openSigningKey(own, random())

    expect(made.algorithm).toBe("ES256")
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await openSigningKey(own, random())).publicKey).toEqual(made.publicKey)
  })

  it("is the one in the environment, if there is one", async () => {
    const text = makeKeyText("ES256")
    const given = config({ env: { ...SOCKET_ENV, COUNTERSIGN_RECEIPT_KEY: text, COUNTERSIGN_KEY: "k".repeat(40) } })

    expect((await openSigningKey(given, random())).publicKey).toEqual((await readSigningKey(text, "it")).publicKey)
    expect(given.secrets).toContain(text.trim())
  })

  it("follows from a given COUNTERSIGN_KEY, so that replicas share it, and from no other", async () => {
    const env = { ...SOCKET_ENV, COUNTERSIGN_KEY: "k".repeat(40) }
    const [one, again, other] = await Promise.all([
      openSigningKey(config({ env }), Buffer.from("k".repeat(40))),
      openSigningKey(config({ env }), Buffer.from("k".repeat(40))),
      openSigningKey(config({ env }), Buffer.from("l".repeat(40))),
    ])

    expect(one.publicKey).toEqual(again.publicKey)
    expect(one.publicKey.kid).not.toBe(other.publicKey.kid)
  })

  it("the signing key that is none is refused with the name of its source", async () => {
    const given = config({ env: { ...SOCKET_ENV, COUNTERSIGN_RECEIPT_KEY: "nothing" } })

    await expect(openSigningKey(given, random())).rejects.toThrow(/^COUNTERSIGN_RECEIPT_KEY holds no private key/)
  })
})

describe("the key", () => {
  it("R14 is made once, for its owner only, and found again", () => {
    const path = join(folder, "data", "key")

    const made = readKey({ kind: "file", path }, random)

    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(made.toString()).toBe(readFileSync(path, "utf8").trim())
    expect(readKey({ kind: "file", path }, () => Buffer.alloc(32, 8))).toEqual(made)
  })

  it("R14 the key in a file that others may read is refused, with what to do", () => {
    const path = join(folder, "key")
    readKey({ kind: "file", path }, random)
    chmodSync(path, 0o644)

    expect(() => readKey({ kind: "file", path }, random)).toThrow(KeyError)
    expect(() => readKey({ kind: "file", path }, random)).toThrow(/chmod 600/)
  })

  it("the key that is too short is refused", () => {
    const path = join(folder, "key")
    writeFileSync(path, "short\n", { mode: 0o600 })

    expect(() => readKey({ kind: "file", path }, random)).toThrow(/too short/)
  })

  it("the key that cannot be made says so", () => {
    writeFileSync(join(folder, "file"), "")

    expect(() => readKey({ kind: "file", path: join(folder, "file", "key") }, random)).toThrow()
  })

  it("the key from the environment is taken as it is", () => {
    expect(readKey({ kind: "given", value: "k".repeat(40) }, random).toString()).toBe("k".repeat(40))
  })
})
