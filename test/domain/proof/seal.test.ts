// The seal: what it made it recognises, and nothing else (R14, R15).

import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { SealError } from "../../../src/domain/proof/seal.ts"
import { aSeal } from "../../support/builders.ts"
import { anyJson } from "../arbitraries.ts"

test("R14: what was sealed is recognised, whatever the order of its keys", () => {
  const seal = aSeal()

  expect(seal.verify("vote", { b: 1, a: 2 }, seal.mac("vote", { a: 2, b: 1 }))).toBe(true)
})

test("R14: any other value is not recognised", () => {
  const seal = aSeal()
  fc.assert(
    fc.property(anyJson, anyJson, (one, other) => {
      const same = seal.mac("vote", one) === seal.mac("vote", other)

      expect(seal.verify("vote", other, seal.mac("vote", one))).toBe(same)
    }),
  )
})

test("R14: a seal for one purpose, key or installation passes for no other", () => {
  const seal = aSeal()
  const mac = seal.mac("vote", { a: 1 })

  expect(seal.verify("resolution", { a: 1 }, mac)).toBe(false)
  expect(aSeal({ key: Buffer.alloc(32, 8) }).verify("vote", { a: 1 }, mac)).toBe(false)
  expect(aSeal({ installation: "other" }).verify("vote", { a: 1 }, mac)).toBe(false)
  expect(aSeal().verify("vote", { a: 1 }, mac)).toBe(true)
})

test.for(["", "A", "not base64url!", "A".repeat(42), "A".repeat(44), "A".repeat(43)])(
  "R14: the seal %j is refused without a crash",
  (mac) => {
    expect(aSeal().verify("vote", { a: 1 }, mac)).toBe(false)
  },
)

test("a seal is 43 base64url characters", () => {
  expect(aSeal().mac("vote", null)).toMatch(/^[\w-]{43}$/)
})

test("R15: what was encrypted is read back, and does not show", () => {
  const seal = aSeal()
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, context) => {
      expect(seal.decrypt("ticket", seal.encrypt("ticket", text, context), context).toString("utf8")).toBe(text)
    }),
  )
  expect(seal.encrypt("ticket", "hunter2", "").includes("hunter2")).toBe(false)
})

test("R15: the same text is never encrypted to the same bytes", () => {
  const seal = aSeal()

  expect(seal.encrypt("ticket", "text", "").equals(seal.encrypt("ticket", "text", ""))).toBe(false)
})

test("R14: one changed bit anywhere breaks what was encrypted", () => {
  const seal = aSeal()
  const sealed = seal.encrypt("case", "some text", "key 1")
  fc.assert(
    fc.property(fc.nat({ max: sealed.length * 8 - 1 }), (bit) => {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)

      expect(() => seal.decrypt("case", changed, "key 1")).toThrow(SealError)
    }),
  )
})

test.for([0, 11, 12, 16, 24, 27])("R14: %i bytes are too few to be sealed by us", (length) => {
  const sealed = aSeal().encrypt("case", "", "key 1").subarray(0, length)

  expect(() => aSeal().decrypt("case", sealed, "key 1")).toThrow(SealError)
})

test("R14: what was encrypted for one purpose, context or key opens under no other", () => {
  const sealed = aSeal().encrypt("case", "some text", "key 1")

  expect(() => aSeal().decrypt("ticket", sealed, "key 1")).toThrow("the seal of a ticket is broken")
  expect(() => aSeal().decrypt("case", sealed, "key 2")).toThrow(SealError)
  expect(() => aSeal({ key: randomBytes(32) }).decrypt("case", sealed, "key 1")).toThrow(SealError)
  expect(() => aSeal({ installation: "other" }).decrypt("case", sealed, "key 1")).toThrow(SealError)
})

test("a broken seal says that trying again does not help", () => {
  expect(new SealError("case")).toMatchObject({ code: "bad-seal", retryable: false })
})

test("the key's name tells keys apart, and is no part of them", () => {
  const { keyId } = aSeal()

  expect(keyId).toMatch(/^[0-9a-f]{16}$/)
  expect(aSeal().keyId).toBe(keyId)
  expect(aSeal({ key: Buffer.alloc(32, 8) }).keyId).not.toBe(keyId)
})
